"""Pairs by mutual preference: who talks with whom, once all have ranked the others."""

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

Pair = tuple[str, str]
Cost = tuple[int, int]  # the sum of both ranks, and the worse of them


def pair_by_ranking(
    rankings: Mapping[str, Sequence[str]],
    rng: random.Random,
) -> list[Pair]:
    """Return the pairs in the order in which they are made; who is in none of them stays alone.

    "Of all pairs in which each ranks the other, the one with the smallest sum of ranks (then the
    smaller worse rank, then lot), taken out, and again." Of a pair, that one is first whose ranking
    is.

    >>> rankings = {"ann": ["ben", "cleo"], "ben": ["cleo", "ann"], "cleo": ["ben"], "dan": ["ann"]}
    >>> pair_by_ranking(rankings, random.Random(0))
    [('ben', 'cleo')]
    """
    costs = mutual_costs(rankings)
    pairs = []
    while costs:
        least = min(costs.values())
        best = [pair for pair, cost in costs.items() if cost == least]
        made = rng.choice(best)
        pairs.append(made)
        for pair in [*costs]:
            if made[0] in pair or made[1] in pair:
                del costs[pair]
    return pairs


def mutual_costs(rankings: Mapping[str, Sequence[str]]) -> dict[Pair, Cost]:
    """Return what each pair costs in which each ranks the other, in the order of `rankings`."""
    costs = {}
    for one, other in combinations(rankings, 2):
        there = rank_of(other, rankings[one])
        back = rank_of(one, rankings[other])
        if there and back:
            worse = max(there, back)
            costs[one, other] = (there + back, worse)
    return costs


def rank_of(name: str, ranking: Sequence[str]) -> int:
    """Return the place of a name in a ranking, 1 for the first; 0 if it has none."""
    if name not in ranking:
        return 0
    return ranking.index(name) + 1
