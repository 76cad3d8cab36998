"""What an item is worth where a conversation stands: its exact points now, and the learned value of what it leaves.

Subjects are bit sets, as in `points`. Everything here is arithmetic on numbers, tuples and lists,
so that training can compile it.
"""

from collections.abc import Sequence
from typing import NamedTuple

# The weights, in order: see `outlook_value`, `pause_value`, `importance_share` and `horizon`.
NEEDS, PATTERNS, SHARED, WARMTH = 0, 15, 22, 24
OPENING, PAUSES, SCARCE_PAUSE, STALE_PAUSE, KEEP, SCARCE_KEEP, NEARLY, TRUST = (
    31,
    32,
    34,
    35,
    36,
    37,
    38,
    40,
)
SIZE = 41
RATE = 1.2


class Scene(NamedTuple):
    """What the coming turn owes to the turns before it, all of it bit sets.

    `last` and `before` are the subjects of the two turns before, as far as no pause cuts them off;
    `common`, `once`, `twice` and `known` are those of `points.context_at`. Of the three items
    before, newest first, `missing` are the own subjects that their windows do not have yet,
    `wanting` those that they do not have twice.
    """

    last: int
    before: int
    common: int
    once: int
    twice: int
    known: int
    missing1: int
    wanting1: int
    missing2: int
    wanting2: int
    missing3: int
    wanting3: int


class When(NamedTuple):
    """How far a conversation is: the turns `left` after the coming one, unspoken `items` of all, `pauses` in a row."""

    left: int
    items: int
    pauses: int


class Terms(NamedTuple):
    """By what an item is weighed: how much its importance counts, and which part of the value of its window."""

    weights: Sequence[float]
    scene: Scene
    share: float
    part: float


def scene_of(recent: Sequence[int], missing: Sequence[int], wanting: Sequence[int]) -> Scene:
    """Return the scene after turns whose last six are `recent`, oldest first, -1 for turns before the first.

    `missing` and `wanting` are those of the last three turns, newest first, 0 behind a pause.
    """
    last, before, third = max(recent[5], 0), max(recent[4], 0), max(recent[3], 0)
    common = last & before & third
    known = -1
    if recent[5] == 0:
        known = 0
        for turn in range(5):
            known |= max(recent[turn], 0)
    if last == 0:
        before = 0
    if before == 0:
        third = 0
    once = last | before | third
    twice = (last & before) | (last & third) | (before & third)
    return Scene(
        last, before, common, once, twice, known,
        missing[0], wanting[0], missing[1], wanting[1], missing[2], wanting[2],
    )  # fmt: skip


def gain(scene: Scene, own: int, first: bool) -> int:
    """Return the exact change of the shared score, but for importance, if an item of subjects `own` is spoken now.

    The rules are those of `points`; a first instance or a repeat, it lifts the items before it that
    lack just it.
    """
    points = -1
    if first:
        if own & ~scene.once == 0:
            points = 1 if own & ~scene.twice == 0 else 0
        novel = own & ~scene.known
        if novel:
            points += 2 if novel & (novel - 1) else 1
        if own & scene.common:
            points -= 1
    for missing, wanting in (
        (scene.missing1, scene.wanting1),
        (scene.missing2, scene.wanting2),
        (scene.missing3, scene.wanting3),
    ):
        lack = missing if missing else wanting
        if lack and lack & ~own == 0:
            points += 1
    return points


def need(missing: int, wanting: int, own: int) -> int:
    """Return which of five kinds of help an item of subjects `own` can still use, or -1 if none."""
    if missing:
        if missing & (missing - 1):
            return 4
        return 3 if own & (own - 1) else 2
    if wanting:
        return 1 if wanting & (wanting - 1) else 0
    return -1


def outlook_value(
    weights: Sequence[float], scene: Scene, own: int, first: bool, warmth: Sequence[float]
) -> float:
    """Return what the window that `own` leaves behind is worth to those who speak next, as far as it was learned.

    Weighed are, for each of the three items of that window, what help it can still use; for each
    subject, in which of the three it is, the same by how warm it is (how many items of it are
    expected to be left), and how many of the three would be helped by it alone.
    """
    missing0 = own & ~scene.once if first else 0
    wanting0 = own & ~scene.twice if first else 0
    missing1, wanting1 = scene.missing1 & ~own, scene.wanting1 & (~own | scene.missing1)
    missing2, wanting2 = scene.missing2 & ~own, scene.wanting2 & (~own | scene.missing2)
    last, before = scene.last, scene.before
    value = 0.0
    kind = need(missing0, wanting0, own)
    if kind >= 0:
        value += weights[kind]
    kind = need(missing1, wanting1, last)
    if kind >= 0:
        value += weights[5 + kind]
    kind = need(missing2, wanting2, before)
    if kind >= 0:
        value += weights[10 + kind]
    lack0 = missing0 if missing0 else wanting0
    lack1 = missing1 if missing1 else wanting1
    lack2 = missing2 if missing2 else wanting2
    rest = own | last | before
    while rest:
        one = rest & -rest
        rest ^= one
        pattern = (
            (1 if one & own else 0) + (2 if one & last else 0) + (4 if one & before else 0) - 1
        )
        value += weights[PATTERNS + pattern] + weights[WARMTH + pattern] * warmth[place_of(one)]
        helped = (
            (1 if lack0 == one else 0) + (1 if lack1 == one else 0) + (1 if lack2 == one else 0)
        )
        if helped > 1:
            value += weights[SHARED + helped - 2]
    return value


def worth_of(
    terms: Terms, own: int, first: bool, importance: float, warmth: Sequence[float]
) -> float:
    """Return what an item of subjects `own` is worth in the coming turn, a first instance or a repeat."""
    worth = float(gain(terms.scene, own, first))
    worth += terms.part * outlook_value(terms.weights, terms.scene, own, first, warmth)
    return worth + terms.share * importance if first else worth


def place_of(one: int) -> int:
    """Return which subject a bit set of one subject holds."""
    place = 0
    while one > 255:
        one >>= 8
        place += 8
    while one > 1:
        one >>= 1
        place += 1
    return place


def horizon(weights: Sequence[float], left: int) -> float:
    """Return how much of the value of a window counts with so many turns left after it: nothing at the end."""
    return 1.0 if left > 2 else weights[NEARLY + left - 1] if left else 0.0


def scarcity(when: When) -> float:
    """Return how many turns are left for each item that is left, at most 2.0."""
    return min(2.0, when.left / (when.items + 1.0))


def pause_value(
    weights: Sequence[float], recent: Sequence[int], when: When, subjects: int
) -> float:
    """Return what a pause in the coming turn is worth.

    The third in a row ends the conversation, and costs what the turns that are left would have
    earned. Of an earlier one it counts how many subjects were `recent` (as for `scene_of`), since
    only others will be fresh after it.
    """
    if when.left == 0:
        return 0.0
    if when.pauses >= 2:
        return -RATE * when.left
    heard = 0
    for past in range(1, 6):
        heard |= max(recent[past], 0)
    stale = 0
    while heard:
        heard &= heard - 1
        stale += 1
    value = weights[OPENING] if recent[5] < 0 else weights[PAUSES + when.pauses]
    value += weights[SCARCE_PAUSE] * scarcity(when) + weights[STALE_PAUSE] * stale / max(
        1, subjects
    )
    return horizon(weights, when.left) * value


def importance_share(weights: Sequence[float], when: When) -> float:
    """Return what a point of importance is worth now, at least 0.05: less where it would be earned later anyway."""
    kept = weights[KEEP] + weights[SCARCE_KEEP] * scarcity(when)
    return max(0.05, 1.0 - horizon(weights, when.left) * kept)
