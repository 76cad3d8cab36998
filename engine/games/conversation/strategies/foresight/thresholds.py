"""When to speak and when to leave the turn to others: thresholds by backward induction over the speaking order.

"The simulator selects uniformly at random among the proposers who have contributed the fewest items
so far": those who spoke most are heard only if all others are silent, so their choice is between
their item and a pause; those before them choose between their item and what is to be expected of
those after them, and so on to those who spoke least. Plain lists, so that training can compile it.
"""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from engine.games.conversation.strategies.foresight.beliefs import Ahead, Table, expected_items
from engine.games.conversation.strategies.foresight.groups import Kinds, kinds_of, worthy_kinds
from engine.games.conversation.strategies.foresight.value import (
    TRUST,
    Terms,
    When,
    horizon,
    importance_share,
    pause_value,
    scene_of,
)

EDGES, STEP = 26, 0.2
FLOOR = -3.0


class Stakes(NamedTuple):
    """The kinds of items, which may be worth more than `floor`, and how much importance counts."""

    kinds: Kinds
    worthy: list[int]
    floor: float
    share: float


def look_ahead(weights: Sequence[float], table: Table, when: When, last_speaker: int) -> Ahead:
    """Return what everybody expects of the coming turn, and fill in the thresholds of the table for it."""
    subjects = len(table.single_caps) // len(table.spoke)
    scene = scene_of(table.recent, table.missing, table.wanting)
    terms = Terms(weights, scene, importance_share(weights, when), horizon(weights, when.left))
    kinds = kinds_of(terms, subjects)
    pause = pause_value(weights, table.recent, when, subjects)
    floor = max(FLOOR, pause)
    stakes = Stakes(kinds, worthy_kinds(kinds, floor - terms.share), floor, terms.share)
    value = expect(table, stakes, pause, 1.0 + weights[TRUST])
    if last_speaker >= 0:
        # Who speaks again takes the turn from all who have more to say, so that is weighed, too.
        table.thresholds[last_speaker] = (table.thresholds[last_speaker] + value) / 2
    return Ahead(terms, kinds, expected_items(table, subjects), last_speaker)


def expect(table: Table, stakes: Stakes, pause: float, trust: float) -> float:
    """Fill in the table's thresholds and return what the turn is expected to be worth; `pause` is what a pause is.

    `trust` says how much of what those who spoke more often are expected to add is counted on.
    """
    value = pause
    for spoke in range(max(table.spoke), -1, -1):
        group = [seat for seat in range(len(table.spoke)) if table.spoke[seat] == spoke]
        if len(group) > 0:
            value += trust * (stage(table, stakes, group, value) - value)
    return value


def stage(table: Table, stakes: Stakes, group: list[int], value: float) -> float:
    """Fill in the threshold of seats that spoke equally often, and return what to expect once it is up to them.

    `value` is what is expected if all of them are silent; who talks at random is not.
    """
    sober, babblers, babble = 1.0, 0.0, 0.0
    for seat in group:
        chance = randomness(table.doubts[seat])
        if chance > 0.0:
            sober *= 1.0 - chance
            babblers += chance
            babble += chance * babble_value(table, stakes, seat)
    if babblers > 0.0:
        value = sober * value + (1.0 - sober) * babble / babblers
    tail = above(table, stakes, group)
    rest = [0.0] * EDGES
    for edge in range(EDGES - 2, -1, -1):
        rest[edge] = rest[edge + 1] + STEP * (tail[edge] + tail[edge + 1]) / 2
    threshold = shared_threshold(tail, rest, len(group), value, stakes.floor)
    for seat in group:
        table.thresholds[seat] = threshold
    place = max(0.0, (threshold - stakes.floor) / STEP)
    edge = int(place)
    if edge >= EDGES - 1:
        return value
    within = place - edge
    chance = tail[edge] * (1 - within) + tail[edge + 1] * within
    if chance < 1e-9:
        return value
    beyond = rest[edge + 1] + (1 - within) * STEP * (chance + tail[edge + 1]) / 2
    mean = max(threshold, stakes.floor) + beyond / chance
    silent = (1 - chance) ** len(group)
    return silent * value + (1 - silent) * (mean - (1.0 - sober) * (mean - value) / 2)


def shared_threshold(
    tail: list[float], rest: list[float], many: int, value: float, floor: float
) -> float:
    """Return what an item must be worth if `many` seats have the same right to the turn.

    Of one seat it is `value`, what comes if it is silent. Of more, whoever speaks may displace
    another who has more to say: the threshold is the mean of `value`, weighted with the chance that
    no other proposes, and of what others propose, weighted with the chance to be drawn before them.
    """
    if many == 1:
        return value
    threshold, ahead = value, 0.0
    for edge in range(EDGES):
        chance, here = tail[edge], floor + edge * STEP
        if chance < 1e-9:
            break
        alone = (1 - chance) ** (many - 1)
        drawn = (1 - (1 - chance) ** many) / (many * chance) - alone
        target = (alone * value + drawn * (here + rest[edge] / chance)) / (alone + drawn)
        if target <= here:
            if edge > 0:
                threshold = here - STEP * (here - target) / (ahead + here - target)
            break
        ahead, threshold = target - here, here
    return max(value, threshold)


def above(table: Table, stakes: Stakes, group: list[int]) -> list[float]:
    """Return the chance that the best item of a seat of the group is worth more than `floor`, `floor` + STEP ...

    The unspoken items of a kind are taken as rare and independent (Poisson), their importances as
    uniform up to the seat's cap.
    """
    kinds, worthy, floor, share = stakes
    subjects, many = len(kinds.of), len(kinds.sizes)
    expected = [0.0] * EDGES
    for seat in group:
        single_caps, pair_caps = [0.0] * many, [0.0] * many
        for subject in range(subjects):
            kind, place = kinds.of[subject], seat * subjects + subject
            single_caps[kind] += table.single_caps[place] / kinds.sizes[kind]
            pair_caps[kind] += table.pair_caps[place] / kinds.sizes[kind]
        single = table.singles[seat] / (len(group) * max(1, subjects))
        pair = table.pairs[seat] / (len(group) * max(1.0, subjects * (subjects - 1) / 2))
        for code in worthy:
            if code < many:
                size = single * kinds.sizes[code]
                ramp(expected, kinds.singles[code] - floor, single_caps[code], size, share)
                continue
            kind, partner = (code - many) // many, (code - many) % many
            size = pair * kinds.sizes[kind] * (kinds.sizes[kind] - 1) / 2
            if kind != partner:
                size = pair * kinds.sizes[kind] * kinds.sizes[partner]
            ramp(
                expected,
                kinds.pairs[code - many] - floor,
                min(pair_caps[kind], pair_caps[partner]),
                size,
                share,
            )
    return [1.0 - exp(-number) for number in expected]


def ramp(expected: list[float], value: float, cap: float, number: float, share: float) -> None:
    """Add to `expected` how many of `number` items of value `value` to `value` + `share` lie above each edge."""
    edge = 0
    while edge < EDGES:
        over = cap - max(0.0, (edge * STEP - value) / share)
        if over <= 0.0:
            return
        expected[edge] += number * over
        edge += 1


def randomness(doubt: float) -> float:
    """Return the probability that a seat talks at random, 0.0 as long as that is less likely than not."""
    return max(0.0, 2.0 / (1.0 + exp(-doubt)) - 1.0)


def babble_value(table: Table, stakes: Stakes, seat: int) -> float:
    """Return what an item drawn at random from a seat's bank is worth: the mean over all, less for repeats."""
    kinds = stakes.kinds
    subjects = max(1, len(kinds.of))
    unspoken = table.singles[seat] + table.pairs[seat]
    items = max(1.0, unspoken + table.spoke[seat])
    singles = pairs = 0.0
    for kind in range(len(kinds.sizes)):
        singles += kinds.sizes[kind] * kinds.singles[kind] / subjects
        pairs += kinds.sizes[kind] * kinds.fellows[kind] / subjects
    value = (singles + pairs + stakes.share) / 2
    return value - 1.5 * (1.0 - unspoken / items)
