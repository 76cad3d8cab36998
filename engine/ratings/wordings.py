"""The wording of the rules as a random effect, which spreads points and widens intervals.

Wordings are treated as a sample of all possible ones, so their spread is part of the error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

from engine.ratings.intervals import LEVEL, Rating, t_quantile
from engine.ratings.results import Results


@dataclass(frozen=True, slots=True)
class WordingSpread:
    """The points of one entrant by wording.

    `between` is the standard deviation between wordings, less the part due to chance. `reach` is
    the half-width of the .95 interval of the mean over all wordings. Both are in points.
    """

    entrant: str
    points: Mapping[int, float]
    between: float
    reach: float


def wording_spread(
    entrant: str, points: Mapping[int, float], errors: Sequence[float]
) -> WordingSpread:
    """Return how far an entrant's points vary with the wording.

    `errors` are the standard errors of the wordings' points. If s is the standard deviation of the
    W points, `between` is sqrt(max(0, s^2 - mean(error^2))). If wordings are dealt evenly, s^2 / W
    is the variance of the mean over all wordings, including chance in the games. So `reach` is t s
    / sqrt(W), with W - 1 degrees of freedom. Raise ValueError for fewer than two wordings.
    """
    if len(points) < 2:
        raise ValueError(f"expected the points of two wordings or more: got {len(points)}")
    deviation = stdev(points.values())
    by_chance = fmean(error**2 for error in errors)
    between = sqrt(max(0.0, deviation**2 - by_chance))
    reach = t_quantile(LEVEL, len(points) - 1) * deviation / sqrt(len(points))
    return WordingSpread(entrant, dict(points), between, reach)


def widen_rating(rating: Rating, spread: WordingSpread | None) -> Rating:
    """Return a rating with its interval widened to the spread's reach, never narrowed."""
    if spread is None:
        return rating
    # max returns a nan that comes first, so a rating without an interval keeps its nan.
    reach = max(rating.high - rating.rating, spread.reach)
    return replace(rating, low=rating.rating - reach, high=rating.rating + reach)


def results_by_wording(results: Results) -> dict[int, Results]:
    """Map wording numbers, in ascending order, to the results with each wording."""
    wording = results.columns["wording"]
    return {int(number): results.where(wording == number) for number in sorted({*wording.tolist()})}
