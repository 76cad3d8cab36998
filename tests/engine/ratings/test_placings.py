"""Chances to be the best and among the best: hand-computed, and calibrated on simulated games."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from engine.ratings import Fit, Results, fit
from engine.ratings.placings import placing_chances
from tests.support.planted.bests import chances_to_be_best, play_known


def known(skill: list[float], covariance: list[list[float]]) -> Fit:
    """Return a fit of so many entrants with these skills and errors."""
    rows = []
    for game in range(8):
        for place, entrant in enumerate("abcdef"[: len(skill)]):
            rows.append({"game_id": str(game), "entrant": entrant, "place": 1 + (game + place) % 2})
    found = fit(Results.from_rows(rows), min_games=1)
    errors = np.array(covariance)
    return replace(found, skill=np.array(skill), hessian=errors, sandwich=errors, phi=1.0)


def test_of_two_the_chance_is_the_normal_one() -> None:
    """Skills 0 and 3, errors of variance 1: of each deviation s there, s^2 / (s^2 + 1) stays."""
    seen = 3 / 2**0.5
    chance = weight = 0.0
    for step in range(40_000):
        variance = (4 * (seen**2 + 1) ** 0.5 * (step + 0.5) / 40_000) ** 2
        likely = NormalDist(0, (variance + 1) ** 0.5).pdf(seen)
        kept = variance / (variance + 1)
        chance += likely * NormalDist().cdf(kept * seen / kept**0.5)
        weight += likely
    found = placing_chances(known([0, 3], [[1, 0], [0, 1]]), 1)
    assert found["b"] == pytest.approx(chance / weight, abs=0.01)


def test_equals_have_equal_chances() -> None:
    found = placing_chances(known([1, 1, 1, 1], (4 * np.eye(4)).tolist()), 1)
    assert [*found.values()] == pytest.approx([0.25] * 4, abs=0.02)


def test_who_is_known_exactly_is_best_for_sure() -> None:
    found = placing_chances(known([0, 1, 2], np.zeros((3, 3)).tolist()), 1)
    assert [*found.values()] == [0, 0, 1]


def test_the_common_level_of_errors_tells_nothing() -> None:
    level = np.full((3, 3), 50.0)
    alone = placing_chances(known([0, 1, 2], np.eye(3).tolist()), 1)
    shared = placing_chances(known([0, 1, 2], (np.eye(3) + level).tolist()), 1)
    assert [*shared.values()] == pytest.approx([*alone.values()], abs=0.02)


def test_chances_add_up_to_the_places_there_are() -> None:
    for turn in range(5):
        found = fit(play_known(turn)[0], min_games=1)
        assert sum(placing_chances(found, 1).values()) == pytest.approx(1)
        assert sum(placing_chances(found, 3).values()) == pytest.approx(3)
        assert placing_chances(found, 1, seed=turn) == placing_chances(found, 1, seed=turn)


def test_chances_are_as_often_true_as_they_say() -> None:
    """In 600 tournaments, for chances below .2, up to .5, and above."""
    told = [each for turn in range(600) for each in chances_to_be_best(turn)]
    shares, best = np.array([share for share, _ in told]), np.array([hit for _, hit in told])
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 1.01)):
        inside = (shares >= low) & (shares < high)
        assert inside.sum() > 100
        assert shares[inside].mean() == pytest.approx(best[inside].mean(), abs=0.05)
