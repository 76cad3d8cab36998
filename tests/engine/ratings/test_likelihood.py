"""The likelihood against its definition, stage by stage, over random games; and its derivatives."""

from itertools import permutations
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ratings import Results
from engine.ratings.columns import Floats
from engine.ratings.covariates import design_of
from engine.ratings.likelihood import Likelihood
from engine.ratings.orders import PLACES, WINS, Rule, orders_of, ranking_of, rated_games
from tests.support.placements import told_orders

STEP = 1e-5


@st.composite
def games(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw a few small games, with ties of up to three and places that are not known."""
    rows = []
    for number in range(draw(st.integers(1, 4))):
        seated = draw(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=4, unique=True))
        for entrant in seated:
            place = draw(st.sampled_from([1, 2, 3, None]))
            rows.append({"game_id": f"g{number}", "entrant": entrant, "place": place})
    return rows


def choice(eta: dict[str, float], chosen: str, left: list[str]) -> float:
    return eta[chosen] - log(sum(exp(eta[each]) for each in left))


def by_definition(places: dict[str, int | None], skill: dict[str, float], end: str) -> float:
    """Return the mean log-likelihood of all orders that the places of one game leave open."""
    sign = -1 if end == "bottom" else 1
    eta = {name: sign * skill[name] for name in places}
    winners = [name for name, place in places.items() if place == 1]
    if end == "wins":
        return sum(choice(eta, name, [*places]) for name in winners) / len(winners)
    unknown = [name for name, place in places.items() if place is None]
    groups = [
        [name for name, place in places.items() if place == number]
        for number in sorted({place for place in places.values() if place is not None})
    ]
    if end == "bottom":
        groups, unknown = [unknown, *groups[::-1]], []
    total = 0.0
    for number, group in enumerate(groups):
        after = [name for later in groups[number + 1 :] for name in later] + unknown
        orders = [*permutations(group)]
        for order in orders:
            for stage, name in enumerate(order):
                total += choice(eta, name, [*order[stage:], *after]) / len(orders)
    return total


@pytest.mark.parametrize("end", ["top", "bottom", "wins"])
@given(rows=games(), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_likelihood_is_as_defined(end: str, rows: list[dict[str, Any]], seed: int) -> None:
    rule = WINS if end == "wins" else PLACES
    rated = rated_games(Results.from_rows(rows), rule)
    ranking = ranking_of(rated, rule, end)
    if not rated.games or ranking.size.max() > 3:
        return
    design = np.random.default_rng(seed).normal(size=(len(rated.game), 2))
    sign = -1.0 if end == "bottom" else 1.0
    orders = orders_of(rated, ranking)
    likelihood = Likelihood(orders, rated.entrant, design, len(rated.entrants), sign)
    at = np.random.default_rng(seed + 1).normal(size=likelihood.parameters)
    skills = at.copy()
    skills[len(rated.entrants) :] = 0
    told: dict[str, dict[str, int | None]] = {}
    for row in rows:
        told.setdefault(row["game_id"], {})[row["entrant"]] = row["place"]
    told = {name: places for name, places in told.items() if name in rated.game_ids}
    known = dict(zip(rated.entrants, skills.tolist(), strict=False))
    expected = sum(by_definition(places, known, end) for places in told.values())
    assert likelihood.value(skills) == pytest.approx(expected, abs=1e-9)
    assert derivatives_hold(likelihood, at)


def derivatives_hold(likelihood: Likelihood, at: Floats) -> bool:
    """Whether gradient and Hessian are the finite differences of value and gradient."""
    gradient, information = likelihood.gradient(at), likelihood.information(at)
    for place in range(len(at)):
        step = np.zeros(len(at))
        step[place] = STEP
        slope = (likelihood.value(at + step) - likelihood.value(at - step)) / (2 * STEP)
        bend = (likelihood.gradient(at + step) - likelihood.gradient(at - step)) / (2 * STEP)
        if abs(slope - gradient[place]) > 1e-6 or np.abs(bend + information[place]).max() > 1e-6:
            return False
    return True


@pytest.mark.parametrize(
    ("tied", "orders"), [("a > b > c", 1), ("a = b > c", 2), ("a = b = c", 6), ("a = b > c = d", 2)]
)
def test_small_ties_run_through_all_their_orders(tied: str, orders: int) -> None:
    found = orders_in(tied)
    assert len(found) == len({tuple(order) for order in found}) == orders


def test_large_ties_are_drawn_in_opposite_pairs() -> None:
    found = orders_in("a = b = c = d = e > f")
    assert len(found) == 12
    for order, reverse in zip(found[::2], found[1::2], strict=True):
        assert [*order[:5], 5] == [*reverse[:5][::-1], 5] == [*order]
    assert len({tuple(order) for order in found}) > 6
    # A loop over the game's own seed and id: the same draws wherever the game stands.
    assert np.array_equal(found, orders_in("a = b = c = d = e > f", "f > a > b"))


def test_shared_wins_are_once_each() -> None:
    assert sorted(orders_in("a = b = c = d = e > f", rule=WINS)[:, 0]) == [0, 1, 2, 3, 4]


def orders_in(*games: str, rule: Rule = PLACES) -> Any:
    """Return the orders of the first game, as rows of the results."""
    results = Results.from_rows(told_orders(*games))
    found = orders_of(results, ranking_of(results, rule))
    return np.concatenate([orders.rows for orders in found if orders.rows[0].min() == 0])


def test_covariates_are_columns() -> None:
    seats = [
        {"entrant": "e", "name": "x", "provider": "p", "words": 1},
        {"entrant": "f", "name": "y", "provider": "q", "words": 2},
        {"entrant": "g", "name": "x", "provider": "p", "words": 3},
    ]
    rows: list[dict[str, Any]] = []
    for game in "gh":
        for seat in seats:
            rows.append({"game_id": game, "place": 1, **seat})
    rows[4]["words"] = None
    rows[5]["provider"] = None
    covariates = ("seat", "seats", "same_provider", "name", "words")
    names, design = design_of(Results.from_rows(rows), covariates)
    assert names == ("seat", "seat 2", "seat 3", "same_provider", "name y", "words")
    root = 1.5**0.5
    assert design == pytest.approx(
        np.array(
            [
                [-0.5, 0, 0, 1, 0, -root],
                [0.0, 1, 0, 0, 1, 0],
                [0.5, 0, 1, 1, 0, root],
                [-0.5, 0, 0, 0, 0, -1],
                [0.0, 1, 0, 0, 1, 0],
                [0.5, 0, 1, 0, 0, 1],
            ]
        )
    )
    with pytest.raises(ValueError, match=r"one of seat, seats, .*: got 'luck'"):
        design_of(Results.from_rows(rows), ["luck"])
