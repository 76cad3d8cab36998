"""Means and shares of clustered values, such as the votes of one game, and their intervals.

Votes of one game have heard the same, so only games are independent: an error is computed from each
game's contribution to an estimate (its influence), never from single votes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from typing import TypeAlias

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints, number_names
from engine.ratings.intervals import share_ends, t_quantile
from engine.rng import stream
from engine.statistics import percentile_interval, resamples_of

LEVEL = 0.95
RESAMPLES = 2000

Ends: TypeAlias = tuple[float, float]
Influence: TypeAlias = Mapping[str, float]
Numbers: TypeAlias = Sequence[float] | Floats | Bools


@dataclass(frozen=True)
class Effect:
    """The distance of a figure from chance, or from zero, and the data behind it.

    `estimate` has its standard `error` and a .95 `interval`. Effects on a choice have its `share`
    (0 to 1), and the numbers of `votes` and `games`. `left_out` counts votes without information.
    `influence` is each game's contribution to the estimate; `adjust` reads it.
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
    """Return the mean of values as an effect; its error is clustered by game.

    A game adds the sum of its values' distances from the mean, divided by the number of values.
    ValueError if there are fewer than two games: one alone gives no error.
    """
    sample = np.asarray(values, np.float64)
    names, game = number_names(games)
    if len(names) < 2:
        raise ValueError(f"expected votes of two games or more, for an error: got {len(names)}")
    estimate = float(sample.mean())
    votes = len(sample)
    added = np.bincount(game, sample - estimate) / votes
    return effect_of(estimate, names, added, votes)


def effect_of(estimate: float, names: Sequence[str], added: Floats, votes: int) -> Effect:
    """Return an effect with the error and the interval from its games' contributions.

    The error is sqrt(C / (C - 1) * sum influence^2) of C games (the clustered sandwich of Liang and
    Zeger 1986); the interval has Student's t with C - 1 degrees of freedom.
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
    """Return how much oftener than by chance something is chosen; its error is clustered by game.

    `chances` has the chance of each hit if only chance decided, such as 1/k for one of k
    candidates. `estimate` is the mean of hit - chance, `share` the plain share of hits. Where all
    have the same chance the interval is the share's; if all hit, or none, games show no error, and
    it is taken from the share's interval too.
    """
    hit = np.asarray(hits, dtype=np.float64)
    beyond = mean_effect(hit - chances, games)
    share, ends = cluster_share(hit, games)
    effect = replace(beyond, share=share, share_interval=ends)
    if np.ptp(chances) == 0 or share in (0, 1):
        low, high = ends
        chance = share - effect.estimate
        reach = (high - low) / student(effect.games)
        error = reach if share in (0, 1) else effect.error
        return replace(effect, error=error, interval=(low - chance, high - chance))
    return effect


def cluster_share(
    hits: Numbers,
    games: Sequence[str],
) -> tuple[float, Ends]:
    """Return the share of hits and its .95 interval, clustered by game.

    It is Wilson's interval (1927) of n* votes, with Student's t of C - 1 degrees of freedom, where
    n* = p (1 - p) / error^2 independent votes would have the clustered error (Dean and Pagano
    2015). A share of 0 or 1, which shows no error, counts each game as one vote.
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
    seed: int,
    name: str,
) -> Ends:
    """Return the .95 interval of the mean of values over RESAMPLES resamples of whole games.

    It is Efron's percentile interval (1979) with games as the units drawn; `seed` and `name` name
    the stream of the draws.
    """
    _, game = number_names(games)
    sums = np.bincount(game, values)
    sizes = np.bincount(game)
    rng = stream(seed, "resamples", name)
    means = []
    for drawn in resamples_of(range(len(sizes)), RESAMPLES, rng):
        means.append(float(sums[drawn].sum() / sizes[drawn].sum()))
    return percentile_interval(means, LEVEL)


def alikeness(
    values: Numbers,
    games: Sequence[str],
) -> float:
    """Return the intraclass correlation of values by game, from -1 to 1; 0 without information.

    By the mean squares between and within games (Donner 1986); the planner of finals takes it.
    """
    sample = np.asarray(values, np.float64)
    _, game = number_names(games)
    sizes = np.bincount(game)
    if len(sizes) < 2 or len(sample) <= len(sizes):
        return 0.0
    between, within = mean_squares(sample, game, sizes)
    votes = int(sizes.sum())
    # The effective size: games of one size with the same information as these.
    usual = (votes - float(sizes @ sizes) / votes) / (len(sizes) - 1)
    total = between + (usual - 1) * within
    return (between - within) / total if total > 0 else 0.0


def mean_squares(sample: Floats, game: Ints, sizes: Ints) -> tuple[float, float]:
    """Return the mean square between games, and that within them."""
    means = (np.bincount(game, sample) / sizes)[game]
    outer = means - sample.mean()
    inner = sample - means
    between = float(outer @ outer) / (len(sizes) - 1)
    within = float(inner @ inner) / (len(sample) - len(sizes))
    return between, within


def student(games: int) -> float:
    """Return the half-width of an interval, in standard errors, for a number of games."""
    upper = (1 + LEVEL) / 2
    return t_quantile(upper, games - 1)
