"""The rule of pairs, checked on a log: who talks with whom after all have ranked the others."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Pairing, Preferences
from engine.rng import stream
from tests.oracles.deliberations.reading import (
    ranks_partners,
    tells_pairing,
)
from tests.oracles.reading import breach_in

Members = tuple[str, ...]
Cost = tuple[int, int]  # the sum of both ranks, and the worse of them


def check_pairs(log: RoundLog, part: list[Event]) -> Iterator[str]:
    """Check that "the one with the smallest sum of ranks" is paired, "taken out, and again".

    Players left over must be told so, and none may be left that could be paired.
    """
    rankings = rankings_in(part)
    costs = costs_of(rankings)
    pairs, alone = members_in(part)
    free = [*rankings]
    for pair in pairs:
        if pair not in cheapest_of(costs):
            yield breach_in(log, f"a pair that costs least of {costs}: got {pair}")
        costs = without_members(costs, pair)
        free = [player_id for player_id in free if player_id not in pair]
    if costs:
        yield breach_in(log, f"no pair to be left over: got {[*costs]}")
    if alone != free:
        yield breach_in(log, f"{free} to be told that they stay alone: got {alone}")


def rankings_in(part: list[Event]) -> dict[str, Members]:
    """Return the rankings of an exchange by player, in the order in which they were told."""
    rankings = {}
    for event in part:
        if ranks_partners(event):
            rankings[str(event.player_id)] = payload_of(event, Preferences).ranking
    return rankings


def members_in(part: list[Event]) -> tuple[list[Members], list[str]]:
    """Return the pairs of an exchange, and who stayed alone, both as they are told."""
    pairs = []
    alone: list[str] = []
    for event in part:
        if not tells_pairing(event):
            continue
        members = payload_of(event, Pairing).members
        if len(members) == 1:
            alone += members
        else:
            pairs.append(members)
    return pairs, alone


def costs_of(rankings: Mapping[str, Members]) -> dict[Members, Cost]:
    """Return the sum and the worse of the two ranks of each pair that rank each other."""
    ranks = ranks_given(rankings)
    costs: dict[Members, Cost] = {}
    for one, other in combinations(rankings, 2):
        there = ranks.get((one, other))
        back = ranks.get((other, one))
        if there and back:
            costs[one, other] = (there + back, max(there, back))
    return costs


def ranks_given(rankings: Mapping[str, Members]) -> dict[Members, int]:
    """Return the rank that one player gives another, 1 for the first."""
    ranks: dict[Members, int] = {}
    for player_id, ranking in rankings.items():
        for rank, other in enumerate(ranking, 1):
            ranks[player_id, other] = rank
    return ranks


def cheapest_of(costs: Mapping[Members, Cost]) -> list[Members]:
    """Return the pairs that cost least; empty for no pairs."""
    least = min(costs.values(), default=None)
    return [pair for pair, cost in costs.items() if cost == least]


def without_members(costs: Mapping[Members, Cost], members: Members) -> dict[Members, Cost]:
    """Return the pairs that remain without these two."""
    return {pair: cost for pair, cost in costs.items() if not {*pair} & {*members}}


def draw_pairs(history: History, log: RoundLog, exchange: int, part: list[Event]) -> list[Members]:
    """Return the pairs that the rankings of an exchange make, with the lots of the seed."""
    rng = stream(history.seed, "round", log.round_index, "pairing", exchange)
    costs = costs_of(rankings_in(part))
    pairs = []
    while costs:
        pair = rng.choice(cheapest_of(costs))
        pairs.append(pair)
        costs = without_members(costs, pair)
    return pairs
