"""Orders of exit in which a seat counts until its first failure, against the formula."""

from math import inf, log

import numpy as np
import pytest

from engine.ratings import Results, fit
from engine.ratings.censoring import censored_orders, seats_that_count
from engine.ratings.columns import Floats
from engine.ratings.likelihood import Likelihood
from tests.support.placements import deal_orders, told_orders

NEVER = inf


def likelihood_of(skill: Floats, exits: list[int], failures: dict[int, float]) -> float:
    """Return the sum over exits t of counted -eta(i) - log sum exp(-eta(j)), j in C_t."""
    total = 0.0
    for t, chosen in enumerate(exits):
        left = [seat for seat in exits[t:] if failures.get(seat, NEVER) > t]
        if chosen in left:
            total += -skill[chosen] - log(sum(np.exp(-skill[seat]) for seat in left))
    return total


@pytest.mark.parametrize("seed", range(20))
def test_the_likelihood_is_that_of_the_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=5)
    rows, expected = [], 0.0
    for game in range(6):
        exits = rng.permutation(5).tolist()
        failures: dict[int, float] = {}
        for before, seat in enumerate(exits):
            if rng.random() < 0.4:
                failures[seat] = float(rng.integers(0, before + 1))
        expected += likelihood_of(skill, exits, failures)
        for before, seat in enumerate(exits):
            row = {"game_id": f"g{game}", "entrant": f"e{seat}", "place": 5 - before}
            rows.append(row | {"outlived": failures.get(seat)})
    whole = Results.from_rows(rows)
    for results in (whole, seats_that_count(whole)):
        names = [int(name[1:]) for name in results.entrants]
        design = np.zeros((len(results.entrant), 0))
        orders = censored_orders(results)
        likelihood = Likelihood(orders, results.entrant, design, len(names), -1.0)
        assert likelihood.value(skill[names]) == pytest.approx(expected)


def test_without_failures_the_orders_are_those_from_the_bottom() -> None:
    results = Results.from_rows(deal_orders(6, 4, 30, 1.0, seed=2))
    plain = fit(results, direction="bottom")
    censored = fit(results, censored=True)
    assert censored.skill.tobytes() == plain.skill.tobytes()
    assert censored.covariance.tobytes() == plain.covariance.tobytes()


def test_a_seat_that_fails_at_once_counts_nowhere() -> None:
    """Of a, b, c the last to leave counts nowhere, and the two others are a duel."""
    rows = told_orders("a > b > c", "c > a > b", "a > b")
    rows[2]["outlived"] = rows[3]["outlived"] = 0
    rows[6]["outlived"] = 0
    found = seats_that_count(Results.from_rows(rows))
    assert found.entrants == ("a", "b")
    assert found.game_ids == ("game 0", "game 1")


@pytest.mark.parametrize("share", [0.03, 0.1])
def test_failing_that_changes_nothing_moves_no_rating(share: float) -> None:
    """What a fallback does is as good as the entrant: its rating stays, its games are fewer."""
    rng = np.random.default_rng(5)
    rows = deal_orders(entrants=6, table=6, games=600, spread=1.0, seed=4)
    for row in rows:
        if row["entrant"] == "e04":
            stayed = 6 - row["place"]
            first = int(rng.geometric(share)) - 1
            row["outlived"] = first if first <= stayed else None
    results = Results.from_rows(rows)
    plain, censored = fit(results, direction="bottom"), fit(results, censored=True)
    assert np.abs(censored.skill - plain.skill).max() < 2 * censored.error[4]
    assert censored.games[4] < plain.games[4]
