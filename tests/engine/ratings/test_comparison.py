"""Pairs, their adjusted chances, and ranks: fits made by hand, against published quantiles."""

import numpy as np
import pytest

from engine.ratings import Results, compare, fit, pair_errors
from engine.ratings.comparison import chances_of, false_discovery, step_down
from engine.ratings.intervals import NORMAL
from tests.support.placements import deal_orders, independent_fit


def test_one_pair_is_a_plain_test() -> None:
    """3 apart with variances of 1 is z = 3 / sqrt(2) = 2.1213, whose two-sided chance is .0339."""
    comparison = compare(independent_fit([3.0, 0.0]))
    [pair] = comparison.pairs
    assert (pair.entrant, pair.other, pair.gap) == ("a", "b", 3.0)
    assert pair.z == pytest.approx(2.1213, abs=1e-4)
    assert pair.p == pair.q == pytest.approx(0.0339, abs=1e-4)
    assert pair.p_adjusted == pytest.approx(pair.p, abs=0.01)
    assert comparison.critical == pytest.approx(1.96, abs=0.07)
    assert pair.low == pytest.approx(3 - 1.96 * 2**0.5, abs=1e-3)
    assert pair.high == pytest.approx(3 + 1.96 * 2**0.5, abs=1e-3)


@pytest.mark.parametrize(("entrants", "critical"), [(3, 2.344), (10, 3.164)])
def test_all_pairs_of_equals(entrants: int, critical: float) -> None:
    """The greatest |z| is the studentized range / sqrt(2); quantiles are SciPy's 1.17."""
    comparison = compare(independent_fit([0.0] * entrants))
    assert comparison.critical == pytest.approx(critical, abs=0.06)
    assert len(comparison.pairs) == entrants * (entrants - 1) / 2
    assert {*comparison.ranks.values()} == {(1, entrants)}
    assert all(pair.p_adjusted == 1.0 for pair in comparison.pairs)


@pytest.mark.parametrize(("others", "critical"), [(2, 2.212), (5, 2.511), (9, 2.686)])
def test_all_against_one(others: int, critical: float) -> None:
    """Against one, the greatest |z| is Dunnett's 1964: two-sided .05, no end of games."""
    comparison = compare(independent_fit([0.0] * (others + 1)), against="c")
    assert comparison.critical == pytest.approx(critical, abs=0.06)
    assert [pair.other for pair in comparison.pairs] == ["c"] * others
    assert comparison.ranks == {}


def test_against_one_who_is_better_is_below_zero() -> None:
    pairs = compare(independent_fit([0.0, 2.0, 1.0]), against="c").pairs
    assert [(pair.entrant, pair.gap) for pair in pairs] == [("b", 1.0), ("a", -1.0)]


@pytest.mark.parametrize(
    ("skill", "variance", "ranks"),
    [
        ([9.0, 0.5, 0.0, -9.0], 0.5, [(1, 1), (2, 3), (2, 3), (4, 4)]),
        # With an error of 2 a pair, 6 apart is z = 3, above 2.34, and 3 apart is 1.5.
        ([3.0, 0.0, -3.0], 2.0, [(1, 2), (1, 3), (2, 3)]),
    ],
)
def test_ranks_are_shared_by_those_that_may_be_equal(
    skill: list[float], variance: float, ranks: list[tuple[int, int]]
) -> None:
    assert compare(independent_fit(skill, variance)).ranks == dict(zip("abcd", ranks, strict=False))


def test_who_has_few_games_has_no_rank_unless_all_have_few() -> None:
    comparison = compare(independent_fit([9.0, 0.0, -9.0], games=[5, 20, 20]))
    assert comparison.ranks == {"b": (1, 1), "c": (2, 2)}
    assert len(comparison.pairs) == 3
    assert compare(independent_fit([9.0, -9.0], games=[5, 5])).ranks == {"a": (1, 1), "b": (2, 2)}


def test_parts_that_never_met_are_not_compared() -> None:
    parts = (frozenset("ab"), frozenset("cd"))
    comparison = compare(independent_fit([9.0, -9.0, 0.0, 0.0], parts=parts))
    assert [(pair.entrant, pair.other) for pair in comparison.pairs] == [("a", "b"), ("c", "d")]
    assert comparison.ranks == {"a": (1, 1), "b": (2, 2), "c": (1, 2), "d": (1, 2)}


def test_an_entrant_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="expected one of the entrants to compare with, a, b: 'z'"):
        compare(independent_fit([1.0, 0.0]), against="z")


def test_chances_step_down() -> None:
    """Of independent pairs the farthest is judged among three, the next among two, the last alone.

    1 - (1 - p)^n with p = .0455, .0719 and .0027: .0027 is .0081 of three, .0455 is .0889 of two.
    """
    first, second = np.array([0, 2, 4]), np.array([1, 3, 5])
    adjusted, critical = step_down(np.array([-2.0, 3.0, 1.8]), np.eye(6), first, second, seed=0)
    assert adjusted == pytest.approx([0.0889, 0.0081, 0.0889], abs=0.012)
    assert adjusted[2] >= adjusted[0]
    assert critical == pytest.approx(2.388, abs=0.07)
    assert adjusted.min() >= 1 / 4001


def test_who_is_apart_by_max_t_has_a_small_adjusted_chance() -> None:
    """Stepping down tells apart all that one step does, and here more."""
    comparison = compare(independent_fit([*np.linspace(0, 12, 16)]))
    at_once = {pair for pair in comparison.pairs if abs(pair.z) > comparison.critical}
    assert at_once < {pair for pair in comparison.pairs if pair.is_apart} < {*comparison.pairs}
    assert all(pair.p <= pair.p_adjusted for pair in comparison.pairs if pair.p > 0.001)


@pytest.mark.parametrize(("unranked", "judged"), [("a", "bc"), ("b", "ac"), ("c", "ab")])
def test_who_has_no_rank_is_in_no_family(unranked: str, judged: str) -> None:
    """Two of three are left: their pair is judged alone, be the third better or worse."""
    games = [5 if name == unranked else 20 for name in "abc"]
    comparison = compare(independent_fit([6.0, 3.0, 0.0], games=games))
    assert comparison.critical == pytest.approx(1.96, abs=0.07)
    chances = {pair.entrant + pair.other: pair.p_adjusted for pair in comparison.pairs}
    assert chances.pop(judged) < 0.05
    assert np.isnan([*chances.values()]).all()


def test_false_discovery_in_the_paper_that_began_it() -> None:
    """Benjamini and Hochberg 1995, 4.1: of these fifteen the first four are below .05."""
    p = [.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240]  # fmt: skip
    p += [.4262, .5719, .6528, .7590, 1.0]  # fmt: skip
    q = false_discovery(np.array(p[::-1]))[::-1]
    # By hand: .0095 * 15 / 4, .0201 * 15 / 5, and .0278 * 15 / 6 = .0695 gives way to a later
    # .0298 * 15 / 7 = .0639.
    assert q[3:6] == pytest.approx([0.035625, 0.0603, 0.0638571], abs=1e-6)
    assert (q < 0.05).sum() == 4


def test_chances_are_those_of_the_normal() -> None:
    assert chances_of(np.array([0.0, -1.959964, 2.575829])) == pytest.approx([1.0, 0.05, 0.01])


def paid_rows(games: int) -> list[dict[str, object]]:
    """Return games in which a has always 3 and b always 1."""
    rows: list[dict[str, object]] = []
    for game in range(games):
        rows.append({"game_id": f"g{game}", "entrant": "a", "payoff": 3.0})
        rows.append({"game_id": f"g{game}", "entrant": "b", "payoff": 1.0})
    return rows


def test_payoffs_that_never_vary_are_surely_apart_but_not_after_one_game() -> None:
    """Scripts may pay the same each time; one game cannot show that they do."""
    often = compare(fit(Results.from_rows(paid_rows(30)), "points"))
    assert often.pairs[0].z == np.inf
    assert often.pairs[0].p_adjusted < 0.001
    assert often.ranks == {"a": (1, 1), "b": (2, 2)}
    once = compare(fit(Results.from_rows(paid_rows(1)), "points"))
    assert np.isnan(once.pairs[0].p_adjusted)
    assert once.ranks == {}


def test_a_fit_of_games_is_compared_by_the_rule_of_intervals() -> None:
    rated = fit(Results.from_rows(deal_orders(entrants=6, table=4, games=120, spread=0.8, seed=3)))
    comparison = compare(rated)
    errors = pair_errors(rated)
    number = {name: place for place, name in enumerate(rated.entrants)}
    for pair in comparison.pairs:
        one, other = number[pair.entrant], number[pair.other]
        error = (pair.high - pair.low) / (2 * NORMAL)
        assert error == pytest.approx(errors[one, other])
        assert pair.gap == rated.skill[one] - rated.skill[other] >= 0
    assert comparison == compare(rated)
    assert comparison.critical != compare(rated, seed=1).critical


def test_rows_in_any_order_are_the_same_comparison() -> None:
    rows = deal_orders(entrants=5, table=3, games=60, spread=0.5, seed=4)
    one = compare(fit(Results.from_rows(rows)))
    assert one == compare(fit(Results.from_rows(rows[::-1])))
