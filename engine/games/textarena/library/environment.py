"""One raw TextArena environment, isolated from all others that run concurrently."""

import io
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Any, TypeVar

from engine.games.textarena.library import RAW, TextGame, load_textarena
from protocol.text import clean

R = TypeVar("R")
LONGEST_TEXT = 20_000
# TextArena uses the global random generator and prints to stdout, so calls run one at a time.
TURNSTILE = RLock()


@dataclass(frozen=True, slots=True)
class ShownText:
    """A TextArena message: its author (-1: the game), its text, its kind, and its readers."""

    sender: int
    text: str
    kind: str
    readers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TextEnding:
    """The end of a game: rewards by seat, the reason, and the seats with an invalid move."""

    rewards: tuple[float, ...]
    reason: str
    invalid: tuple[int, ...] = ()


class RawEnvironment:
    """A running game that is used by a single engine; each step changes it in place.

    TextArena's random state and role names are global. Therefore, each call uses the game's own
    random state, and restores the global state and names afterwards.
    """

    def __init__(self, game: TextGame, players: int, seed: int) -> None:
        """Begin a game; raise ValueError with TextArena's reason if it cannot begin."""
        self.players = players
        self.done = False
        self.fault = ""
        self.chance = random.Random(seed).getstate()
        self.environment: Any = None
        library = load_textarena()
        try:
            self.environment = self._guard(lambda: library.make(game.game_id + RAW))
            self._guard(lambda: self.environment.reset(num_players=players, seed=seed))
        except Exception as error:
            raise ValueError(f"expected a game that begins: {error_in_words(error)}") from None

    @property
    def current(self) -> int:
        """The number of the player to move."""
        return int(self.environment.state.current_player_id)

    def step(self, action: str) -> None:
        """Pass a player's words to TextArena; if TextArena raises an error, the game ends."""
        try:
            done, _ = self._guard(lambda: self.environment.step(action))
        except Exception as error:
            self.fault = error_in_words(error)
            done = True
        self.done = bool(done)

    def fault_of(self, action: str) -> str:
        """Return why TextArena would reject a move now, or ""; the game does not change."""
        trial = copy(self)
        trial.environment = self._guard(lambda: deepcopy(self.environment))
        state = trial.environment.state
        reasons: list[str] = []
        charge = state.set_invalid_move

        def note(reason: object, *more: Any, **named: Any) -> Any:
            reasons.append(text_of(reason) or "it is invalid")
            return charge(reason, *more, **named)

        state.set_invalid_move = note
        trial.step(action)
        return " ".join(reasons)

    def drain(self) -> list[ShownText]:
        """Return the messages to players since the last call, each message once."""
        number, texts = 0, []
        if not self.done:
            number, texts = self._guard(self.environment.get_observation)
        queues = {number: list(texts)}
        waiting = self.environment.state.observations
        for player in range(self.players):
            queues.setdefault(player, []).extend(waiting.get(player, ()))
            waiting[player] = []
        return merge(queues)

    def close(self) -> TextEnding:
        """Return the ending; missing rewards, as in an unfinished game, are 0."""
        if self.fault:
            return TextEnding((0.0,) * self.players, f"TextArena raises an error: {self.fault}")
        rewards, about = self._guard(self.environment.close)
        payments = []
        invalid = []
        reason = ""
        for player in range(self.players):
            role = (about or {}).get(player, {})
            paid, why = read_pay((rewards or {}).get(player, 0), role.get("reason", ""))
            payments.append(paid)
            reason = reason or why
            if role.get("invalid_move"):
                invalid.append(player)
        return TextEnding(tuple(payments), reason, tuple(invalid))

    def _guard(self, call: Callable[[], R]) -> R:
        with TURNSTILE, redirect_stdout(io.StringIO()), own_roles():
            outside = random.getstate()
            random.setstate(self.chance)
            try:
                return call()
            finally:
                self.chance = random.getstate()
                random.setstate(outside)
                state: Any = getattr(self.environment, "state", None)
                roles: Any = getattr(state, "role_mapping", None)
                if any(roles is shared for shared, _ in shared_roles()):
                    state.role_mapping = dict(roles)


@cache
def shared_roles() -> list[tuple[dict[int, str], dict[int, str]]]:
    """Return TextArena's dicts of default roles, each with a copy of its initial content."""
    roles = []
    for name in ("State", "SinglePlayerState", "TwoPlayerState"):
        kind = getattr(load_textarena(), name)
        for method in ("reset", "standard_resets"):
            defaults = getattr(getattr(kind, method, None), "__defaults__", None) or ()
            dicts = [default for default in defaults if isinstance(default, dict)]
            roles += [(shared, dict(shared)) for shared in dicts]
    return roles


@contextmanager
def own_roles() -> Iterator[None]:
    """Restore TextArena's default roles on exit, since a game may have changed them."""
    roles = shared_roles()
    try:
        yield
    finally:
        for shared, first in roles:
            if shared != first:
                shared.clear()
                shared.update(first)


def error_in_words(error: Exception) -> str:
    """Return a TextArena error as a line of plain text."""
    return " ".join(f"{type(error).__name__}: {text_of(error)}".split())[:300]


def read_pay(reward: object, reason: object) -> tuple[float, str]:
    """Return a player's reward and the reason for it, which some games report in reverse order."""
    if isinstance(reward, str):
        reward, reason = reason, reward
    paid = float(reward) if isinstance(reward, int | float) else 0.0
    return paid, text_of(reason)


def text_of(found: object) -> str:
    """Return TextArena's text without the escape codes that players may have written."""
    return str(clean(str(found), limit=LONGEST_TEXT))


def merge(queues: dict[int, list[Any]]) -> list[ShownText]:
    """Merge all players' messages into one sequence, each message once, with all its readers.

    A message is taken when it is first in every queue that contains it. If there is no such
    message, the first message of the first queue is taken.
    """
    left = {player: list(texts) for player, texts in sorted(queues.items())}
    shown = []
    while any(left.values()):
        heads = [texts[0] for texts in left.values() if texts]
        first = next((head for head in heads if is_next(head, left)), heads[0])
        readers = [reader for reader, texts in left.items() if texts and texts[0] == first]
        for reader in readers:
            del left[reader][0]
        shown.append(read_shown(first, tuple(readers)))
    return shown


def read_shown(message: tuple[Any, ...], readers: tuple[int, ...]) -> ShownText:
    """Parse a message by the types of its parts, since three games swap the parts."""
    sender, text, kind = -1, "", "GAME_MESSAGE"
    for part in message:
        if isinstance(part, str):
            text = text_of(part)
        elif isinstance(part, int):
            sender = part
        else:
            kind = str(part.name)
    return ShownText(sender, text, kind, readers)


def is_next(text: Any, queues: dict[int, list[Any]]) -> bool:
    """Return whether a message is first in every queue that contains it."""
    return all(texts[0] == text for texts in queues.values() if text in texts)
