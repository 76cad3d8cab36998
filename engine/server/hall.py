"""The hall: every game that is played here, or lies in the folder of the logs.

The web has the main thread's loop, in which a Hall is made and called. All games with models or
people share another loop in one thread, and one ClientFactory, so that limits and connections are
shared; games of computed seats alone run in worker threads, as many as there are cores.
"""

from collections.abc import Mapping, Sequence

from engine.config import GameEngineConfig
from engine.history import History
from engine.server.feed import Feed
from engine.server.seats import ANSWER_WITHIN, Conflict, WebAnswerer
from engine.server.settings import ServerSettings
from player import PlayerConfig

__all__ = ["Conflict", "Hall"]


class Hall:
    """Games under way, and all others in the folder.

    A name that no game has raises KeyError, what cannot be is a ValueError with the sentence, and
    what cannot be now is a Conflict. `index` is an Index of the folder, from `open` on.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings

    @property
    def playing(self) -> Sequence[str]:
        """The names of the games that are played here right now, in the order they began."""
        raise NotImplementedError

    @property
    def watchers(self) -> int:
        """How many follow a game right now."""
        raise NotImplementedError

    async def open(self) -> None:
        """Start the threads and read the folder."""
        raise NotImplementedError

    def finish(self) -> None:
        """End all streams and interrupt all games; nothing new is begun. Call it at Ctrl-C."""
        raise NotImplementedError

    async def close(self) -> None:
        """Finish, wait a few seconds for the calls under way, and end the threads."""
        raise NotImplementedError

    async def begin(
        self, config: GameEngineConfig, *, answer_within: float | None = ANSWER_WITHIN
    ) -> str:
        """Begin a game and return its name; a person has so many seconds for an answer.

        Folder, name, clock and logger of the config are the hall's own.
        """
        raise NotImplementedError

    async def feed(self, name: str) -> Feed:
        """Return what those who watch a game are sent, whoever plays it, or if it is over."""
        raise NotImplementedError

    async def history(self, name: str) -> History:
        """Return a game as far as it goes; one that changes no more while it is read."""
        raise NotImplementedError

    def status(self, name: str) -> dict[str, object]:
        """Return how a game that is played here stands, as a status frame has it."""
        raise NotImplementedError

    def seats(self, name: str) -> Mapping[str, WebAnswerer]:
        """Return the people's seats of a game by player; none if it is not played here."""
        raise NotImplementedError

    async def stop(self, name: str) -> None:
        """Ask nobody anything more in a game; it can go on later."""
        raise NotImplementedError

    async def resume(self, name: str, limits: Mapping[str, float] | None = None) -> None:
        """Go on with an unfinished game, perhaps with other budgets, by name as in Limits."""
        raise NotImplementedError

    async def fork(self, name: str, at: int, players: Sequence[PlayerConfig]) -> str:
        """Begin a game that goes on from a finished one with others, and return its name."""
        raise NotImplementedError
