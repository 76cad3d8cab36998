"""Ratings from payoffs: the mean per seat, with errors clustered by block."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from engine.ratings.columns import Floats, cells, portions
from engine.ratings.estimate import Fit
from engine.ratings.results import Results


def payoff_of(results: Results) -> Floats:
    """Return each seat's payoff (nan if missing), or its score if no seat has a payoff."""
    payoff = results.columns["payoff"]
    return results.columns["score"] if np.isnan(payoff).all() else payoff


def rate_payoffs(
    results: Results,
    target: str = "points",
    value: Callable[[Results], Floats] = payoff_of,
    min_games: int = 20,
) -> Fit:
    """Return each entrant's mean `value` per seat, with the covariance of these means.

    Errors are clustered by block (Liang and Zeger 1986). For an entrant with C blocks and n seats,
    r is the sum of the deviations from its mean over its seats in one block. The covariance of two
    entrants is the sum of r_i r_j / (n_i n_j) over blocks, times the geometric mean of their
    C / (C - 1). If two entrants play in the same blocks, the luck of the deal cancels out of their
    difference. One block shows no spread, so for an entrant with one block we use the variance of
    all seats around their entrants' means, or around the overall mean if no entrant has two seats.
    Raise ValueError if no game has a payoff or score for two seats.
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
        results=paid,
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
    """Return the covariance of mean payoffs; entrants with one block get the pooled variance."""
    apart = payoff - mean[paid.entrant]
    number, seats, clusters = len(mean), np.bincount(paid.entrant), paid.own_blocks
    # The sum over blocks of the outer product of the entrants' summed deviations.
    total = np.zeros((number, number))
    for rows, place in portions(paid.block, number):
        sums = cells(place, paid.entrant[rows], apart[rows], (int(place[-1]) + 1, number))
        total += sums.T @ sums
    alone = clusters == 1
    larger = np.sqrt(clusters / np.maximum(clusters - 1, 1))
    scale = np.where(alone, 0.0, larger / seats)
    covariance = total * scale[:, np.newaxis] * scale
    covariance[alone, alone] = _pooled_variance(payoff, apart, number) / seats[alone]
    return covariance


def _payoff_notes(found: Fit, games: int) -> Iterator[str]:
    if found.left_out:
        yield f"{found.left_out} of {games} games have no payoff at two seats."
    yield from found.unsure_notes()


def _pooled_variance(payoff: Floats, apart: Floats, entrants: int) -> float:
    """Return the variance around the entrants' means, or around the overall mean."""
    freedom = len(apart) - entrants
    return float(apart @ apart) / freedom if freedom > 0 else float(payoff.var(ddof=1))


def wins_by_value(results: Results, value: Callable[[Results], Floats]) -> Floats:
    """Return how often the row's entrant had a higher value than the column's; ties count half."""
    number = len(results.entrants)
    values = value(results)
    wins = np.zeros((number, number))
    for first, second in results.seat_pairs():
        won = (1 + np.sign(values[first] - values[second])) / 2
        known = ~np.isnan(won)
        pair = results.entrant[first[known]], results.entrant[second[known]]
        np.add.at(wins, pair, won[known])
        np.add.at(wins, pair[::-1], 1 - won[known])
    return wins
