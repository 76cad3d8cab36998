"""The table of many games: means over deals with their errors, and what they rest on."""

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest

from engine.history import Outcome
from engine.report.averages import Average, Averages, average_of
from engine.report.tables import Sentence, Table
from engine.runs.results import GameResult, SeatResult, result_of
from engine.runs.rotation import Spot
from engine.runs.summary import BatchSummary, summarise_games, summary_blocks, summary_data
from tests.support.histories import small_history
from tests.support.narrowing import instance, not_none

ADA = SeatResult(
    player="Ada", provider="openai", model="m", seat=0, place=1, score=1.0, asked=10, answered=10,
    fallbacks=0, tokens=100, dollars=0.25, seconds=1.5, figures={"own": 1.0},
)  # fmt: skip


def game(number: int, deal: int, score: float, place: int = 1, **more: Any) -> GameResult:
    """Return a finished game of Ada alone; its seed is its deal's."""
    seat = replace(ADA, score=score, place=place, figures={"own": 2 * score})
    told = {"status": "finished", "seats": (seat,), "shared": {"all": 10 * score}} | more
    return GameResult(Spot(number, deal, 0), f"game_{number}", deal, **told)


def shown(summary: BatchSummary) -> tuple[Table, Table, str]:
    """Return the two tables of a summary, and the sentences under them."""
    table, took, sentence = summary_blocks(summary, None)
    return instance(table, Table), instance(took, Table), instance(sentence, Sentence).text


def test_a_mean_is_taken_over_deals_and_so_is_its_error() -> None:
    """Deals of 1 and 3, of 4 and 6, and of 9: their means are 2, 5 and 9.

    Mean (2 + 5 + 9) / 3 = 16/3. Squares about it: (10/3)^2 + (1/3)^2 + (11/3)^2 = 222/9. The error
    is sqrt(222/9 / 2 / 3) = sqrt(37/9) = 2.0276. Taken for five samples they would have an error
    of sqrt((3.6^2 + 1.6^2 + 0.6^2 + 1.4^2 + 4.4^2) / 5 / 4) = 1.3638, which is too small.
    """
    values = [(0, 1.0), (0, 3.0), (1, 4.0), (1, 6.0), (2, 9.0)]
    average = average_of(values)
    assert not_none(average)[:2] == pytest.approx((16 / 3, sqrt(37) / 3))
    games = [game(number, deal, score) for number, (deal, score) in enumerate(values)]
    (player,) = summarise_games(games).players
    assert player.score == average
    assert player.games == 5


def test_one_deal_has_no_error_and_none_is_shown() -> None:
    assert average_of([(4, 1.0), (4, 3.0)]) == Average(2.0, None)
    assert average_of([]) is None
    summary = summarise_games([game(0, 4, 1.0), game(1, 4, 3.0, place=2)])
    table, _, text = shown(summary)
    assert table.columns == ("player", "score", "place", "games", "void", "answered", "fallbacks")
    assert table.rows == (("Ada", 2.0, 1.5, 2, 0, "100 %", 0),)
    told = "All games share one deal, so no mean has a standard error: play more deals."
    assert text == f"2 games: 2 finished.\n{told}"
    assert summary_data(summary)["players"][0]["score"] == {"mean": 2.0, "error": None}


def test_two_deals_have_errors_of_score_and_place() -> None:
    """Scores 1 and 4: error sqrt(4.5 / 2) = 1.5. Places 1 and 2: sqrt(.5 / 2) = .5."""
    table, took, text = shown(summarise_games([game(0, 0, 1.0), game(1, 1, 4.0, place=2)]))
    assert table.columns[:6] == ("player", "score", "±", "place", "±", "games")
    assert table.rows == (("Ada", 2.5, 1.5, 1.5, 0.5, 2, 0, "100 %", 0),)
    assert took.rows == (("Ada", "openai:m", 200, "$0.5000", 3.0),)
    assert text.endswith("± is the standard error of a mean over 2 deals.")


def test_void_games_are_left_out_and_named_unless_they_are_to_count() -> None:
    """Ada answered 3 of 20 in the void game: 23 of 40 in all, 57.5 %."""
    lost = replace(ADA, score=9.0, asked=20, answered=3, fallbacks=17, figures={"own": 18.0})
    games = [game(0, 0, 1.0, seats=(replace(ADA, asked=20, answered=20),))]
    games.append(game(1, 1, 9.0, void="void: Ada answered 3 of 20", seats=(lost,)))
    summary = summarise_games(games)
    table, _, text = shown(summary)
    assert table.rows == (("Ada", 1.0, 1.0, 1, 1, "57.5 %", 17),)
    left_out = "1 void, left out of the means (--include-void counts them)"
    assert f"{left_out}: game_1 (Ada answered 3 of 20)." in text
    assert summary.averages.own["own"]["Ada"] == Average(1.0, None)

    table, _, text = shown(summarise_games(games, include_void=True))
    assert table.rows == (("Ada", 5.0, 4.0, 1.0, 0.0, 2, 0, "57.5 %", 17),)
    assert "1 void, still counted: game_1" in text


def test_a_batch_of_void_games_shows_no_number_at_all() -> None:
    summary = summarise_games([game(0, 0, 1.0, void="void: Ada answered 0 of 10")])
    (player,) = summary.players
    assert (player.score, player.place, player.games, player.left_out) == (None, None, 0, 1)
    assert summary.averages == Averages({}, {})


def test_failed_games_are_counted_and_named() -> None:
    none = replace(ADA, score=None, place=None, answered=0, fallbacks=0, asked=0)
    failed = [
        game(number, number, 0.0, status="failed", reason="nobody answers.", seats=(none,))
        for number in range(1, 8)
    ]
    summary = summarise_games([game(0, 0, 1.0), *failed])
    (player,) = summary.players
    assert (player.games, player.left_out) == (1, 0)
    told = "7 failed: game_1, game_2, game_3, game_4, game_5 (nobody answers), and 2 more."
    assert shown(summary)[-1].startswith(f"8 games: 1 finished, 7 failed.\n{told}")


def test_a_result_holds_what_the_log_counted() -> None:
    history = small_history()
    history.config["limits"] = {"asks": 3}
    result = result_of(history, Spot(3, 1, 1))
    ada, ben, cleo = result.seats
    assert (ada.asked, ada.answered, ada.fallbacks, ada.tokens) == (2, 1, 1, 940)
    assert (ada.place, ada.score, ada.seconds) == (2, 0.5, 1.24)
    assert (ben.place, ben.score, ben.who) == (1, 1.25, "scripted:greedy")
    assert (cleo.asked, cleo.score) == (0, None)
    assert result.void == ""
    outcome = not_none(history.outcome)
    history.outcome = Outcome(outcome.placements, outcome.scores)
    history.config["game"]["names"] = {"Ada": "Zoe"}
    assert result_of(history, Spot(0, 0, 0)).seats[0].player == "Zoe"


def test_unknown_dollars_stay_unknown() -> None:
    unknown = game(1, 1, 1.0, seats=(replace(ADA, dollars=None),))
    (player,) = summarise_games([game(0, 0, 1.0), unknown]).players
    assert player.effort.dollars is None
