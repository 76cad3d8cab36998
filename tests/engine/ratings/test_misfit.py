"""Observed against expected wins: by hand, on true games, and on games of more than one scale."""

from math import exp
from typing import Any

import numpy as np
import pytest

from engine.ratings import Fit, Results, fit
from engine.ratings.misfit import WARNING, Counts, Discrepancy, Misfit, misfit
from tests.support.placements import deal_orders, told_orders

Rows = list[dict[str, Any]]


def duels(*scores: tuple[str, str, int, int]) -> Rows:
    """Return games of two: so many wins of the one, so many of the other."""
    orders = []
    for one, other, wins, losses in scores:
        orders += [f"{one} > {other}"] * wins + [f"{other} > {one}"] * losses
    return told_orders(*orders)


def rate(rows: Rows, target: str = "places", direction: str = "top") -> Fit:
    return fit(Results.from_rows(rows), target, direction)


def test_a_cycle_is_no_scale() -> None:
    """Each beats the next in 45 of 60: all are equal to the fit, so z is 15 / sqrt(60 / 4) = 3.873.

    Three pairs of z^2 = 15 and one degree of freedom: 45.
    """
    cycle = (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"))
    found = misfit(rate(duels(*((*pair, 45, 15) for pair in cycle))))
    paper, rock, scissors = range(3)
    surprise = found.met.wins[paper, rock] - found.met.expected[paper, rock]
    assert surprise / found.met.variance[paper, rock] ** 0.5 == pytest.approx(3.873, abs=1e-3)
    assert found.met.wins[paper, scissors] == 15
    assert found.met.expected[paper, scissors] == pytest.approx(30)
    assert found.whole.freedom == pytest.approx(1, abs=0.02)
    assert found.whole.ratio == pytest.approx(45, rel=0.02)
    assert found.warning == WARNING
    assert found.stages == ()


def test_a_pair_alone_fits() -> None:
    found = misfit(rate(duels(("a", "b", 30, 10))))
    assert found.met.expected[0, 1] == pytest.approx(30, abs=0.1)
    assert found.whole.freedom == pytest.approx(0, abs=0.01)
    assert found.warning == ""


def test_an_order_of_three_is_three_meetings() -> None:
    """Of a > b > c, a meets b and c at the first choice, and b meets c at the second."""
    rows = told_orders(*["a > b > c"] * 3, "c > a > b")
    rated = rate(rows)
    found = misfit(rated)
    gap = rated.skill[0] - rated.skill[2]
    assert (found.met.wins[0, 2], found.met.wins[2, 0]) == (3, 1)
    assert found.met.expected[0, 2] == pytest.approx(4 / (1 + exp(-gap)))
    assert [stage.pairs for stage in found.stages] == [3, 2]
    wins = misfit(rate(rows, "wins")).met.wins
    assert [wins[pair] + wins[pair[::-1]] for pair in ((0, 1), (0, 2), (1, 2))] == [3, 4, 1]


@pytest.mark.parametrize("direction", ["top", "bottom"])
def test_true_games_are_one_scale(direction: str) -> None:
    """Over twelve tournaments the mean of squared z is about 1, in all and at each stage."""
    ratios = []
    warnings = 0
    for seed in range(12):
        rows = deal_orders(entrants=10, table=4, games=120, spread=0.7, seed=seed)
        if direction == "bottom":
            rows = [row | {"place": 5 - row["place"]} for row in rows]
        found = misfit(rate(rows, direction=direction))
        ratios.append([found.whole.ratio, *(stage.ratio for stage in found.stages)])
        warnings += found.warning == WARNING
    assert warnings <= 1
    assert np.mean(ratios, axis=0) == pytest.approx([1.0] * 4, abs=0.15)


def test_skills_that_turn_over_late_in_a_game_are_no_scale() -> None:
    """The first out is by skill; who wins of the three that are left is by skill turned round."""
    rng = np.random.default_rng(2)
    skills = np.linspace(-1, 1, 6)
    rows: Rows = []
    for game in range(300):
        seated = rng.permutation(6)[:4]
        heard = skills[seated] + rng.gumbel(size=4)
        last = int(seated[heard.argmin()])
        rest = [int(each) for each in seated if each != last]
        late = -skills[rest] + rng.gumbel(size=3)
        for place, entrant in enumerate([*[rest[place] for place in (-late).argsort()], last], 1):
            rows.append({"game_id": f"g{game}", "entrant": f"e{entrant}", "place": place})
    found = misfit(rate(rows, direction="bottom"))
    assert found.warning == WARNING
    assert found.stages[0].ratio > 1.5


def test_a_covariate_that_was_fitted_is_expected() -> None:
    """The first seat is worth two logits: without the covariate that is no scale."""
    rng = np.random.default_rng(3)
    rows: Rows = []
    for game in range(400):
        seated = [("strong", "weak"), ("weak", "strong")][game % 4 == 0]
        first_wins = rng.random() < 1 / (1 + exp(-(2.0 + (0.8 if seated[0] == "strong" else -0.8))))
        for seat, entrant in enumerate(seated, 1):
            place = 1 if (seat == 1) == first_wins else 2
            rows.append({"game_id": f"g{game}", "seat": seat, "entrant": entrant, "place": place})
    results = Results.from_rows(rows)
    found = misfit(fit(results, covariates=["seat"]))
    assert found.met.expected[0, 1] == pytest.approx(found.met.wins[0, 1], abs=0.5)


def test_chance_of_a_sum() -> None:
    """Chi-square of 10 is 18.307 at .05 and 23.209 at .01 (Abramowitz and Stegun 1964, 26.8)."""
    assert Discrepancy(12, 18.307, 10.0).chance == pytest.approx(0.05, abs=0.001)
    assert Discrepancy(12, 23.209, 10.0).chance == pytest.approx(0.01, abs=0.001)
    # Half as many independent squares, of half the sum: 9.2365 of 5 is at .1.
    assert Discrepancy(12, 18.473, 10.0, alike=2.0).chance == pytest.approx(0.1, abs=0.002)
    nothing = Discrepancy(1, 4.0, 0.0)
    assert (nothing.ratio, nothing.chance) == (0.0, 1.0)


def test_a_warning_needs_more_than_chance() -> None:
    """Alone, 19 of 10 comes by chance in 4 of 100; among three looks that is nothing rare."""
    far, near = Discrepancy(12, 19.0, 10.0), Discrepancy(12, 10.0, 10.0)
    wide = Discrepancy(300, 140.0, 100.0)
    none = Counts(*np.zeros((3, 2, 2)))
    assert Misfit(none, far, ()).warning == WARNING
    assert Misfit(none, far, (near, near)).warning == ""
    assert Misfit(none, near, (near, Discrepancy(12, 40.0, 10.0))).warning == WARNING
    assert Misfit(none, wide, ()).warning == ""


def test_one_choice_among_eight_is_not_twenty_eight_independent_pairs() -> None:
    """With all at each table the 28 squares are a chi-square of 7, times 28 / 7."""
    found = misfit(rate(deal_orders(entrants=8, table=8, games=40, spread=0.0, seed=1), "wins"))
    assert found.whole.alike == pytest.approx(4.0)
    assert misfit(rate(duels(("a", "b", 5, 5), ("b", "c", 5, 5)))).whole.alike == 1.0


def test_points_are_refused() -> None:
    paid = [row | {"payoff": 1.0 / row["place"]} for row in duels(("a", "b", 3, 1))]
    with pytest.raises(ValueError, match="points expect no wins"):
        misfit(fit(Results.from_rows(paid), "points"))
