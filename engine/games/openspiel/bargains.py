"""OpenSpiel's bargaining in numbers: the pool, each player's values, and the split."""

import re

from engine.games.openspiel.position import SpielPosition, sight_of

BARGAINING = "bargaining"
COUNT = re.compile(r"(\w+): (\d+)")
SHARE = "share of the joint value"


def read_counts(line: str) -> list[int]:
    """Return the numbers in "Book: 1, Hat: 0, Basketball: 2", in order."""
    return [int(number) for _, number in COUNT.findall(line)]


def read_bargain(sight: str) -> list[list[int]]:
    """Return the pool, a player's values, and what each offer keeps, from the player's view."""
    lines = [line.rpartition("Offer: ")[2] for line in sight.splitlines()]
    return [counts for line in lines if len(counts := read_counts(line)) > 1]


def own_value(items: list[int], values: list[int]) -> int:
    """Return the value of the given number of items of each kind."""
    return sum(count * value for count, value in zip(items, values, strict=True))


def joint_shares(position: SpielPosition) -> dict[str, dict[str, float]]:
    """Return each player's share of the largest joint value in bargaining; {} in other games."""
    if position.rules.name != BARGAINING:
        return {}
    pool, first = read_bargain(sight_of(position, 0))[:2]
    second = read_bargain(sight_of(position, 1))[1]
    best = [max(values) for values in zip(first, second, strict=True)]
    most = own_value(pool, best)
    returns = position.state.returns()
    shares = {}
    for player_id, got in zip(position.player_ids, returns, strict=True):
        shares[player_id] = {SHARE: got / most}
    return shares
