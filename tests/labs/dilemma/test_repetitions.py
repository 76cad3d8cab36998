"""Repeated round robins: ranks, their intervals and deviations, by hand where they can be."""

from math import isnan

import pytest

from engine.games.dilemma.monitor import AGENTS
from engine.games.dilemma.results import payoff_matrix
from labs.dilemma import repetitions

SURE = ["defector", "cooperator", "tit_for_tat"]


def test_what_draws_nothing_has_no_interval_and_no_deviation() -> None:
    """Six moves a game, three repetitions: defector 48 of 12 moves, tit for tat 21, cooperator 18,
    each time."""
    rows = repetitions.standings(repetitions.repeat((0, 0), (2, 2), SURE, 3))
    assert [tuple(row) for row in rows] == [
        ("defector", 1, 1, 1, 4.0, 0.0, 0.0, 6, 0),
        ("tit_for_tat", 2, 2, 2, 1.75, 0.0, 0.75, 0, 0),
        ("cooperator", 3, 3, 3, 1.5, 0.0, 1.0, 0, 0),
    ]


def test_ranks_share_ties() -> None:
    ranks = repetitions.ranks_of([{"a": 1, "b": 5, "c": 3}, {"a": 4, "b": 0, "c": 9}])
    assert ranks == {"a": 2, "b": 2, "c": 1}


def test_intervals_hold_the_middle_of_the_resamples() -> None:
    """Of two repetitions each wins one: a quarter of the resamples has it first alone, a quarter
    second, else a tie."""
    rounds = repetitions.repeat((0, 0), (20, 20), ["coin", "random"], 40)
    first = next(one for one in rounds if one.scores["coin"] > one.scores["random"])
    second = next(one for one in rounds if one.scores["coin"] < one.scores["random"])
    assert repetitions.rank_intervals([first, second]) == {"coin": (1, 2), "random": (1, 2)}
    assert repetitions.rank_intervals([first, first]) == {"coin": (1, 1), "random": (2, 2)}


def test_repetitions_differ_and_the_same_seed_repeats_them() -> None:
    once = repetitions.repeat((0.1, 0), (5, 9), ["coin", "stoc", "gradual"], 4, seed=2)
    assert once == repetitions.repeat((0.1, 0), (5, 9), ["coin", "stoc", "gradual"], 4, seed=2)
    assert len({one.games for one in once}) == 4
    assert all(not one.faults["coin"] for one in once)
    told = "expected repetitions to be a whole number of at least 1: 0"
    with pytest.raises(ValueError, match=told):
        repetitions.repeat((0, 0), (1, 1), SURE, 0)


def test_spread_by_hand() -> None:
    """(1 + 2 + 6) / 3 = 3; ((-2)^2 + (-1)^2 + 3^2) / 2 = 7."""
    assert tuple(repetitions.spread_of([1, 2, 6])) == pytest.approx((3, 7**0.5))
    alone = repetitions.spread_of([4])
    assert alone.mean == 4
    assert isnan(alone.deviation)
    rounds = repetitions.repeat((0.2, 0), (4, 4), SURE, 5)
    cells = [payoff_matrix(one.games)["cooperator", "defector"] for one in rounds]
    assert repetitions.payoff_spreads(rounds)["cooperator", "defector"] == repetitions.spread_of(
        cells
    )


def test_all_agents_are_ranked() -> None:
    rows = repetitions.standings(repetitions.repeat((0.05, 0), (6, 9), AGENTS, 3), resamples=100)
    assert {row.name for row in rows} == set(AGENTS)
    assert all(1 <= row.low <= row.high <= len(AGENTS) for row in rows)
    assert all(0 <= row.cooperation <= 1 for row in rows)
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)
