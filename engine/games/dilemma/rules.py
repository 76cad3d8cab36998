"""The rules of one game: moves, payoffs, flips by chance, and the score of a history."""

import random
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, product, takewhile
from typing import Literal, TypeAlias

Move: TypeAlias = Literal["C", "D"]
Pair: TypeAlias = tuple[Move, Move]
Points: TypeAlias = tuple[int, int]
Flips: TypeAlias = tuple[AbstractSet[int], AbstractSet[int]]

PAYOFFS: dict[Pair, Points] = {
    ("C", "C"): (3, 3),
    ("C", "D"): (0, 5),
    ("D", "C"): (5, 0),
    ("D", "D"): (1, 1),
}
OTHER: dict[Move, Move] = {"C": "D", "D": "C"}
BLOCK = 3
TRIPLES = frozenset(product(OTHER, repeat=BLOCK))


def score_of(history: Iterable[Pair]) -> Points:
    """Return the points of both: "the monitor calculates the point assignment after each move".

    >>> score_of([("C", "D"), ("D", "C"), ("D", "C")])
    (10, 5)
    """
    points = [PAYOFFS[pair] for pair in history]
    return sum(own for own, _ in points), sum(theirs for _, theirs in points)


def score_of_moves(first: str, second: str) -> Points:
    """Return what `score_of` does for the moves of each side, such as "CDD" and "DCC", in a fraction of its time."""
    # C is 1000011 and D 1000100 in bits: a D has one bit less, and where one side played D alone
    # three bits differ.
    own, theirs = int.from_bytes(first.encode(), "big"), int.from_bytes(second.encode(), "big")
    own_d, their_d = 3 * len(first) - own.bit_count(), 3 * len(first) - theirs.bit_count()
    both = (own_d + their_d - (own ^ theirs).bit_count() // 3) // 2
    first_alone, second_alone = own_d - both, their_d - both
    equal = both + 3 * (len(first) - both - first_alone - second_alone)
    return equal + 5 * first_alone, equal + 5 * second_alone


def flip_chance(flip_params: Sequence[float], move: int) -> float:
    """Return with which chance each side's move number `move`, from 0, is flipped: "flipParams determine the chance".

    >>> [round(flip_chance((0.25, 0.1), move), 2) for move in range(4)]
    [0.25, 0.15, 0.05, 0.0]
    """
    first, decay = flip_params
    return max(0.0, first - decay * move)


def draw_flips(
    moves: int, flip_params: Sequence[float], rng: random.Random
) -> tuple[frozenset[int], frozenset[int]]:
    """Return which of each side's `moves` are flipped, each drawn separately; once the chance is gone, nothing."""
    draw, (highest, decay) = rng.random, flip_params
    if decay:
        chances = [*takewhile(bool, (flip_chance(flip_params, move) for move in range(moves)))]
        drawn = [draw() < chance for chance in chances for _ in (0, 1)]
    else:
        drawn = [draw() < highest for _ in range(2 * moves if highest else 0)]
    return frozenset(compress(range(moves), drawn[::2])), frozenset(
        compress(range(moves), drawn[1::2])
    )


def check_flip_params(flip_params: Sequence[float]) -> None:
    """Raise ValueError unless these are two numbers from 0 to 1: the first chance, and what it loses with each move."""
    try:
        first, decay = flip_params
        fine = 0 <= first <= 1 and 0 <= decay <= 1
    except (TypeError, ValueError):
        fine = False
    if not fine:
        raise ValueError(
            f"expected flip_params to be a chance and its decay a move, both from 0 to 1: {flip_params!r}"
        )
