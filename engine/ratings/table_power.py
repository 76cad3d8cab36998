"""Simulate the |z| at which a table that compares all pairs at once shows a gap."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from math import sqrt

import numpy as np

from engine.ratings.columns import Floats, root_of
from engine.ratings.comparison import LEVEL, compare, judge_pairs, pairs_of
from engine.ratings.estimate import Fit, pair_variances
from engine.ratings.intervals import NORMAL
from engine.ratings.plackett_luce import fit
from engine.ratings.results import Results
from engine.rng import array_stream, stream

# FEWEST to MOST tables are simulated, with PAIRS pairs in total if possible.
FEWEST, MOST, PAIRS = 2, 24, 1_000
# How many times the search interval of the critical |z| is halved.
HALVINGS = 8
# The number of simulated games between equals per entrant.
GAMES = 25

Pair = tuple[int, int]
Watch = Callable[[int, int], None]


def table_critical(
    fitted: Fit, pairs: Sequence[Pair], seed: int = 0, watch: Watch | None = None
) -> float:
    """Return the least |z| at which a table that compares all pairs at once shows one of `pairs`.

    It replaces 1.96, the value for one pair named in advance. It is a mean over tables drawn from
    N(0, covariance). In each table, the gap of the next pair in `pairs` is widened until it is
    significant. `watch` receives the number of tables judged so far, and the total.
    """
    if len(fitted.entrants) == 2:
        return NORMAL
    greatest = compare(fitted, seed=seed).critical
    tables = _draw_skills(fitted.covariance, seed)
    criticals = []
    for number, (skill, pair) in enumerate(zip(tables, cycle(pairs), strict=False), 1):
        # With few games, the limit can exceed the critical |z| of known errors, hence the factor.
        low, high = NORMAL, 2 * greatest
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if _is_shown(replace(fitted, skill=skill), pair, middle, seed):
                high = middle
            else:
                low = middle
        criticals.append((low + high) / 2)
        if watch is not None:
            watch(number, len(tables))
    return float(np.mean(criticals))


def _games_of_equals(entrants: int, table: int, seed: int) -> Results:
    """Return simulated games with entrants and places drawn at random."""
    rng = stream(seed, "equals")
    names = [f"{entrant:04}" for entrant in range(entrants)]
    rows = []
    for game in range(GAMES * entrants):
        for place, name in enumerate(rng.sample(names, table), 1):
            rows.append({"game_id": f"{game:06}", "entrant": name, "place": place})
    return Results.from_rows(rows)


def critical_of_equals(
    entrants: int, table: int, seed: int = 0, watch: Watch | None = None
) -> float:
    """Return `table_critical` for simulated games between equals, with the model's errors."""
    equals = fit(_games_of_equals(entrants, table, seed), "places", min_games=1)
    by_model = replace(equals, covariance=equals.hessian, sandwich=equals.hessian)
    return table_critical(by_model, [*pairwise(range(entrants))], seed, watch)


def _draw_skills(covariance: Floats, seed: int) -> Floats:
    """Return simulated skill estimates of equal entrants, one row for each simulated table."""
    pairs = len(covariance) * (len(covariance) - 1) // 2
    tables = min(max(PAIRS // pairs, FEWEST), MOST)
    drawn = array_stream(seed).standard_normal((tables, len(covariance)))
    return drawn @ root_of(covariance).T


def _is_shown(equal: Fit, pair: Pair, errors: float, seed: int) -> bool:
    """Return whether comparing all pairs shows `pair` if its gap is `errors` standard errors."""
    left, right = pair
    variances = pair_variances(equal.covariance)
    # Widening the gap of one pair also moves the skills correlated with it.
    pull = (equal.covariance[left] - equal.covariance[right]) / variances[left, right]
    gap = errors * sqrt(variances[left, right])
    skill = equal.skill + (gap - equal.skill[left] + equal.skill[right]) * pull
    moved = replace(equal, skill=skill)
    first, second = pairs_of(moved)
    _, adjusted, _ = judge_pairs(moved, first, second, seed)
    is_pair = np.isin(first, pair) & np.isin(second, pair)
    return bool(np.any(adjusted[is_pair] < LEVEL))
