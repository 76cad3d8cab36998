"""What all routes share: the hall, who asks, which view of a game that is, and how to say no."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from engine.server.hall import Hall
from engine.server.keys import Caller, Keys
from engine.server.limits import Exports, Places
from engine.server.settings import ServerSettings

EXPORTS = 2


@dataclass
class Desk:
    """The parts that routes work with."""

    hall: Hall
    settings: ServerSettings
    keys: Keys
    places: Places = field(init=False)
    exports: Exports = field(init=False)

    def __post_init__(self) -> None:
        self.places = Places(self.settings.max_watchers)
        self.exports = Exports(EXPORTS)


def desk_of(connection: HTTPConnection) -> Desk:
    """Return the desk of the app that is asked."""
    desk: Desk = connection.app.state.desk
    return desk


def caller_of(connection: HTTPConnection) -> Caller:
    """Return who asks, as the guard found."""
    caller: Caller = connection.state.caller
    return caller


AtDesk = Annotated[Desk, Depends(desk_of)]
Asking = Annotated[Caller, Depends(caller_of)]
