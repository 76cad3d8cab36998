"""OpenSpiel's bargaining game as numbers: the pool, the players' values, and the split."""

import re

from engine.games.openspiel.position import SpielPosition, sight_of

BARGAINING = "bargaining"
COUNT = re.compile(r"(\w+): (\d+)")
SHARE = "share of the joint value"


def read_counts(line: str) -> list[int]:
    """Return the numbers in "Book: 1, Hat: 0, Basketball: 2", in order."""
    return [int(number) for _, number in COUNT.findall(line)]


def read_bargain(sight: str) -> list[list[int]]:
    """Parse a player's view: the pool, the player's values, and what each proposer would keep."""
    lines = [line.rpartition("Offer: ")[2] for line in sight.splitlines()]
    return [counts for line in lines if len(counts := read_counts(line)) > 1]


def own_value(items: list[int], values: list[int]) -> int:
    """Return the total value of `items` (counts by kind), given the value of one item by kind."""
    return sum(count * value for count, value in zip(items, values, strict=True))


def joint_shares(position: SpielPosition) -> dict[str, dict[str, float]]:
    """Return each player's share of the maximum joint value, or {} in games without bargaining."""
    if position.rules.name != BARGAINING:
        return {}
    pool, first = read_bargain(sight_of(position, 0))[:2]
    second = read_bargain(sight_of(position, 1))[1]
    best = [max(values) for values in zip(first, second, strict=True)]
    most = own_value(pool, best)
    return {player_id: {SHARE: value / most} for player_id, value in position.returns.items()}
