"""The engine's side of a TextArena game that runs in a worker."""

import weakref
from itertools import count
from typing import Any

from engine.games.textarena.library import TextGame, check_party
from engine.games.textarena.library.environment import ShownText, TextEnding
from engine.games.textarena.library.workers import StuckStep, TextState, WorkerGone, hire

NUMBERS = count()


class TextSession:
    """A game in a worker, replayed if the worker ends; `verdict` is why the game was given up."""

    def __init__(self, game: TextGame, players: int, seed: int) -> None:
        """Begin a game; raise ValueError if it cannot begin with this number of players."""
        check_party(game, players)
        self.game = game
        self.players = players
        self.verdict = ""
        self._number = next(NUMBERS)
        self._origin = (game, players, seed)
        self._actions: list[str] = []
        self._texts: list[ShownText] = []
        self._take(self._begin())

    @property
    def current(self) -> int:
        """The number of the player to move."""
        return self._state.current

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return self._state.done or bool(self.verdict)

    def step(self, action: str) -> None:
        """Pass a player's words to TextArena; raise StuckStep if TextArena hangs."""
        self._take(self._call("step", action))
        self._actions.append(action)

    def fault_of(self, action: str) -> str:
        """Return why TextArena would reject a move now, or "".

        A move that makes TextArena hang counts as valid: the game is given up only when the move is
        played.
        """
        try:
            return str(self._call("judge", action))
        except StuckStep:
            return ""

    def drain(self) -> list[ShownText]:
        """Return the messages to players since the last call, each message once."""
        texts = self._texts
        self._texts = []
        return texts

    def close(self) -> TextEnding:
        """Return the ending (rewards of 0 after a verdict); raise StuckStep if TextArena hangs."""
        if self.verdict:
            return TextEnding((0.0,) * self.players, self.verdict)
        ending: TextEnding = self._call("close")
        return ending

    def _take(self, state: TextState) -> None:
        self._state = state
        self._texts = [*state.texts]

    def _call(self, verb: str, *values: Any) -> Any:
        while True:
            try:
                return self._worker.call(verb, self._number, *values)
            except WorkerGone:
                self._begin()

    def _begin(self) -> TextState:
        """Begin the game in a worker, replay the moves so far, and return the state."""
        while True:
            self._worker = hire(self._number)
            weakref.finalize(self, self._worker.leave, self._number)
            try:
                state: TextState = self._worker.call("begin", self._number, *self._origin)
                for action in self._actions:
                    state = self._worker.call("step", self._number, action)
            except WorkerGone:
                continue
            return state
