"""The order of exits, in which failures are censored: a seat counts until its first failed answer.

A failed seat is left out of all later choices, and its own exit does not count as a choice. This is
right censoring with one stratum per game (Cox 1975): each choice depends only on earlier events, so
a failed seat's later play changes nothing, and longer games are not favoured.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.ratings.columns import Bools, Floats
from engine.ratings.orders import PLACES, Orders, orders_of, ranking_of
from engine.ratings.results import Results


def censored_orders(results: Results) -> list[Orders]:
    """Return the orders of exit, earliest first; seats stop counting once they fail."""
    orders = orders_of(results, ranking_of(results, PLACES, "bottom"))
    return [_censored(each, results.columns["outlived"]) for each in orders]


def _censored(orders: Orders, outlived: Floats) -> Orders:
    """Return orders in which each seat leaves at its exit or, if earlier, at its failure."""
    exits = np.arange(orders.rows.shape[1])
    failures = outlived[orders.rows]
    failed = failures <= exits
    time = np.where(failed, failures - 0.5, exits)
    turns = np.argsort(time, axis=1, kind="stable")
    counted = ~np.take_along_axis(failed, turns, axis=1)
    rows = np.take_along_axis(orders.rows, turns, axis=1)
    return replace(orders, rows=rows, counted=counted[:, : orders.stages])


def seats_that_count(results: Results) -> Results:
    """Return the results of only the seats that took part in a choice among two or more seats.

    In these results, `outlived` counts only the seats that are kept.
    """
    counts = _in_choices(censored_orders(results), len(results.entrant))
    if counts.all():
        return results
    columns = {**results.columns, "outlived": _outlived_among(results, counts)}
    return replace(results, columns=columns).where(counts)


def _outlived_among(results: Results, counts: Bools) -> Floats:
    """Return each seat's `outlived`, counting only the seats marked in `counts`."""
    before = results.columns["outlived"]
    exits = _exits(results)
    outlived = before.copy()
    for pair in results.seat_pairs():
        for seat, gone in (pair, pair[::-1]):
            missing = ~counts[gone] & (exits[gone] < before[seat])
            np.subtract.at(outlived, seat[missing], 1.0)
    return outlived


def _in_choices(orders: Sequence[Orders], seats: int) -> Bools:
    """Return which seats are in a counted choice among two or more seats."""
    chosen = np.zeros(seats, dtype=np.bool_)
    for each in orders:
        last = min(each.stages, each.rows.shape[1] - 1)
        begun = np.logical_or.accumulate(each.counted[:, :last], axis=1)
        spots = np.minimum(np.arange(each.rows.shape[1]), last - 1)
        chosen[each.rows[begun[:, spots]]] = True
    return chosen


def _exits(results: Results) -> Floats:
    """Return how many seats left the game before each seat; tied seats leave together."""
    place = results.columns["place"]
    place = np.where(np.isnan(place), np.inf, place)
    exits = np.zeros(len(place))
    for first, second in results.seat_pairs():
        np.add.at(exits, first, place[second] > place[first])
        np.add.at(exits, second, place[first] > place[second])
    return exits
