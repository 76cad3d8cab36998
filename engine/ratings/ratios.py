"""Ratios of paired means with intervals, such as a player's points between floor and ceiling."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.ratings.columns import Floats
from engine.ratings.intervals import LEVEL, t_quantile


class RatioInterval(NamedTuple):
    """A ratio of means and its interval.

    `low` and `high` are None if the denominator is not significantly different from 0. `error` is
    the first-order standard error, with `freedom` degrees of freedom.
    """

    value: float
    low: float | None
    high: float | None
    error: float
    freedom: int

    def times(self, factor: float) -> "RatioInterval":
        """Return the ratio, its interval and its error times `factor`."""
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        return RatioInterval(factor * self.value, low, high, factor * self.error, self.freedom)


def ratio_interval(numerators: Sequence[float], denominators: Sequence[float]) -> RatioInterval:
    """Return the mean of the numerators over the mean of their paired denominators.

    The .95 interval is Fieller's (1954), with t on pairs - 1 degrees of freedom: all ratios r for
    which the mean of numerator - r * denominator does not differ significantly from 0. Raise
    ValueError for fewer than two pairs, for unequal lengths, or for denominators whose mean is 0.
    """
    over, under = (np.asarray(values, dtype=float) for values in (numerators, denominators))
    pairs = len(over)
    if pairs < 2 or len(under) != pairs:
        raise ValueError(f"expected two pairs or more: got {pairs} and {len(under)} numbers")
    top, bottom = float(over.mean()), float(under.mean())
    if bottom == 0:
        raise ValueError("expected denominators with a mean other than 0")
    spread = np.cov(over, under) / pairs
    value = top / bottom
    step = np.array([1.0, -value])
    error = float(np.sqrt(max(0.0, step @ spread @ step))) / abs(bottom)
    low, high = _fieller_ends(top, bottom, spread, t_quantile(LEVEL, pairs - 1))
    return RatioInterval(value, low, high, error, pairs - 1)


def _fieller_ends(
    top: float, bottom: float, spread: Floats, quantile: float
) -> tuple[float | None, float | None]:
    """Return both values of r at which top - r * bottom is `quantile` errors from 0."""
    square = quantile * quantile
    lead = bottom * bottom - square * spread[1, 1]
    half = top * bottom - square * spread[0, 1]
    rest = top * top - square * spread[0, 0]
    if lead <= 0:
        return None, None
    root = float(np.sqrt(max(0.0, half * half - lead * rest)))
    return float((half - root) / lead), float((half + root) / lead)


def points_interval(
    values: Sequence[float],
    floor: Sequence[float],
    ceiling: Sequence[float],
) -> RatioInterval:
    """Return 100 * (value - floor) / (ceiling - floor) for means over the same deals."""
    gained = np.subtract(values, floor).tolist()
    whole = np.subtract(ceiling, floor).tolist()
    return ratio_interval(gained, whole).times(100)


def mean_interval(ratios: Sequence[RatioInterval]) -> RatioInterval:
    """Return the mean of independent ratios, with its interval (Welch 1947; Satterthwaite 1946)."""
    number = len(ratios)
    value = sum(ratio.value for ratio in ratios) / number
    squares = [(ratio.error / number) ** 2 for ratio in ratios]
    whole = sum(squares)
    if whole == 0:
        return RatioInterval(value, value, value, 0.0, min(ratio.freedom for ratio in ratios))
    parts = zip(squares, ratios, strict=True)
    freedom = whole**2 / sum(square**2 / ratio.freedom for square, ratio in parts)
    error = float(np.sqrt(whole))
    reach = t_quantile(LEVEL, freedom) * error
    return RatioInterval(value, value - reach, value + reach, error, int(freedom))


def difference_interval(first: RatioInterval, second: RatioInterval) -> RatioInterval:
    """Return first - second for independent ratios, with an interval as in `mean_interval`."""
    return mean_interval([first, second._replace(value=-second.value)]).times(2)
