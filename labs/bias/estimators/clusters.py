"""Means and shares of clustered values, such as the votes of one game, and their intervals.

Voters in one game have heard the same words, so only games are independent. Errors are computed
from each game's contribution to an estimate (its influence), never from single votes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, sqrt

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints, number_names
from engine.ratings.intervals import share_ends, t_quantile
from engine.report.statistics import percentile_interval, resamples_of
from engine.rng import stream

LEVEL = 0.95
RESAMPLES = 2000

Ends = tuple[float, float]
Influence = Mapping[str, float]
Numbers = Sequence[float] | Floats | Bools


@dataclass(frozen=True)
class Effect:
    """How far a figure differs from chance or from zero, and the data behind it.

    `interval` is a 95 % interval. For an effect on a choice, `share` (0 to 1) is the fraction of
    `votes` that made it. `left_out` counts votes without information. `influence` is each game's
    contribution to the estimate, for `adjust`.
    """

    estimate: float
    error: float
    share: float | None = None
    share_interval: Ends | None = None
    votes: int = 0
    games: int = 0
    interval: Ends = (-inf, inf)
    left_out: int = 0
    influence: Influence = field(default_factory=dict, repr=False, compare=False)


def mean_effect(
    values: Numbers,
    games: Sequence[str],
) -> Effect:
    """Return the mean of values as an effect, with its error clustered by game.

    A game contributes the sum of its values' differences from the mean, divided by the number of
    values. Raises ValueError for fewer than two games, for which no error can be computed.
    """
    sample = np.asarray(values, np.float64)
    names, game = number_names(games)
    if len(names) < 2:
        raise ValueError(
            f"expected votes from at least two games, for a standard error: got {len(names)}"
        )
    estimate = float(sample.mean())
    votes = len(sample)
    added = np.bincount(game, sample - estimate) / votes
    return effect_of(estimate, names, added, votes)


def effect_of(estimate: float, names: Sequence[str], added: Floats, votes: int) -> Effect:
    """Return an effect whose error and interval come from its games' contributions.

    For C games, the error is sqrt(C / (C - 1) * sum influence^2), the clustered sandwich (Liang and
    Zeger 1986). The interval uses Student's t with C - 1 degrees of freedom.
    """
    influence = dict(zip(names, added.tolist(), strict=True))
    games = len(influence)
    squares = 0.0
    for share in influence.values():
        squares += share * share
    error = sqrt(squares * games / (games - 1))
    margin = student(games) * error
    return Effect(
        estimate=estimate,
        error=error,
        votes=votes,
        games=games,
        interval=(estimate - margin, estimate + margin),
        influence=influence,
    )


def chance_effect(
    hits: Numbers,
    chances: Numbers,
    games: Sequence[str],
) -> Effect:
    """Return how much more often hits occur than by chance, with errors clustered by game.

    `chances` contains the probability of each hit by chance, such as 1/k for one of k candidates.
    `estimate` is the mean of hit - chance, and `share` is the plain share of hits. If all chances
    are equal, the interval is derived from the share's interval. If all cases are hits or none are,
    the games do not vary, so the interval and the error both come from the share's interval.
    """
    hit = np.asarray(hits, dtype=np.float64)
    beyond = mean_effect(hit - chances, games)
    share, ends = cluster_share(hit, games)
    effect = replace(beyond, share=share, share_interval=ends)
    if np.ptp(chances) == 0 or share in (0, 1):
        low, high = ends
        chance = share - effect.estimate
        error = (high - low) / student(effect.games) if share in (0, 1) else effect.error
        return replace(effect, error=error, interval=(low - chance, high - chance))
    return effect


def cluster_share(
    hits: Numbers,
    games: Sequence[str],
) -> tuple[float, Ends]:
    """Return the share of hits and its 95 % interval, clustered by game.

    The interval is Wilson's (1927) for n* votes, with Student's t at C - 1 degrees of freedom for C
    games. Here, n* = p (1 - p) / error^2 is the number of independent votes with the same error
    (Dean and Pagano 2015). If the share is 0 or 1, each game counts as one vote.
    """
    plain = mean_effect(hits, games)
    share = plain.estimate
    alone = share * (1 - share)
    votes = float(plain.games)
    if alone > 0 and plain.error > 0:
        votes = alone / plain.error**2
    return share, share_ends(share, votes, student(plain.games))


def resampled_interval(
    values: Numbers,
    games: Sequence[str],
    name: str,
) -> Ends:
    """Return the mean's bootstrap 95 % interval (Efron 1979) over games, seeded by `name`."""
    _, game = number_names(games)
    sums = np.bincount(game, values)
    sizes = np.bincount(game)
    resamples = resamples_of(range(len(sizes)), RESAMPLES, stream(0, "resamples", name))
    means = [float(sums[drawn].sum() / sizes[drawn].sum()) for drawn in resamples]
    return percentile_interval(means, LEVEL)


def alikeness(
    values: Numbers,
    games: Sequence[str],
) -> float:
    """Return the intraclass correlation (Donner 1986) by game, from -1 to 1, or 0 if unknown."""
    sample = np.asarray(values, np.float64)
    _, game = number_names(games)
    sizes = np.bincount(game)
    if len(sizes) < 2 or len(sample) <= len(sizes):
        return 0.0
    between, within = mean_squares(sample, game, sizes)
    votes = int(sizes.sum())
    # The effective size: games of this equal size would carry the same information.
    usual = (votes - float(sizes @ sizes) / votes) / (len(sizes) - 1)
    total = between + (usual - 1) * within
    return (between - within) / total if total > 0 else 0.0


def mean_squares(sample: Floats, game: Ints, sizes: Ints) -> tuple[float, float]:
    """Return the mean squares between and within games."""
    means = (np.bincount(game, sample) / sizes)[game]
    outer = means - sample.mean()
    inner = sample - means
    between = float(outer @ outer) / (len(sizes) - 1)
    within = float(inner @ inner) / (len(sample) - len(sizes))
    return between, within


def student(games: int) -> float:
    """Return the half-width, in standard errors, of a 95 % interval from `games` games."""
    return t_quantile((1 + LEVEL) / 2, games - 1)
