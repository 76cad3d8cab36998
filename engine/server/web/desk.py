"""The desk: the state that all routes share, and code that turns errors into refusals."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated

from fastapi import Depends
from pydantic import ValidationError
from starlette.requests import HTTPConnection, Request

from engine.config import known_settings
from engine.history import History
from engine.record.files import is_log_name
from engine.runs.index import Index
from engine.runs.query import Query
from engine.server.guard import own_origins
from engine.server.hall import Hall
from engine.server.keys import Caller, Keys
from engine.server.seats import Conflict
from engine.server.web.limits import Places
from engine.server.web.refusal import Refusal
from protocol.suggest import did_you_mean, explain

EXPORTS_AT_ONCE = 2
REHEARSALS = 2
# How many of the newest games are searched for the name nearest to an unknown one.
NEAREST_OF = 200
# Minimum seconds between two readings of the folder.
REFRESH_PAUSE = 1.0
LONGEST_NUMBER = 18
# About ten seconds of measurements.
DELAYS = 40


class Desk:
    """The state that all routes share.

    `delays` contains the latest delays of the web server's event loop, in seconds. The constructor
    raises ValueError if the key-signing secret is damaged.
    """

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings
        self.keys = Keys(self.settings)
        self.places = Places(self.settings.max_watchers)
        self.delays: deque[float] = deque(maxlen=DELAYS)
        self.refreshed = -REFRESH_PAUSE
        self.refreshing = asyncio.Lock()
        self.exports = asyncio.Semaphore(EXPORTS_AT_ONCE)
        self.rehearsals = asyncio.Semaphore(REHEARSALS)

    @contextmanager
    def refuse_errors(self) -> Iterator[None]:
        """Turn ValueError and OSError into one-sentence refusals without local paths."""
        try:
            yield
        except (ValueError, OSError) as error:
            sentence = str(error)
            if isinstance(error, ValidationError):
                sentence = explain(error, known_settings())
            status = 409 if isinstance(error, Conflict) else 422
            raise Refusal(status, self.without_paths(sentence)) from None

    def without_paths(self, sentence: str) -> str:
        """Return a sentence without the path of the logs folder."""
        folder = self.settings.logs_dir
        for path in (str(folder.resolve()), str(folder)):
            sentence = sentence.replace(f"{path}/", "").replace(path, "the folder of the logs")
        return sentence

    def look_again(self) -> None:
        """Make the next `fresh_index` read the folder again, because a game began."""
        self.refreshed = -REFRESH_PAUSE

    async def fresh_index(self) -> Index:
        """Return the folder's index, which is at most a second old."""
        # Concurrent requests share one reading: the page sends two at once.
        async with self.refreshing:
            now = time.monotonic()
            if now - self.refreshed > REFRESH_PAUSE:
                self.refreshed = now
                await asyncio.to_thread(self.hall.index.refresh)
        return self.hall.index

    async def history(self, name: str) -> History:
        """Return a game's history so far; raise Refusal if it does not exist or cannot be read."""
        async with self.refuse_unknown(name):
            return await self.hall.history(name)

    @asynccontextmanager
    async def refuse_unknown(self, name: str) -> AsyncIterator[None]:
        """Turn errors into refusals; for an unknown game, suggest the nearest name."""
        try:
            with self.refuse_errors():
                yield
        except KeyError:
            # The very first query reads the whole folder.
            newest = Query(limit=NEAREST_OF)
            rows, _ = await asyncio.to_thread(self.hall.index.page, newest)
            near = did_you_mean(name, [row.name for row in rows])
            raise Refusal(
                404, f"there is no game {name!r:.80}:{near} GET /api/games lists them"
            ) from None


def desk_of(connection: HTTPConnection) -> Desk:
    """Return the app's desk."""
    desk: Desk = connection.app.state.desk
    return desk


def caller_of(connection: HTTPConnection) -> Caller:
    """Return the caller that the guard identified."""
    caller: Caller = connection.state.caller
    return caller


def site_of(request: Request) -> str:
    """Return the address by which the caller reached this server; its host has been checked."""
    host = request.headers["host"]
    secure = f"https://{host}"
    return secure if secure in own_origins(desk_of(request).settings) else f"http://{host}"


AtDesk = Annotated[Desk, Depends(desk_of)]
Asking = Annotated[Caller, Depends(caller_of)]


def only_host(caller: Asking) -> Caller:
    """Return the caller; refuse callers that have only keys to single games."""
    if not caller.host:
        raise Refusal(403, "a key opens one game and nothing else: this needs the host's token")
    return caller


def changing_host(caller: Annotated[Caller, Depends(only_host)], desk: AtDesk) -> Caller:
    """Return the caller; refuse requests to begin or change games on a read-only server."""
    if desk.settings.read_only:
        raise Refusal(403, "this server only shows games: restart it without --read-only")
    return caller


async def open_game(name: str, caller: Asking, desk: AtDesk) -> str:
    """Return the name of a game; raise Refusal if the caller has no rights in it."""
    if not caller.host and not caller.grants_of(name):
        raise Refusal(403, "this key opens another game: ask the host for a link to this one")
    async with desk.refuse_unknown(name):
        if not is_log_name(name):
            raise KeyError(name)
    return name


HostAsking = Annotated[Caller, Depends(only_host)]
HostChanging = Annotated[Caller, Depends(changing_host)]
GameName = Annotated[str, Depends(open_game)]
Site = Annotated[str, Depends(site_of)]


def whole_number(text: str | None, what: str, default: int, most: int, least: int = 0) -> int:
    """Return a whole number from a URL; raise Refusal unless it is from `least` to `most`.

    `default` replaces a missing number, and `what` names the number in the Refusal.
    """
    if text is None:
        return default
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER
    if not is_number or not least <= int(text) <= most:
        raise Refusal(422, f"expected {what} to be a number from {least} to {most}: {text!r:.40}")
    return int(text)
