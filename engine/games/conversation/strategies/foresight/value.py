"""The value of an item or a pause: exact points now, and a learned value for the future.

Subjects are bit sets, as in `points`. All code here is arithmetic on numbers, tuples and lists so
that training can compile it.
"""

from collections.abc import Sequence
from typing import NamedTuple

# The index at which each group of weights begins.
NEEDS = 0
PATTERNS = 15
SHARED = 22
WARMTH = 24
OPENING = 31
PAUSES = 32
SCARCE_PAUSE = 34
STALE_PAUSE = 35
KEEP = 36
SCARCE_KEEP = 37
NEARLY = 38
TRUST = 40
TO_COME = 41
FOLLOW_UP = 43
SIZE = 44

# The exponents of the first 32 powers of two, by the powers' remainders modulo 37 (all different).
BY_REST = {2**place % 37: place for place in range(32)}
PLACES = tuple(BY_REST.get(rest, 0) for rest in range(37))
LAST_POWER = 2**31

# The maximum of a follow-up's points, minus 1.
MOST_BEYOND = 4.0
# The maximum of `scarcity`, in turns left per unspoken item.
MOST_SCARCE = 4.0


class Scene(NamedTuple):
    """The effect of past turns on the coming one, as bit sets of subjects.

    `last` and `before` are the subjects of the last two turns (0 for a pause or a turn before it).
    `common`, `once`, `twice` and `known` are as in `points.context_at`. For each of the last three
    items, newest first, a `missing` field has the item's subjects that its window lacks so far, and
    a `wanting` field has those that are not in its window twice.
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
    """The turns `left` after the coming one, the unspoken `items`, and the `pauses` in a row."""

    left: int
    items: int
    pauses: int


class Valuation(NamedTuple):
    """The parameters that determine an item's value in the coming turn.

    `share` is the weight of a point of importance, and `part` is the weight of the window's learned
    value; both range from 0 to about 1.
    """

    weights: Sequence[float]
    scene: Scene
    share: float
    part: float


def scene_of(
    recent: Sequence[int],
    missing: Sequence[int],
    wanting: Sequence[int],
) -> Scene:
    """Return the scene after the six `recent` turns, oldest first, with -1 before the first turn.

    `missing` and `wanting` cover the last three turns, newest first (0 for turns before a pause).
    """
    last = max(recent[5], 0)
    before = max(recent[4], 0)
    third = max(recent[3], 0)
    common = last & before & third

    # All subjects (-1) are known, unless the last turn is a pause.
    known = 0 if recent[5] == 0 else -1
    if recent[5] == 0:
        for turn in range(5):
            known |= max(recent[turn], 0)
    if last == 0:
        before = 0
    if before == 0:
        third = 0

    return Scene(
        last=last,
        before=before,
        common=common,
        once=last | before | third,
        twice=(last & before) | (last & third) | (before & third),
        known=known,
        missing1=missing[0],
        wanting1=wanting[0],
        missing2=missing[1],
        wanting2=wanting[1],
        missing3=missing[2],
        wanting3=wanting[2],
    )


def gain(
    scene: Scene,
    own: int,
    first: bool,
) -> int:
    """Return the exact change in the shared score, excluding importance, if `own` is spoken now.

    `own` are the item's subjects; `first` is False for a repeat. The rules are those of `points`:
    besides earning its own points, the item lifts earlier items that lack only its subjects.
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

    lack = scene.missing1 or scene.wanting1
    if lack and lack & ~own == 0:
        points += 1
    lack = scene.missing2 or scene.wanting2
    if lack and lack & ~own == 0:
        points += 1
    lack = scene.missing3 or scene.wanting3
    if lack and lack & ~own == 0:
        points += 1
    return points


def need_value(
    weights: Sequence[float],
    begin: int,
    missing: int,
    wanting: int,
    own: int,
) -> float:
    """Return the learned value of the coherence that an item with subjects `own` can still gain."""
    if missing:
        if missing & (missing - 1):
            return weights[begin + 4]
        return weights[begin + 3] if own & (own - 1) else weights[begin + 2]
    if wanting:
        return weights[begin + 1] if wanting & (wanting - 1) else weights[begin]
    return 0.0


def needs_of(
    weights: Sequence[float],
    scene: Scene,
    own: int,
    first: bool,
) -> tuple[float, int, int, int]:
    """Return the value of the coherence still to be gained after `own`, and the missing subjects.

    The subjects are a bit set for each of the window's three items, newest first.
    """
    last, before = scene.last, scene.before
    missing0 = own & ~scene.once if first else 0
    wanting0 = own & ~scene.twice if first else 0
    missing1 = scene.missing1 & ~own
    wanting1 = scene.wanting1 & (~own | scene.missing1)
    missing2 = scene.missing2 & ~own
    wanting2 = scene.wanting2 & (~own | scene.missing2)

    value = need_value(weights, NEEDS, missing0, wanting0, own)
    value += need_value(weights, NEEDS + 5, missing1, wanting1, last)
    value += need_value(weights, NEEDS + 10, missing2, wanting2, before)
    return value, missing0 or wanting0, missing1 or wanting1, missing2 or wanting2


def outlook_value(
    weights: Sequence[float],
    scene: Scene,
    own: int,
    first: bool,
    warmth: Sequence[float],
) -> float:
    """Return the learned value of the window that `own` leaves to the next speakers.

    The value is a sum of weights. Each of the window's three items adds a weight for the subjects
    that it lacks. Each subject adds a weight that depends on which of the items have it, and a
    similar weight times its warmth (see `beliefs.warmths`). If two or three items lack only the
    same subject, that subject adds another weight, which depends on their number.
    """
    # Inlined: this runs for every item in every decision, and calls would cost more than the work.
    value, lack0, lack1, lack2 = needs_of(weights, scene, own, first)
    last, before = scene.last, scene.before
    rest = own | last | before
    while rest:
        bit = rest & -rest
        rest ^= bit

        pattern = -1
        if bit & own:
            pattern += 1
        if bit & last:
            pattern += 2
        if bit & before:
            pattern += 4
        warm = weights[WARMTH + pattern] * warmth[place_of(bit)]
        value += weights[PATTERNS + pattern] + warm

        helped = (lack0 == bit) + (lack1 == bit) + (lack2 == bit)
        if helped > 1:
            value += weights[SHARED + helped - 2]
    return value


def worth_of(
    valuation: Valuation,
    own: int,
    first: bool,
    importance: float,
    warmth: Sequence[float],
) -> float:
    """Return the current value of an item with subjects `own`; `first` is False for a repeat."""
    scene = valuation.scene
    worth = float(gain(scene, own, first))
    worth += valuation.part * outlook_value(valuation.weights, scene, own, first, warmth)
    return worth + valuation.share * importance if first else worth


def scene_after(scene: Scene, own: int) -> Scene:
    """Return the scene after a first instance of an item with subjects `own`."""
    last, before = scene.last, scene.before
    return Scene(
        last=own,
        before=last,
        common=own & last & before,
        once=own | last | before,
        twice=(own & last) | (own & before) | (last & before),
        known=-1,
        missing1=own & ~scene.once,
        wanting1=own & ~scene.twice,
        missing2=scene.missing1 & ~own,
        wanting2=scene.wanting1 & (~own | scene.missing1),
        missing3=scene.missing2 & ~own,
        wanting3=scene.wanting2 & (~own | scene.missing2),
    )


def follow_up(
    valuation: Valuation,
    own: int,
    unspoken: Sequence[int],
    importances: Sequence[float],
    place: int,
) -> float:
    """Return the learned value of the best item that the speaker of `own` could say next.

    "That speaker is selected with probability 0.5 to speak again." The speaker's items are
    `unspoken`, with `importances`; `own` is at index `place`.
    """
    after = scene_after(valuation.scene, own)
    beyond = 0.0
    for rival in range(len(unspoken)):
        if rival != place:
            points = gain(after, unspoken[rival], True) + importances[rival]
            beyond = max(beyond, points - 1.0)
    return valuation.part * valuation.weights[FOLLOW_UP] * beyond


def warm_parts(valuation: Valuation, warmth: Sequence[float]) -> tuple[float, list[float]]:
    """Return the warmth terms of `outlook_value`: one for all items, and one to add per subject."""
    weights, scene, _, part = valuation
    every = 0.0
    added = [0.0] * len(warmth)
    for subject in range(len(warmth)):
        bit = 1 << subject
        pattern = -1
        if scene.last & bit:
            pattern += 2
        if scene.before & bit:
            pattern += 4
        warm = part * warmth[subject]
        without = 0.0
        if pattern >= 0:
            without = warm * weights[WARMTH + pattern]
        every += without
        added[subject] = warm * weights[WARMTH + pattern + 1] - without
    return every, added


def place_of(one: int) -> int:
    """Return the number of the only subject in a bit set."""
    place = 0
    while one > LAST_POWER:
        one >>= 32
        place += 32
    return place + PLACES[one % 37]


def horizon(weights: Sequence[float], left: int) -> float:
    """Return the weight of a window's value if `left` turns follow it, or 0.0 if none do."""
    if left > 2:
        return 1.0
    return weights[NEARLY + left - 1] if left else 0.0


def scarcity(when: When) -> float:
    """Return turns left / (unspoken items + 1), at most `MOST_SCARCE`."""
    return min(MOST_SCARCE, when.left / (when.items + 1.0))


def to_come(weights: Sequence[float], when: When) -> float:
    """Return the value of all turns after the coming one; a third pause would forfeit it."""
    by_turn = weights[TO_COME] * when.left
    by_item = weights[TO_COME + 1] * when.items
    return min(by_turn, by_item)


def pause_value(
    weights: Sequence[float],
    recent: Sequence[int],
    when: When,
    subjects: int,
) -> float:
    """Return the value of a pause in the coming turn.

    The third pause in a row ends the conversation and costs the value of all later turns. The value
    of an earlier pause depends on the number of `recent` subjects, since only other subjects are
    fresh after the pause.
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
    """Return the number of subjects in the last five turns; these are not fresh after a pause."""
    heard = 0
    for turn in range(1, 6):
        heard |= max(recent[turn], 0)

    stale = 0
    while heard:
        heard &= heard - 1
        stale += 1
    return stale


def importance_share(weights: Sequence[float], when: When) -> float:
    """Return the current value of a point of importance, at least 0.05."""
    kept = weights[KEEP] + weights[SCARCE_KEEP] * scarcity(when)
    return max(0.05, 1.0 - horizon(weights, when.left) * kept)
