"""Comparing strategies by substitution: who sits where, and what follows from the scores."""

from math import isnan

import pytest

from engine.games.conversation.strategies import STRATEGIES
from engine.report.statistics import Estimate
from labs.conversation import substitution
from labs.conversation.contests import Tournament, group_results


def test_seatings() -> None:
    seated = substitution.seatings(("a", "b", "c"), 5, 1, start=1)
    tables = {(table.subject, table.company): table.seats for table in seated}
    assert tables["a", ""] == ("a", "a", "a", "a", "random")
    assert tables["b", "a"] == ("b", "a", "a", "a", "random")
    assert tables["", substitution.RING] == ("b", "c", "a", "b", "random")
    assert tables["b", substitution.RING] == ("silent", "c", "a", "silent", "random")
    assert len(tables) == 3 + 6 + 1 + 3


def test_where_all_talk_at_random_there_is_nothing_to_compare() -> None:
    assert substitution.seatings(("a", "b"), 2, 2) == []


def test_changes_are_paired() -> None:
    # Deals differ, the change does not.
    assert substitution.change_of((1.0, 5.0), (0.0, 4.0)) == Estimate(1.0, 0.0)
    # 0, 2 and 4: mean 2, variance 4, error (4 / 3) ** 0.5
    mean, error = substitution.change_of((0.0, 3.0, 6.0), (0.0, 1.0, 2.0))
    assert mean == 2.0
    assert error == pytest.approx((4 / 3) ** 0.5)
    for few in ((), (2.0,)):
        assert substitution.change_of(few, few).mean == 0.0
        assert isnan(substitution.change_of(few, few).error)


def test_a_seat_that_plays_as_its_company_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(STRATEGIES, "twin", STRATEGIES["greedy"])
    names = ("greedy", "twin")
    terms = {"strategies": names, "settings": "5/10/20/20", "randoms": "0,1", "games": 2}
    study = Tournament.model_validate(terms)
    tasks = study.tasks()
    scores, _, _ = group_results(tasks, [study.work(task) for task in tasks])
    for row in substitution.compare_by_substitution(names, scores):
        assert (row.shared.mean, row.own.mean) == (0.0, 0.0)


def test_standings() -> None:
    results = {
        ("a", ""): [(1.0, 1.5), (2.0, 2.5)],
        ("b", ""): [(0.5, 0.75), (0.5, 0.75)],
        ("a", "b"): [(0.75, 1.0), (0.75, 1.5)],
        ("b", "a"): [(0.5, 0.5), (1.0, 1.0)],
        ("", substitution.RING): [(1.0, 1.0), (1.0, 1.0)],
        ("a", substitution.RING): [(0.25, 0.0), (0.25, 0.0)],
        ("b", substitution.RING): [(1.5, 0.0), (1.5, 0.0)],
    }
    first, second = substitution.compare_by_substitution(("b", "a"), results)
    assert (first.name, first.self_play) == ("a", (1.5, 0.5))
    assert (first.shared, first.worst) == ((0.25, 0.0), 0.25)
    assert first.own == (0.5, 0.25)  # 0.25 and 0.75
    assert first.ring == (0.75, 0.0)
    assert (second.shared, second.ring.mean) == ((-0.75, 0.25), -0.5)  # -0.5 and -1.0


def test_sixteen_settings_can_be_played() -> None:
    assert len(set(substitution.SETTINGS)) == 16
    assert all(setting.subjects >= 2 for setting in substitution.SETTINGS)
