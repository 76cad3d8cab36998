"""How many games show a gap, which gap N games can show, and when play may stop early.

A gap is a difference between skills in logits; 100 Elo is `100 * ln 10 / 400` logits. The number of
games needed follows from the expected information of a balanced table of equals, so it is a
minimum: entrants that differ widely need more.
"""

from math import inf, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

from engine.ratings.intervals import NORMAL
from engine.ratings.targets import TARGETS

LEVEL = 0.05  # the significance level of all tests, two-sided
POWER = 0.8  # the chance that a gap is shown
MIXTURE = 8  # the planned information over rho; sets when the bound is tightest
FIRST_ICC = 0.2  # the assumed similarity of jurors' votes in one final, before a pilot


class Separation(NamedTuple):
    """A gap's interval, valid however often it is checked, and whether it excludes 0."""

    low: float
    high: float
    apart: bool

    @property
    def gap(self) -> float:
        """The middle of the interval."""
        return (self.low + self.high) / 2


def games_needed(
    gap: float, entrants: int, table: int, target: str = "places", *, critical: float = NORMAL
) -> int:
    """Return the games needed to show a gap (logits) at the two-sided 5 % level with power POWER.

    G = 2 (K - 1) (critical + z_power)^2 / (I gap^2), rounded, for K entrants at balanced tables. I
    is the information in one game (`game_information`). A |z| above `critical` shows a gap.
    `critical` is z_.975 for one pair named in advance, and `table_critical` for all pairs at once.
    Raise ValueError for an impossible gap, table or target.

    >>> from math import log
    >>> games_needed(100 * log(10) / 400, entrants=10, table=5)
    157
    """
    return from_pilot(1, variance_of_equals(entrants, table, target), gap, critical)


def from_pilot(games: int, variance: float, gap: float, critical: float = NORMAL) -> int:
    """Return the games needed to show a gap, given its variance after a pilot of `games` games.

    G = G_pilot * variance * (critical + z_power)^2 / gap^2, with `critical` as in `games_needed`.
    Any unit of gap and variance works, so payoffs do too.

    >>> from_pilot(100, variance=0.09, gap=0.5756)
    213
    """
    _check_gap(gap)
    _check_games(games)
    if not 0 < variance < inf:
        raise ValueError(f"expected a variance above 0 from the pilot: {variance!r}")
    return max(1, round(games * variance * _detectable(critical) / gap**2))


def smallest_gap(pilot_games: int, variance: float, games: int, critical: float = NORMAL) -> float:
    """Return the smallest gap that `games` games show with probability POWER (see `from_pilot`)."""
    _check_games(games)
    return sqrt(_detectable(critical) * variance * pilot_games / games)


def finals_needed(effect: float, jurors: int, *, icc: float = FIRST_ICC) -> int:
    """Return the finals needed to detect a shift of `effect` (0 to 1) in a vote share near .5.

    n = (z_.975 + z_power)^2 (1 + (J - 1) icc) / (4 J effect^2) for J jurors per final, whose votes
    have the intraclass correlation `icc` (the design effect of Kish 1965).

    >>> finals_needed(0.1, jurors=5)
    71
    """
    _check_gap(effect)
    if jurors < 1:
        raise ValueError(f"expected a juror or more: {jurors!r}")
    if not -1 <= icc <= 1:
        raise ValueError(f"expected an icc from -1 to 1: {icc!r}")
    variance = (1 + (jurors - 1) * icc) / (4 * jurors)
    return max(1, round(variance * _detectable(NORMAL) / effect**2))


def game_information(table: int, target: str = "places") -> float:
    """Return the information in one game between equals (`Rule.information`).

    Raise ValueError for a target that is not fitted to choices or does not allow this table size.

    >>> game_information(2), game_information(4, "wins")
    (0.5, 0.75)
    """
    rule = TARGETS[target].rule if target in TARGETS else None
    if rule is None:
        known = [repr(name) for name, each in TARGETS.items() if each.rule is not None]
        raise ValueError(
            f"expected one of the targets {', '.join(known)}: {target!r}; "
            "for points, play a pilot first (from_pilot)"
        )
    if rule.table not in {None, table}:
        raise ValueError(f"expected a table of {rule.table} for the target {target!r}: {table!r}")
    return rule.information(table)


def mixture_bound(information: float, planned: float) -> float:
    """Return the |z| above which a tournament may end, however often it is checked.

    It is sqrt((I + rho) / I * log((I + rho) / (rho * .05^2))), where I is 1 / the current variance
    and rho is an eighth of the planned information. This is the normal mixture of Robbins 1970 as
    in Howard, Ramdas, McAuliffe and Sekhon 2021, eq. 14.

    >>> round(mixture_bound(information=40.0, planned=40.0), 1)
    3.0
    """
    if not 0 < planned < inf:
        raise ValueError(f"expected a planned information above 0: {planned!r}")
    if information <= 0:
        return inf
    rho = planned / MIXTURE
    together = information + rho
    return sqrt(together / information * log(together / rho / LEVEL**2))


def separation(gap: float, error: float, planned: float) -> Separation:
    """Return the interval of a pair's gap, valid however often it is checked.

    `planned` is 1 / the pair's variance after all planned games, as for `mixture_bound`. Unless
    `error` is positive and finite, the interval is infinite.
    """
    if not 0 < error < inf:
        return Separation(-inf, inf, apart=False)
    reach = error * mixture_bound(1 / error**2, planned)
    return Separation(gap - reach, gap + reach, apart=abs(gap) > reach)


def variance_of_equals(entrants: int, table: int, target: str = "places") -> float:
    """Return the variance of a gap (logits^2) after one game; G games divide it by G."""
    if not 2 <= table <= entrants:
        raise ValueError(
            f"expected a table of 2 up to all entrants: {table!r} seats for {entrants!r} entrants"
        )
    return 2 * (entrants - 1) / game_information(table, target)


def _detectable(critical: float) -> float:
    """Return the squared number of standard errors that a gap must span."""
    return (critical + NormalDist().inv_cdf(POWER)) ** 2


def _check_gap(gap: float) -> None:
    if not 0 < gap < inf:
        raise ValueError(f"expected a gap above 0: {gap!r}")


def _check_games(games: int) -> None:
    if games < 1:
        raise ValueError(f"expected one game or more: {games!r}")
