"""The forms of an agent: block agent, step strategy, state machine, and random strategy."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import update_wrapper
from random import Random
from types import FunctionType, MappingProxyType
from typing import Any, TypeVar

from engine.games.dilemma.rules import Move, MoveList, Moves, Pair, Points, Triple
from engine.rng import stream

Strategy = Callable[[Moves, Moves], Move]
Agent = Callable[[list[Pair], Points], Sequence[str]]
State = tuple[Any, ...]
Responder = Callable[[MoveList, MoveList], Any]
Advance = Callable[[State, Move, Move], State]
Draws = Callable[[], Random]
Remembering = TypeVar("Remembering", bound=Callable[..., Any])
# The source's agent names, and their equivalents here: "(monitor '(.25 .1) '(10 50) '(#'random
# #'titfortat #'bobs #'joes #'stoc #'coin #'janes #'dianefeinsteins #'chocalate #'cooperate))".
# Random, stoc and coin have the same names here; agents named after their authors are unknown, so
# other agents replace them.
SOURCE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "titfortat": "tit_for_tat",
        "cooperate": "cooperator",
        "defect": "defector",
        "alternate": "alternator",
        "bobs": "gradual",
        "joes": "handshake",
        "janes": "detective",
        "dianefeinsteins": "bully",
        "chocalate": "prober",
    }
)


class FromFunction:
    """A step strategy made from a function: it has the function's name and is pickled by name."""

    __name__: str
    __qualname__: str

    def __reduce__(self) -> str:
        """Return this object's name in its module, as for a function."""
        return self.__qualname__


class Machine(FromFunction):
    """A step strategy with a memory; `start` is its first state, and `advance` returns the next.

    A state's first item is the move to play. `advance` must depend only on its arguments, a state
    and the two moves played in it (own first), so that a lookup table can replace the machine.
    """

    def __init__(self, start: State, advance: Advance) -> None:
        self.start = start
        self.advance = advance
        update_wrapper(self, advance)

    def __call__(self, own: Moves, opponent: Moves) -> Move:
        """Return the next move after replaying these moves from the first state."""
        state = self.start
        for pair in zip(own, opponent, strict=True):
            state = self.advance(state, *pair)
        move: Move = state[0]
        return move


class Drawing(FromFunction):
    """A random step strategy; `deal` returns a new strategy that draws from the passed stream.

    If called directly, it draws from its own stream. In a match, each game has its own stream.
    """

    def __init__(self, deal: Callable[[Random], Strategy]) -> None:
        self.deal = deal
        update_wrapper(self, deal)
        self._own = deal(stream(0, deal.__name__))

    def __call__(self, own: Moves, opponent: Moves) -> Move:
        """Return the next move, drawn at random."""
        return self._own(own, opponent)


class Blocks:
    """A block agent that plays the step strategy `strategy`."""

    __name__: str

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.__name__ = name_of(strategy)
        self.__doc__ = strategy.__doc__

    def __call__(self, history: list[Pair], score: Points) -> list[Move]:
        """Return the next three moves."""
        del score
        strategy = self.strategy
        if isinstance(strategy, type):
            strategy = strategy()
        my_moves = [mine for mine, _ in history]
        opponent = [theirs for _, theirs in history]
        return [*three_moves(strategy, my_moves, opponent)]


def as_block(strategy: Strategy) -> Blocks:
    """Return a block agent for the step strategy: "3 moves which will be played one at a time".

    For the second and third moves, the agent assumes that the opponent repeats its last move (C if
    there is none).

    >>> as_block(lambda own, opponent: opponent[-1] if opponent else "C")([("C", "D")], (0, 5))
    ['D', 'D', 'D']
    """
    return Blocks(strategy)


def starting(*start: Any) -> Callable[[Advance], Machine]:
    """Return a decorator that turns a state transition into a machine that begins in `start`."""
    return lambda advance: Machine(start, advance)


def recalls(*, own: int = 0, opponent: int = 0) -> Callable[[Remembering], Remembering]:
    """Return a decorator that declares how many of each side's last moves a function reads.

    The function must depend on nothing else, not even the number of earlier moves, so that it can
    be played from a lookup table.
    """

    def declare(function: Remembering) -> Remembering:
        vars(function)["recalls"] = own, opponent
        return function

    return declare


def three_moves(
    strategy: Strategy,
    own: MoveList,
    opponent: MoveList,
) -> Triple:
    """Return the next three moves of `strategy`; both lists are left unchanged."""
    played = len(own)
    last: Move = opponent[-1] if opponent else "C"
    try:
        first = strategy(own, opponent)
        own.append(first)
        opponent.append(last)
        second = strategy(own, opponent)
        own.append(second)
        opponent.append(last)
        return first, second, strategy(own, opponent)
    finally:
        del own[played:], opponent[played:]


def fresh_player(player: Any, draws: Draws) -> Any:
    """Return `player` for one game, without any memory of other games."""
    if isinstance(player, FunctionType | Machine | Blocks):
        return player
    if isinstance(player, Drawing):
        return player.deal(draws())
    if isinstance(player, type):
        return player()
    return deepcopy(player)


def name_of(player: object) -> str:
    """Return the name of a function or class or, for any other object, of its class."""
    return str(getattr(player, "__name__", type(player).__name__))


def agent_name(name: str) -> str:
    """Return this project's name for an agent, given a name in the source or in this project.

    >>> agent_name("titfortat"), agent_name("bully")
    ('tit_for_tat', 'bully')
    """
    return SOURCE_NAMES.get(name, name)
