"""Prediction: log loss of held-out games, by the fit, by Elo and by equal chances."""

from math import exp, log

import numpy as np
import pytest

from engine.ratings import Results, fit
from engine.ratings.prediction import STEP, Prediction, elo_skills, prediction_of
from engine.ratings.scales import ELO
from tests.support.narrowing import not_none
from tests.support.placements import deal_orders, told_orders
from tests.support.tournaments.rated import game_rows


def dealt(games: int = 200, spread: float = 1.0) -> Results:
    return Results.from_rows(deal_orders(6, 3, games, spread, seed=3))


def predicted(
    results: Results, target: str = "places", direction: str = "top"
) -> Prediction | None:
    return prediction_of(fit(results, target, direction))


def elo(*games: str, target: str = "places", direction: str = "top") -> list[float]:
    """Return Elo after all games, as a fold that has none of them sees it."""
    results = Results.from_rows(told_orders(*games))
    fold = np.zeros(len(results.game), np.int64)
    return list(elo_skills(results, target, direction, fold)[1] * ELO.factor)


def test_of_equal_chances_an_order_of_three_loses_log_6() -> None:
    found = not_none(predicted(dealt()))
    assert found.uniform == pytest.approx(log(6))
    assert found.games == 200
    assert not_none(predicted(dealt(), "wins")).uniform == pytest.approx(log(3))


@pytest.mark.parametrize("direction", ["top", "bottom"])
def test_where_skills_differ_the_fit_and_elo_beat_equal_chances(direction: str) -> None:
    found = not_none(predicted(dealt(), "places", direction))
    assert found.fitted < found.elo < found.uniform


def test_where_all_are_equal_nothing_predicts_better() -> None:
    found = not_none(predicted(dealt(60, 0.0)))
    assert min(found.fitted, found.elo) > found.uniform - 0.01


def test_a_game_is_predicted_without_itself_and_its_block() -> None:
    """Games of one block agree fully; from other blocks nothing is known of the two."""
    rows = []
    for number in range(40):
        pair = number // 4
        rows += game_rows(number, (f"p{pair}", 1), (f"q{pair}", 2), block=f"b{pair:02}")
    blocked = not_none(predicted(Results.from_rows(rows)))
    assert blocked.fitted == pytest.approx(log(2))
    assert blocked.elo == pytest.approx(log(2))
    alone = predicted(Results.from_rows([row | {"block": None} for row in rows]))
    assert not_none(alone).fitted < 0.5 * log(2)


def test_elo_by_hand() -> None:
    """16 points for the first win of equals; then 32 (1 - 1 / (1 + 10^(-32/400))) for the next."""
    first, second = elo("a > b")
    assert (first, second) == pytest.approx((16.0, -16.0))
    after = 16 + 32 * (1 - 1 / (1 + 10 ** (-32 / 400)))
    assert elo("a > b", "a > b") == pytest.approx([after, -after])
    assert elo("a = b") == pytest.approx([0.0, 0.0])
    # Each pair of a table of three counts half.
    assert elo("a > b > c") == pytest.approx([16.0, 0.0, -16.0])
    assert elo("a > b > c", direction="bottom") == pytest.approx([16.0, 0.0, -16.0])
    assert elo("a > b > c", target="wins") == pytest.approx([16.0, -8.0, -8.0])
    # Neither of two that lost beat the other: each meets the winner alone.
    after_two = elo("b > c", "a > b > c", target="wins")
    b, c = (16 / (1 + 10 ** (-lead / 400)) for lead in (16, -16))
    assert after_two == pytest.approx([16.0, 16 - b, -16 - c])
    assert pytest.approx(32 * log(10) / 400) == STEP


def test_elo_of_a_fold_has_none_of_its_games() -> None:
    results = Results.from_rows(told_orders("a > b", "b > a"))
    skills = elo_skills(results, "places", "top", np.array([0, 0, 1, 1])) * ELO.factor
    assert skills[0] == pytest.approx([-16.0, 16.0])
    assert skills[1] == pytest.approx([16.0, -16.0])
    assert abs(skills[2][0]) < 2


def test_few_blocks_and_payoffs_have_no_prediction() -> None:
    assert predicted(dealt(9)) is None
    assert predicted(dealt(10)) is not None
    paid = [row | {"payoff": 1.0} for row in deal_orders(6, 3, 20, 1.0, seed=3)]
    assert predicted(Results.from_rows(paid), "points") is None


def test_a_duel_that_is_foreseen_loses_little() -> None:
    rows = [row for number in range(50) for row in game_rows(number, ("a", 1), ("b", 2))]
    found = not_none(predicted(Results.from_rows(rows), "pairs"))
    assert exp(-found.fitted) > 0.97
