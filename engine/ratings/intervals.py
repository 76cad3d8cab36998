"""Intervals: of a rating, of a pair, and of a share; and Student's t, which widens them."""

from dataclasses import dataclass, replace
from functools import cache
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist

import numpy as np

from engine.ratings.columns import Floats
from engine.ratings.estimate import Fit, pair_variances
from engine.ratings.scales import Scale

LEVEL = 0.975
NORMAL = NormalDist().inv_cdf(LEVEL)
# Of the continued fraction: what stands for 0, when it is exact, and how many terms at most.
TINY, EXACT, MOST_TERMS = 1e-300, 1e-15, 10_000


@dataclass(frozen=True, slots=True)
class Rating:
    """An entrant's rating between the ends of its .95 interval, and what it was made from.

    `rating`, `low` and `high` are in fitted units until `on` puts them on a scale; `skill` and its
    standard `error` stay as fitted. `open_end` is "upper" or "lower" where that end comes from the
    prior alone. `part` numbers the parts that no game joins, from 1, the largest first. Tables add
    `ranks` (None without a rank) and `clean`, the rating from `clean_games` without failed seats.
    """

    entrant: str
    rating: float
    low: float
    high: float
    skill: float
    error: float
    games: int
    ranks: tuple[int, int] | None = None
    clean: float | None = None
    clean_games: int = 0
    open_end: str = ""
    part: int = 1

    @property
    def is_first(self) -> bool:
        """Whether no entrant is better."""
        return self.ranks is not None and self.ranks[0] == 1

    def on(self, scale: Scale) -> "Rating":
        """Return the same rating on a scale."""
        low, rating, high = map(scale.rating, (self.low, self.rating, self.high))
        return replace(self, low=low, rating=rating, high=high)


def intervals(fit: Fit) -> tuple[Rating, ...]:
    """Return the rating of each entrant, in the fit's order: skill +- 1.96 sd.

    The variance is max(c'Sc (t / 1.96)^2, phi c'Vc), t being Student's with as many degrees of
    freedom as the entrant has rated games (for `points`, blocks), less one, at least one.
    """
    robust = _widening(fit) * np.diag(fit.sandwich)
    variances = np.maximum(fit.phi * np.diag(fit.hessian), robust)
    reaches = NORMAL * np.sqrt(np.maximum(variances, 0.0))
    ratings = []
    for place, reach in enumerate(reaches.tolist()):
        entrant, skill = fit.entrants[place], float(fit.skill[place])
        rating = Rating(
            entrant=entrant,
            rating=skill,
            low=skill - reach,
            high=skill + reach,
            skill=skill,
            error=float(fit.error[place]),
            games=int(fit.games[place]),
            open_end=fit.open_ends.get(entrant, ""),
            part=int(fit.part[place]) + 1,
        )
        ratings.append(rating)
    return tuple(ratings)


def pair_errors(fit: Fit) -> Floats:
    """Return the sd of each difference of two skills, with the t of the one with fewer games."""
    wider = _widening(fit)
    fewer = np.maximum(wider[:, np.newaxis], wider)
    robust = fewer * pair_variances(fit.sandwich)
    variances = np.maximum(fit.phi * pair_variances(fit.hessian), robust)
    return np.sqrt(np.maximum(variances, 0.0))


def wilson(successes: int, cases: int) -> tuple[float, float]:
    """Return the .95 interval of a share (Wilson 1927); of no case it is from 0 to 1.

    ValueError for less than none, or more than all.
    """
    if not 0 <= successes <= cases:
        raise ValueError(f"expected successes from 0 to {cases}: got {successes}")
    if cases == 0:
        return 0.0, 1.0
    share = successes / cases
    square = NORMAL**2 / cases
    reach = NORMAL * sqrt(share * (1 - share) / cases + square / (4 * cases))
    middle = share + square / 2
    # At the ends the formula is exact, but for its rounding.
    low = (middle - reach) / (1 + square) if successes else 0.0
    high = (middle + reach) / (1 + square) if successes < cases else 1.0
    return low, high


def t_cumulative(value: float, freedom: float) -> float:
    """Return P(T <= value) of Student's t (Abramowitz and Stegun 1964, 26.7.1)."""
    share = freedom / (freedom + value * value)
    tail = beta_share(freedom / 2, 0.5, share) / 2
    return tail if value < 0 else 1 - tail


@cache
def t_quantile(probability: float, freedom: float) -> float:
    """Return the value below which Student's t is with this probability.

    By bisection to the last bit. ValueError unless 0 < probability < 1 and freedom > 0.
    """
    if not 0 < probability < 1:
        raise ValueError(f"expected a probability between 0 and 1: got {probability}")
    if not freedom > 0:
        raise ValueError(f"expected degrees of freedom above 0: got {freedom}")
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_cumulative(high, freedom) < probability:
        low, high = high, 2 * high
    middle = (low + high) / 2
    while low < middle < high:
        if t_cumulative(middle, freedom) < probability:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2
    return high


def beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for x from 0 to 1.

    By its continued fraction (DLMF 8.17.22) as Lentz computes it (Press et al. 2007, 6.4).
    """
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(b, a, 1 - x)
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)
    scale += a * log(x) + b * log1p(-x)
    return exp(scale) / (a * _continued_fraction(a, b, x))


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1 / (1 + d2 / (1 + ...)), with the d of DLMF 8.17.23."""
    value = upper = 1.0
    lower = 0.0
    for step in range(1, MOST_TERMS):
        half = step // 2
        last = a + 2 * half
        if step % 2:
            term = -(a + half) * (a + b + half) / (last * (last + 1)) * x
        else:
            term = half * (b - half) / (last * (last - 1)) * x
        lower = 1 / (1 + term * lower or TINY)
        upper = 1 + term / upper or TINY
        value *= upper * lower
        if abs(upper * lower - 1) < EXACT:
            return value
    raise ArithmeticError(f"no value of the incomplete beta function at {a}, {b}, {x}")


def _widening(fit: Fit) -> Floats:
    """Return (t / 1.96)^2 of each entrant."""
    quantiles = [t_quantile(LEVEL, freedom) for freedom in fit.freedom.tolist()]
    return (np.array(quantiles) / NORMAL) ** 2
