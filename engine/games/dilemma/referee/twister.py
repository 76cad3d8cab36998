"""The draws of `random.Random`, compiled: the Mersenne Twister (Matsumoto and Nishimura 1998).

`numpy.random.RandomState` draws the same numbers, but it takes 15 times as long to create one and
draw the flips of 150 moves.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

WORDS = 624  # of the generator's state
FAR = 397
LOW = 0xFFFFFFFF
HIGH_BIT = 0x80000000
UNIT = 1.0 / 9007199254740992.0  # 2 ** -53


def key_of(number: int) -> Any:
    """Return the 32-bit words, lowest first, that seed `Random(number)`."""
    size = max(1, -(-number.bit_length() // 32))
    return np.frombuffer(number.to_bytes(4 * size, "little"), "<u4").astype(np.int64)


def draw_flipped(
    key: Any,
    highest: float,
    decay: float,
    flips: Any,
) -> Any:
    """Write into `flips` which moves of both sides are flipped.

    Returns the number of the first move that cannot be flipped. The flips are those that
    `draw_flips` draws from `random.Random`: two draws per move while the chance is above 0.
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
            high = tempered(words[used]) >> 5
            low = tempered(words[used + 1]) >> 6
            used += 2
            drawn = (high * 67108864.0 + low) * UNIT
            flips[side, move] = drawn < chance
    return flips.shape[1]


def stir_key(words: Any, key: Any) -> None:
    """Mix a key into the first state, as `init_by_array` of the authors' reference code does."""
    rounds = max(WORDS, len(key))
    place = 1
    part = 0
    for step in range(rounds + WORDS - 1):
        before = words[place - 1] ^ (words[place - 1] >> 30)
        if step < rounds:
            word = (words[place] ^ (before * 1664525)) + key[part] + part
            part = part + 1 if part + 1 < len(key) else 0
        else:
            word = (words[place] ^ (before * 1566083941)) - place
        words[place] = word & LOW
        place += 1
        if place == WORDS:
            words[0] = words[WORDS - 1]
            place = 1
    words[0] = HIGH_BIT


def twist_words(words: Any) -> None:
    """Advance the generator's state."""
    # Three parts, since one loop with indices modulo WORDS takes a fifth more time.
    for place in range(WORDS - FAR):
        word = mixed(words[place], words[place + 1])
        words[place] = words[place + FAR] ^ word
    for place in range(WORDS - FAR, WORDS - 1):
        word = mixed(words[place], words[place + 1])
        words[place] = words[place + FAR - WORDS] ^ word
    last = mixed(words[WORDS - 1], words[0])
    words[WORDS - 1] = words[FAR - 1] ^ last


def mix(word: int, after: int) -> int:
    """Return the contribution of a word and its successor to the next state."""
    joined = (word & HIGH_BIT) | (after & 0x7FFFFFFF)
    return (joined >> 1) ^ (-(joined & 1) & 0x9908B0DF)


def temper(word: int) -> int:
    """Return the 32 bits drawn for a word of the state."""
    word ^= word >> 11
    word ^= (word << 7) & 0x9D2C5680
    word ^= (word << 15) & 0xEFC60000
    return word ^ (word >> 18)


def start_words() -> Any:
    """Return the state into which every key is mixed."""
    words = [19650218]
    for place in range(1, WORDS):
        last = words[-1]
        word = 1812433253 * (last ^ (last >> 30)) + place
        words.append(word & LOW)
    return np.array(words, np.int64)


def compile_cached(function: Callable[..., Any]) -> Any:
    """Return the compiled function, with its machine code cached on disk if possible."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # numba found no folder to cache it in
        return numba.njit(function)


START = start_words()
tempered = compile_cached(temper)
mixed = compile_cached(mix)
stir = compile_cached(stir_key)
twist = compile_cached(twist_words)
draw = compile_cached(draw_flipped)
