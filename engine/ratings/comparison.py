"""Who is better than whom when all pairs are looked at together, and which ranks that leaves."""

from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np

from engine.ratings.columns import Floats, Ints
from engine.ratings.estimate import Fit, pair_variances
from engine.ratings.intervals import NORMAL, pair_errors
from engine.ratings.scales import Scale
from engine.rng import array_stream

DRAWS = 4000
LEVEL = 0.05
PORTION = 128  # pairs at once: the draws of all of them would need much memory

Ranges = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PairGap:
    """How far an entrant is above another, in fitted units until `on` puts it on a scale.

    From `low` to `high` is the pair's own .95 interval by the rule of `pair_errors`, z = gap /
    error, and `p` is the two-sided chance of z between equals. `p_adjusted` is the chance that the
    greatest |z| of all pairs is as large (max-t), `q` the share of false ones among all pairs that
    differ as much (Benjamini and Hochberg 1995). Tables add the `meetings` of the two, and in how
    many the entrant was ahead and was `expected` to be, a tie as half.
    """

    entrant: str
    other: str
    gap: float
    low: float
    high: float
    z: float
    p: float
    p_adjusted: float
    q: float
    meetings: float = 0.0
    wins: float = 0.0
    expected: float | None = None

    @property
    def error(self) -> float:
        """The standard error of the gap."""
        return (self.high - self.low) / (2 * NORMAL)

    def on(self, scale: Scale) -> "PairGap":
        """Return the same gap on a scale."""
        low, gap, high = map(scale.gap, (self.low, self.gap, self.high))
        return replace(self, low=low, gap=gap, high=high)

    def mirrored(self) -> "PairGap":
        """Return the same pair, as the other entrant sees it."""
        expected = None if self.expected is None else self.meetings - self.expected
        return replace(
            self,
            entrant=self.other,
            other=self.entrant,
            gap=-self.gap,
            low=-self.high,
            high=-self.low,
            z=-self.z,
            wins=self.meetings - self.wins,
            expected=expected,
        )


@dataclass(frozen=True)
class Comparison:
    """All pairs, the stronger first; max-t tells those apart whose |z| is above `critical`.

    `ranks` has the first and the last rank that an entrant may have. Who has the same first rank is
    equal: no finer order is known.
    """

    pairs: tuple[PairGap, ...]
    critical: float
    ranks: Ranges


@dataclass(frozen=True)
class _Family:
    """Pairs that are looked at together: the numbers of their entrants, and how far these are."""

    first: Ints
    second: Ints
    gap: Floats
    error: Floats

    @property
    def z(self) -> Floats:
        """Return gap / error; without any error it is endless, or 0 where there is no gap."""
        endless = np.copysign(np.inf, self.gap)
        endless[self.gap == 0] = 0.0
        known = self.error > 0
        error = np.where(known, self.error, 1.0)
        z = self.gap / error
        return np.where(known, z, endless)


def compare(fit: Fit, against: str | None = None, seed: int = 0) -> Comparison:
    """Return every pair that games connect, and the ranks; or each entrant `against` one.

    Entrants with fewer than the fit's `min_games` are in pairs, but have no rank, unless nobody has
    so many. Where games leave several parts, ranks are within a part. Against one there are no
    ranks: they need all pairs. ValueError if `against` is no entrant.
    """
    family = _family_of(fit, against)
    greatest = greatest_z(fit.hessian, family.first, family.second, seed)
    # The .95 quantile: of a |z| above it the adjusted p is below .05.
    critical = float(greatest[-int(LEVEL * DRAWS)])
    ranks = _ranks(fit, family, critical) if against is None else {}
    return Comparison(_pair_gaps(fit, family, greatest), critical, ranks)


def chances_of(z: Floats) -> Floats:
    """Return the two-sided chance of each z under a standard normal."""
    return np.array([erfc(abs(each) / sqrt(2)) for each in z.tolist()])


def greatest_z(covariance: Floats, first: Ints, second: Ints, seed: int) -> Floats:
    """Return the greatest |z| of the pairs in each of DRAWS draws from N(0, covariance), sorted.

    That is the distribution of max-t (Hothorn, Bretz and Westfall 2008). A flat covariance will do.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = root @ array_stream(seed).standard_normal((len(values), DRAWS))
    variance = pair_variances(covariance)[first, second]
    # A pair that cannot differ is never the greatest.
    variance[variance <= 0] = np.inf
    error = np.sqrt(variance)
    greatest = np.zeros(DRAWS)
    for begin in range(0, len(first), PORTION):
        portion = slice(begin, begin + PORTION)
        apart = draws[first[portion]] - draws[second[portion]]
        z = np.abs(apart) / error[portion, np.newaxis]
        greatest = np.maximum(greatest, z.max(axis=0))
    return np.sort(greatest)


def adjust_p(z: Floats, greatest: Floats) -> Floats:
    """Return the chance that the greatest of all is as large as each |z|.

    Draws that are count, and so do the data themselves: (1 + count) / (1 + draws), which is never 0
    (Davison and Hinkley 1997).
    """
    whole = 1 + len(greatest)
    smaller = np.searchsorted(greatest, np.abs(z))
    return (whole - smaller) / whole


def false_discovery(p: Floats) -> Floats:
    """Return the q of each p: the least n p / rank over the ranks from its own on.

    Benjamini and Hochberg 1995.

    >>> false_discovery(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    number = len(p)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, number + 1)
    scaled = p[order] * number / ranks
    least = np.minimum.accumulate(scaled[::-1])
    found = np.empty_like(p)
    found[order] = least[::-1]
    return found


def _family_of(fit: Fit, against: str | None) -> _Family:
    """Return the pairs within the parts, the stronger first; or everybody else and the one."""
    # The sort is stable: of equal skills the one with the first name comes first.
    order = np.argsort(-fit.skill, kind="stable")
    if against is None:
        one, other = np.triu_indices(len(order), 1)
        first, second = order[one], order[other]
    elif against in fit.entrants:
        number = fit.entrants.index(against)
        first = order[order != number]
        second = np.full_like(first, number)
    else:
        known = ", ".join(fit.entrants)
        raise ValueError(f"expected one of the entrants to compare with, {known}: {against!r}")
    connected = fit.part[first] == fit.part[second]
    first, second = first[connected], second[connected]
    gap = fit.skill[first] - fit.skill[second]
    return _Family(first, second, gap, pair_errors(fit)[first, second])


def _pair_gaps(fit: Fit, family: _Family, greatest: Floats) -> tuple[PairGap, ...]:
    z = family.z
    p = chances_of(z)
    margin = NORMAL * family.error
    ends = family.gap - margin, family.gap + margin
    # In the order of the fields of PairGap.
    numbers = (family.gap, *ends, z, p, adjust_p(z, greatest), false_discovery(p))
    found = []
    for place, line in enumerate(np.column_stack(numbers).tolist()):
        entrant = fit.entrants[family.first[place]]
        other = fit.entrants[family.second[place]]
        found.append(PairGap(entrant, other, *line))
    return tuple(found)


def _ranks(fit: Fit, family: _Family, critical: float) -> Ranges:
    """Return 1 + those that are better, up to all of the part but those that are worse.

    Entrants with too few games have none, unless all have too few.
    """
    ranked = fit.games >= fit.min_games
    if not ranked.any():
        ranked[:] = True
    entrants = len(fit.entrants)
    apart = ranked[family.first] & ranked[family.second] & (np.abs(family.z) > critical)
    # Pairs have the stronger first.
    first = 1 + np.bincount(family.second[apart], minlength=entrants)
    worse = np.bincount(family.first[apart], minlength=entrants)
    last = np.bincount(fit.part[ranked], minlength=entrants)[fit.part] - worse
    numbers = np.flatnonzero(ranked).tolist()
    return {fit.entrants[each]: (int(first[each]), int(last[each])) for each in numbers}
