"""The rules of one game: moves, payoffs, random flips, and the score of a history."""

import random
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, product
from typing import Any, Literal

Move = Literal["C", "D"]
Moves = Sequence[Move]
MoveList = list[Move]
Triple = tuple[Move, Move, Move]
Pair = tuple[Move, Move]
Points = tuple[int, int]
Flips = tuple[AbstractSet[int], AbstractSet[int]]

PAYOFFS: dict[Pair, Points] = {
    ("C", "C"): (3, 3),
    ("C", "D"): (0, 5),
    ("D", "C"): (5, 0),
    ("D", "D"): (1, 1),
}
# The fields of an answer, one for each move.
FIELDS = ("first", "second", "third")
OTHER: dict[Move, Move] = {"C": "D", "D": "C"}
BLOCK = 3
ORDINALS = ("first", "second", "third", "fourth", "fifth")
TRIPLES = frozenset(product(OTHER, repeat=BLOCK))


def score_of(history: Iterable[Pair]) -> Points:
    """Return both sides' points: "the monitor calculates the point assignment after each move".

    >>> score_of([("C", "D"), ("D", "C"), ("D", "C")])
    (10, 5)
    """
    my_points = opponent = 0
    for pair in history:
        gain, loss = PAYOFFS[pair]
        my_points += gain
        opponent += loss
    return my_points, opponent


def score_of_moves(first: str, second: str) -> Points:
    """Return the points of both sides' moves, such as "CDD" and "DCC", faster than `score_of`."""
    # In binary, C is 1000011 and D is 1000100. So D has one set bit fewer, and three bits differ if
    # only one side played D.
    moves = len(first)
    bits = int.from_bytes(first.encode(), "big")
    theirs = int.from_bytes(second.encode(), "big")
    own_d = 3 * moves - bits.bit_count()
    their_d = 3 * moves - theirs.bit_count()
    d_alone = (bits ^ theirs).bit_count() // 3

    both_d = (own_d + their_d - d_alone) // 2
    first_alone = own_d - both_d
    second_alone = their_d - both_d
    both_c = moves - both_d - first_alone - second_alone
    shared = both_d + 3 * both_c
    return shared + 5 * first_alone, shared + 5 * second_alone


def flip_chance(flip_params: Sequence[float], move: int) -> float:
    """Return the chance that a side's move is flipped; `move` is its number, from 0.

    "flipParams determine the chance": it starts at the first parameter, falls by the second with
    each move, and is never below 0.

    >>> [round(flip_chance((0.25, 0.1), move), 2) for move in range(4)]
    [0.25, 0.15, 0.05, 0.0]
    """
    first, decay = flip_params
    return max(0.0, first - decay * move)


def flip_moves(
    answer: Sequence[Any],
    begun: int,
    flips: AbstractSet[int],
) -> str:
    """Return a turn's moves with the flips applied; `begun` is the number of the first move.

    >>> flip_moves("CCD", 6, {7})
    'CDD'
    """
    if len(answer) == 1:
        return OTHER[answer[0]] if begun in flips else answer[0]
    played = ""
    for number, move in enumerate(answer, begun):
        played += OTHER[move] if number in flips else move
    return played


def flips_in_words(flip_params: Sequence[float]) -> str:
    """Return the chance that each move is flipped, in words, or "" if no move is flipped.

    >>> flips_in_words((0.25, 0.1))
    'the first with chance 0.25, the second with 0.15, the third with 0.05, later ones never'
    """
    first, decay = flip_params
    if not first:
        return ""
    if not decay:
        return f"each with chance {first:.3g}"
    chances = first_chances(flip_params)
    rest = "later ones never"
    if flip_chance(flip_params, len(chances)):
        rest = f"and so on, {decay:.3g} less with every move, until it is 0"
    return ", ".join([*chances, rest])


def first_chances(flip_params: Sequence[float]) -> list[str]:
    """Return the flip chances of the first moves, in words, up to the first chance of zero."""
    chances: list[str] = []
    while len(chances) < len(ORDINALS) and (chance := flip_chance(flip_params, len(chances))):
        chances.append(f"the {ORDINALS[len(chances)]} with {chance:.3g}")
    chances[0] = chances[0].replace(" with", " with chance")
    return chances


def draw_flips(
    moves: int,
    flip_params: Sequence[float],
    rng: random.Random,
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the numbers of each side's flipped moves, with one draw per move and side, in order.

    Nothing is drawn once the chance has reached 0.
    """
    highest, decay = flip_params
    draw = rng.random
    if decay:
        drawn = _draw_while_likely(moves, flip_params, draw)
    else:
        drawn = [draw() < highest for _ in range(2 * moves if highest else 0)]
    first_flips = compress(range(moves), drawn[::2])
    others = compress(range(moves), drawn[1::2])
    return frozenset(first_flips), frozenset(others)


def _draw_while_likely(
    moves: int,
    flip_params: Sequence[float],
    draw: Callable[[], float],
) -> list[bool]:
    """Return whether each move is flipped, drawing twice per move until the chance is 0."""
    drawn: list[bool] = []
    for move in range(moves):
        chance = flip_chance(flip_params, move)
        if not chance:
            break
        drawn += [draw() < chance, draw() < chance]
    return drawn


def check_flip_params(flip_params: Sequence[float]) -> None:
    """Raise ValueError unless these are a first chance and its decay per move, both from 0 to 1."""
    try:
        first, decay = flip_params
        fine = 0 <= first <= 1 and 0 <= decay <= 1
    except (TypeError, ValueError):
        fine = False
    if not fine:
        raise ValueError(
            "expected flip_params to be a chance and its decay a move, both from 0 to 1: "
            f"{flip_params!r}"
        )
