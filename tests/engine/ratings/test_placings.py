"""Chances to be the best and among the best: hand-computed, and calibrated on simulated games."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from engine.ratings import Fit, Results, fit
from engine.ratings.placings import placing_chances, shrunken_skills


def games_of(turn: int, entrants: int, games: int) -> tuple[Results, list[str]]:
    """Return games of pairs by Bradley and Terry, and the entrants from the best on."""
    rng = np.random.default_rng(turn)
    skill = rng.normal(0, 1, entrants)
    rows = []
    for game in range(games):
        seated = rng.permutation(entrants)[:2]
        worth = skill[seated] + rng.gumbel(size=2)
        for entrant, place in zip(
            seated.tolist(), (1 + (worth < worth[::-1])).tolist(), strict=True
        ):
            rows.append({"game_id": str(game), "entrant": f"e{entrant}", "place": place})
    return Results.from_rows(rows), [f"e{place}" for place in np.argsort(-skill)]


def fit_of(turn: int) -> Fit:
    return fit(games_of(turn, 4, 60)[0], min_games=1)


def test_skills_move_towards_their_mean_as_their_errors_say() -> None:
    """Variance 4 of -2, 0, 2, of which errors of variance 1 explain 1: three quarters stay."""
    mean, covariance = shrunken_skills(np.array([8.0, 10.0, 12.0]), np.eye(3))
    assert mean == pytest.approx([8.5, 10, 11.5])
    assert covariance == pytest.approx(0.75 * np.eye(3))


def test_of_two_the_chance_is_the_normal_one() -> None:
    """Skills 0 and 3, errors of variance 1: 4.5 - 1 is the population's variance, 7/9 stays."""
    two = Results.from_rows(
        [
            {"game_id": str(game), "entrant": entrant, "place": place}
            for game in range(8)
            for entrant, place in (("a", 1 + game % 2), ("b", 2 - game % 2))
        ]
    )
    known = replace(fit(two, min_games=1), skill=np.array([0.0, 3.0]), covariance=np.eye(2))
    chance = NormalDist().cdf(3 * 7 / 9 / (2 * 7 / 9) ** 0.5)
    assert placing_chances(known, 1)["b"] == pytest.approx(chance, abs=0.01)


def test_chances_add_up_to_the_places_there_are() -> None:
    for turn in range(5):
        found = fit_of(turn)
        assert sum(placing_chances(found, 1).values()) == pytest.approx(1)
        assert sum(placing_chances(found, 3).values()) == pytest.approx(3)
        assert placing_chances(found, 1, seed=turn) == placing_chances(found, 1, seed=turn)


def test_chances_are_as_often_true_as_they_say() -> None:
    """In 300 tournaments, for chances below .2, up to .5, and above."""
    chances, hits = [], []
    for turn in range(300):
        results, order = games_of(turn, 6, 60)
        for entrant, chance in placing_chances(fit(results, min_games=1), 1, turn).items():
            chances.append(chance)
            hits.append(entrant == order[0])
    shares, best = np.array(chances), np.array(hits)
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 1.01)):
        inside = (shares >= low) & (shares < high)
        assert inside.sum() > 100
        assert shares[inside].mean() == pytest.approx(best[inside].mean(), abs=0.06)
