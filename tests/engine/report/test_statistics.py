"""Means, errors, intervals and the Gini coefficient, counted by hand."""

from math import isnan
from random import Random

import pytest

from engine.report.statistics import (
    Estimate,
    deviation,
    estimate_of,
    gini_coefficient,
    mean,
    percentile_interval,
    resamples_of,
    share_error,
    standard_error,
)


def test_mean_deviation_and_error() -> None:
    """2, 4, 6 have mean 4 and variance (4 + 0 + 4) / (3 - 1) = 4; the error is sqrt(4 / 3)."""
    values = (2.0, 4.0, 6.0)
    assert (mean(values), deviation(values)) == (4.0, 2.0)
    assert standard_error(values) == pytest.approx((4 / 3) ** 0.5)
    assert estimate_of(values) == Estimate(4.0, standard_error(values))


def test_one_value_has_no_spread() -> None:
    assert isnan(deviation((3.0,)))
    assert isnan(standard_error((3.0,)))
    assert estimate_of((3.0,)).mean == 3.0


def test_error_of_a_share() -> None:
    """Half of 25: sqrt(0.5 * 0.5 / 25) = 0.1; a share of all has none."""
    assert share_error(0.5, 25) == pytest.approx(0.1)
    assert share_error(1.0, 25) == 0.0


def test_resamples_are_drawn_with_replacement_from_the_samples() -> None:
    samples = ("a", "b", "c")
    drawn = [*resamples_of(samples, 50, Random(1))]
    assert [len(one) for one in drawn] == [3] * 50
    assert {item for one in drawn for item in one} == {*samples}
    assert any(len({*one}) < 3 for one in drawn)
    assert drawn == [*resamples_of(samples, 50, Random(1))]


@pytest.mark.parametrize(("level", "interval"), [(1.0, (1, 20)), (0.75, (3, 18)), (0.5, (6, 15))])
def test_the_middle_of_twenty(level: float, interval: tuple[int, int]) -> None:
    """Of 1 to 20 the middle three quarters leave out two at each end, the middle half five."""
    assert percentile_interval([*range(20, 0, -1)], level) == interval


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([1, 1, 1], 0.0), ([3, 0, 0], 2 / 3), ([3, 4, 3, 2], 0.125), ([0, 0], 0.0), ([], 0.0)],
)
def test_gini(counts: list[int], expected: float) -> None:
    assert gini_coefficient(counts) == pytest.approx(expected)
