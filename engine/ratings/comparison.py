"""Significant differences when all pairs are compared at once, and the ranks they allow."""

from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np

from engine.ratings.columns import Floats, Ints, root_of
from engine.ratings.estimate import Fit, pair_variances
from engine.ratings.intervals import NORMAL, pair_errors, pair_z
from engine.ratings.scales import Scale
from engine.rng import array_stream

DRAWS = 4000
LEVEL = 0.05

Ranges = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PairGap:
    """How far one entrant is above another, in fitted units until `on` puts it on a scale.

    `low` and `high` are the ends of the .95 interval for this pair alone (see `pair_errors`). The
    intervals gap +- `margin` hold for all pairs at once. `z` comes from `pair_z`, and `p` is its
    two-sided p value. `p_adjusted` is `p` adjusted for comparing all pairs (see `step_down`). `q`
    is the expected share of false differences among all pairs at least as far apart (Benjamini and
    Hochberg 1995). Values are nan if there are too few blocks or an entrant has no rank. Report
    tables add the number of `meetings`, and how many of them the first entrant won (`wins`) and was
    `expected` to win. A tie counts as half a win.
    """

    entrant: str
    other: str
    gap: float
    low: float
    high: float
    margin: float
    z: float
    p: float
    p_adjusted: float
    q: float
    meetings: float = 0.0
    wins: float = 0.0
    expected: float | None = None

    def on(self, scale: Scale) -> "PairGap":
        """Return the same gap on a scale."""
        low, gap, high, margin = map(scale.gap, (self.low, self.gap, self.high, self.margin))
        return replace(self, low=low, gap=gap, high=high, margin=margin)

    @property
    def is_apart(self) -> bool:
        """Whether the gap is significant, adjusted for all pairs."""
        return self.p_adjusted < LEVEL

    def mirrored(self) -> "PairGap":
        """Return the same pair with the entrants swapped."""
        return replace(
            self,
            entrant=self.other,
            other=self.entrant,
            gap=-self.gap,
            low=-self.high,
            high=-self.low,
            z=-self.z,
            wins=self.meetings - self.wins,
            expected=None if self.expected is None else self.meetings - self.expected,
        )


@dataclass(frozen=True)
class Comparison:
    """All pairs, each with the stronger entrant first.

    If all entrants were equal, the chance that any |z| exceeds `critical` would be at most .05.
    `ranks` maps each entrant to its best and worst possible rank. Entrants with the same best rank
    should not be ordered.
    """

    pairs: tuple[PairGap, ...]
    critical: float
    ranks: Ranges


def compare(fit: Fit, against: str | None = None, seed: int = 0) -> Comparison:
    """Compare all pairs of entrants that games connect, or only the pairs that include `against`.

    A pair has an adjusted p value only if both entrants have a rank (`Fit.ranked`), but `against`
    itself needs none. No pair includes an unrated entrant. Ranks apply within each connected part.
    With `against` there are no ranks, because they require all pairs. Raise ValueError if `against`
    is not a rated entrant.
    """
    first, second = pairs_of(fit, against)
    z, adjusted, critical = judge_pairs(fit, first, second, seed, all_ranked=against is None)
    apart = adjusted < LEVEL
    ranks = {} if against else _ranks(fit, first[apart], second[apart])
    gaps = _gap_numbers(fit, first, second, critical)
    numbers = np.column_stack((gaps, z, _chances(z, adjusted)))
    return Comparison(_pair_gaps(fit, first, second, numbers), critical, ranks)


def judge_pairs(
    fit: Fit, first: Ints, second: Ints, seed: int, all_ranked: bool = True
) -> tuple[Floats, Floats, float]:
    """Return the z and the adjusted p value of each pair, and the critical |z| for all pairs.

    The p value is nan if z is unknown or the first entrant has no rank. With `all_ranked`, it is
    also nan if the second entrant has no rank.
    """
    z = pair_z(fit, first, second)
    judged = fit.ranked[first] & ~np.isnan(z)
    if all_ranked:
        judged &= fit.ranked[second]
    adjusted = np.full(len(z), np.nan)
    adjusted[judged], critical = step_down(
        z[judged], fit.hessian, first[judged], second[judged], seed
    )
    return z, adjusted, critical


def chances_of(z: Floats) -> Floats:
    """Return the two-sided p value of each z under the standard normal distribution."""
    return np.array([erfc(abs(each) / sqrt(2)) for each in z.tolist()])


def step_down(
    z: Floats, covariance: Floats, first: Ints, second: Ints, seed: int
) -> tuple[Floats, float]:
    """Return the adjusted p value of each pair's z, and the critical |z| for all pairs.

    This is max-t (Hothorn, Bretz and Westfall 2008), stepped down as in Romano and Wolf (2005).
    Each of DRAWS draws from N(0, covariance) simulates a |z| for every pair. A draw counts against
    a pair if the greatest simulated |z|, among this pair and all pairs whose real |z| is no larger,
    reaches the pair's real |z|. With `count` such draws, the pair's p value is (1 + count) /
    (1 + DRAWS) (Davison and Hinkley 1997), but at least that of every pair with a larger |z|.

    The critical |z| is the .95 quantile of the greatest simulated |z|, but at least 1.96.
    """
    if not len(z):
        return z, NORMAL
    normals = array_stream(seed).standard_normal((len(covariance), DRAWS))
    draws = root_of(covariance) @ normals
    variance = pair_variances(covariance)[first, second]
    # A pair without variance never has the greatest |z|.
    error = np.sqrt(np.where(variance > 0, variance, np.inf))
    away = np.abs(z)
    order = np.argsort(away, kind="stable")
    greatest = np.zeros(DRAWS)
    chance = np.empty(len(z))
    for place in order.tolist():
        apart = draws[first[place]] - draws[second[place]]
        greatest = np.maximum(greatest, np.abs(apart) / error[place])
        chance[place] = (1 + np.count_nonzero(greatest >= away[place])) / (1 + DRAWS)
    farthest_first = order[::-1]
    chance[farthest_first] = np.maximum.accumulate(chance[farthest_first])
    return chance, max(float(np.sort(greatest)[-int(LEVEL * DRAWS)]), NORMAL)


def false_discovery(p: Floats) -> Floats:
    """Return the q value of each of n p values (Benjamini and Hochberg 1995).

    A value's q is the smallest n p / rank among that value and all larger ones, where rank 1 is the
    smallest p.

    >>> false_discovery(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    number = len(p)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * number / np.arange(1, number + 1)
    least = np.minimum.accumulate(scaled[::-1])
    adjusted = np.empty_like(p)
    adjusted[order] = least[::-1]
    return adjusted


def pairs_of(fit: Fit, against: str | None = None) -> tuple[Ints, Ints]:
    """Return the pairs of rated entrants within each part, the stronger entrant first.

    With `against`, return only the pairs that include it, with `against` second.
    """
    # The sort is stable: entrants of equal skill stay in the order of their names.
    order = np.argsort(-fit.skill, kind="stable")
    if against is None:
        first, second = (order[places] for places in np.triu_indices(len(order), 1))
    else:
        number = _place_of(against, fit)
        first = order[order != number]
        second = np.full_like(first, number)
    connected = (fit.part[first] == fit.part[second]) & fit.rated[first] & fit.rated[second]
    return first[connected], second[connected]


def _place_of(entrant: str, fit: Fit) -> int:
    """Return the index of an entrant; raise ValueError if it has no rating."""
    known = [name for name in fit.entrants if name not in fit.unrated]
    if entrant not in known:
        names = ", ".join(known)
        raise ValueError(f"expected one of the entrants to compare with, {names}: {entrant!r}")
    return fit.entrants.index(entrant)


def _gap_numbers(fit: Fit, first: Ints, second: Ints, critical: float) -> Floats:
    """Return each pair's gap, the ends of its unadjusted interval, and its simultaneous margin."""
    gap = fit.skill[first] - fit.skill[second]
    reach = NORMAL * pair_errors(fit)[first, second]
    margin = critical * pair_errors(fit, critical)[first, second]
    return np.column_stack((gap, gap - reach, gap + reach, margin))


def _chances(z: Floats, adjusted: Floats) -> Floats:
    """Return p, adjusted p and q of each pair; q covers only pairs that have an adjusted p."""
    p = chances_of(z)
    judged = ~np.isnan(adjusted)
    q = np.full(len(z), np.nan)
    q[judged] = false_discovery(p[judged])
    return np.column_stack((p, adjusted, q))


def _pair_gaps(fit: Fit, first: Ints, second: Ints, numbers: Floats) -> tuple[PairGap, ...]:
    """Return the pairs; `numbers` contains their fields from `gap` to `q`, in order."""
    names = fit.entrants
    lines = zip(first.tolist(), second.tolist(), numbers.tolist(), strict=True)
    return tuple(PairGap(names[better], names[worse], *each) for better, worse, each in lines)


def _ranks(fit: Fit, better: Ints, worse: Ints) -> Ranges:
    """Return the range of each entrant's rank; `better` and `worse` form the significant pairs."""
    entrants = len(fit.entrants)
    ranked = np.flatnonzero(fit.ranked)
    size = np.bincount(fit.part[ranked], minlength=entrants)
    first = 1 + np.bincount(worse, minlength=entrants)
    last = size[fit.part] - np.bincount(better, minlength=entrants)
    return {fit.entrants[each]: (int(first[each]), int(last[each])) for each in ranked.tolist()}
