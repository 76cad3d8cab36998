"""Coalitions: groups in which all like each other."""

from collections.abc import Mapping

from engine.games.talks.constants import CONSTANTS

Affinities = Mapping[str, Mapping[str, float]]


def find_coalitions(
    affinities: Affinities,
    threshold: float = CONSTANTS.ally,
    hair: float = CONSTANTS.hair,
) -> tuple[frozenset[str], ...]:
    """Return the largest groups in which each has an affinity of at least `threshold` to each.

    `affinities` has by participant its affinity, -1 to 1, to the others. A group has two or more
    members. The largest comes first, equals by name. Less by a `hair` is enough, since sums of
    steps come out so. Groups may overlap: a friend of two who are at odds belongs to both.
    """

    def are_friends(one: str, other: str) -> bool:
        liking = min(affinities[one].get(other, 0.0), affinities[other].get(one, 0.0))
        return liking >= threshold - hair

    # The largest groups of the participants so far: each next one splits or joins them.
    groups: set[frozenset[str]] = {frozenset()}
    for name in affinities:
        near = {other for other in affinities if other != name and are_friends(name, other)}
        groups |= {(group & near) | {name} for group in groups}
        groups = {group for group in groups if not any(group < other for other in groups)}

    coalitions = [group for group in groups if len(group) > 1]
    return tuple(sorted(coalitions, key=lambda group: (-len(group), sorted(group))))


def average_positive(affinities: Affinities) -> float:
    """Return the "average of positive relationships": the mean of entries above 0, else 0."""
    every = [value for row in affinities.values() for value in row.values()]
    positive = [value for value in every if value > 0]
    return sum(positive) / len(positive) if positive else 0.0
