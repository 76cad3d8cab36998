"""Errors of blocks, against the formulas written out; and how much is known of whom."""

import numpy as np
import pytest

from engine.ratings import Fit, Results, fit
from engine.ratings.blocks import block_errors
from engine.ratings.columns import Bools, Floats
from engine.ratings.covariates import design_of
from engine.ratings.estimate import gauge_of
from engine.ratings.likelihood import Likelihood
from engine.ratings.orders import PLACES, orders_of, ranking_of
from engine.ratings.posterior import Posterior, posterior_of
from tests.support.placements import deal_orders
from tests.support.planted.linked import exact_anchors


def blocked(games: int, blocks: int, seed: int) -> Results:
    rows = deal_orders(entrants=6, table=3, games=games, spread=1.0, seed=seed)
    for number, row in enumerate(rows):
        row["block"] = f"b{number // 3 % blocks}"
    return Results.from_rows(rows)


def block_parts(likelihood: Likelihood, found: Posterior, block: Bools) -> tuple[Floats, Floats]:
    """Return the information and the score of one block, from its games alone."""
    within = [each.part(block[each.rows[:, 0]]) for each in likelihood.orders]
    part = Likelihood(within, likelihood.entrant, likelihood.design, likelihood.entrants)
    return part.information(found.parameters), part.gradient(found.parameters)


def inverse_root(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors @ np.diag(values**-0.5) @ vectors.T)


@pytest.mark.parametrize("covariates", [(), ("seat",)])
@pytest.mark.parametrize("seed", range(3))
def test_cr2_and_its_degrees_of_freedom_are_those_of_the_formulas(
    covariates: tuple[str, ...], seed: int
) -> None:
    results = blocked(games=24, blocks=7, seed=seed)
    _, design = design_of(results, covariates)
    orders = orders_of(results, ranking_of(results, PLACES))
    likelihood = Likelihood(orders, results.entrant, design, 6)
    found = posterior_of(likelihood, 3.0)
    gauge = gauge_of(results, 1, exact_anchors(e02=0.0), found.hessian)
    errors = block_errors(likelihood, found, results.block, gauge)
    known = found.hessian
    root = np.linalg.inv(inverse_root(known))
    products = np.zeros_like(known)
    contrasts = gauge.mover(len(known))[[0, 4, 4]]
    contrasts[2] -= gauge.mover(len(known))[5]
    told = np.zeros((7, 3))
    for number in range(7):
        information, score = block_parts(likelihood, found, results.block == number)
        enlarged = inverse_root(np.eye(len(known)) - root @ information @ root)
        added = root @ enlarged @ root @ score
        products += np.outer(added, added)
        told[number] = np.diag(contrasts @ known @ information @ known @ contrasts.T)
    assert errors.sandwich == pytest.approx(products)
    freedom = told.sum(axis=0) ** 2 / (told**2).sum(axis=0) - 1
    seen = [errors.freedom[0], errors.freedom[4], errors.pair_freedom[4, 5]]
    assert seen == pytest.approx(freedom)


def mirrored(copies: int) -> Fit:
    """Return the fit of 12 games, each played so often in its block."""
    more = []
    for row in deal_orders(entrants=4, table=4, games=12, spread=0.5, seed=8):
        game = row["game_id"]
        more += [row | {"game_id": f"{game}/{copy}", "block": game} for copy in range(copies)]
    return fit(Results.from_rows(more), prior_sd=None, min_games=13)


def test_games_that_repeat_their_block_tell_nothing_more() -> None:
    once, often = mirrored(1), mirrored(4)
    assert often.sandwich == pytest.approx(once.sandwich)
    assert often.freedom == pytest.approx(once.freedom)
    assert often.games.tolist() == [48] * 4
    assert often.own_blocks.tolist() == [12] * 4
    assert "No entrant has 13 rated blocks" in " ".join(often.notes)
