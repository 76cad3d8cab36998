"""Who sits at which table where games go to those near a boundary: half of each batch is balanced.

A batch is as many games as run at once. Each draw follows from the settings, the draws before it
and the results of all earlier batches alone, so that a tournament that goes on draws the same. The
balanced half keeps the field from starving; the other half is taken greedily.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import default_rng

from engine.ratings import TARGETS, Fit, Results, fit
from engine.rng import number, stream
from engine.tournaments.schedule.balanced import BALANCED, draw_fresh
from engine.tournaments.schedule.boundary import (
    Belief,
    Boundary,
    best_table,
    boundary_of_pair,
    boundary_of_top,
    expected_information,
)
from engine.tournaments.schedule.draw import Draw, draw_of, game_id_of
from engine.tournaments.schedule.even_table import choose_seats, seat_costs
from engine.tournaments.schedule.exposure import Exposure, count_draws
from engine.tournaments.settings import TournamentSettings

ADAPTIVE = "adaptive"
LEAST_BATCH = 2
PRIOR_VARIANCE = 9.0  # logits^2


def draw_batch(settings: TournamentSettings, draws: Sequence[Draw], results: Results) -> list[Draw]:
    """Return the games after `draws` up to the end of their batch, of at most the settings' games.

    `results` are those of the finished games; games of this batch do not count.
    """
    size = max(LEAST_BATCH, settings.concurrency)
    begin = len(draws) - len(draws) % size
    end = min(settings.games, begin + size)
    belief = believe(settings, draws[:begin], results)
    for draw in draws[begin:end]:
        belief = belief_after(settings, belief, draw)

    balanced = [draw for draw in draws if draw.why == BALANCED]
    even = count_draws(settings, balanced)
    whole = count_draws(settings, draws)
    batch: list[Draw] = []
    for index in range(len(draws), end):
        if belief is not None and index % 2 == 1:
            draw = draw_greedy(settings, whole, index, belief)
        else:
            draw = draw_fresh(settings, even, index)
            even.add(draw.seats)
        whole.add(draw.seats)
        batch.append(draw)
        belief = belief_after(settings, belief, draw)
    return batch


def draw_greedy(
    settings: TournamentSettings, exposure: Exposure, index: int, belief: Belief
) -> Draw:
    """Return the game with number `index` that is expected to tell most about the boundary."""
    rng = default_rng(number(settings.seed, "greedy", index))
    boundary = boundary_of(settings, belief)
    table = best_table(belief, boundary, settings.table, direction_of(settings), rng)
    seats = choose_seats(
        seat_costs(exposure), table.tolist(), stream(settings.seed, "seats", index)
    )
    return draw_of(settings, index, seats, ADAPTIVE)


def boundary_of(settings: TournamentSettings, belief: Belief) -> Boundary:
    """Return the boundary that the schedule is about; ValueError if it is about none."""
    adaptive = settings.schedule.adaptive
    if adaptive is None:
        raise ValueError("expected schedule: adaptive: got a balanced one")
    if adaptive.pair is None:
        return boundary_of_top(belief, adaptive.top or 1)
    one, other = map(list(settings.entrants).index, adaptive.pair)
    return boundary_of_pair(belief, one, other)


def direction_of(settings: TournamentSettings) -> str:
    """Return which choices make the order that is rated first: "first" is the winner alone."""
    rule = TARGETS[settings.targets[0]].rule
    if rule is not None and rule.one_choice:
        return "first"
    return "bottom" if settings.direction == "bottom" else "top"


def believe(settings: TournamentSettings, draws: Sequence[Draw], results: Results) -> Belief | None:
    """Return what the results of `draws` say; None if they say nothing yet.

    Whoever has no result is believed to be average, as surely as the prior of all fits has it.
    """
    fitted = fit_of_draws(settings, draws, results)
    if fitted is None:
        return None
    entrants = list(settings.entrants)
    skill = np.zeros(len(entrants))
    covariance = PRIOR_VARIANCE * np.eye(len(entrants))
    places = [entrants.index(name) for name in fitted.entrants]
    skill[places] = fitted.skill
    covariance[np.ix_(places, places)] = fitted.hessian
    return Belief(skill, covariance)


def fit_of_draws(
    settings: TournamentSettings, draws: Sequence[Draw], results: Results
) -> Fit | None:
    """Return the fit of what is rated first, of these draws alone; None if they tell nothing."""
    known = {game_id_of(settings, draw.number) for draw in draws}
    counts = np.array([name in known for name in results.game_ids], dtype=np.bool_)
    if not counts.any():
        return None
    first = settings.targets[0]
    target = "places" if TARGETS[first].rule is None else first
    direction = "bottom" if settings.direction == "bottom" else "top"
    try:
        return fit(results.where(counts[results.game]), target, direction)
    except ValueError:
        # No game of them tells of the target.
        return None


def belief_after(settings: TournamentSettings, belief: Belief | None, draw: Draw) -> Belief | None:
    """Return the belief once a drawn game will be over, as sure as it is expected to make it."""
    if belief is None:
        return None
    entrants = list(settings.entrants)
    table = np.array([entrants.index(name) for name in draw.seats])
    rng = default_rng(number(settings.seed, "expect", draw.number))
    skill = belief.skill[table]
    information = expected_information(skill[None], direction_of(settings), rng)
    return belief.after(table, information[0])
