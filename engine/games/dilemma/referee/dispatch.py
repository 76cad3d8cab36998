"""Which way a game between two tables goes: walked in Python, or compiled once enough was played to be worth it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from types import ModuleType

from engine.games.dilemma.referee.automata import Table
from engine.games.dilemma.referee.walk import walk
from engine.games.dilemma.rules import Flips, Points, draw_flips
from engine.rng import number, stream

# Moves with a chance of a flip that are walked before numba is asked for: it takes a second to be
# imported and, the first time, some to compile. Without flips walking is the faster way: it stops
# where the moves begin to repeat.
HOT = 5_000_000


@dataclass(slots=True)
class Tally:
    """How many moves with a chance of a flip this process has played between tables."""

    moves: int = 0


TALLY = Tally()


def table_game(
    tables: tuple[Table, Table],
    moves: int,
    flip_params: Sequence[float],
    seed: int,
    flips: Flips | None,
) -> tuple[str, str, Points, Flips]:
    """Return both sides' moves as they took effect, their points, and the flips: given, or drawn from `seed`."""
    if flips is None and flip_params[0]:
        TALLY.moves += noisy_moves(moves, flip_params)
        if TALLY.moves > HOT and (compiled := compiled_if_there()):
            drawn: tuple[str, str, Points, Flips] = compiled.walk(
                *tables, moves, flip_params, number(seed, "flips")
            )
            return drawn
    flips = flips_of(moves, flip_params, seed) if flips is None else flips
    return *walk(*tables, moves, flips), flips


def noisy_moves(moves: int, flip_params: Sequence[float]) -> int:
    """Return before how many of the moves there is a chance of a flip."""
    highest, decay = flip_params
    return ceil(min(moves, highest / decay)) if decay else moves


@cache
def compiled_if_there() -> ModuleType | None:
    """Return the compiled way, None where numba is not installed: it is optional, and all it does is sooner done."""
    try:
        from engine.games.dilemma.referee import compiled
    except ImportError:
        return None
    return compiled


def flips_of(moves: int, flip_params: Sequence[float], seed: int) -> Flips:
    """Return the flips of a match, drawn "from a noise stream of its own that agents cannot foresee"."""
    return draw_flips(moves, flip_params, stream(seed, "flips")) if flip_params[0] else NO_FLIPS


NO_FLIPS: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
