"""Chooses the entrants and seats of the next table, so that meetings and seats stay even.

Costs are whole numbers, so every machine gets the same sums.
"""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np

from engine.ratings.columns import Floats, Ints
from engine.tournaments.schedule.draw import Exposure

# How many tables are tried, and the maximum if none is within the limits.
TRIALS = 4
MOST_TRIALS = 40
# The limits on how far the meetings of pairs, and an entrant's games by seat, may differ.
MEETINGS_WITHIN = 3
SEATS_WITHIN = 2
# The weights of a meeting at the next table and of a seat, relative to a meeting at this table.
LATER = 0.8
SEATS_WEIGH = 3
FINENESS = 1000
# Smaller gains are rounding errors, which could make two swaps undo each other forever.
LEAST_GAIN = 0.5
FAR = 20.0


def choose_table(exposure: Exposure, rng: Random) -> list[int]:
    """Return the entrants at the next table, in seat order: the most even of the tables tried.

    More tables are tried while two entrants would meet too often, or an entrant would sit in a
    seat too often.
    """
    met, sat = meeting_costs(exposure), seat_costs(exposure)
    best = min(try_table(exposure, met, sat, number, rng) for number in range(TRIALS))
    for number in range(TRIALS, MOST_TRIALS):
        if not best[0]:
            break
        best = min(best, try_table(exposure, met, sat, number, rng))
    return best[2]


def try_table(
    exposure: Exposure, met: Ints, sat: Ints, number: int, rng: Random
) -> tuple[int, float, list[int]]:
    """Return a new table's excess over the limits, its cost from `met` and `sat`, and its seats."""
    size = sat.shape[1]
    # Sometimes ignore the costs, to avoid trying the same few tables again and again.
    table = choose_guests(exposure, met * (number % 2), size, rng)
    left = exchange_guests(exposure, met * (number % 3 > 0), table)
    seats = choose_seats(sat, table, rng)
    next_seats = choose_seats(sat, left, rng) if len(left) == size else left
    excess = excess_of(exposure, seats) + excess_of(exposure, next_seats)
    meetings = meeting_cost(met, seats) + LATER * meeting_cost(met, left)
    seating = int(sat[seats, range(size)].sum())
    return excess, meetings + SEATS_WEIGH * seating, seats


def meeting_costs(exposure: Exposure) -> Ints:
    """Return the cost of one more meeting of each pair (K, K); no entrant meets itself."""
    entrants = len(exposure.games)
    costs = steep(exposure.meetings, exposure.meetings.sum() / (entrants * (entrants - 1)))
    np.fill_diagonal(costs, 0)
    return costs


def seat_costs(exposure: Exposure) -> Ints:
    """Return the cost (K, table) of seating each entrant in each seat once more."""
    return steep(exposure.seats, exposure.seats.mean())


def steep(counts: Ints, usual: float) -> Ints:
    """Return the cost of raising each count by one: high above `usual`, negative below it."""
    distance = np.clip(counts - usual, -FAR, FAR)
    costs: Ints = np.rint(FINENESS * np.sinh(distance)).astype(np.int64)
    return costs


def meeting_cost(met: Ints, table: Sequence[int]) -> int:
    """Return the cost of all meetings at a table, with each pair counted twice."""
    return int(met[np.ix_(table, table)].sum())


def excess_of(exposure: Exposure, seats: Sequence[int]) -> int:
    """Return the squared excess of a table over the limits on meetings and seats."""
    if not seats:
        return 0
    others = ~np.eye(len(exposure.games), dtype=bool)
    most = exposure.meetings[np.ix_(seats, seats)].max()
    meetings = int(most + 1 - exposure.meetings[others].min() - MEETINGS_WITHIN)
    # If two entrants with the same usual seat meet, one must sit there again, so allow less.
    within = 1 if len(seats) == 2 else SEATS_WITHIN
    counts = exposure.seats[seats]
    spread = 0
    if len(seats) == counts.shape[1]:
        spread = int(np.ptp(counts + np.eye(len(seats), dtype=int), axis=1).max())
    return max(0, meetings) ** 2 + max(0, spread - within) ** 2


def choose_guests(exposure: Exposure, met: Ints, size: int, rng: Random) -> list[int]:
    """Return the entrants that played least; ties go to those that met least, then to chance."""
    entrants = len(exposure.games)
    lots = np.array(rng.sample(range(entrants), entrants))
    cost = np.zeros_like(exposure.games)
    taken = np.zeros_like(exposure.games)
    chosen: list[int] = []
    for _ in range(size):
        place = int(np.lexsort((lots, cost, exposure.games, taken))[0])
        chosen.append(place)
        taken[place] = 1
        cost += met[place]
    return chosen


def exchange_guests(exposure: Exposure, met: Ints, table: list[int]) -> list[int]:
    """Swap entrants at `table` for equally active ones; return the rest if they fit at one table.

    Entrants are swapped while that lowers the cost of meetings at this table plus the expected cost
    at the next tables, which seat all remaining entrants before one from this table plays again.
    """
    level = exposure.games[table].max()
    left = np.flatnonzero(exposure.games == level)
    left = left[~np.isin(left, table)]
    if not len(left):
        return []
    chance = min(1.0, (len(table) - 1) / max(1, len(left) - 1))
    movable = [seat for seat, place in enumerate(table) if exposure.games[place] == level]
    while True:
        gains = exchange_gains(met, table, left, chance)[movable]
        inside, outside = divmod(int(gains.argmax()), len(left))
        if gains[inside, outside] < LEAST_GAIN:
            return left.tolist() if chance == 1 else []
        seat = movable[inside]
        table[seat], left[outside] = int(left[outside]), table[seat]


def exchange_gains(met: Ints, table: list[int], left: Ints, chance: float) -> Floats:
    """Return the savings (n, left) from swapping each entrant at the table for each in `left`."""
    burden = met[:, table].sum(axis=1) - chance * met[:, left].sum(axis=1)
    apart = burden[table][:, None] - burden[left]
    gains: Floats = apart + (1 + chance) * met[table][:, left]
    return gains


def choose_seats(sat: Ints, table: Sequence[int], rng: Random) -> list[int]:
    """Return the seat order of a table; pairs swap seats while that makes the order more even."""
    order = list(table)
    rng.shuffle(order)
    # The cost of each entrant in each seat; rows are swapped together with the entrants.
    costs: list[list[int]] = sat[order].tolist()
    pairs = list(combinations(range(len(order)), 2))
    better = True
    while better:
        better = False
        for first, second in pairs:
            now = costs[first][first] + costs[second][second]
            if costs[first][second] + costs[second][first] < now:
                order[first], order[second] = order[second], order[first]
                costs[first], costs[second] = costs[second], costs[first]
                better = True
    return order
