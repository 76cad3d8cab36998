"""The draws of `random.Random` compiled by numba: the Mersenne Twister (Matsumoto and Nishimura 1998), seeded alike."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

WORDS = 624  # of the generator's state
FAR = 397
LOW = 0xFFFFFFFF


def key_of(number: int) -> Any:
    """Return the words of 32 bits, the lowest first, by which `Random(number)` is seeded."""
    size = max(1, -(-number.bit_length() // 32))
    return np.frombuffer(number.to_bytes(4 * size, "little"), "<u4").astype(np.int64)


def draw_table(key: Any, highest: float, decay: float, flips: Any) -> Any:
    """Write which moves of both sides are flipped, and return before which move the chance is gone.

    The flips are those that `draw_flips` draws from `random.Random`: two draws a move while the
    chance is above 0.
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
draw = compiled(draw_table)
