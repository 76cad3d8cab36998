"""Sensitivity: which ranks change with the target, the seat, random draws and who else played."""

import json
from typing import Any

import pytest

from engine.tournaments.report.files import ratings_json
from engine.tournaments.report.page import report_html
from engine.tournaments.report.sentences import sensitivity_text
from engine.tournaments.report.tables import sensitivity_table
from engine.tournaments.standings.standings import RankVariant, Sensitivity, Standings
from tests.engine.tournaments.test_report import ORIGIN
from tests.support.narrowing import not_none
from tests.support.tournaments.rated import Row, dealt_rows, duels, game_rows, standings_from


def often_first_or_last() -> list[Row]:
    """Return games of four in which Ada wins most, else leaves first; Ben is always second."""
    rows = []
    for number in range(40):
        one, other = ("Cleo", "Dan") if number % 2 else ("Dan", "Cleo")
        first = [("Ada", 1), ("Ben", 2), (one, 3), (other, 4)]
        last = [("Ada", 4), ("Ben", 2), (one, 1), (other, 3)]
        rows += game_rows(number, *(first if number % 5 < 3 else last))
    return rows


def sensitivity(rows: list[Row], **terms: Any) -> Sensitivity:
    return not_none(standings_from(rows, min_games=5, **terms).sensitivity)


def variant(found: Sensitivity, name: str) -> RankVariant:
    (only,) = [each for each in found.variants if each.name == name]
    return only


def test_ranks_by_wins_and_by_both_ends_of_places() -> None:
    found = sensitivity(often_first_or_last(), targets=("wins",))
    assert found.ranks == {"Ada": 1, "Cleo": 2, "Dan": 2, "Ben": 4}
    assert variant(found, "by places, top").ranks["Ben"] == 1
    assert variant(found, "by places, bottom").ranks["Ben"] == 2
    names = [each.name for each in found.variants if not each.left_out]
    assert names == ["by places, top", "by places, bottom", "with seat"]
    assert "Ben (4; 1 by places, top)" in sensitivity_text(found)


def test_seats_count_only_where_entrants_had_several() -> None:
    fixed = sensitivity(duels("Ada", "Ben", 20, 0))
    assert not [each for each in fixed.variants if "seat" in each.name]
    assert variant(sensitivity(dealt_rows()), "with seat")
    assert variant(sensitivity(dealt_rows(), covariates=("seat",)), "without seat")
    unseated = [{key: value for key, value in row.items() if key != "seat"} for row in dealt_rows()]
    assert not [each for each in sensitivity(unseated).variants if "seat" in each.name]
    some = [row if row["game_id"] != "game 0" else row | {"seat": None} for row in dealt_rows()]
    assert not [each for each in sensitivity(some).variants if "seat" in each.name]


def test_a_final_that_a_draw_decided_is_a_tie_once_lots_are_left_out() -> None:
    """Ada wins 15 of 20 duels, all by a draw; the other five are Ben's own."""
    rows = duels("Ada", "Ben", 15, 0, lot=True) + duels("Ada", "Ben", 0, 5, first=15, lot=False)
    found = sensitivity(rows)
    assert found.ranks == {"Ada": 1, "Ben": 2}
    assert variant(found, "random draws left out").ranks == {"Ada": 2, "Ben": 1}
    assert sensitivity_text(found) == (
        "Ranks that depend on the choice: Ada (1; 2 random draws left out) and Ben (2; 1 random "
        "draws left out)."
    )
    names = {each.name for each in sensitivity(rows, lots="tie").variants}
    assert "random draws as played" in names


def test_an_entrant_that_one_beats_and_others_do_not_moves_ranks() -> None:
    """Ada is first since she alone beats Cleo; between Ada and Ben it is Ben who wins more."""
    rows = duels("Ada", "Cleo", 30, 2) + duels("Ben", "Cleo", 14, 18, first=32)
    rows += duels("Ada", "Ben", 12, 20, first=64)
    found = sensitivity(rows)
    assert found.ranks == {"Ada": 1, "Ben": 2, "Cleo": 3}
    assert variant(found, "Cleo").ranks == {"Ada": 2, "Ben": 1}
    assert variant(found, "Cleo").left_out == "entrant"
    # Who is gone keeps its rank.
    assert variant(found, "Ada").ranks == {"Cleo": 2, "Ben": 3}
    last = sensitivity_table(found).columns.index("one entrant out")
    cells = {row[0]: row[last] for row in sensitivity_table(found).rows}
    assert cells["Ada"] == "1-2"


def test_a_provider_is_left_out_with_all_its_entrants() -> None:
    rows = dealt_rows()
    for row in rows:
        row["provider"] = "openai" if row["entrant"] in {"e00", "e01"} else "anthropic"
    found = sensitivity(rows)
    providers = {each.name: each.ranks for each in found.variants if each.left_out == "provider"}
    assert providers.keys() == {"openai", "anthropic"}
    assert providers["openai"].keys() == {"e02", "e03", "e04"}
    # All of one provider: nobody would be left.
    assert not [each for each in sensitivity(dealt_rows()).variants if each.left_out == "provider"]


def test_payoffs_are_compared_without_the_games_of_who_is_left_out() -> None:
    """Cleo pays Ben 9 a game; in the other games Ada is paid more."""
    rows = []
    for number in range(20):
        with_cleo = {"Ada": 3.0, "Ben": 9.0, "Cleo": 0.0}
        paid = with_cleo if number % 2 else {"Ada": 3.0, "Ben": 1.0, "Dan": 0.5}
        seats = [(name, place) for place, name in enumerate(paid, 1)]
        for row in game_rows(number, *seats, game="dilemma"):
            rows.append(row | {"payoff": paid[row["entrant"]]})
    found = sensitivity(rows, targets=("points",), game="dilemma")
    assert found.ranks == {"Ben": 1, "Ada": 2, "Dan": 3, "Cleo": 4}
    assert variant(found, "Cleo").ranks == {"Ada": 1, "Ben": 2, "Dan": 3}
    shared = sensitivity(rows, targets=("points",), game="conversation")
    assert {each.left_out for each in shared.variants} == {"entrant"}


def test_nothing_depends_where_nothing_moves() -> None:
    whole = Sensitivity("places", {"a": 1, "b": 2}, (RankVariant("by wins", "", {"a": 1, "b": 2}),))
    assert sensitivity_text(whole) == "No rank depends on these choices."


def test_few_entrants_with_a_rank_have_no_table() -> None:
    assert standings_from(duels("Ada", "Ben", 6, 0), min_games=50).sensitivity is None
    lone = [row for number in range(9) for row in game_rows(number, ("Ada", 1), (f"B{number}", 2))]
    assert standings_from(lone, min_games=5).sensitivity is None


@pytest.fixture(scope="module")
def found() -> Standings:
    return standings_from(dealt_rows(), targets=("places", "wins"))


def test_it_is_in_the_numbers_and_on_the_page(found: Standings) -> None:
    data = json.loads(ratings_json(found))["sensitivity"]
    assert data["ranks"].keys() == {"e00", "e01", "e02", "e03", "e04"}
    assert {each["left_out"] for each in data["variants"]} == {"", "entrant"}
    page = report_html(found, ORIGIN)
    assert "Ranks by places, and by other choices" in page
    assert "one entrant out" in page
