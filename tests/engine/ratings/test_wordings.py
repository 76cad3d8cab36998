"""The spread over wordings, against sums made by hand, and against true effects that are known."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan, sqrt

import numpy as np
import pytest

from engine.ratings import Rating, Results
from engine.ratings.intervals import t_quantile
from engine.ratings.wordings import results_by_wording, widen_rating, wording_spread
from tests.support.placements import told_orders

NORMAL = 1.959964
ADA = Rating("Ada", 50.0, 48.0, 52.0, 50.0, 1.0, games=30)


def spread(points: Sequence[float], error: float) -> tuple[float, float]:
    """Return the deviation between wordings, and the reach, of points with one error each."""
    found = wording_spread("Ada", dict(enumerate(points, 1)), [error] * len(points))
    return found.between, found.reach


# By hand: s of 40, 50, 60 is 10, and t is 4.302653 with two degrees of freedom; of 44, 50 it is
# sqrt(18), with one and 12.706205.
@pytest.mark.parametrize(
    ("points", "error", "between", "reach"),
    [
        ((40, 50, 60), 0.0, 10.0, 4.302653 * 10 / sqrt(3)),
        ((40, 50, 60), 6.0, 8.0, 4.302653 * 10 / sqrt(3)),
        ((40, 50, 60), 11.0, 0.0, 4.302653 * 10 / sqrt(3)),
        ((44, 50), 3.0, 3.0, 12.706205 * 3),
        ((50, 50, 50), 0.0, 0.0, 0.0),
    ],
)
def test_spreads_are_those_made_by_hand(
    points: tuple[float, ...], error: float, between: float, reach: float
) -> None:
    assert spread(points, error) == pytest.approx((between, reach), abs=1e-5)


def test_one_wording_has_no_spread() -> None:
    with pytest.raises(ValueError, match="expected the points of two wordings or more: got 1"):
        wording_spread("Ada", {2: 50.0}, [1.0])


def test_an_interval_is_widened_and_never_narrowed() -> None:
    wide = widen_rating(ADA, wording_spread("Ada", {1: 40.0, 2: 50.0, 3: 60.0}, [2.0] * 3))
    assert (wide.low, wide.high) == pytest.approx((50 - 24.84138, 50 + 24.84138))
    assert wide.rating == 50
    assert widen_rating(ADA, wording_spread("Ada", {1: 50.0, 2: 50.1, 3: 49.9}, [2.0] * 3)) == ADA


def test_a_rating_without_an_interval_gets_none_from_wordings() -> None:
    unsure = replace(ADA, low=nan, high=nan)
    wide = widen_rating(unsure, wording_spread("Ada", {1: 40.0, 2: 50.0, 3: 60.0}, [2.0] * 3))
    assert isnan(wide.low)
    assert isnan(wide.high)


def coverage(wordings: int, effect: float, *, error: float = 1.0, runs: int = 5_000) -> float:
    """Return how often widened intervals hold a true mean of 0.

    True effects of wordings have the deviation `effect`, and the points of each the `error`.
    """
    rng = np.random.default_rng(7)
    effects = rng.normal(0, effect, (runs, wordings)) if effect else np.zeros((runs, wordings))
    points = effects + rng.normal(0, error, (runs, wordings))
    plain = NORMAL * error / sqrt(wordings)
    held = 0
    for seen in points.tolist():
        mean = sum(seen) / wordings
        rating = replace(ADA, rating=mean, low=mean - plain, high=mean + plain)
        wide = widen_rating(
            rating, wording_spread("Ada", dict(enumerate(seen, 1)), [error] * wordings)
        )
        held += wide.low <= 0 <= wide.high
    return held / runs


@pytest.mark.parametrize(
    ("wordings", "effect"), [(2, 2.0), (2, 10.0), (3, 1.5), (3, 2.0), (3, 4.0), (3, 10.0), (5, 2.0)]
)
def test_intervals_hold_true_ratings_whatever_the_effect_of_wordings(
    wordings: int, effect: float
) -> None:
    assert 0.93 <= coverage(wordings, effect) <= 0.97


def test_without_any_effect_intervals_hold_more_since_none_is_narrowed() -> None:
    assert 0.95 <= coverage(3, 0.0) <= 0.99


def test_the_deviation_between_wordings_is_on_average_that_of_their_true_effects() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(0, 5, (4000, 3)) + rng.normal(0, 2, (4000, 3))
    squares = [spread(seen, 2.0)[0] ** 2 for seen in points.tolist()]
    assert np.mean(squares) == pytest.approx(25, rel=0.05)


def test_results_are_parted_by_wording_and_none_given_is_the_first() -> None:
    rows = told_orders("a > b", "b > a", "a > b", "b > a")
    for row, wording in zip(rows, (None, None, 3, 3, 1, 1, 3, 3), strict=True):
        if wording:
            row["wording"] = wording
    parts = results_by_wording(Results.from_rows(rows))
    assert {number: part.games for number, part in parts.items()} == {1: 2, 3: 2}


def test_a_wording_is_a_whole_number_from_1() -> None:
    rows = told_orders("a > b")
    rows[0]["wording"] = 0
    with pytest.raises(ValueError, match="wording"):
        Results.from_rows(rows)


def test_degrees_of_freedom_are_one_less_than_the_wordings() -> None:
    for wordings in (2, 3, 4):
        _, reach = spread([0.0, 1.0] + [0.5] * (wordings - 2), 0.0)
        deviation = float(np.std([0.0, 1.0] + [0.5] * (wordings - 2), ddof=1))
        assert reach == pytest.approx(t_quantile(0.975, wordings - 1) * deviation / sqrt(wordings))
