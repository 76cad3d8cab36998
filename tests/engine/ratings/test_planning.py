"""The planner's numbers, worked by hand, and the rule of stopping early."""

from math import inf, log, sqrt

import numpy as np
import pytest

from engine.ratings.planning import (
    finals_needed,
    from_pilot,
    game_information,
    games_needed,
    mixture_bound,
    separation,
    smallest_gap,
    variance_of_equals,
)

HUNDRED = 100 * log(10) / 400  # Elo, in logits


@pytest.mark.parametrize(
    ("entrants", "table", "places", "wins"),
    [(2, 2, 95, 95), (10, 5, 157, 533), (20, 7, 204, 1050), (50, 7, 527, 2708)],
)
def test_games_for_a_hundred_elo(entrants: int, table: int, places: int, wins: int) -> None:
    assert games_needed(HUNDRED, entrants, table) == places
    assert games_needed(HUNDRED, entrants, table, "wins") == wins


def test_pairs_are_tables_of_two() -> None:
    assert games_needed(HUNDRED, 2, 2, "pairs") == 95
    with pytest.raises(ValueError, match="expected a table of 2 for the target 'pairs': 5"):
        games_needed(HUNDRED, 10, 5, "pairs")


def test_information_of_a_game_of_three() -> None:
    """Three choose one of three, then one of two: 1 - 1/3 + 1 - 1/2 = 3 - (1 + 1/2 + 1/3)."""
    assert game_information(3) == pytest.approx(7 / 6)
    assert game_information(3) == pytest.approx(3 - 11 / 6)
    assert game_information(3, "wins") == pytest.approx(2 / 3)


def test_the_formula_is_the_information_of_every_order_of_equals() -> None:
    """The variance of a gap is that of Plackett and Luce's likelihood, with tables dealt evenly.

    Of three at one table: each stage adds diag(p) - p p', so a game's information is 7/12 times the
    projection off the mean, and a contrast of two has the variance 2 * 12 / 7.
    """
    first = np.eye(3) / 3 - np.full((3, 3), 1 / 9)
    second = np.zeros((3, 3))
    for gone in range(3):
        here = np.ones(3)
        here[gone] = 0
        second += (np.diag(here) / 2 - np.outer(here, here) / 4) / 3
    contrast = np.array([1.0, -1.0, 0.0])
    variance = contrast @ np.linalg.pinv(first + second) @ contrast
    assert variance_of_equals(3, 3) == pytest.approx(variance)
    assert variance == pytest.approx(24 / 7)
    # A gap is shown at z_.975 + z_.8 = 2.8016 errors.
    assert (smallest_gap(1, variance, 1) / 2.80158) ** 2 == pytest.approx(variance, rel=1e-4)


def test_the_smallest_gap_is_the_formula_turned_round() -> None:
    variance = variance_of_equals(20, 7, "wins")
    gap = smallest_gap(1, variance, 10_000)
    assert games_needed(gap, 20, 7, "wins") == 10_000
    assert smallest_gap(1, variance, 40_000) == pytest.approx(gap / 2)


def test_a_pilot_as_precise_as_the_formula_says_the_same() -> None:
    # 50 games of the information 5 - H_5 for each of 10 at tables of 5.
    variance = 2 * 9 / (50 * (5 - 137 / 60))
    assert from_pilot(50, variance, HUNDRED) == games_needed(HUNDRED, 10, 5)
    assert from_pilot(50, 2 * variance, HUNDRED) == 314


def test_finals_for_an_effect_on_votes() -> None:
    """7.85 * .25 * (1 + 4 * .2) / (5 * .1^2) = 70.6 finals; jurors who vote alike count as one."""
    assert finals_needed(0.1, jurors=5) == 71
    assert finals_needed(0.1, jurors=5, icc=1.0) == finals_needed(0.1, jurors=1)


def test_the_bound_of_one_who_looks_at_any_time() -> None:
    """At the planned end 9/8 * log(9 / .0025) = 9.212, whose root is 3.035; early it is wider."""
    assert mixture_bound(40.0, 40.0) == pytest.approx(sqrt(9 / 8 * log(9 / 0.0025)))
    assert mixture_bound(1.0, 40.0) > mixture_bound(10.0, 40.0) > mixture_bound(40.0, 40.0)
    assert mixture_bound(0.0, 40.0) == inf


def test_an_interval_for_all_times() -> None:
    """With an error of 1/2 (information 4, an eighth of the 32 planned is 4): sqrt(2 log 800)."""
    reach = sqrt(2 * log(2 / 0.05**2)) / 2
    found = separation(gap=1.9, error=0.5, planned=32.0)
    assert (found.low, found.high) == pytest.approx((1.9 - reach, 1.9 + reach))
    assert reach == pytest.approx(1.828, abs=1e-3)
    assert found.apart
    assert separation(-1.9, 0.5, 32.0).apart
    assert not separation(1.8, 0.5, 32.0).apart
    assert separation(1.8, inf, 32.0) == separation(1.8, 0.0, 32.0) == (-inf, inf, False)


def test_peeking_declares_few_equals_different() -> None:
    """Of 2,000 random walks between equals, looked at 20 times, fewer than 5 % are ever apart."""
    steps = np.random.default_rng(5).normal(size=(2000, 20))
    information = np.arange(1, 21)
    z = steps.cumsum(axis=1) / np.sqrt(information)
    bounds = [mixture_bound(float(now), 20.0) for now in information]
    apart = (abs(z) > bounds).any(axis=1).mean()
    careless = (abs(z) > 1.96).any(axis=1).mean()
    assert apart < 0.03
    assert careless > 0.2


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ((0.0, 10, 5), "expected a gap above 0: 0.0"),
        ((float("nan"), 10, 5), "expected a gap above 0: nan"),
        ((0.5, 4, 5), "expected a table of 2 up to all entrants: 5 seats for 4 entrants"),
        ((0.5, 4, 1), "expected a table of 2 up to all entrants: 1 seats for 4 entrants"),
        ((0.5, 10, 5, "points"), "for points, play a pilot first"),
    ],
)
def test_what_cannot_be_planned(plan: tuple[float, int, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        games_needed(*plan)


def test_what_no_pilot_tells() -> None:
    with pytest.raises(ValueError, match=r"expected a variance above 0 from the pilot: 0\.0"):
        from_pilot(100, 0.0, 0.5)
    with pytest.raises(ValueError, match="expected one game or more: 0"):
        smallest_gap(100, 0.09, 0)
    with pytest.raises(ValueError, match=r"expected a planned information above 0: 0\.0"):
        mixture_bound(1.0, 0.0)
    with pytest.raises(ValueError, match="expected a juror or more: 0"):
        finals_needed(0.1, jurors=0)
    with pytest.raises(ValueError, match=r"expected an icc from -1 to 1: 2\.0"):
        finals_needed(0.1, jurors=5, icc=2.0)
