"""Coalitions: groups whose members all like each other."""

from collections.abc import Mapping
from itertools import combinations

from engine.games.talks.constants import CONSTANTS

Affinities = Mapping[str, Mapping[str, float]]


def find_coalitions(
    affinities: Affinities,
    threshold: float = CONSTANTS.ally,
    hair: float = CONSTANTS.hair,
) -> tuple[frozenset[str], ...]:
    """Return the maximal groups whose members' affinities are all at least `threshold`.

    `affinities` contains each participant's affinity, -1 to 1, for the others. Groups have two or
    more members; the largest come first, and groups of equal size are sorted by name. Affinities
    can be below `threshold` by up to `hair`, to allow for rounding errors. Groups may overlap: a
    friend of two opponents can join both.
    """
    friends = _friends_in(affinities, threshold - hair)
    if not any(friends.values()):
        return ()
    # The maximal groups of the participants so far; each new participant splits or joins them.
    groups: set[frozenset[str]] = {frozenset()}
    for name, near in friends.items():
        groups |= {(group & near) | {name} for group in groups}
        groups = {group for group in groups if not any(group < other for other in groups)}

    coalitions = [group for group in groups if len(group) > 1]
    return tuple(sorted(coalitions, key=lambda group: (-len(group), sorted(group))))


def _friends_in(affinities: Affinities, least: float) -> dict[str, set[str]]:
    """Return each participant's friends: those with affinities of at least `least` both ways."""
    friends: dict[str, set[str]] = {name: set() for name in affinities}
    for name, other in combinations(affinities, 2):
        liking = min(affinities[name].get(other, 0.0), affinities[other].get(name, 0.0))
        if liking >= least:
            friends[name].add(other)
            friends[other].add(name)
    return friends


def average_positive(affinities: Affinities) -> float:
    """Return the "average of positive relationships": the mean of all affinities above 0.

    Returns 0 if there are none.
    """
    every = [value for row in affinities.values() for value in row.values()]
    positive = [value for value in every if value > 0]
    return sum(positive) / len(positive) if positive else 0.0
