"""Shared beliefs about each seat: its unspoken items, and whether it plays at random.

Unless the chosen seat was also the previous speaker, seats that had spoken less often made no
proposal, so they had no item worth proposing. The beliefs depend only on the turns, so all seats
have the same beliefs. The code uses plain lists so that training can compile it.
"""

from typing import NamedTuple

from engine.games.conversation.strategies.foresight.groups import Kinds
from engine.games.conversation.strategies.foresight.value import (
    Scene,
    Valuation,
    place_of,
    worth_of,
)

# The log odds that a seat plays at random: initial, minimum and maximum.
FIRST_DOUBT = -1.0
LEAST_DOUBT = -4.0
MOST_DOUBT = 6.0

MOST_WARMTH = 2.0


class Beliefs(NamedTuple):
    """Beliefs after the turns so far.

    `recent` has the last six turns' subjects, oldest first, or -1 before the first turn. `missing`
    and `wanting` are as in `value.Scene`, newest first. The caps are indexed by seat * number of
    subjects + subject; all other lists are indexed by seat. `spoke` counts contributions. `singles`
    and `pairs` count unspoken items with one and with two subjects; the caps are upper bounds, from
    0 to 1, on the importance of these items. `doubts` has the log odds that a seat plays at random.
    In the coming turn, a seat proposes only items worth more than its threshold.
    """

    recent: list[int]
    missing: list[int]
    wanting: list[int]
    spoke: list[int]
    singles: list[float]
    pairs: list[float]
    single_caps: list[float]
    pair_caps: list[float]
    doubts: list[float]
    thresholds: list[float]


class Ahead(NamedTuple):
    """The shared expectation for the coming turn; `last_speaker` is -1 if no seat has spoken."""

    valuation: Valuation
    kinds: Kinds
    expected: list[float]
    last_speaker: int


class Said(NamedTuple):
    """A spoken item: its speaker's seat, its subjects (`own`), and whether it is new (`first`)."""

    speaker: int
    own: int
    first: bool
    importance: float


# A pause.
NOTHING = Said(-1, 0, False, 0.0)


def new_beliefs(
    players: int,
    bank_size: int,
    subjects: int,
    coin: bool = False,
) -> Beliefs:
    """Return the beliefs before the first turn; `coin` says whether the composition is "coin"."""
    singles = bank_size / 2 if coin else float(bank_size // 2)
    return Beliefs(
        recent=[-1] * 6,
        missing=[0] * 3,
        wanting=[0] * 3,
        spoke=[0] * players,
        singles=[singles] * players,
        pairs=[bank_size - singles] * players,
        single_caps=[1.0] * (players * subjects),
        pair_caps=[1.0] * (players * subjects),
        doubts=[FIRST_DOUBT] * players,
        thresholds=[0.0] * players,
    )


def hear(
    beliefs: Beliefs,
    ahead: Ahead,
    said: Said,
) -> None:
    """Update the beliefs after the turn `said`, given the expectation `ahead`."""
    for seat in range(len(beliefs.spoke)):
        if was_silent(beliefs, seat, said.speaker, ahead.last_speaker):
            forget(beliefs, ahead, seat)
            beliefs.doubts[seat] = max(LEAST_DOUBT, beliefs.doubts[seat] - 3.0)
    if said.speaker >= 0:
        count_item(beliefs, ahead, said)
    move_window(beliefs, ahead.valuation.scene, said)


def count_item(
    beliefs: Beliefs,
    ahead: Ahead,
    said: Said,
) -> None:
    """Update the beliefs about the speaker: its remaining items, and whether it plays at random."""
    speaker, subjects, first, importance = said
    cold = [0.0] * len(ahead.kinds.of)
    worth = worth_of(ahead.valuation, subjects, first, importance, cold)
    step = 2.0 * (beliefs.thresholds[speaker] - worth) - 0.5
    surprise = min(2.0, max(-1.0, step))
    if not first:
        surprise += 1.0
    doubt = beliefs.doubts[speaker] + surprise
    beliefs.doubts[speaker] = min(MOST_DOUBT, max(LEAST_DOUBT, doubt))
    beliefs.spoke[speaker] += 1
    if first:
        unspoken = beliefs.singles if subjects & (subjects - 1) == 0 else beliefs.pairs
        unspoken[speaker] = max(0.0, unspoken[speaker] - 1.0)


def share_evenly(beliefs: Beliefs, seat: int, unspoken: float) -> None:
    """Assume that half of a seat's `unspoken` items have one subject; the true share is unknown."""
    beliefs.singles[seat] = beliefs.pairs[seat] = max(0.0, unspoken / 2)


def move_window(
    beliefs: Beliefs,
    scene: Scene,
    said: Said,
) -> None:
    """Add a turn to the recent turns, and update which subjects the last three items lack."""
    subjects = said.own
    recent, missing, wanting = beliefs.recent, beliefs.missing, beliefs.wanting
    for turn in range(5):
        recent[turn] = recent[turn + 1]
    recent[5] = subjects
    for back in (2, 1):
        # After a pause, no earlier item can gain coherence.
        lacked = missing[back - 1] if subjects else 0
        wanting[back] = wanting[back - 1] & (~subjects | lacked) if subjects else 0
        missing[back] = lacked & ~subjects
    missing[0] = subjects & ~scene.once if said.first else 0
    wanting[0] = subjects & ~scene.twice if said.first else 0


def was_silent(
    beliefs: Beliefs,
    seat: int,
    speaker: int,
    last_speaker: int,
) -> bool:
    """Return whether a seat is certain to have proposed nothing.

    This is certain after a pause. It is also certain if the chosen seat had spoken more often than
    this seat and was not the previous speaker.
    """
    if speaker < 0:
        return True
    return speaker not in (seat, last_speaker) and beliefs.spoke[seat] < beliefs.spoke[speaker]


def forget(
    beliefs: Beliefs,
    ahead: Ahead,
    seat: int,
) -> None:
    """Lower the caps of a silent seat, since it has no item worth more than its threshold."""
    kinds, share = ahead.kinds, ahead.valuation.share
    subjects = len(kinds.of)
    threshold = beliefs.thresholds[seat]
    single_caps, pair_caps = beliefs.single_caps, beliefs.pair_caps
    for subject in range(subjects):
        kind = kinds.of[subject]
        place = seat * subjects + subject
        cap = max(0.0, (threshold - kinds.singles[kind]) / share)
        single_caps[place] = min(single_caps[place], cap)
        cap = max(0.0, (threshold - kinds.fellows[kind]) / share)
        pair_caps[place] = min(pair_caps[place], cap)


def expected_items(beliefs: Beliefs, subjects: int) -> list[float]:
    """Return the expected number of unspoken items, by seat and subject."""
    expected = [0.0] * len(beliefs.single_caps)
    for seat in range(len(beliefs.spoke)):
        single = beliefs.singles[seat] / max(1, subjects)
        pair = beliefs.pairs[seat] * 2 / max(1, subjects)
        begin = seat * subjects
        for place in range(begin, begin + subjects):
            singles = single * beliefs.single_caps[place]
            expected[place] = singles + pair * beliefs.pair_caps[place]
    return expected


def warmths(
    beliefs: Beliefs,
    expected: list[float],
    seat: int,
    unspoken: list[int],
    mean: float,
) -> list[float]:
    """Return the warmth of each subject for a seat, from -1 to `MOST_WARMTH`.

    The warmth is 0.0 if an average number of items with the subject are left, and 1.0 if twice as
    many are left. `expected` has the expected number of items by seat and subject; for `seat`
    itself, its actual `unspoken` items (bit sets) count instead. `mean` is the average number of
    items left per subject.
    """
    subjects = len(expected) // len(beliefs.spoke)
    counts = [0.0] * subjects
    for place in range(len(expected)):
        if place // subjects != seat:
            counts[place % subjects] += expected[place]
    for left in unspoken:
        rest = left
        while rest:
            bit = rest & -rest
            rest ^= bit
            counts[place_of(bit)] += 1.0
    return [min(MOST_WARMTH, count / (mean + 1e-9) - 1.0) for count in counts]


def mean_items(
    items: int,
    bank_size: int,
    subjects: int,
    coin: bool = False,
) -> float:
    """Return how many of `items` items contain a given subject, on average.

    "Half single-subject items, half two-subject items". With `coin`, a fair coin decides instead
    whether an item has one subject or two.
    """
    singles = bank_size / 2 if coin else float(bank_size // 2)
    subjects_each = 2.0 - singles / max(1, bank_size)
    return items * subjects_each / max(1, subjects)
