"""Games between two tables compiled by numba, noise included: the same moves and the same flips as on the plain path.

Needs numba (`uv sync --extra compiled`). The machine code is kept beside this file, or where numba
keeps it for a user if that place is read-only, so only the first game ever waits for the compiler.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engine.games.dilemma.referee.automata import Table
from engine.games.dilemma.referee.twister import compiled, draw, key_of
from engine.games.dilemma.rules import PAYOFFS, Flips, Points

GAINS, LOSSES = (
    np.array([points[side] for points in PAYOFFS.values()], np.int64) for side in (0, 1)
)
BIT, PAIR, STATE, LETTER = np.uint64(1), np.uint64(2), np.uint64(5), np.uint64(ord("C"))


def walk(
    one: Table, two: Table, moves: int, flip_params: Sequence[float], number: int
) -> tuple[str, str, Points, Flips]:
    """Return both sides' moves as they took effect, points, and the flips that `draw_flips` draws by `Random(number)`.

    `flips` and `played` are arrays of two rows, a side each: 1 where a move is flipped, and the
    moves as letters.
    """
    flips, played = np.zeros((2, moves), np.uint8), np.empty((2, moves), np.uint8)
    drawn = (
        draw(key_of(number), float(flip_params[0]), float(flip_params[1]), flips)
        if flip_params[0]
        else 0
    )
    points = play(packed(one), packed(two), len(one.answers[0]), flips, played)
    own, others = (frozenset(side[:drawn].nonzero()[0].tolist()) for side in flips)
    return played[0].tobytes().decode(), played[1].tobytes().decode(), points, (own, others)


@lru_cache(maxsize=1024)
def packed(table: Table) -> Any:
    """Return the table as one array: where each pair of moves leads from each state, and last the first state.

    A state is 32 times its number plus its answer, which has a bit for each move, 1 for D, the
    first move the lowest.
    """
    codes = [
        sum((move == "D") << place for place, move in enumerate(answer)) for answer in table.answers
    ]
    after = [state for states in table.after for state in states]
    return np.array([32 * state + codes[state] for state in (*after, 0)], np.uint64)


def play_table(one: Any, two: Any, block: int, flips: Any, played: Any) -> Any:
    """Play as many moves as `flips` has columns, write both sides' moves into `played`, and return both's points.

    All is unsigned: a number that might be negative would be looked at twice wherever it is an
    index.
    """
    state, other = one[-1], two[-1]
    code = other_code = state
    place = points = other_points = 0
    for move in range(flips.shape[1]):
        if place == 0:
            code, other_code, place = state, other, block
        place -= 1
        mine, theirs = (code & BIT) ^ flips[0, move], (other_code & BIT) ^ flips[1, move]
        code, other_code = code >> BIT, other_code >> BIT
        played[0, move], played[1, move] = LETTER + mine, LETTER + theirs
        pair = (mine << BIT) | theirs
        points += GAINS[pair]
        other_points += LOSSES[pair]
        state = one[((state >> STATE) << PAIR) | pair]
        other = two[((other >> STATE) << PAIR) | (theirs << BIT) | mine]
    return points, other_points


play = compiled(play_table)
