"""Games between two tables compiled by numba, noise included: the same moves and the same flips as on the plain path.

Needs numba (`uv sync --extra compiled`). The machine code is kept beside this file, or where numba keeps it for a user
if that place is read-only, so only the first game ever waits for the compiler.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numba
import numpy as np

from engine.games.dilemma.rules import PAYOFFS, Flips, Points
from engine.games.dilemma.tables import Table

GAINS, LOSSES = (np.array([points[side] for points in PAYOFFS.values()], np.int64) for side in (0, 1))
WORDS = 624  # of the state of a Mersenne Twister, the generator of `random.Random` (Matsumoto and Nishimura 1998)
FAR = 397
LOW = 0xFFFFFFFF
BIT, PAIR, STATE, LETTER = np.uint64(1), np.uint64(2), np.uint64(5), np.uint64(ord("C"))


def walk(
    one: Table, two: Table, moves: int, flip_params: Sequence[float], number: int
) -> tuple[str, str, Points, Flips]:
    """Return both sides' moves as they took effect, points, and the flips that `draw_flips` draws by `Random(number)`.

    `flips` and `played` are arrays of two rows, a side each: 1 where a move is flipped, and the moves as letters.
    """
    flips, played = np.zeros((2, moves), np.uint8), np.empty((2, moves), np.uint8)
    drawn = draw(key_of(number), float(flip_params[0]), float(flip_params[1]), flips) if flip_params[0] else 0
    points = play(packed(one), packed(two), len(one.answers[0]), flips, played)
    own, others = (frozenset(side[:drawn].nonzero()[0].tolist()) for side in flips)
    return played[0].tobytes().decode(), played[1].tobytes().decode(), points, (own, others)


@lru_cache(maxsize=1024)
def packed(table: Table) -> Any:
    """Return the table as one array: where each pair of moves leads from each state, and last the first state.

    A state is 32 times its number plus its answer, which has a bit for each move, 1 for D, the first move the lowest.
    """
    codes = [sum((move == "D") << place for place, move in enumerate(answer)) for answer in table.answers]
    after = [state for states in table.after for state in (*states,)]
    return np.array([32 * state + codes[state] for state in (*after, 0)], np.uint64)


def key_of(number: int) -> Any:
    """Return the words of 32 bits, the lowest first, by which `Random(number)` is seeded."""
    size = max(1, -(-number.bit_length() // 32))
    return np.frombuffer(number.to_bytes(4 * size, "little"), "<u4").astype(np.int64)


def play_table(one: Any, two: Any, block: int, flips: Any, played: Any) -> Any:
    """Play as many moves as `flips` has columns, write both sides' moves into `played`, and return both's points.

    All is unsigned: a number that might be negative would be looked at twice wherever it is an index.
    """
    state, other = one[-1], two[-1]
    code = other_code = state
    place = points = theirs_too = 0
    for move in range(flips.shape[1]):
        if place == 0:
            code, other_code, place = state, other, block
        place -= 1
        mine, theirs = (code & BIT) ^ flips[0, move], (other_code & BIT) ^ flips[1, move]
        code, other_code = code >> BIT, other_code >> BIT
        played[0, move], played[1, move] = LETTER + mine, LETTER + theirs
        pair = (mine << BIT) | theirs
        points += GAINS[pair]
        theirs_too += LOSSES[pair]
        state = one[((state >> STATE) << PAIR) | pair]
        other = two[((other >> STATE) << PAIR) | (theirs << BIT) | mine]
    return points, theirs_too


def draw_table(key: Any, highest: float, decay: float, flips: Any) -> Any:
    """Write which moves of both sides are flipped, and return before which move the chance is gone.

    The flips are those that `draw_flips` draws from `random.Random`: two draws a move while the chance is above 0.
    """
    words = START.copy()
    stir(words, key)
    used = WORDS
    for move in range(flips.shape[1]):
        chance = highest - decay * move
        if chance <= 0:
            return move
        for side in range(2):
            if used == WORDS:
                twist(words)
                used = 0
            high, low = tempered(words[used]) >> 5, tempered(words[used + 1]) >> 6
            used += 2
            flips[side, move] = (high * 67108864.0 + low) * (1.0 / 9007199254740992.0) < chance
    return flips.shape[1]


def stir_key(words: Any, key: Any) -> None:
    """Mix a key into the generator's first state: `init_by_array` of its authors' reference implementation."""
    place, part = 1, 0
    for step in range(max(WORDS, len(key)) + WORDS - 1):
        before = words[place - 1] ^ (words[place - 1] >> 30)
        if step < max(WORDS, len(key)):
            words[place] = ((words[place] ^ (before * 1664525)) + key[part] + part) & LOW
            part = part + 1 if part + 1 < len(key) else 0
        else:
            words[place] = ((words[place] ^ (before * 1566083941)) - place) & LOW
        place += 1
        if place == WORDS:
            words[0], place = words[WORDS - 1], 1
    words[0] = 0x80000000


def twist_words(words: Any) -> None:
    """Make the generator's next state."""
    for place in range(WORDS - FAR):
        words[place] = words[place + FAR] ^ mixed(words[place], words[place + 1])
    for place in range(WORDS - FAR, WORDS - 1):
        words[place] = words[place + FAR - WORDS] ^ mixed(words[place], words[place + 1])
    words[WORDS - 1] = words[FAR - 1] ^ mixed(words[WORDS - 1], words[0])


def mix(word: int, after: int) -> int:
    """Return what a word and that after it add to the word that is to stand in its place."""
    joined = (word & 0x80000000) | (after & 0x7FFFFFFF)
    return (joined >> 1) ^ (-(joined & 1) & 0x9908B0DF)


def temper(word: int) -> int:
    """Return the number of 32 bits that is drawn for a word of the state."""
    word ^= word >> 11
    word ^= (word << 7) & 0x9D2C5680
    word ^= (word << 15) & 0xEFC60000
    return word ^ (word >> 18)


def first_state() -> Any:
    """Return the state into which every key is mixed."""
    words = [19650218]
    for place in range(1, WORDS):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + place) & LOW)
    return np.array(words, np.int64)


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function compiled, and kept on disk if any place for that can be written to."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # numba found no place to keep it
        return numba.njit(function)


START = first_state()
tempered, mixed, stir = compiled(temper), compiled(mix), compiled(stir_key)
twist = compiled(twist_words)
draw, play = compiled(draw_table), compiled(play_table)
