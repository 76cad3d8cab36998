"""Turning points: by hand-made numbers, and of games that are played."""

from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.report.turning_points import (
    TurningPoint,
    changes_of_lead,
    closest_vote,
    largest_step,
    leader_of,
)
from engine.views.perspective import PUBLIC, Shown
from tests.support.histories import small_history
from tests.support.tables import config_for


def standing(index: int, **points: float) -> tuple[int, dict[str, float]]:
    return index, points


def test_the_largest_change_of_lead_counts_both_sides() -> None:
    """Ben gains 3 + 1 on Ada at 5; Ada gains 1 + 2 on Ben at 9."""
    found = changes_of_lead(
        [standing(2, Ada=5, Ben=2), standing(5, Ada=5, Ben=6), standing(9, Ada=9, Ben=7)]
    )
    text = "Ben passes Ada: 3 points behind before, 1 ahead after"
    assert [*found] == [TurningPoint(5, "Largest change of lead", text)]


@pytest.mark.parametrize(
    "standings",
    [
        [],
        [standing(1, Ada=1, Ben=0)],
        [standing(1, Ada=1, Ben=0), standing(2, Ada=2, Ben=1)],
        [standing(1, Ada=1, Ben=1), standing(2, Ada=2, Ben=1)],
        # The leader left, so nobody passed it.
        [standing(1, Ada=5, Ben=1), standing(2, Ben=3, Cleo=2)],
    ],
)
def test_a_lead_that_nobody_lost_is_no_turning_point(standings: Any) -> None:
    assert [*changes_of_lead(standings)] == []


def test_a_tie_between_two_leads_is_passed_over() -> None:
    """Ben is 1 behind, level, then 2 ahead."""
    ((index, _, text),) = changes_of_lead(
        [standing(1, Ada=3, Ben=2), standing(4, Ada=4, Ben=4), standing(7, Ada=5, Ben=7)]
    )
    assert (index, text) == (7, "Ben passes Ada: 1 points behind before, 2 ahead after")
    assert leader_of({"Ada": 4, "Ben": 4}) == leader_of({}) == ""


def test_the_closest_vote_is_the_latest_of_the_smallest_margins() -> None:
    ballots = [standing(3, Ada=4, Ben=1), standing(8, Ben=2, Cleo=2), standing(12, Cleo=1, Ada=1)]
    text = "1 for Cleo, 1 for Ada"
    assert [*closest_vote(ballots)] == [TurningPoint(12, "Closest vote", text)]
    assert [*closest_vote([standing(3, Ada=2)])] == []


def test_the_largest_step_of_a_curve_may_fall() -> None:
    curve = [(1, 0.2), (4, 0.5), (7, 0.1), (9, 0.5)]
    text = "trust falls from 0.50 to 0.10"
    assert [*largest_step(curve, "trust")] == [TurningPoint(7, "Largest step of trust", text)]
    assert [*largest_step([(1, 0.2), (4, 0.2)], "trust")] == []


@pytest.mark.parametrize(
    ("game", "kind", "seed"),
    [
        ("conversation", "speech", 2),
        ("deliberations", "result", 7),
        ("dilemma", "standing", 2),
        ("guest", "step", 2),
        ("talks", "utterance", 7),
    ],
)
def test_a_game_turns_at_an_event_of_its_log(game: str, kind: str, seed: int) -> None:
    history = GameEngine(config_for(game, seed=seed)).run()
    shown = Shown(game=GAMES[game])
    (point,) = shown.turns_of(history)
    event = history.events[point.event]
    assert (event.index, event.kind) == (point.event, kind)
    heading = shown.report_of(history)[-1]
    assert (point.label, f"{point.text} (event {point.event})") in heading.facts  # type: ignore[union-attr]
    # It rests on votes and points that not every player sees.
    assert Shown(PUBLIC, game=GAMES[game]).turns_of(history) == []
    history.outcome = None
    assert shown.turns_of(history) == []


@pytest.mark.parametrize("game", [*GAMES])
def test_a_log_of_another_game_has_no_turning_points(game: str) -> None:
    assert Shown(game=GAMES[game]).turns_of(small_history()) == []
