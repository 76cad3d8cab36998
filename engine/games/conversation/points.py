"""The scoring rules of a conversation: one small function per rule, with subjects as bit sets.

Bit s represents subject s, and a pause is 0. `turns` has one bit set per turn. Points are floats.
The rules are ambiguous in six places. Comments quote each rule and give our reading.
"""

from collections.abc import Sequence
from typing import TypeAlias

Window: TypeAlias = tuple[int, int]
Context: TypeAlias = tuple[Window, int, int]


def subject_set(subjects: Sequence[int]) -> int:
    """Return the bit set of `subjects`.

    >>> bin(subject_set((0, 3)))
    '0b1001'
    """
    bits = 0
    for subject in subjects:
        bits |= 1 << subject
    return bits


def window_at(turns: Sequence[int], index: int) -> Window:
    """Return the subjects that occur in a turn's window, and those that occur there at least twice.

    "Collect up to 3 preceding and up to 3 following items as the context set C_I. The window does
    not cross pauses or the conversation start/end." The turn itself does not count, so `index` may
    be the index of the coming turn.
    """
    once = 0
    twice = 0
    # Reading (repeats as window items): "Repeated items ... do not help coherence beyond their
    # first instance" applies to a repeat's own points. Every instance is in `turns` and counts for
    # its neighbours.
    preceding = turns[max(0, index - 3) : index][::-1]
    following = turns[index + 1 : index + 4]
    for side in (preceding, following):
        for context_set in side:
            if not context_set:
                break
            twice |= once & context_set
            once |= context_set
    return once, twice


def known_at(turns: Sequence[int], index: int) -> int:
    """Return the subjects that are not novel at turn `index`.

    Returns -1 (all subjects) unless the previous turn is a pause. The "five turns prior to the
    pause" are turns `index` - 6 to `index` - 2; pauses and repeats count as turns.
    """
    if not index or turns[index - 1]:
        return -1
    known = 0
    for earlier in turns[max(0, index - 6) : index - 1]:
        known |= earlier
    return known


def common_at(turns: Sequence[int], index: int) -> int:
    """Return the subjects common to all three turns before `index`, or 0 if there are fewer."""
    if index < 3:
        return 0
    # Reading (a pause among the three): "present in each of the previous three items" applies to
    # the previous three turns; a pause has no subject, so nothing is common. Reading (the same
    # subject): "an item's subject is present in each" requires a single subject that all three
    # have; different subjects do not count.
    return turns[index - 1] & turns[index - 2] & turns[index - 3]


def context_at(turns: Sequence[int], index: int) -> Context:
    """Return the window, the known subjects and the common subjects for scoring turn `index`."""
    return window_at(turns, index), known_at(turns, index), common_at(turns, index)


def importance_of(importance: float, repeated: bool) -> float:
    """Return the item's importance, or 0.0 for a repeat: "repeated instances contribute zero"."""
    return 0.0 if repeated else importance


def coherence_of(
    own: int,
    window: Window,
    repeated: bool,
) -> float:
    """Return the coherence (-1.0, 0.0 or 1.0) of subjects `own` in a `window` from `window_at`."""
    # Reading (a repeat's own coherence): "Repeated items ... do not help coherence beyond their
    # first instance" means 0 points.
    if repeated:
        return 0.0
    once, twice = window
    # Reading (two missing subjects): "If a subject present in I is never mentioned in C_I, subtract
    # 1 point" applies once per item.
    if own & ~once:
        return -1.0
    # "If all subjects in I are each mentioned at least twice in C_I, add 1 point."
    if own & ~twice:
        return 0.0
    return 1.0


def lack_of(own: int, window: Window) -> int:
    """Return the subjects that another item in the window needs to raise the coherence of `own`.

    Returns 0 if the coherence is already 1.0. One more item in the window never lowers the
    coherence and raises it by at most 1.0.
    """
    once, twice = window
    missing = own & ~once
    wanting = own & ~twice
    return missing or wanting


def freshness_of(
    own: int,
    known: int,
    repeated: bool,
) -> float:
    """Return the freshness points, 0.0 to 2.0.

    "+1 bonus point (per novel subject) ... Repeated items do not get freshness points".
    """
    if repeated:
        return 0.0
    novel = own & ~known
    return float(novel.bit_count())


def nonmonotonousness_of(
    own: int,
    common: int,
    repeated: bool,
) -> float:
    """Return the points for nonmonotonousness, -1.0 or 0.0.

    "If an item's subject is present in each of the previous three items, [it] loses 1 point".
    """
    # Reading (a repeat that is also monotonous): "Repeated items lose 1 point here as well" means
    # one point, never two.
    if repeated or own & common:
        return -1.0
    return 0.0


def private_bonus(subjects: Sequence[int], bonuses: Sequence[float]) -> float:
    """Return the bonus in [0, 1); for two subjects, "the average of the two subject bonuses"."""
    return (bonuses[subjects[0]] + bonuses[subjects[-1]]) / 2


def private_bonuses(ranking: Sequence[int]) -> tuple[float, ...]:
    """Return the bonus of each subject: "1 - k/|S|", where k is the subject's place (first: 1).

    >>> private_bonuses((2, 0, 1, 3))
    (0.5, 0.25, 0.75, 0.0)
    """
    size = len(ranking)
    bonuses = [0.0] * size
    for place, subject in enumerate(ranking, start=1):
        bonuses[subject] = 1 - place / size
    return tuple(bonuses)
