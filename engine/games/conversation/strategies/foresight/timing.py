"""What time does to worth: pauses, importance, and windows near the end.

Like `value`, it is arithmetic that training can compile.
"""

from collections.abc import Sequence

from engine.games.conversation.strategies.foresight.value import (
    KEEP,
    NEARLY,
    OPENING,
    PAUSES,
    SCARCE_KEEP,
    SCARCE_PAUSE,
    STALE_PAUSE,
    TO_COME,
    When,
)

MOST_SCARCE = 4.0


def horizon(weights: Sequence[float], left: int) -> float:
    """Return how much the value of a window counts with `left` turns after it: 0.0 at the end."""
    if left > 2:
        return 1.0
    return weights[NEARLY + left - 1] if left else 0.0


def scarcity(when: When) -> float:
    """Return how many turns are left for each unspoken item, at most `MOST_SCARCE`."""
    return min(MOST_SCARCE, when.left / (when.items + 1.0))


def to_come(weights: Sequence[float], when: When) -> float:
    """Return what is still to come after the coming turn, if that is a third pause: it is lost.

    No more than each turn that is left can earn, and no more than each unspoken item can.
    """
    by_turn = weights[TO_COME] * when.left
    by_item = weights[TO_COME + 1] * when.items
    return min(by_turn, by_item)


def pause_value(
    weights: Sequence[float],
    recent: Sequence[int],
    when: When,
    subjects: int,
) -> float:
    """Return what a pause in the coming turn is worth.

    The third in a row ends the conversation and costs what is still to come; once all is said,
    nothing is. For an earlier one it matters how many subjects were `recent` (as in `scene_of`),
    since only others will be fresh after it.
    """
    if when.left == 0 or when.items == 0:
        return 0.0
    if when.pauses >= 2:
        return -to_come(weights, when)

    value = weights[OPENING] if recent[5] < 0 else weights[PAUSES + when.pauses]
    stale = stale_subjects(recent)
    stale_part = weights[STALE_PAUSE] * stale / max(1, subjects)
    value += weights[SCARCE_PAUSE] * scarcity(when) + stale_part
    return horizon(weights, when.left) * value


def stale_subjects(recent: Sequence[int]) -> int:
    """Return how many subjects the last five turns have, which will not be fresh after a pause."""
    heard = 0
    for turn in range(1, 6):
        heard |= max(recent[turn], 0)

    stale = 0
    while heard:
        heard &= heard - 1
        stale += 1
    return stale


def importance_share(weights: Sequence[float], when: When) -> float:
    """Return what a point of importance is worth now, at least 0.05.

    It is less than 1 where the item would earn its importance later anyway.
    """
    kept = weights[KEEP] + weights[SCARCE_KEEP] * scarcity(when)
    return max(0.05, 1.0 - horizon(weights, when.left) * kept)
