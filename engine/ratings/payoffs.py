"""Ratings from payoffs: the mean a seat, with errors that take games of a block together."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from engine.ratings.columns import Floats, Ints, cells, portions
from engine.ratings.estimate import Fit
from engine.ratings.results import Results


def payoff_of(results: Results) -> Floats:
    """Return each seat's payoff, nan where it has none; scores, where no seat has a payoff.

    The two are not mixed: they may be of different units.
    """
    payoff = results.columns["payoff"]
    return results.columns["score"] if np.isnan(payoff).all() else payoff


def rate_payoffs(
    results: Results,
    target: str = "points",
    value: Callable[[Results], Floats] = payoff_of,
    min_games: int = 20,
) -> Fit:
    """Return each entrant's mean `value` of a seat, with the covariance of these means.

    Blocks are the clusters: with r the sum of an entrant's deviations from its mean in a block, and
    n its seats, the covariance of two is sum r_i r_j / (n_i n_j) over the blocks, each times C / (C
    - 1) of the entrant's C blocks (Liang and Zeger 1986; geometric mean of two). Where two sat in
    the same blocks this is the paired difference's error: luck of the draw cancels out. Of one
    block alone no spread is known: there the deviation of all seats is used instead, from their
    entrants' means, or from the mean of all if no entrant has two seats. ValueError if no game has
    a payoff or score at two seats.
    """
    paid = results.where(~np.isnan(value(results)))
    if not paid.games:
        raise ValueError(
            f"expected games with a payoff or score at two seats: none of {results.games} has"
        )
    payoff = value(paid)
    games = np.bincount(paid.entrant)
    mean = np.bincount(paid.entrant, payoff) / games
    clusters = paid.own_blocks
    covariance = _covariance_of_means(paid, payoff, mean)
    freedom = np.maximum(clusters - 1.0, 1.0)
    fitted = Fit(
        target=target,
        direction="top",
        entrants=paid.entrants,
        unrated=paid.unrated,
        games=games,
        skill=mean,
        error=np.sqrt(np.diag(covariance)),
        covariance=covariance,
        hessian=covariance,
        sandwich=covariance,
        phi=1.0,
        blocks=len(set(paid.blocks)),
        own_blocks=clusters,
        freedom=freedom,
        pair_freedom=np.minimum(freedom[:, np.newaxis], freedom),
        loglik=0.0,
        parts=tuple(paid.parts()),
        min_games=min_games,
        left_out=results.games - paid.games,
    )
    return replace(fitted, notes=tuple(_payoff_notes(fitted, results.games)))


def _covariance_of_means(paid: Results, payoff: Floats, mean: Floats) -> Floats:
    """Return the covariance of mean payoffs; of one block alone, the variance of all seats."""
    apart = payoff - mean[paid.entrant]
    covariance = _covariance(paid, apart, paid.own_blocks)
    alone = paid.own_blocks == 1
    seats = np.bincount(paid.entrant)[alone]
    covariance[alone, alone] = _pooled_variance(payoff, apart, len(mean)) / seats
    return covariance


def _payoff_notes(found: Fit, games: int) -> Iterator[str]:
    if found.left_out:
        yield f"{found.left_out} of {games} games have no payoff at two seats."
    yield from found.unsure_notes()


def _pooled_variance(payoff: Floats, apart: Floats, entrants: int) -> float:
    """Return the variance of a seat around its entrant's mean, or around that of all seats."""
    freedom = len(apart) - entrants
    return float(apart @ apart) / freedom if freedom > 0 else float(payoff.var(ddof=1))


def wins_by_value(results: Results, value: Callable[[Results], Floats]) -> Floats:
    """Return how often the row's entrant had more than the column's, a tie as half (K, K).

    Two values that are not both known count as no meeting.
    """
    number = len(results.entrants)
    values = value(results)
    wins = np.zeros((number, number))
    for first, second, won in _meetings(results, values):
        np.add.at(wins, (first, second), won)
        np.add.at(wins, (second, first), 1.0 - won)
    return wins


def _meetings(results: Results, values: Floats) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield the entrants of pairs of seats with known values, and the first one's gain."""
    for first, second in results.seat_pairs():
        lead = np.sign(values[first] - values[second])
        known = ~np.isnan(lead)
        won = (1.0 + lead[known]) / 2
        yield results.entrant[first[known]], results.entrant[second[known]], won


def _covariance(paid: Results, apart: Floats, clusters: Ints) -> Floats:
    """Return the covariance of mean payoffs; `apart` is how far each seat is from its mean."""
    number = len(paid.entrants)
    scale = _scale_of(paid, clusters)
    # The sum over blocks of the outer products of the entrants' sums in each.
    total = np.zeros((number, number))
    for rows, place in portions(paid.block, number):
        shape = (int(place[-1]) + 1, number)
        sums = cells(place, paid.entrant[rows], apart[rows], shape)
        total += sums.T @ sums
    return total * scale[:, np.newaxis] * scale


def _scale_of(paid: Results, clusters: Ints) -> Floats:
    """Return the factor of each entrant's sums: one cluster alone shows no error."""
    larger = clusters / np.maximum(clusters - 1, 1)
    scale: Floats = np.sqrt(larger) / np.bincount(paid.entrant)
    scale[clusters == 1] = 0.0
    return scale
