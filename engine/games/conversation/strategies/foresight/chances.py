"""The chance that a seat has an item worth more than a threshold.

The code uses plain lists so that training can compile it.
"""

from math import exp
from typing import NamedTuple

from engine.games.conversation.strategies.foresight.beliefs import Beliefs
from engine.games.conversation.strategies.foresight.groups import Kinds

# The number of item values (edges) at which chances are tabulated, and their spacing.
EDGES = 26
STEP = 0.2

UNLIKELY = 1e-9


class Stakes(NamedTuple):
    """The kinds of items; `worthy` has the codes of kinds that may be worth more than `floor`.

    `share` is the weight of a point of importance.
    """

    kinds: Kinds
    worthy: list[int]
    floor: float
    share: float


def chances_above(
    beliefs: Beliefs,
    stakes: Stakes,
    group: list[int],
) -> list[float]:
    """Return, for each edge, the chance that a group member's best item is worth more.

    The edges are the values `floor`, `floor` + STEP and so on. Unspoken items of a kind are
    modelled as rare and independent (Poisson), with importances uniform from 0 to the seat's cap.
    """
    bends = [0.0] * (2 * EDGES + 2)
    for seat in group:
        add_items(bends, beliefs, stakes, seat, len(group))
    chances = [0.0] * EDGES
    heights = heights_of(bends)
    for edge in range(EDGES):
        if heights[edge] > UNLIKELY:
            chances[edge] = 1.0 - exp(-heights[edge])
    return chances


def add_items(
    bends: list[float],
    beliefs: Beliefs,
    stakes: Stakes,
    seat: int,
    members: int,
) -> None:
    """Add a seat's expected number of items above each edge, divided by `members`, to the bends."""
    kinds, worthy, floor, share = stakes
    sizes = kinds.sizes
    many = len(sizes)
    subjects = len(kinds.of)
    single_caps = mean_caps(beliefs.single_caps, kinds, seat * subjects)
    pair_caps = mean_caps(beliefs.pair_caps, kinds, seat * subjects)

    # The seat's expected number of items with one given subject, and with two given subjects.
    single = beliefs.singles[seat] / (members * max(1, subjects))
    couples = max(1.0, subjects * (subjects - 1) / 2)
    pair = beliefs.pairs[seat] / (members * couples)
    for code in worthy:
        if code < many:
            value = kinds.singles[code] - floor
            add_ramp(bends, value, single_caps[code], single * sizes[code], share)
            continue

        place = code - many
        kind = place // many
        partner = place % many
        number = pair * sizes[kind] * sizes[partner]
        if kind == partner:
            number = pair * sizes[kind] * (sizes[kind] - 1) / 2
        cap = min(pair_caps[kind], pair_caps[partner])
        add_ramp(bends, kinds.pairs[place] - floor, cap, number, share)


def mean_caps(
    caps: list[float],
    kinds: Kinds,
    begin: int,
) -> list[float]:
    """Return each subject group's mean cap, for the seat whose caps begin at index `begin`."""
    means = [0.0] * len(kinds.sizes)
    for subject in range(len(kinds.of)):
        kind = kinds.of[subject]
        means[kind] += caps[begin + subject] / kinds.sizes[kind]
    return means


def add_ramp(
    bends: list[float],
    value: float,
    cap: float,
    number: float,
    share: float,
) -> None:
    """Add the bends of a line that shows, for each edge, how many of `number` items are above it.

    Bends are changes in the line's level and slope at an edge. Item values are uniform from `value`
    to `value` + `share`, without the items above `value` + `cap` * `share`. All other items are
    above the edges up to `value`.
    """
    end = (value + cap * share) / STEP
    if end <= 0.0:
        return
    first = 0 if value < 0.0 else min(EDGES, int(value / STEP) + 1)
    last = min(EDGES, int(end) + 1)
    slope = number * STEP / share
    most = number * cap
    level = number * value / share
    bends[0] += most
    bends[first] += level
    bends[last] -= most + level
    slopes = EDGES + 1
    bends[slopes + first] -= slope
    bends[slopes + last] += slope


def heights_of(bends: list[float]) -> list[float]:
    """Return the height of the line at each edge, given its bends from `add_ramp`."""
    heights = [0.0] * EDGES
    level = 0.0
    slope = 0.0
    for edge in range(EDGES):
        level += bends[edge]
        slope += bends[EDGES + 1 + edge]
        heights[edge] = max(0.0, level + slope * edge)
    return heights
