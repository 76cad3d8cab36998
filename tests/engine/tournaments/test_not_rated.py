"""An entrant that answered too little has no rating: every face lists it, with the reason."""

import asyncio
import csv
import io
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import tournament
from engine.cli.main import ExitCode
from engine.history import history_from_json
from engine.ratings import Results, fit
from engine.spending.validity import validity_sentence, void_sentence
from engine.tournaments.anchors import one_anchor
from engine.tournaments.course.deck import stop_reason
from engine.tournaments.report.card import Origin
from engine.tournaments.report.figures import pictures_of
from engine.tournaments.report.files import report_texts
from engine.tournaments.report.tables import standings_parts
from engine.tournaments.standings.entrants import rated_results
from engine.tournaments.standings.standings import Standings
from engine.views.screen import Screen
from engine.views.terminal import Page
from tests.support.fake_api import FakeApi, legal
from tests.support.tournaments.cups import cup_of, scripts, write_cup
from tests.support.tournaments.rated import Row, dealt_rows, standings_from

FAILED = {"e03": 1, "e04": 4}


def rows_with_failures() -> list[Row]:
    """Return games in which the two strongest of five failed: one often, the other always."""
    return [row | {"fallbacks": FAILED.get(row["entrant"], 0)} for row in dealt_rows()]


@pytest.fixture(scope="module")
def found() -> Standings:
    return standings_from(rows_with_failures(), targets=("wins", "places"), min_games=5)


def reason(found: Standings, name: str) -> str:
    (record,) = [each for each in found.entrants if each.entrant == name]
    return record.not_rated


def test_who_answered_too_little_has_no_rank_and_no_pair(found: Standings) -> None:
    seats = sum(row["entrant"] == "e04" for row in rows_with_failures())
    assert reason(found, "e04") == f"answered 0 of {4 * seats}"
    assert [each.entrant for each in found.unrated] == ["e03", "e04"]
    for table in found.targets:
        assert sorted(row.entrant for row in table.all_rows) == ["e00", "e01", "e02"]
        assert {*table.first_group} <= {"e00", "e01", "e02"}
        assert len(table.pairs) == 3
        assert not {pair.entrant for pair in table.pairs} & FAILED.keys()
        assert max(row.ranks[1] for row in table.rows if row.ranks) <= 3


def test_their_games_count_for_the_others(found: Standings) -> None:
    results = Results.from_rows(rows_with_failures())
    whole = fit(results, "places", min_games=5)
    (_, table) = found.targets
    assert table.games == results.games
    skills = dict(zip(whole.entrants, whole.skill.tolist(), strict=True))
    rated = {row.entrant: row.skill for row in table.all_rows}
    assert rated["e01"] - rated["e00"] == pytest.approx(skills["e01"] - skills["e00"])
    # The mean is that of the rated.
    assert sum(rated.values()) == pytest.approx(0, abs=1e-9)


def test_every_face_lists_them_with_the_reason(found: Standings) -> None:
    faces = report_texts(found, Origin("x"), ("json", "csv", "card", "html"))
    del faces["pairs.csv"]
    console = Console(file=io.StringIO(), width=200)
    page = Page(Screen())
    page.console = console
    for part in standings_parts(found):
        page.show(part)
    faces["terminal"] = console.file.getvalue()  # type: ignore[attr-defined]
    for stem, chart in pictures_of(found):
        if stem.startswith("intervals"):
            faces[stem] = repr(chart)
    assert len(faces) == 7
    for face, text in faces.items():
        for name in FAILED:
            assert reason(found, name) in text, (face, name)
    for row in csv.DictReader(io.StringIO(faces["ratings.csv"])):
        assert bool(row["not_rated"]) == (row["entrant"] in FAILED) == (not row["rank_first"])
    data = json.loads(faces["ratings.json"])
    assert {one["entrant"] for one in data["entrants"] if one["not_rated"]} == FAILED.keys()
    assert f"Not rated: e03 ({reason(found, 'e03')}), e04 (" in found.sentence


def test_the_share_is_a_term_of_the_rating(found: Standings) -> None:
    assert found.plain()["settings"]["rated_from"] == 0.9
    low = standings_from(rows_with_failures(), rated_from=0.5, min_games=5)
    assert [each.entrant for each in low.unrated] == ["e04"]
    assert not standings_from(rows_with_failures(), rated_from=0.0, min_games=5).unrated
    with pytest.raises(ValueError, match=r"expected a rated anchor, with a game: got 'e04'"):
        standings_from(rows_with_failures(), anchors=one_anchor("e04"), min_games=5)
    with pytest.raises(ValueError, match=r"to compare with, e00, e01, e02: 'e04'"):
        standings_from(rows_with_failures(), against="e04", min_games=5)


def void_duels(games: int) -> list[dict[str, Any]]:
    """Return duels with a mute entrant, all void, and duels of two others."""
    rows = []
    for number in range(games):
        for pair, void in ((("A", "mute"), True), (("A", "B"), False)):
            for place, name in enumerate(pair, 1):
                row = {"game_id": f"{void}{number}", "game": "x", "entrant": name, "place": place}
                failed = 5 if name == "mute" else 0
                rows.append(row | {"asks": 5, "fallbacks": failed, "void": void})
    return rows


def test_void_games_are_not_rated_but_count_against_who_made_them_so() -> None:
    found = standings_from(void_duels(6), min_games=1)
    (table,) = found.targets
    assert table.games == 6
    assert reason(found, "mute") == "answered 0 of 30"
    assert [row.entrant for row in table.all_rows] == ["A", "B"]


@pytest.mark.parametrize("mute", [("B", "mute"), ("A", "B", "mute")])
def test_one_rated_entrant_is_no_table_and_a_failure(
    mute: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row | {"fallbacks": 5 if row["entrant"] in mute else 0} for row in void_duels(3)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert tournament.main(["rate", str(path), "--html", "--csv", "--png"]) == ExitCode.FAILED
    told = capsys.readouterr()
    assert "fewer than two entrants can be rated. Not rated: " in told.err
    assert "mute (answered 0 of 15)" in told.err
    assert "answered 0 of 15" in (tmp_path / "ratings" / "report.html").read_text("utf-8")
    assert tournament.main(["rate", str(path), "--rated-from", "0"]) == ExitCode.DONE
    assert "Not rated" not in capsys.readouterr().out


async def test_a_tournament_of_five_with_a_mute_and_a_flaky_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No game of theirs is void, but their void seats are named, and no face rates them."""
    requests = itertools.count()

    def reply(body: dict[str, Any]) -> str:
        """Answer as a mute model, and as one that fails every other question three times."""
        is_mute = body["model"] == "mute" or next(requests) % 6 < 3
        return "I will not." if is_mute else legal(body)

    async with FakeApi(reply=reply) as api:
        kwargs = {"base_url": f"{api.url}/v1"}
        seats = scripts("mute", "flaky", "greedy", "random", "selfish")
        for name in ("mute", "flaky"):
            seats[name] |= {"provider": "compatible", "client_kwargs": kwargs}
        path = write_cup(tmp_path, cup_of(5, 5, 3, seated=seats, concurrency=1, min_games=1))
        words = ["play", str(path), "--logs-dir", str(tmp_path)]
        assert await asyncio.to_thread(tournament.main, words) == ExitCode.DONE
    told = " ".join(capsys.readouterr().out.split())
    assert "3 finished, of 3 planned" in told
    data = json.loads((tmp_path / "cup" / "ratings.json").read_text("utf-8"))
    reasons = {one["entrant"]: one["not_rated"] for one in data["entrants"] if one["not_rated"]}
    assert reasons.keys() == {"mute", "flaky"}
    assert reasons["mute"].startswith("answered 0 of ")
    for name, why in reasons.items():
        assert f"{name} ({why})" in told
        for file in ("report.html", "card.md", "ratings.csv"):
            assert why in (tmp_path / "cup" / file).read_text("utf-8"), (file, name)
    log = history_from_json((tmp_path / "cup" / "games" / "cup_000000.json").read_bytes())
    assert void_sentence(log) == ""
    assert validity_sentence(log).startswith("seat void: Player ")


def test_a_tournament_may_stop_early_without_who_is_not_rated() -> None:
    """The mute has no valid game, and all others are significantly different."""
    seat = {"provider": "scripted", "model": "random"}
    seats = {name: seat | {"character_prompt": name} for name in ("A", "B", "mute")}
    settings = cup_of(3, 2, 90, seated=seats, game={"name": "dilemma"}, stop={"top": 1})
    rows = []
    for row in void_duels(40):
        luck = int(row["game_id"][-1]) / 10
        rows.append(row | {"payoff": 5 + luck if row["entrant"] == "A" else 0})
    results = rated_results(Results.from_rows(rows), settings.rated_from)
    reason = stop_reason(settings, lambda: results)
    assert reason == "the best 1 are significantly different from all others"
    everybody = rated_results(Results.from_rows(rows), 0.0)
    assert stop_reason(settings, lambda: everybody) == ""
