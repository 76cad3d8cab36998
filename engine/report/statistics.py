"""Means, errors, resampled intervals, places and the Gini coefficient, as used by all studies.

Sums use Python's `sum`, which compensates for rounding errors since Python 3.12, so the last digits
may differ from those in older versions.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import nan, sqrt
from random import Random
from statistics import NormalDist
from typing import Any, NamedTuple, TypeVar

Sample = TypeVar("Sample")
Number = TypeVar("Number", int, float)
Name = TypeVar("Name", bound=Hashable)


class Estimate(NamedTuple):
    """A mean and its standard error, in the unit of the values. For one value, the error is nan."""

    mean: float
    error: float


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; raise ZeroDivisionError if there are no values."""
    return sum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Return the sample standard deviation, sqrt(sum (x - mean)^2 / (n - 1)), or nan for n < 2."""
    if len(values) < 2:
        return nan
    return sqrt(_squares(values) / (len(values) - 1))


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean, deviation / sqrt(n), or nan for n < 2."""
    if len(values) < 2:
        return nan
    # Not deviation(values) / sqrt(n): a single square root keeps the published digits.
    return sqrt(_squares(values) / (len(values) - 1) / len(values))


def estimate_of(values: Sequence[float]) -> Estimate:
    """Return the mean and its standard error; raise ZeroDivisionError if there are no values.

    >>> estimate_of((1.0, 5.0))
    Estimate(mean=3.0, error=2.0)
    """
    return Estimate(mean(values), standard_error(values))


def cluster_means(values: Iterable[tuple[Hashable, float]]) -> list[float]:
    """Return the mean of each cluster of values, in order of first appearance.

    Each value is paired with its cluster's name. Cluster means are independent samples; the values
    in a cluster are not.

    >>> cluster_means([("a", 1.0), ("b", 5.0), ("a", 2.0)])
    [1.5, 5.0]
    """
    clusters: dict[Hashable, list[float]] = {}
    for name, value in values:
        clusters.setdefault(name, []).append(value)
    return [mean(cluster) for cluster in clusters.values()]


def chi_square_tail(squares: float, freedom: float, alike: float = 1.0) -> float:
    """Return the probability of a chi-square of at least `squares`, by the cube-root approximation.

    `freedom` (above 0) is the degrees of freedom; every `alike` squares count as one independent
    square. At 2 degrees, the approximation (Wilson and Hilferty 1931) gives .0487 instead of .05.

    >>> round(chi_square_tail(5.991, 2), 4)
    0.0487
    """
    spread = 2 * alike / (9 * freedom)
    root: float = max(0.0, squares / freedom) ** (1 / 3)
    return 1 - NormalDist().cdf((root - 1 + spread) / sqrt(spread))


def share_error(share: float, count: int) -> float:
    """Return the standard error of a share p (0 to 1) among n cases: sqrt(p (1 - p) / n)."""
    return float((share * (1 - share) / count) ** 0.5)


def resamples_of(samples: Sequence[Sample], number: int, rng: Random) -> Iterator[list[Sample]]:
    """Yield `number` bootstrap resamples (Efron 1979), each as large as `samples`."""
    for _ in range(number):
        yield rng.choices(samples, k=len(samples))


def percentile_interval(values: Sequence[Number], level: float) -> tuple[Number, Number]:
    """Return the ends of Efron's percentile interval, which holds the middle `level` (0 to 1)."""
    ordered = sorted(values)
    tail = int(len(ordered) * (1 - level) / 2)
    return ordered[tail], ordered[-1 - tail]


def places_of(values: Mapping[Name, Any]) -> dict[Name, int]:
    """Return each name's place by value, 1 for the highest; equal values share a place.

    >>> places_of({"ann": 2.5, "ben": 4.0, "cleo": 2.5})
    {'ann': 2, 'ben': 1, 'cleo': 2}
    """
    ordered = sorted(values.values(), reverse=True)
    return {name: 1 + ordered.index(value) for name, value in values.items()}


def gini_coefficient(counts: Sequence[int]) -> float:
    """Return the Gini coefficient, sum |x_i - x_j| over ordered pairs / (2 n total).

    It is 0 if all counts are equal or zero, and grows with inequality, up to 1 - 1/n.

    >>> gini_coefficient([3, 4, 3, 2])
    0.125
    """
    total = sum(counts)
    if total == 0:
        return 0.0

    differences = sum(abs(first - second) for first in counts for second in counts)
    return differences / (2 * len(counts) * total)


def _squares(values: Sequence[float]) -> float:
    centre = mean(values)
    return sum((value - centre) ** 2 for value in values)
