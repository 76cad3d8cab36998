"""Games with flips between two automata, compiled by numba; the results are the same as in Python.

Needs numba (`uv sync --extra compiled`). The machine code is cached beside this file, or in numba's
user cache if that folder is read-only.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engine.games.dilemma.referee.automata import Automaton
from engine.games.dilemma.referee.twister import compile_cached, draw, key_of
from engine.games.dilemma.rules import PAYOFFS, Flips, Points

GAINS, LOSSES = np.array([*PAYOFFS.values()], np.int64).T.copy()
BIT = np.uint64(1)
PAIR = np.uint64(2)
STATE = np.uint64(5)
LETTER = np.uint64(ord("C"))


def play_noisy(
    one: Automaton,
    two: Automaton,
    moves: int,
    flip_params: Sequence[float],
    number: int,
) -> tuple[str, str, Points, Flips]:
    """Return both sides' moves, points and flips; `Random(number)` draws the flips."""
    # Both arrays have a row for each side: 1 where a move is flipped, and the moves as letters.
    flips = np.zeros((2, moves), np.uint8)
    played = np.empty((2, moves), np.uint8)
    drawn = 0
    highest, decay = flip_params
    if highest:
        drawn = draw(key_of(number), float(highest), float(decay), flips)

    points = play(pack(one), pack(two), len(one.answers[0]), flips, played)
    first, second = (row.tobytes().decode() for row in played)
    both_flips = (flipped_moves(flips[0, :drawn]), flipped_moves(flips[1, :drawn]))
    return first, second, points, both_flips


def flipped_moves(row: Any) -> frozenset[int]:
    """Return the numbers of the moves that a row marks as flipped."""
    (places,) = row.nonzero()
    return frozenset(places.tolist())


@lru_cache(maxsize=1024)
def pack(automaton: Automaton) -> Any:
    """Return the automaton as one array: each state's next state by pair, then the first state.

    A state is encoded as 32 times its number plus its answer. An answer has one bit per move, 1 for
    D, with the first move in the lowest bit.
    """
    codes = []
    for number, answer in enumerate(automaton.answers):
        bits = sum(1 << place for place, move in enumerate(answer) if move == "D")
        codes.append(32 * number + bits)
    after = []
    for states in automaton.after:
        after += [codes[state] for state in states]
    return np.array([*after, codes[0]], np.uint64)


def play_packed(
    one: Any,
    two: Any,
    block: int,
    flips: Any,
    played: Any,
) -> Any:
    """Write a pair of moves into `played` for each column of `flips`, and return the points.

    All numbers are unsigned, since a signed index would need a check for negative values.
    """
    state = one[-1]
    other_start = two[-1]
    code = other_code = state
    place = 0
    points = other_points = 0
    for move in range(flips.shape[1]):
        if place == 0:
            code = state
            other_code = other_start
            place = block
        place -= 1
        mine = (code & BIT) ^ flips[0, move]
        theirs = (other_code & BIT) ^ flips[1, move]
        code = code >> BIT
        other_code = other_code >> BIT
        played[0, move] = LETTER + mine
        played[1, move] = LETTER + theirs
        pair = (mine << BIT) | theirs
        other_pair = (theirs << BIT) | mine
        points += GAINS[pair]
        other_points += LOSSES[pair]
        row = (state >> STATE) << PAIR
        other_row = (other_start >> STATE) << PAIR
        state = one[row | pair]
        other_start = two[other_row | other_pair]
    return points, other_points


play = compile_cached(play_packed)
