"""Coalitions: groups in which all like each other."""

from collections.abc import Mapping, Set
from itertools import combinations

from engine.games.talks.constants import CONSTANTS

Affinities = Mapping[str, Mapping[str, float]]
Friends = Mapping[str, Set[str]]


def find_coalitions(
    affinities: Affinities,
    threshold: float = CONSTANTS.ally,
    hair: float = CONSTANTS.hair,
) -> tuple[frozenset[str], ...]:
    """Return the largest groups in which each has an affinity of at least `threshold` to each.

    `affinities` has by participant its affinity, -1 to 1, to the others. A group has two or more
    members. The largest comes first, equals by name. Less by
    a `hair` is enough, since sums of steps come out so. Groups may overlap: a friend of two who are
    at odds belongs to both.
    """
    groups: list[frozenset[str]] = []
    friends = _friends(affinities, threshold - hair)
    _collect_cliques(frozenset(), set(friends), set(), friends, groups)

    coalitions = [group for group in groups if len(group) > 1]
    return tuple(sorted(coalitions, key=lambda group: (-len(group), sorted(group))))


def average_positive(affinities: Affinities) -> float:
    """Return the "average of positive relationships": the mean of entries above 0, else 0."""
    every = [value for row in affinities.values() for value in row.values()]
    positive = [value for value in every if value > 0]
    return sum(positive) / len(positive) if positive else 0.0


def _friends(affinities: Affinities, threshold: float) -> Friends:
    """Return, by participant, all others with an affinity of at least `threshold` both ways."""
    friends: dict[str, set[str]] = {name: set() for name in affinities}
    for first, second in combinations(affinities, 2):
        there = affinities[first].get(second, 0.0)
        back = affinities[second].get(first, 0.0)
        if min(there, back) >= threshold:
            friends[first].add(second)
            friends[second].add(first)
    return friends


def _collect_cliques(
    group: frozenset[str],
    candidates: Set[str],
    seen: Set[str],
    friends: Friends,
    found: list[frozenset[str]],
) -> None:
    """Add to `found` the largest cliques with all of `group`, some candidates and none of `seen`.

    This is Bron and Kerbosch's search with a pivot.
    """
    if not candidates and not seen:
        found.append(group)
        return

    pivot = max(sorted(candidates | seen), key=lambda name: len(friends[name] & candidates))
    for candidate in sorted(candidates - friends[pivot]):
        near = friends[candidate]
        _collect_cliques(group | {candidate}, candidates & near, seen & near, friends, found)
        candidates = candidates - {candidate}
        seen = seen | {candidate}
