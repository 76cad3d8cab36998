"""Averages over many games, as plain values that the games describe in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.report.statistics import cluster_means, mean, standard_error


class Average(NamedTuple):
    """A mean over deals and its standard error in the same unit (None for a single deal)."""

    mean: float
    error: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """A game's figures besides places and scores: `shared` by name, `own` by name and player."""

    shared: Mapping[str, float] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Averages:
    """The average figures of many games: `shared` by name, `own` by name and player."""

    shared: Mapping[str, Average]
    own: Mapping[str, Mapping[str, Average]]


def average_of(values: Iterable[tuple[int, float]]) -> Average | None:
    """Return the average of (deal number, value) pairs, or None if there are none.

    Mean and error are computed over the deals' means, so that the luck of each deal counts once.

    >>> average_of([(0, 1.0), (0, 3.0), (1, 4.0)])
    Average(mean=3.0, error=1.0)
    """
    means = cluster_means(values)
    if not means:
        return None
    error = standard_error(means) if len(means) > 1 else None
    return Average(mean(means), error)
