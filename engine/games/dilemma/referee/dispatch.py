"""Games between two automata, played in Python, or in compiled code if that is faster."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from types import ModuleType

from engine.games.dilemma.referee.automata import Automaton
from engine.games.dilemma.referee.walk import walk
from engine.games.dilemma.rules import Flips, Points, draw_flips
from engine.rng import number, stream

# Before numba is loaded, `walk` plays this many moves that could be flipped. Loading takes a
# second, and the first compilation takes longer. Without flips, `walk` is faster because it stops
# when moves repeat.
HOT = 5_000_000


@dataclass(slots=True)
class Tally:
    """The number of moves that automata have played in this process and that could be flipped."""

    moves: int = 0


TALLY = Tally()


def play_automata(
    automata: tuple[Automaton, Automaton],
    moves: int,
    flip_params: Sequence[float],
    seed: int,
    flips: Flips | None,
) -> tuple[str, str, Points, Flips]:
    """Return both sides' moves, points and flips; if `flips` is None, draw them from `seed`."""
    if flips is None and flip_params[0]:
        TALLY.moves += noisy_moves(moves, flip_params)
        compiled = compiled_if_there() if TALLY.moves > HOT else None
        if compiled is not None:
            drawn: tuple[str, str, Points, Flips] = compiled.play_noisy(
                *automata, moves, flip_params, number(seed, "flips")
            )
            return drawn
    if flips is None:
        flips = flips_of(moves, flip_params, seed)
    return *walk(*automata, moves, flips), flips


def noisy_moves(moves: int, flip_params: Sequence[float]) -> int:
    """Return how many of the moves could be flipped."""
    highest, decay = flip_params
    if not decay:
        return moves
    return ceil(min(moves, highest / decay))


@cache
def compiled_if_there() -> ModuleType | None:
    """Return the compiled backend, or None without numba; the backend changes only the speed."""
    try:
        from engine.games.dilemma.referee import compiled
    except ImportError:
        return None
    return compiled


def flips_of(
    moves: int,
    flip_params: Sequence[float],
    seed: int,
) -> Flips:
    """Return the flips of a match, drawn from a random stream that agents cannot predict."""
    if not flip_params[0]:
        return NO_FLIPS
    return draw_flips(moves, flip_params, stream(seed, "flips"))


NO_FLIPS: Flips = (frozenset(), frozenset())
