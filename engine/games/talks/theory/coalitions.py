"""Who stands together: groups in which everybody likes everybody."""

from collections.abc import Mapping
from itertools import combinations

from engine.games.talks.constants import CONSTANTS

Affinities = Mapping[str, Mapping[str, float]]


def coalitions(
    affinities: Affinities, threshold: float = CONSTANTS.ally
) -> tuple[frozenset[str], ...]:
    """Return every largest group of two or more in which each has an affinity of `threshold` or more to each other.

    `affinities` has by participant its affinity, -1 to 1, to the others. The largest group comes
    first, equals by name. Groups may overlap: who stands well with two that are at odds belongs to
    both.
    """
    friends: dict[str, set[str]] = {one: set() for one in affinities}
    for one, other in combinations(affinities, 2):
        if min(affinities[one].get(other, 0.0), affinities[other].get(one, 0.0)) >= threshold:
            friends[one].add(other)
            friends[other].add(one)
    found: list[frozenset[str]] = []
    grow(frozenset(), set(friends), set(), friends, found)
    return tuple(
        sorted(
            (group for group in found if len(group) > 1),
            key=lambda group: (-len(group), sorted(group)),
        )
    )


def grow(
    group: frozenset[str],
    candidates: set[str],
    seen: set[str],
    friends: Mapping[str, set[str]],
    found: list[frozenset[str]],
) -> None:
    """Add to `found` every largest clique that has all of `group`, some of `candidates` and none of `seen`.

    This is Bron and Kerbosch's search with a pivot.
    """
    if not candidates and not seen:
        found.append(group)
        return
    pivot = max(sorted(candidates | seen), key=lambda one: len(friends[one] & candidates))
    for one in sorted(candidates - friends[pivot]):
        grow(group | {one}, candidates & friends[one], seen & friends[one], friends, found)
        candidates = candidates - {one}
        seen = seen | {one}


def average_positive(affinities: Affinities) -> float:
    """Return the "average of positive relationships": the mean of the entries above 0, 0 if there is none."""
    positive = [value for row in affinities.values() for value in row.values() if value > 0]
    return sum(positive) / len(positive) if positive else 0.0
