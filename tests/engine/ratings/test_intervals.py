"""Student's t against its tables, intervals by the rule, and shares by Wilson."""

from dataclasses import replace
from math import log, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from engine.ratings import ELO, Fit, Results, fit, intervals, pair_errors, wilson
from engine.ratings.intervals import normal_of_t, pair_z, t_cumulative, t_quantile
from tests.support.placements import independent_fit, told_orders


# SciPy 1.17, stats.t.ppf; the .975 column is that of any printed table.
@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [
        (0.975, 1, 12.706204736174694),
        (0.975, 2, 4.302652729749462),
        (0.975, 3, 3.1824463052837078),
        (0.975, 9, 2.2621571627982055),
        (0.975, 24, 2.0638985616280254),
        (0.975, 99, 1.9842169515864165),
        (0.975, 10_000, 1.960201239890626),
        (0.9, 5, 1.475884048824481),
        (0.5, 7, 0.0),
        (0.025, 9, -2.2621571627982055),
        (0.9999995, 4, 49.458636757953215),
    ],
)
def test_quantiles_are_those_of_the_tables(
    probability: float, freedom: float, value: float
) -> None:
    found = t_quantile(probability, freedom)
    assert found == pytest.approx(value, rel=1e-8, abs=1e-9)
    assert t_cumulative(found, freedom) == pytest.approx(probability, abs=1e-12)


@pytest.mark.parametrize(("probability", "freedom"), [(0, 3), (1, 3), (1.5, 3), (0.9, 0)])
def test_there_is_no_other_quantile(probability: float, freedom: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        t_quantile(probability, freedom)


@pytest.mark.parametrize("freedom", [4.0, 4.7, 9.5, 60.0, 1e5])
def test_intervals_widen_by_students_t(freedom: float) -> None:
    found, _ = intervals(fit_of(0.1, 1.0, 1.0, freedom))
    assert found.high == pytest.approx(t_quantile(0.975, freedom), abs=1e-8)
    again = normal_of_t(t_quantile(0.9999, freedom), freedom)
    assert again == pytest.approx(NormalDist().inv_cdf(0.9999), abs=1e-8)


def test_below_four_degrees_of_freedom_there_is_no_interval() -> None:
    found, _ = intervals(fit_of(0.1, 1.0, 1.0, freedom=3.9))
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize(
    ("ranks", "is_first"), [((1, 1), True), ((1, 3), True), ((2, 2), False), (None, False)]
)
def test_first_are_those_than_whom_none_is_better(
    ranks: tuple[int, int] | None, is_first: bool
) -> None:
    best, _ = intervals(fit(Results.from_rows(told_orders("a > b", "b > a"))))
    assert replace(best, ranks=ranks).is_first is is_first


def fit_of(hessian: float, sandwich: float, phi: float, freedom: float) -> Fit:
    """Return the fit of two entrants of equal skill; what intervals must not use is zero."""
    fitted = independent_fit([0.0, 0.0], hessian, sandwich, freedom=freedom, phi=phi)
    return replace(fitted, error=np.zeros(2), covariance=np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("hessian", "sandwich", "phi", "variance"),
    [
        (1.0, 0.5, 1.0, 1.0),
        (1.0, 0.9, 1.0, 0.9 * (2.2621572 / 1.9599640) ** 2),
        (1.0, 0.5, 0.4, 0.5 * (2.2621572 / 1.9599640) ** 2),
        (1.0, 0.1, 0.4, 0.4),
    ],
)
def test_the_larger_of_model_and_sandwich(
    hessian: float, sandwich: float, phi: float, variance: float
) -> None:
    """Of two that have nothing in common, the difference has twice the variance."""
    two = fit_of(hessian, sandwich, phi, freedom=9)
    assert intervals(two)[0].high == pytest.approx(1.9599640 * sqrt(variance))
    assert pair_errors(two)[0, 1] == pytest.approx(sqrt(2 * variance))
    ahead = replace(two, skill=np.array([0.1, 0.0]))
    z = pair_z(ahead, np.array([0, 1]), np.array([1, 0]))
    # At 0 the density of t with 9 degrees of freedom is 35 / 36 of the normal one.
    least = 0.1 / sqrt(2 * max(phi * hessian, sandwich * (36 / 35) ** 2))
    assert z == pytest.approx([least, -least], rel=2e-3)


def test_ratings_are_on_elos_scale() -> None:
    """An odds of 10 to 1, ln 10 logits, is 400."""
    assert ELO.rating(0.0) == 1500
    assert ELO.rating(2.302585092994046) == pytest.approx(1900)
    found, _ = intervals(fit_of(1.0, 0.5, 1.0, freedom=9))
    shown = found.on(ELO)
    assert (shown.rating, shown.skill) == (1500, 0)
    assert shown.high - 1500 == pytest.approx(1.9599640 * 400 / log(10))
    assert 1500 - shown.low == pytest.approx(shown.high - 1500)


# Newcombe 1998, table I (without continuity correction): 81 of 263, 15 of 148, 0 of 20, 1 of 29.
@pytest.mark.parametrize(
    ("successes", "cases", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_shares_by_wilson(successes: int, cases: int, low: float, high: float) -> None:
    assert wilson(successes, cases) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("successes", "cases"), [(-1, 3), (4, 3)])
def test_no_more_successes_than_cases(successes: int, cases: int) -> None:
    with pytest.raises(ValueError, match=f"successes from 0 to {cases}: got {successes}"):
        wilson(successes, cases)
