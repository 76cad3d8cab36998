"""Intervals of ratings, pairs and shares, and the Student's t distribution that widens them."""

from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist

import numpy as np
from numpy.polynomial import Chebyshev

from engine.ratings.columns import Floats, Ints
from engine.ratings.estimate import LEAST_FREEDOM, Fit, pair_variances
from engine.ratings.scales import Scale

LEVEL = 0.975
NORMAL = NormalDist().inv_cdf(LEVEL)
# For the continued fraction: a substitute for 0, the tolerance, and the maximum number of terms.
TINY, EXACT, MOST_TERMS = 1e-300, 1e-15, 10_000
DEGREE = 12


@dataclass(frozen=True, slots=True)
class Rating:
    """An entrant's rating, its .95 interval, and the data behind it.

    `rating`, `low` and `high` are in fitted units until `on` puts them on a scale; `skill` and its
    standard `error` stay as fitted. `open_end` names the end ("upper" or "lower") that is
    limited only by the prior. Both ends are nan if the entrant has too few blocks. `part` is the
    number of the entrant's connected part; the largest is 1. Report tables add `ranks`, and the
    chances (0 to 1) of being `best` or in the `top_3`; these are None for entrants without a rank.
    """

    entrant: str
    rating: float
    low: float
    high: float
    skill: float
    error: float
    games: int
    ranks: tuple[int, int] | None = None
    open_end: str = ""
    part: int = 1
    best: float | None = None
    top_3: float | None = None

    @property
    def is_first(self) -> bool:
        """Whether the entrant has a rank and no other entrant is significantly better."""
        return self.ranks is not None and self.ranks[0] == 1

    def on(self, scale: Scale) -> "Rating":
        """Return the same rating on a scale."""
        low, rating, high = map(scale.rating, (self.low, self.rating, self.high))
        return replace(self, low=low, rating=rating, high=high)


def intervals(fit: Fit) -> tuple[Rating, ...]:
    """Return the rating of each entrant, in the fit's order.

    An interval extends max(t sqrt(c'Sc), 1.96 sqrt(phi c'Vc)) to each side, where Student's t has
    the entrant's degrees of freedom. Below LEAST_FREEDOM, both ends are nan.
    """
    reach = _reach(fit.phi * np.diag(fit.hessian), np.diag(fit.sandwich), fit.freedom, NORMAL)
    low, high = fit.skill - reach, fit.skill + reach
    columns = (fit.skill, low, high, fit.skill, fit.error, fit.games)
    ratings = map(Rating, fit.entrants, *(column.tolist() for column in columns))
    rest = zip(ratings, fit.part.tolist(), strict=True)
    ends = fit.open_ends
    return tuple(replace(row, open_end=ends.get(row.entrant, ""), part=1 + at) for row, at in rest)


def beta_intervals(fit: Fit) -> dict[str, tuple[float, float]]:
    """Return each covariate's .95 interval: beta +- t error, with blocks - 1 degrees of freedom."""
    reach = t_quantile(LEVEL, max(1, fit.blocks - 1))
    return {
        name: (value - reach * error, value + reach * error)
        for name, (value, error) in fit.beta.items()
    }


def pair_errors(fit: Fit, level: float = NORMAL) -> Floats:
    """Return the error of each difference between two skills; nan below LEAST_FREEDOM.

    `level` times the error is the half-width max(t sqrt(c'Sc), level sqrt(phi c'Vc)), where t is
    the value of Student's t with the same tail as a normal `level`.
    """
    model = fit.phi * pair_variances(fit.hessian)
    return _reach(model, pair_variances(fit.sandwich), fit.pair_freedom, level) / level


def pair_z(fit: Fit, first: Ints, second: Ints) -> Floats:
    """Return each pair's z: the gap divided by V's error or, if nearer to 0, t's normal value.

    t is the gap divided by S's error, and its normal value is the one with the same tail. If the
    error is 0, z is infinite, or 0 if the gap is also 0. Below LEAST_FREEDOM, z is nan.
    """
    gap = fit.skill[first] - fit.skill[second]
    model = _errors_away(gap, fit.phi * pair_variances(fit.hessian)[first, second])
    robust = _errors_away(gap, pair_variances(fit.sandwich)[first, second])
    freedom = fit.pair_freedom[first, second]
    normals = [*map(normal_of_t, robust.tolist(), freedom.tolist())]
    z = np.copysign(np.minimum(model, normals), gap)
    return np.where(freedom < LEAST_FREEDOM, np.nan, z)


def _errors_away(gap: Floats, variance: Floats) -> Floats:
    """Return |gap| / error; if the error is 0, return infinity, or 0 if the gap is also 0."""
    error = np.sqrt(np.maximum(variance, 0.0))
    known = error > 0
    away = np.abs(gap) / np.where(known, error, 1.0)
    return np.where(known, away, np.where(gap == 0, 0.0, np.inf))


def _reach(model: Floats, robust: Floats, freedom: Floats, level: float) -> Floats:
    """Return each interval's half-width; `level` is the normal quantile of its ends."""
    inverse = 1 / np.maximum(freedom, LEAST_FREEDOM)
    t: Floats = np.where(freedom < LEAST_FREEDOM, np.nan, _t_series(level)(inverse))
    widened = t * np.sqrt(np.maximum(robust, 0.0))
    return np.maximum(widened, level * np.sqrt(np.maximum(model, 0.0)))


@cache
def _t_series(level: float) -> Chebyshev:
    """Return the t with the tail of a normal `level`: a series in 1 / freedom, accurate to 1e-9."""
    probability = NormalDist().cdf(level)

    def quantiles(inverse: Floats) -> Floats:
        return np.array([t_quantile(probability, 1 / each) for each in inverse.tolist()])

    return Chebyshev.interpolate(quantiles, DEGREE, domain=[0, 1 / LEAST_FREEDOM])


def normal_of_t(value: float, freedom: float) -> float:
    """Return the normal value, at least 0, with the same tail as |value| under Student's t."""
    tail = t_cumulative(-abs(value), freedom)
    return max(0.0, -NormalDist().inv_cdf(tail)) if tail > 0 else inf


def wilson(successes: int, cases: int) -> tuple[float, float]:
    """Return a share's .95 interval (Wilson 1927); 0 to 1 if there are no cases.

    Raise ValueError unless 0 <= `successes` <= `cases`.
    """
    if not 0 <= successes <= cases:
        raise ValueError(f"expected successes from 0 to {cases}: got {successes}")
    return share_ends(successes / cases, cases) if cases else (0.0, 1.0)


def share_ends(share: float, cases: float, quantile: float = NORMAL) -> tuple[float, float]:
    """Return Wilson's interval for a share of independent cases, using a normal `quantile`."""
    square = quantile**2 / cases
    reach = quantile * sqrt(share * (1 - share) / cases + square / (4 * cases))
    middle = share + square / 2
    # For shares of 0 and 1, the formula also gives these ends, except for rounding.
    low = (middle - reach) / (1 + square) if share > 0 else 0.0
    high = (middle + reach) / (1 + square) if share < 1 else 1.0
    return low, high


def t_cumulative(value: float, freedom: float) -> float:
    """Return P(T <= value) of Student's t (Abramowitz and Stegun 1964, 26.7.1)."""
    share = freedom / (freedom + value * value)
    tail = beta_share(freedom / 2, 0.5, share) / 2
    return tail if value < 0 else 1 - tail


@cache
def t_quantile(probability: float, freedom: float) -> float:
    """Return Student's t quantile; raise ValueError unless 0 < probability < 1 and freedom > 0."""
    if not 0 < probability < 1:
        raise ValueError(f"expected a probability between 0 and 1: got {probability}")
    if not freedom > 0:
        raise ValueError(f"expected degrees of freedom above 0: got {freedom}")
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_cumulative(high, freedom) < probability:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        if t_cumulative(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return high


def beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) for x in [0, 1] (DLMF 8.17.22)."""
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(b, a, 1 - x)
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)
    scale += a * log(x) + b * log1p(-x)
    return exp(scale) / (a * _continued_fraction(a, b, x))


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1 / (1 + d2 / (1 + ...)), with d from DLMF 8.17.23, by Lentz's method."""
    value = upper = 1.0
    lower = 0.0
    for step in range(1, MOST_TERMS):
        term = _term_of_fraction(a, b, step) * x
        lower = 1 / (1 + term * lower or TINY)
        upper = 1 + term / upper or TINY
        value *= upper * lower
        if abs(upper * lower - 1) < EXACT:
            return value
    raise ArithmeticError(f"no value of the incomplete beta function at {a}, {b}, {x}")


def _term_of_fraction(a: float, b: float, step: int) -> float:
    """Return the d of one step, without the factor x."""
    half = step // 2
    last = a + 2 * half
    if step % 2:
        return -(a + half) * (a + b + half) / (last * (last + 1))
    return half * (b - half) / (last * (last - 1))
