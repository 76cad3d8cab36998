"""Places as orders: which seat of a game is chosen first, which next, and how ties are split.

A tie allows several orders, whose log-likelihoods are averaged. The contribution of a group of tied
seats depends only on which seats come after the group. The orders of different groups therefore do
not need to be combined in every way: each order of the game uses one order from each group. A game
becomes at most 12 orders of equal weight or, if only one choice counts, one for each tied seat.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice, permutations
from random import Random

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints, value_in
from engine.ratings.results import Results
from engine.rng import stream

# Ties of up to OPEN seats use all their orders; larger ties use DRAWN random orders.
OPEN, DRAWN = 3, 12
COPIES = np.array([0, 1, 2, 6, DRAWN])
# The maximum number of orders in one array, to limit memory.
PORTION = 1 << 16


@dataclass(frozen=True)
class Rule:
    """How the places of a game become choices.

    `choices(place, direction)` returns the sort keys that put the seats in the order of choice, and
    whether each seat is ever chosen. A game without chosen seats carries no information. With
    `one_choice`, only the first choice counts, and tied seats share it equally. `noun` is the name
    of the place that a rated game must have. `table` is the largest table allowed (None: any).
    """

    choices: Callable[[Floats, str], tuple[Floats, Bools]]
    noun: str = "place"
    one_choice: bool = False
    table: int | None = None

    def information(self, table: int) -> float:
        """Return the trace of the Fisher information of one game between equals.

        A choice of one seat from s has information 1 - 1/s. For n seats, that sums to 1 - 1/n for
        one choice, and to n - H_n for all places, where H_n = 1 + 1/2 + ... + 1/n.
        """
        least = table if self.one_choice else 2
        return sum(1 - 1 / left for left in range(least, table + 1))


@dataclass(frozen=True)
class Orders:
    """Orders for tables of the same size: at stage t, `rows[:, t]` is chosen from `rows[:, t:]`.

    `counted` has one column per stage; seats after the last stage are never chosen. At a stage that
    is not counted, the seat leaves without a choice. `weight` multiplies an order's log-likelihood;
    it is 1, or a fraction if the game has ties.
    """

    rows: Ints
    weight: Floats
    counted: Bools

    @property
    def stages(self) -> int:
        """The number of stages."""
        return int(self.counted.shape[1])

    def part(self, marked: Bools) -> "Orders":
        """Return the orders selected by `marked`."""
        return Orders(self.rows[marked], self.weight[marked], self.counted[marked])


@dataclass(frozen=True)
class Ranking:
    """The seats of `Results` by game, in the order of choice under one rule.

    `size` is the size of a seat's tie group, or 1 if the seat is never chosen. `spot` is the seat's
    index in the group. `stages` is the number of choices in each game.
    """

    rule: Rule
    seats: Ints
    size: Ints
    spot: Ints
    stages: Ints

    @property
    def ties(self) -> bool:
        """Whether any seats are tied."""
        return bool((self.size > 1).any())

    @property
    def copies(self) -> Ints:
        """The number of orders for each seat's tie; with `one_choice`, one per tied seat."""
        return self.size if self.rule.one_choice else COPIES[np.minimum(self.size, OPEN + 1)]


def rated_games(results: Results, rule: Rule) -> Results:
    """Return the games that a rule can use; raise ValueError if a table is too large."""
    _, chosen = rule.choices(results.columns["place"], "top")
    rated = np.bincount(results.game, chosen, results.games) > 0
    kept = results if rated.all() else results.where(rated[results.game])
    seated = np.bincount(kept.game)
    if rule.table and seated.max(initial=0) > rule.table:
        largest = kept.game_ids[seated.argmax()]
        raise ValueError(
            f"expected tables of two for the target 'pairs': {largest!r} has {seated.max()} seats; "
            "rate 'places' or 'wins'"
        )
    return kept


def ranking_of(results: Results, rule: Rule, direction: str = "top") -> Ranking:
    """Return the seats of rated games in the order in which `rule` chooses them."""
    key, chosen = rule.choices(results.columns["place"], direction)
    seats = np.lexsort((key, results.game))
    size, spot = _ties(results.game, key[seats], chosen[seats])
    table = np.bincount(results.game)
    most = np.bincount(results.game, chosen)
    stages = np.minimum(most, 1 if rule.one_choice else table - 1)
    return Ranking(rule, seats, size, spot, stages.astype(np.int64))


def choose_winner(place: Floats, _direction: str) -> tuple[Floats, Bools]:
    """Choose only the seats in first place, over all other seats."""
    wins = place == 1
    return np.where(wins, 0.0, 1.0), wins


def choose_in_order(place: Floats, direction: str) -> tuple[Floats, Bools]:
    """Choose by place: the best first from the top, the worst first from the bottom.

    Seats without a place rank below all others. From the top, they are in every choice but never
    chosen; from the bottom, they are tied for last.
    """
    known = ~np.isnan(place)
    if direction == "bottom":
        return np.where(known, -place, -np.inf), np.ones_like(known)
    return np.where(known, place, np.inf), known


WINS = Rule(choose_winner, noun="first place", one_choice=True)
PLACES = Rule(choose_in_order)
PAIRS = Rule(choose_in_order, table=2)


def orders_of(results: Results, ranking: Ranking) -> list[Orders]:
    """Return the orders that a ranking allows, grouped by table size and number of choices.

    Random orders are seeded by the game's id and the `seed` in the source row (0 by default).
    """
    most = np.ones(results.games, dtype=np.int64)
    np.maximum.at(most, results.game, ranking.copies)
    copies = most[results.game]
    orders: list[Orders] = []
    for number in np.unique(most).tolist():
        within = np.flatnonzero(copies == number)
        seats = _order_seats(results, ranking, within, number)
        orders.extend(_by_size(seats, results.game[within], ranking.stages))
    return orders


def _order_seats(results: Results, ranking: Ranking, within: Ints, number: int) -> Ints:
    """Return `number` orders, one per row, of the ranking's seats at the indices `within`."""
    begins = np.arange(len(within)) - ranking.spot[within]
    places = begins + _spots(results, ranking, within, number)
    seats = np.empty_like(places)
    np.put_along_axis(seats, places, ranking.seats[np.newaxis, within], axis=1)
    return seats


def _ties(game: Ints, key: Floats, chosen: Bools) -> tuple[Ints, Ints]:
    """Return the size of each seat's tie group, and the seat's index in that group."""
    begins = ~chosen
    begins[:1] = True
    begins[1:] |= (np.diff(game) > 0) | (key[1:] != key[:-1])
    group = np.cumsum(begins) - 1
    spot = np.arange(len(game)) - np.flatnonzero(begins)[group]
    return np.bincount(group)[group], spot


def _spots(results: Results, ranking: Ranking, within: Ints, number: int) -> Ints:
    """Return each seat's position among its tied seats, in each of `number` orders."""
    size = ranking.size[within]
    spot = ranking.spot[within]
    turns = np.arange(number)[:, np.newaxis]
    if ranking.rule.one_choice:
        return (spot + turns) % size
    few = np.minimum(size, OPEN)
    least = np.minimum(spot, OPEN - 1)
    spots = ALL_ORDERS[few, turns, least]
    _draw_many(spots, results, ranking, within)
    return spots


def _draw_many(spots: Ints, results: Results, ranking: Ranking, within: Ints) -> None:
    """Write random orders into `spots` for ties of more than OPEN seats."""
    size = ranking.size[within]
    begins = (size > OPEN) & (ranking.spot[within] == 0)
    streams: dict[int, Random] = {}
    for begin in np.flatnonzero(begins).tolist():
        row = int(ranking.seats[within[begin]])
        game = int(results.game[row])
        if game not in streams:
            seed = value_in(results.source[row], "seed")
            streams[game] = stream(0, "ties", str(seed or 0), results.game_ids[game])
        end = begin + int(size[begin])
        spots[:, begin:end] = _draw_orders(end - begin, streams[game])


def _draw_orders(tied: int, rng: Random) -> Ints:
    """Return DRAWN orders of `tied` seats: random orders, each followed by its reverse."""
    orders = np.array([rng.sample(range(tied), tied) for _ in range(DRAWN // 2)])
    return np.stack((orders, tied - 1 - orders), axis=1).reshape(DRAWN, tied)


def _by_size(seats: Ints, game: Ints, stages: Ints) -> Iterator[Orders]:
    """Yield up to PORTION orders at a time, all with the same table size and number of choices."""
    games, first, size = np.unique(game, return_index=True, return_counts=True)
    choices = stages[games]
    for table, number in np.unique(np.column_stack((size, choices)), axis=0).tolist():
        alike = (size == table) & (choices == number)
        columns = first[alike][:, np.newaxis] + np.arange(table)
        rows = seats[:, columns].reshape(-1, table)
        for begin in range(0, len(rows), PORTION):
            portion = rows[begin : begin + PORTION]
            counted = np.ones((len(portion), number), dtype=np.bool_)
            yield Orders(portion, np.full(len(portion), 1 / len(seats)), counted)


def _all_orders() -> Ints:
    """Return the position of each tied seat, indexed by tie size (up to OPEN), order and seat."""
    table = np.zeros((OPEN + 1, DRAWN, OPEN), dtype=np.int64)
    for size in range(1, OPEN + 1):
        table[size, :, :size] = [*islice(cycle(permutations(range(size))), DRAWN)]
    return table


ALL_ORDERS = _all_orders()
