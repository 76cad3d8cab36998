"""A schedule with one half of each batch near a boundary and the other half balanced.

The size of a batch is the number of concurrent games, but at least 2. Each game depends only on the
settings, the earlier games and the results of earlier batches.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.random import default_rng
from pydantic import Field

from engine.ratings import TARGETS, Fit, Results, fit
from engine.ratings.columns import Ints
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
from engine.tournaments.schedule.draw import (
    Draw,
    Exposure,
    Schedule,
    count_draws,
    draw_of,
    game_id_of,
)
from engine.tournaments.schedule.even_table import choose_seats, seat_costs
from engine.tournaments.terms import Cup, OneOf, Pair, check_boundary

ADAPTIVE = "adaptive"
LEAST_BATCH = 2
PRIOR_VARIANCE = 9.0  # logits^2


class Adaptive(OneOf, Schedule):
    """Half of the games are near a boundary: below the best `top`, or between the two in `pair`."""

    waits: ClassVar[str] = "an adaptive schedule"

    top: int | None = Field(default=None, ge=1)
    pair: Pair | None = None

    def draw(
        self, cup: Cup, draws: Sequence[Draw] = (), results: Results | None = None
    ) -> Iterator[Draw]:
        """Yield the games after `draws` up to the batch's end; this batch's results are ignored."""
        size = max(LEAST_BATCH, cup.concurrency)
        begin = len(draws) - len(draws) % size
        end = min(cup.games, begin + size)
        belief = None if results is None else believe(cup, draws[:begin], results)
        for draw in draws[begin:end]:
            belief = belief_after(cup, belief, draw)

        even = count_draws(cup, [draw for draw in draws if draw.why == BALANCED])
        whole = count_draws(cup, draws)
        for index in range(len(draws), end):
            if belief is not None and index % 2 == 1:
                draw = draw_greedy(cup, whole, index, belief, self.boundary(cup, belief))
            else:
                draw = draw_fresh(cup, even, index)
                even.add(draw.seats)
            whole.add(draw.seats)
            belief = belief_after(cup, belief, draw)
            yield draw

    def boundary(self, cup: Cup, belief: Belief) -> Boundary:
        """Return the boundary below the best `top`, or between the entrants in `pair`."""
        if self.pair is None:
            return boundary_of_top(belief, self.top or 1)
        return boundary_of_pair(belief, *indices_of(cup, self.pair).tolist())

    def check(self, cup: Cup) -> None:
        """Raise ValueError for a boundary that does not fit the entrants."""
        check_boundary("schedule", self.top, self.pair, cup.entrants)

    def note(self, cup: Cup, games: int) -> str:
        """Return a sentence on how the games differ from the balanced games of a plan."""
        del cup, games
        return (
            "The schedule is adaptive: half of the games are balanced as shown here, half go to "
            "entrants near the boundary, where fewer are needed."
        )


def draw_greedy(
    cup: Cup, exposure: Exposure, index: int, belief: Belief, boundary: Boundary
) -> Draw:
    """Return game number `index`, chosen for its information about the boundary."""
    rng = default_rng(number(cup.seed, "greedy", index))
    table = best_table(belief, boundary, cup.table, direction_of(cup), rng)
    seats = choose_seats(seat_costs(exposure), table.tolist(), stream(cup.seed, "seats", index))
    return draw_of(cup, index, seats, ADAPTIVE)


def direction_of(cup: Cup) -> str:
    """Return the first target's direction, or "first" if only the winner counts."""
    rule = TARGETS[cup.targets[0]].rule
    if rule is not None and rule.one_choice:
        return "first"
    return "bottom" if cup.direction == "bottom" else "top"


def believe(cup: Cup, draws: Sequence[Draw], results: Results) -> Belief | None:
    """Return the belief after `draws`, with a prior for unknown entrants; None without a fit."""
    fitted = fit_of_draws(cup, draws, results)
    if fitted is None:
        return None
    places = indices_of(cup, fitted.entrants)
    skill = np.zeros(len(cup.entrants))
    covariance = PRIOR_VARIANCE * np.eye(len(skill))
    skill[places] = fitted.skill
    covariance[np.ix_(places, places)] = fitted.hessian
    return Belief(skill, covariance)


def indices_of(cup: Cup, names: Sequence[str]) -> Ints:
    """Return the indices of these entrants among all entrants."""
    return np.array([*map(list(cup.entrants).index, names)])


def fit_of_draws(cup: Cup, draws: Sequence[Draw], results: Results) -> Fit | None:
    """Return the first target's fit to these games alone, or None if they carry no information."""
    known = [game_id_of(cup, draw.number) for draw in draws]
    counts = np.isin(results.game_ids, known)
    if not counts.any():
        return None
    first = cup.targets[0]
    target = "places" if TARGETS[first].rule is None else first
    direction = "bottom" if cup.direction == "bottom" else "top"
    try:
        return fit(results.where(counts[results.game]), target, direction)
    except ValueError:
        # These games have no information about the target.
        return None


def belief_after(cup: Cup, belief: Belief | None, draw: Draw) -> Belief | None:
    """Return the belief updated with the expected information of a game just scheduled."""
    if belief is None:
        return None
    table = indices_of(cup, draw.seats)
    rng = default_rng(number(cup.seed, "expect", draw.number))
    information = expected_information(belief.skill[table][None], direction_of(cup), rng)
    return belief.after(table, information[0])
