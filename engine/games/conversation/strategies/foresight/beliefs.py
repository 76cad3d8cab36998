"""What everybody at the table knows of the others: what they may still hold, and whether they talk at random.

A seat that spoke less often than the one that was chosen did not want to speak, so it holds nothing
that was worth speaking of. All of it follows from the turns, so every seat comes to the same
beliefs. Plain lists, so that training can compile it.
"""

from typing import NamedTuple

from engine.games.conversation.strategies.foresight.groups import Kinds
from engine.games.conversation.strategies.foresight.value import Terms, place_of, worth_of

FIRST_DOUBT, LEAST_DOUBT, MOST_DOUBT = -1.0, -4.0, 6.0
MOST_WARMTH = 2.0


class Table(NamedTuple):
    """What is known after some turns; lists by seat, by seat and subject (seat * S + subject), or as named.

    `recent` are the subjects of the last six turns, oldest first, -1 before the first; `missing`
    and `wanting` those of `prospects.Scene`, newest first. `spoke` counts contributions, `singles`
    and `pairs` the items not yet spoken. `single_caps` and `pair_caps` bound the importances, from
    0 to 1, that an unspoken item of a subject can have. `doubts` are the log odds that a seat talks
    at random, `thresholds` what an item has to be worth in the coming turn.
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


def new_table(players: int, bank_size: int, subjects: int) -> Table:
    """Return what is known before the first turn."""
    singles = bank_size // 2
    return Table(
        [-1] * 6,
        [0] * 3,
        [0] * 3,
        [0] * players,
        [float(singles)] * players,
        [float(bank_size - singles)] * players,
        [1.0] * (players * subjects),
        [1.0] * (players * subjects),
        [FIRST_DOUBT] * players,
        [0.0] * players,
    )


class Ahead(NamedTuple):
    """What everybody expects of the coming turn: see `turntaking.look_ahead`; -1 is no last speaker."""

    terms: Terms
    kinds: Kinds
    expected: list[float]
    last_speaker: int


class Said(NamedTuple):
    """What a turn brought: an item of subjects `own` from a seat, a first instance or a repeat."""

    speaker: int
    own: int
    first: bool
    importance: float


NOTHING = Said(-1, 0, False, 0.0)


def hear(table: Table, ahead: Ahead, said: Said) -> None:
    """Bring the table up to date after a turn of which everybody expected what `ahead` says."""
    speaker, own, first, importance = said
    for seat in range(len(table.spoke)):
        if was_silent(table, seat, speaker, ahead.last_speaker):
            forget(table, ahead, seat)
            table.doubts[seat] = max(LEAST_DOUBT, table.doubts[seat] - 3.0)
    if speaker >= 0:
        worth = worth_of(ahead.terms, own, first, importance, [0.0] * len(ahead.kinds.of))
        doubt = table.doubts[speaker] + surprise(table.thresholds[speaker], worth, first)
        table.doubts[speaker] = min(MOST_DOUBT, max(LEAST_DOUBT, doubt))
        table.spoke[speaker] += 1
        if first and own & (own - 1) == 0:
            table.singles[speaker] = max(0.0, table.singles[speaker] - 1.0)
        elif first:
            table.pairs[speaker] = max(0.0, table.pairs[speaker] - 1.0)
    for turn in range(5):
        table.recent[turn] = table.recent[turn + 1]
    table.recent[5] = own
    for back in (2, 1):
        table.wanting[back] = (
            table.wanting[back - 1] & (~own | table.missing[back - 1]) if own else 0
        )
        table.missing[back] = table.missing[back - 1] & ~own if own else 0
    table.missing[0] = own & ~ahead.terms.scene.once if first else 0
    table.wanting[0] = own & ~ahead.terms.scene.twice if first else 0


def was_silent(table: Table, seat: int, speaker: int, last_speaker: int) -> bool:
    """Return whether a seat surely did not propose: nobody did, or one was drawn who had spoken more often.

    "That speaker is selected with probability 0.5 to speak again": then nothing is known of the
    others.
    """
    if speaker < 0:
        return True
    return speaker not in (seat, last_speaker) and table.spoke[seat] < table.spoke[speaker]


def surprise(threshold: float, worth: float, first: bool) -> float:
    """Return how much the log odds rise that who said something worth that much talks at random."""
    return min(2.0, max(-1.0, 2.0 * (threshold - worth) - 0.5)) + (0.0 if first else 1.0)


def forget(table: Table, ahead: Ahead, seat: int) -> None:
    """Lower the caps of a seat that was silent: what was worth its threshold it does not hold."""
    kinds, share = ahead.kinds, ahead.terms.share
    subjects = len(kinds.of)
    for subject in range(subjects):
        kind, place = kinds.of[subject], seat * subjects + subject
        cap = max(0.0, (table.thresholds[seat] - kinds.singles[kind]) / share)
        table.single_caps[place] = min(table.single_caps[place], cap)
        cap = max(0.0, (table.thresholds[seat] - kinds.fellows[kind]) / share)
        table.pair_caps[place] = min(table.pair_caps[place], cap)


def expected_items(table: Table, subjects: int) -> list[float]:
    """Return how many unspoken items of each subject each seat is expected to hold, by seat and subject."""
    expected = [0.0] * len(table.single_caps)
    for seat in range(len(table.spoke)):
        single, pair = (
            table.singles[seat] / max(1, subjects),
            table.pairs[seat] * 2 / max(1, subjects),
        )
        for place in range(seat * subjects, seat * subjects + subjects):
            expected[place] = single * table.single_caps[place] + pair * table.pair_caps[place]
    return expected


def warmths(
    table: Table, expected: list[float], seat: int, unspoken: list[int], mean: float
) -> list[float]:
    """Return how warm each subject is for a seat: how many more items of it are left than of a mean subject, in shares.

    `expected` are the items of all seats, by seat and subject; its own, as bit sets, the seat
    knows. `mean` is what is left of a mean subject.
    """
    subjects = len(expected) // len(table.spoke)
    counts = [0.0] * subjects
    for place in range(len(expected)):
        if place // subjects != seat:
            counts[place % subjects] += expected[place]
    for own in unspoken:
        rest = own
        while rest:
            one = rest & -rest
            rest ^= one
            counts[place_of(one)] += 1.0
    return [min(MOST_WARMTH, count / (mean + 1e-9) - 1.0) for count in counts]


def mean_items(items: int, bank_size: int, subjects: int) -> float:
    """Return how many of so many items hold a mean subject: "half single-subject items, half two-subject items"."""
    return items * (2.0 - (bank_size // 2) / max(1, bank_size)) / max(1, subjects)
