"""The forms an agent may have: a block agent, a step strategy, a machine with a state, a strategy that draws lots."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import reduce, update_wrapper
from random import Random
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from engine.games.dilemma.rules import Move, Pair, Points
from engine.rng import stream

Strategy: TypeAlias = Callable[[Sequence[Move], Sequence[Move]], Move]
Agent: TypeAlias = Callable[[list[Pair], Points], Sequence[str]]
Seat: TypeAlias = Callable[[list[Move], list[Move]], Any]
State: TypeAlias = tuple[Any, ...]
Advance: TypeAlias = Callable[[State, Move, Move], State]
Draws: TypeAlias = Callable[[], Random]
Remembering = TypeVar("Remembering", bound=Callable[..., Any])


class Machine:
    """A step strategy with a memory: `start` is its first state, `advance` leads to the next by a pair of moves.

    A state's first item is the move it means. So a match needs no look back, however long it grows.
    `advance` must hang on nothing but what it is passed: a machine of few states is explored once,
    and then played from a table.
    """

    __name__: str
    __qualname__: str

    def __init__(self, start: State, advance: Advance) -> None:
        self.start = start
        self.advance = advance
        update_wrapper(self, advance)

    def __reduce__(self) -> str:
        """Return the name it has in its module: so it is sent to other processes, as a function is."""
        return self.__qualname__

    def __call__(self, own: Sequence[Move], opponent: Sequence[Move]) -> Move:
        """Return the move after these moves, from the first state on."""
        move: Move = reduce(
            lambda state, pair: self.advance(state, *pair),
            zip(own, opponent, strict=True),
            self.start,
        )[0]
        return move


class Drawing:
    """A step strategy that draws lots: `deal` makes a fresh one that draws from the stream it is handed.

    Called itself it draws from a stream of its own; in a match every game has another one.
    """

    __name__: str
    __qualname__: str

    def __init__(self, deal: Callable[[Random], Strategy]) -> None:
        self.deal = deal
        update_wrapper(self, deal)
        self._own = deal(stream(0, deal.__name__))

    def __reduce__(self) -> str:
        """Return the name it has in its module: so it is sent to other processes, as a function is."""
        return self.__qualname__

    def __call__(self, own: Sequence[Move], opponent: Sequence[Move]) -> Move:
        """Return the next move, drawn."""
        return self._own(own, opponent)


class Blocks:
    """A step strategy as a block agent; `strategy` is the strategy itself."""

    __name__: str

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.__name__ = name_of(strategy)
        self.__doc__ = strategy.__doc__

    def __call__(self, history: list[Pair], score: Points) -> list[Move]:
        """Return the next three moves."""
        del score
        strategy = self.strategy() if isinstance(self.strategy, type) else self.strategy
        return list(
            three_moves(strategy, [own for own, _ in history], [theirs for _, theirs in history])
        )


KEEPS_NOTHING = (FunctionType, Machine, Blocks)


def as_block(strategy: Strategy) -> Blocks:
    """Return the step strategy as an agent of blocks: "a set of 3 moves which will be played one at a time".

    It decides, appends, decides, appends, decides: own moves are those just chosen, and the
    opponent is assumed to repeat the last move it was seen to play (C when none was seen).

    >>> as_block(lambda own, opponent: opponent[-1] if opponent else "C")([("C", "D")], (0, 5))
    ['D', 'D', 'D']
    """
    return Blocks(strategy)


def starting(*start: Any) -> Callable[[Advance], Machine]:
    """Return the decorator that makes a machine of the function by which its states follow on one another."""
    return lambda advance: Machine(start, advance)


def recalls(*, own: int = 0, opponent: int = 0) -> Callable[[Remembering], Remembering]:
    """Return the decorator that says: this looks at no more than the last `own` and `opponent` moves of each side.

    Not even at how many there were before them, of which it may be handed all, some or none. So it
    is a machine of few states, and can be played from a table.
    """

    def declare(function: Remembering) -> Remembering:
        vars(function)["recalls"] = own, opponent
        return function

    return declare


def three_moves(
    strategy: Strategy, own: list[Move], opponent: list[Move]
) -> tuple[Move, Move, Move]:
    """Return three moves of `strategy` after these; the lists are as before when it returns or raises."""
    known = len(own)
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
        del own[known:], opponent[known:]


def fresh(player: Any, draws: Draws) -> Any:
    """Return `player` for one game, without anything that it kept from another.

    A class becomes a new instance, a drawing strategy gets a stream from `draws`, and an object of
    one's own is copied.
    """
    if isinstance(player, KEEPS_NOTHING):
        return player
    if isinstance(player, Drawing):
        return player.deal(draws())
    return player() if isinstance(player, type) else deepcopy(player)


def name_of(player: object) -> str:
    """Return the name of a function, a class, or else that of the object's class."""
    name: str = getattr(player, "__name__", type(player).__name__)
    return name
