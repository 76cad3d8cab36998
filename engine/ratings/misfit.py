"""Test whether games fit one scale by comparing observed and expected wins by pair and stage.

Given that one of two seats is chosen, their odds are those of a two-player game (Luce 1959). So
each choice counts as a meeting of the chosen seat with each remaining seat, at any table size. No
set of skills can explain a cycle, or entrants that do better early in a game than late.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import NamedTuple

import numpy as np

from engine.ratings.columns import Floats, Ints, cells
from engine.ratings.estimate import Fit, pair_variances
from engine.ratings.likelihood import Likelihood
from engine.ratings.orders import Orders
from engine.report.statistics import chi_square_tail

LIMIT = 1.5
# With few pairs, chance alone exceeds LIMIT in one tournament in five. So the warning also requires
# a misfit that occurs in at most one in 20 tournaments on one scale, for any number of stages.
BEYOND_CHANCE = 0.05
# Below this variance, a pair's result is so predictable that a single upset would dominate its z.
LEAST_VARIANCE = 0.05
WARNING = (
    "These games do not fit one scale: read the matrix of pairs in the report instead of the "
    "ranking."
)


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """The sum of squared z over pairs, and its expectation under a true fit (`freedom`).

    `ratio` is about 1 for a true fit, and 0 if there is nothing to compare. `chance` is the
    probability of a sum at least this large under a true fit. Meetings in one choice share the
    chosen seat, so the variance of the sum is `alike` times that for independent squares.
    """

    pairs: int
    squares: float
    freedom: float
    alike: float = 1.0

    @property
    def ratio(self) -> float:
        """The sum divided by its expectation."""
        return self.squares / self.freedom if self.freedom > 0 else 0.0

    @property
    def chance(self) -> float:
        """The tail of a chi-square with freedom / alike degrees (Wilson and Hilferty 1931)."""
        if self.freedom <= 0:
            return 1.0
        return chi_square_tail(self.squares, self.freedom, self.alike)


class Counts(NamedTuple):
    """Wins, expected wins and the variance of wins by pair (K, K), and the number of `choices`."""

    wins: Floats
    expected: Floats
    variance: Floats
    choices: float = 0.0

    def plus(self, other: "Counts") -> "Counts":
        """Return the sum of both, field by field."""
        return Counts(*map(add, self, other))


@dataclass(frozen=True)
class Misfit:
    """The counts of all meetings, and the misfit overall and by stage (if there are several)."""

    met: Counts
    whole: Discrepancy
    stages: tuple[Discrepancy, ...]

    @property
    def warning(self) -> str:
        """The warning if the games do not fit one scale, or "" if they do."""
        looks = (self.whole, *self.stages)
        for each in looks:
            if each.ratio > LIMIT and each.chance * len(looks) < BEYOND_CHANCE:
                return WARNING
        return ""


def misfit(fit: Fit) -> Misfit:
    """Return how badly a fit describes its games; raise ValueError for a fit of points."""
    if fit.likelihood is None:
        raise ValueError("expected a fit of 'places', 'wins' or 'pairs': points expect no wins")
    counts = _count_stages(fit.likelihood, fit)
    whole = reduce(Counts.plus, counts)
    stages = [_discrepancy(stage, fit) for stage in counts] if len(counts) > 1 else ()
    return Misfit(whole, _discrepancy(whole, fit), tuple(stages))


def _count_stages(likelihood: Likelihood, fit: Fit) -> list[Counts]:
    """Return the counts for each stage of choice, in order."""
    beta = [value for value, _ in fit.beta.values()]
    entrant, design = likelihood.entrant, likelihood.design
    utility = fit.skill[entrant] + design @ np.array(beta)
    stages = defaultdict[int, list[Counts]](list)
    for orders in likelihood.orders:
        for stage in range(orders.stages):
            stages[stage].append(_count_choices(orders, stage, utility, entrant, fit))
    return [reduce(Counts.plus, parts) for _, parts in sorted(stages.items())]


def _count_choices(orders: Orders, stage: int, utility: Floats, entrant: Ints, fit: Fit) -> Counts:
    """Return the counts of the choices at one stage of `orders`; the better seat wins."""
    left = orders.rows[:, stage + 1 :]
    better = np.repeat(orders.rows[:, stage], left.shape[1])
    weight = np.repeat(orders.weight, left.shape[1])
    worse = left.ravel()
    if fit.direction == "bottom":
        better, worse = worse, better
    chance = 1 / (1 + np.exp(utility[worse] - utility[better]))
    likely = weight * chance
    number = len(fit.entrants)
    place = partial(cells, entrant[better], entrant[worse], shape=(number, number))
    wins, expected, variance = map(place, (weight, likely, likely * (1 - chance)))
    by_the_other = (wins - expected).T
    return Counts(wins, expected + by_the_other, variance + variance.T, float(orders.weight.sum()))


def _discrepancy(counts: Counts, fit: Fit) -> Discrepancy:
    """Return the sum of squared z over pairs with enough information, and its expectation.

    Under a true fit, the expected sum is pairs - sum v_ij c'Vc, where v_ij is the information in a
    pair's meetings and c'Vc is the variance of its gap. (The fit moves z by D (fit - truth). The
    covariance of z and the score is D and the fit's variance is V, so z has variance I - D V D'.)
    The sum of v_ij c'Vc is K - 1 at tables of two. It is larger at larger tables, since meetings at
    the same table are not independent.
    """
    informed = np.triu(counts.variance, 1) > LEAST_VARIANCE
    variance = counts.variance[informed]
    apart = counts.wins[informed] - counts.expected[informed]
    taken = float(variance @ pair_variances(fit.hessian)[informed])
    squares = float((apart**2 / variance).sum())
    return Discrepancy(len(variance), squares, len(variance) - taken, _alike(counts))


def _alike(counts: Counts) -> float:
    """Return the variance of the sum of squared z, as a multiple of that for independent pairs.

    Among equals, z of i against j and z of i against k have the correlation 1/2 (s - 2) / (K - 2)
    for choices among s of K entrants. Each pair has 2 (K - 2) such neighbours, so the variance is 1
    + (s - 2)^2 / (2 (K - 2)) times as large.
    """
    others = len(counts.wins) - 2
    if others < 1:
        return 1.0
    # In each choice, the chosen seat meets all other seats, so there are s - 1 wins per choice.
    third = counts.wins.sum() / counts.choices - 1
    return 1 + float(third) ** 2 / (2 * others)
