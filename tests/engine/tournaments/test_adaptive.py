"""Games near a boundary: what they depend on, and that the field does not starve."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from engine.ratings import Results
from engine.tournaments.schedule.adaptive import ADAPTIVE
from engine.tournaments.schedule.balanced import BALANCED
from engine.tournaments.schedule.boundary import (
    Belief,
    best_table,
    boundary_of_pair,
    boundary_of_top,
    expected_information,
    normal_tail,
    wrong_orders,
)
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from tests.support.tournaments.cups import cup_of

NOBODY = Results.from_rows([])


def top_cup(games: int = 64, **more: Any) -> TournamentSettings:
    return cup_of(10, 4, games, schedule={"adaptive": {"top": 2}}, concurrency=8, **more)


def rows_for(draws: list[Draw]) -> list[dict[str, Any]]:
    """Return places where e00 always beats e01, and so on down."""
    rows = []
    for draw in draws:
        for place, name in enumerate(sorted(draw.seats), 1):
            rows.append({"game_id": f"cup_{draw.number:06}", "entrant": name, "place": place})
    return rows


def play_out(settings: TournamentSettings) -> list[Draw]:
    draws: list[Draw] = []
    while len(draws) < settings.games:
        draws += list(settings.draw(draws, Results.from_rows(rows_for(draws))))
    return draws


def test_half_of_each_batch_is_balanced_and_half_near_the_boundary() -> None:
    draws = play_out(top_cup())
    assert [draw.number for draw in draws] == list(range(64))
    assert {draw.why for draw in draws[:8]} == {BALANCED}
    assert Counter(draw.why for draw in draws[8:]) == {BALANCED: 28, ADAPTIVE: 28}
    assert all(len(set(draw.seats)) == 4 for draw in draws)
    balanced = Counter(name for draw in draws if draw.why == BALANCED for name in draw.seats)
    assert max(balanced.values()) - min(balanced.values()) <= 1
    greedy = Counter(name for draw in draws if draw.why == ADAPTIVE for name in draw.seats)
    near = sum(greedy[name] for name in ("e01", "e02"))
    assert near > 2 * sum(greedy[name] for name in ("e08", "e09"))


def test_a_draw_depends_on_earlier_draws_and_on_earlier_batches_alone() -> None:
    settings = top_cup(24)
    draws = play_out(settings)
    rows = rows_for(draws)
    for begun in (8, 11, 17, 23):
        before = draws[:begun]
        known = Results.from_rows(rows)
        end = begun - begun % 8 + 8
        assert before + list(settings.draw(before, known)) == draws[:end]
    assert list(settings.draw(draws, Results.from_rows(rows))) == []
    assert list(top_cup(24, seed=1).draw(draws[:8], Results.from_rows(rows[:32]))) != draws[8:16]


def test_nothing_is_greedy_before_anything_is_known() -> None:
    fresh = list(top_cup().draw([], NOBODY))
    assert {draw.why for draw in fresh} == {BALANCED}
    paid = [{"game_id": "cup_000000", "entrant": name, "payoff": 1.0} for name in fresh[0].seats]
    for results in (NOBODY, Results.from_rows(paid)):
        later = list(top_cup().draw(fresh, results))
        assert {draw.why for draw in later} == {BALANCED}


def test_both_of_a_pair_sit_at_each_greedy_table() -> None:
    for draw in play_out(cup_of(8, 3, 40, schedule={"adaptive": {"pair": ["e03", "e05"]}})):
        assert draw.why == BALANCED or {"e03", "e05"} < {*draw.seats}


@pytest.mark.parametrize(
    ("direction", "trace"), [("first", 1 - 1 / 4), ("top", 4 - 25 / 12), ("bottom", 4 - 25 / 12)]
)
def test_equals_bring_the_information_of_the_formula(direction: str, trace: float) -> None:
    """1 - 1/n for the winner; n - H_n for all places: 4 - (1 + 1/2 + 1/3 + 1/4) = 4 - 25/12."""
    found = expected_information(np.zeros((3, 4)), direction, np.random.default_rng(0))
    assert np.trace(found, axis1=1, axis2=2) == pytest.approx([trace] * 3)
    assert found.sum(axis=2) == pytest.approx(np.zeros((3, 4)))


def test_a_table_across_the_boundary_tells_more_of_it() -> None:
    belief = Belief(np.array([2.0, 0.8, 0.3, -1.0, -2.0]), 0.2 * np.eye(5))
    boundary = boundary_of_top(belief, 2)
    found = {*zip(boundary.better.tolist(), boundary.worse.tolist(), strict=True)}
    assert found == {(better, worse) for better in (0, 1) for worse in (2, 3, 4)}
    tables = np.array([[1, 2], [0, 4], [3, 4]])
    gains = np.tile(np.array([[0.25, -0.25], [-0.25, 0.25]]), (3, 1, 1))
    wrong = wrong_orders(belief, boundary, tables, gains)
    now = wrong_orders(belief, boundary, tables, 0 * gains)
    assert wrong.argmin() == 0
    assert (wrong <= now + 1e-12).all()
    assert {*best_table(belief, boundary, 2, "top", np.random.default_rng(3)).tolist()} == {1, 2}
    pair = boundary_of_pair(belief, 0, 3)
    assert {0, 3} == {*best_table(belief, pair, 2, "top", np.random.default_rng(3)).tolist()}


def test_a_game_makes_its_own_pair_surer_as_bayes_has_it() -> None:
    """Two equals with variance 1: V^-1 + M has (1.25, -.25), so the gap's variance is 2 / 1.5."""
    belief = Belief(np.zeros(2), np.eye(2))
    after = belief.after(np.array([0, 1]), np.array([[0.25, -0.25], [-0.25, 0.25]])).covariance
    assert after[0, 0] + after[1, 1] - 2 * after[0, 1] == pytest.approx(2 / 1.5)


def test_the_tail_is_that_of_the_normal_law() -> None:
    tail = normal_tail(np.array([0.0, 1.0, 1.96, 40.0]))
    assert tail == pytest.approx([0.5, 0.158655, 0.024998, 0.0], abs=2e-4)
