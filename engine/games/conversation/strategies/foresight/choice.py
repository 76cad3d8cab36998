"""Which item of its bank a seat proposes, if any. Plain lists, so that training can compile it."""

from typing import NamedTuple

from engine.games.conversation.strategies.foresight.beliefs import Ahead, Beliefs, warmths
from engine.games.conversation.strategies.foresight.groups import Kinds
from engine.games.conversation.strategies.foresight.value import (
    follow_up,
    gain,
    most_follow_up,
    warm_parts,
    worth_of,
)


class Bank(NamedTuple):
    """The items of a seat: their subjects, importances, and whether they are still unspoken.

    `own` are their subjects as bit sets; `one` and `other` are the same as numbers, `other` -1 if
    there is but one.
    """

    own: list[int]
    one: list[int]
    other: list[int]
    importance: list[float]
    fresh: list[bool]


def best_place(
    bank: Bank,
    beliefs: Beliefs,
    ahead: Ahead,
    seat: int,
    mean: float,
) -> int:
    """Return the place of the best item of a seat if it reaches the seat's threshold, or -1.

    `mean` is that of `warmths`. A repeat is considered only where it costs nothing by itself, and
    of equals the first one is the best.
    """
    own, _, _, importance, fresh = bank
    many = len(own)
    unspoken = [own[place] for place in range(many) if fresh[place]]
    importances = [importance[place] for place in range(many) if fresh[place]]
    warmth = warmths(beliefs, ahead.expected, seat, unspoken, mean)
    valuation = ahead.valuation
    every, added = warm_parts(valuation, warmth)
    worths = worths_if_first(bank, ahead.kinds, every, added)

    most = most_follow_up(valuation)
    best = beliefs.thresholds[seat]
    chosen = -1
    number = -1
    for place in range(many):
        if fresh[place]:
            number += 1
            worth = worths[place] + valuation.share * importance[place]
            if worth + most > best:
                worth += follow_up(valuation, own[place], unspoken, importances, number)
        elif gain(valuation.scene, own[place], False) < 0:
            continue
        else:
            worth = worth_of(valuation, own[place], False, 0.0, warmth)
        if worth > best or (chosen < 0 and worth == best):
            best = worth
            chosen = place
    return chosen


def worths_if_first(
    bank: Bank,
    kinds: Kinds,
    every: float,
    added: list[float],
) -> list[float]:
    """Return what the items of a bank are worth, importance aside, if they are first instances.

    `every` and `added` are those of `value.warm_parts`.
    """
    _, ones, others, _, _ = bank
    _, of, singles, pairs, _ = kinds
    many = len(singles)
    worths = [every] * len(ones)
    for place in range(len(ones)):
        one = ones[place]
        other = others[place]
        worth = added[one]
        if other < 0:
            worth += singles[of[one]]
        else:
            worth += added[other] + pairs[of[one] * many + of[other]]
        worths[place] += worth
    return worths
