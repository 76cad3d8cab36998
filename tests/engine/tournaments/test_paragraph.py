"""The first paragraph: who leads and how sure, what is undecided, who did not answer, the cost."""

from dataclasses import replace
from itertools import product

import pytest

from engine.ratings.intervals import Rating
from engine.tournaments.report.card import report_card
from engine.tournaments.report.page import report_html
from engine.tournaments.report.sentences import first_paragraph
from engine.tournaments.report.tables import standings_parts
from engine.tournaments.standings.standings import Standings
from tests.engine.tournaments.test_not_rated import rows_with_failures
from tests.engine.tournaments.test_report import ORIGIN
from tests.support.narrowing import not_none
from tests.support.tournaments.rated import dealt_rows, duels, standings_from


def leader(found: Standings) -> Rating:
    return found.targets[0].rows[0]


def test_a_sure_leader_is_said_to_lead() -> None:
    found = standings_from(duels("Ada", "Ben", 45, 5), min_games=5)
    best = leader(found)
    ends = f"(95 % interval {best.low:.0f} to {best.high:.0f})"
    assert first_paragraph(found).startswith(
        f"Ada has the highest rating by places, {best.rating:.0f} Elo {ends}, and all others are "
        "worse. The chance that Ada is the best is 100.0 %. Of 1 pair none is undecided. "
    )


def test_an_unsure_leader_is_not() -> None:
    found = standings_from(duels("Ada", "Ben", 26, 24), min_games=5)
    text = first_paragraph(found)
    assert "Elo (95 % interval " in text
    assert ", but Ben may be as good." in text
    chance = not_none(leader(found).best)
    assert f"The chance that Ada is the best is {100 * chance:.1f} %." in text
    assert "Of 1 pair 1 is undecided." in text


def test_what_it_cost_is_the_sum_over_all_seats() -> None:
    assert "The games cost $25." in first_paragraph(
        standings_from(duels("Ada", "Ben", 26, 24), min_games=5)
    )
    free = standings_from(duels("Ada", "Ben", 26, 24, cost=0.0), min_games=5)
    assert first_paragraph(free).endswith("The games cost nothing.")
    unknown = duels("Ada", "Ben", 26, 24)
    unknown[0]["cost"] = None
    text = first_paragraph(standings_from(unknown, min_games=5))
    assert text.endswith("The cost of the games is unknown.")


def test_who_did_not_answer_is_named() -> None:
    rows = duels("Ada", "Ben", 26, 24)
    text = first_paragraph(standings_from(rows, min_games=5))
    assert "Every entrant answered at least 95 %" in text
    for row in rows:
        row["fallbacks"] = 1 if row["entrant"] == "Ben" else 0
    text = first_paragraph(standings_from(rows, min_games=5, rated_from=0.5))
    assert "Often without an answer: Ben (10.0 % of its questions)." in text
    assert "Every" not in text


def test_who_is_not_rated_is_named() -> None:
    text = first_paragraph(standings_from(rows_with_failures(), min_games=5))
    assert "Not rated, for too few answers: e03 and e04." in text


def test_too_few_games_have_no_leader() -> None:
    nobody = standings_from(duels("Ada", "Ben", 26, 24), min_games=60)
    assert first_paragraph(nobody).startswith("No entrant has played enough games for a rank.")


@pytest.mark.parametrize(
    "keys", [("cost", "tokens"), ("cost", "asks", "fallbacks", "model", "seat")]
)
def test_imported_rows_have_one_too(keys: tuple[str, ...]) -> None:
    rows = duels("Ada", "Ben", 45, 5)
    for row, key in product(rows, keys):
        del row[key]
    text = first_paragraph(standings_from(rows, targets=("pairs",), min_games=5))
    assert text.startswith("Ada has the highest rating by pairs, ")
    assert text.endswith("The cost of the games is unknown.")
    assert ("answered" in text) == ("asks" not in keys)


def test_points_have_their_own_unit() -> None:
    rows = [
        row | {"payoff": 4.0 - row["place"], "game": "dilemma"}
        for row in duels("Ada", "Ben", 45, 5)
    ]
    text = first_paragraph(standings_from(rows, targets=("points",), game="dilemma"))
    assert text.startswith("Ada has the highest rating by points, 2.90 points (95 % interval ")


def test_it_comes_first_everywhere() -> None:
    found = standings_from(dealt_rows())
    text = first_paragraph(found)
    parts = [*standings_parts(found)]
    assert getattr(parts[1], "text", "") == text
    assert f'<p class="lead">{text}</p>' in report_html(found, ORIGIN)
    assert text.split(",", 1)[0] in report_card(found, ORIGIN).split("# ", 1)[1][:300]
    assert first_paragraph(replace(found, targets=(), entrants=())) == "The games cost nothing."
