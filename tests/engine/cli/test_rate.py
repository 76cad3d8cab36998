"""`tournament.py rate`: tournaments, folders of logs, files of rows; a sentence for the rest."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import tournament
from engine.ratings import TARGETS
from engine.ratings.covariates import COVARIATES
from tests.support.programs import run_python
from tests.support.tables import play_game, run_game
from tests.support.terminal import Capture, assert_refused
from tests.support.tournaments.rated import dealt_rows, game_rows, lines_of, rate, rows_in

FILES = {"ratings.json", "ratings.csv", "pairs.csv", "card.md", "report.html"}


def test_help_imports_no_numpy_and_lists_what_there_is() -> None:
    done = run_python("-X", "importtime", "tournament.py", "rate", "--help")
    assert "argparse" in done.stderr
    assert "numpy" not in done.stderr
    help_text = " ".join(done.stdout.split())
    *targets, last = TARGETS
    assert f"{', '.join(targets)} or {last}" in help_text
    assert ", ".join(COVARIATES) in help_text


def test_a_tournament_is_rated_and_its_files_are_beside_it(logs: Path, capsys: Capture) -> None:
    assert rate("cup", "--html", "--logs-dir", logs) == 0
    said = capsys.readouterr()
    assert {path.name for path in (logs / "cup").iterdir()} >= FILES
    for part in (
        "By wins, Elo",
        "By places, Elo, from the bottom, with seat",
        "12 finished, of 12 planned",
        "seat: ",
    ):
        assert part in said.out
    assert "tournament.py rate cup --html --bias" in said.err
    card = (logs / "cup" / "card.md").read_text("utf-8")
    # Whoever has the folder elsewhere can paste it too.
    assert "uv run tournament.py rate cup --html\n" in card
    assert str(logs) not in card


def test_the_same_numbers_from_its_folder_its_rows_and_its_name(logs: Path, tmp_path: Path) -> None:
    rows = [row for game in rows_in(logs / "cup" / "rows.jsonl") for row in game["rows"]]
    packed = tmp_path / "seats.jsonl.gz"
    packed.write_bytes(gzip.compress(lines_of(rows[::-1]).encode()))
    terms = ["--min-games", "5", "--covariates", "seat"]
    ratings = []
    for place, what in enumerate(("cup", logs / "cup", packed, logs / "cup" / "rows.jsonl")):
        out = tmp_path / str(place)
        assert rate(what, *terms, "--logs-dir", logs, "--out", out) == 0
        found = json.loads((out / "ratings.json").read_text("utf-8"))
        # The seed of the max-t draws is the tournament's own.
        ratings.append([[row["skill"] for row in table["rows"]] for table in found["targets"]])
        assert found["counts"]["statuses"] == {"finished": 12}
    assert ratings[1:] == [ratings[0]] * 3


def test_a_tournament_that_is_not_over_is_rated_too(
    part: Path, tmp_path: Path, capsys: Capture
) -> None:
    ledger = part / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    done = [place for place, line in enumerate(lines) if b'"done"' in line]
    # Killed in the middle of a line.
    ledger.write_bytes(b"".join(lines[: done[7]]) + lines[done[7]][:20])
    assert rate("cup", "--logs-dir", tmp_path, "--html") == 1
    assert "its last lines are lost" in capsys.readouterr().err
    over = {json.loads(lines[place])["number"] for place in done[:7]}
    for log in (part / "games").glob("*.json"):
        if int(log.stem[-6:]) not in over:
            log.unlink()
    assert rate("cup", "--logs-dir", tmp_path, "--html") == 0
    statuses = json.loads((part / "ratings.json").read_text("utf-8"))["counts"]["statuses"]
    assert statuses["finished"] == 7
    assert statuses["running"] >= 1
    assert f"{statuses['running']} not over" in (part / "card.md").read_text("utf-8")
    assert ledger.read_bytes().endswith(lines[done[7]][:20])


def test_a_lost_log_is_named(part: Path, tmp_path: Path, capsys: Capture) -> None:
    log = part / "games" / "cup_000003.json"
    log.write_bytes(log.read_bytes() + b"\n")
    export = ["export", "cup", "--to", str(tmp_path / "data"), "--logs-dir", str(tmp_path)]
    assert tournament.main(export) == 1
    assert "cup_000003.json is not the log" in capsys.readouterr().err
    log.unlink()
    assert rate("cup", "--logs-dir", tmp_path) == 1
    assert "cup_000003" in capsys.readouterr().err


def test_an_export_is_rated_to_the_same_numbers(logs: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    words = ["export", "cup", "--to", str(data), "--no-text", "--logs-dir", str(logs)]
    assert tournament.main(words) == 0
    assert rate(data / "seats.jsonl.gz") == 0
    assert rate("cup", "--logs-dir", logs) == 0
    texts = []
    for folder in (logs / "cup", data / "ratings"):
        found = json.loads((folder / "ratings.json").read_text("utf-8"))
        del found["settings"]
        texts.append(found)
    assert texts[0] == texts[1]
    for name in ("ratings.csv", "pairs.csv"):
        assert (data / "ratings" / name).read_bytes() == (logs / "cup" / name).read_bytes()
    (data / "rating.json").write_text('{"name": 3}', encoding="utf-8")
    assert rate(data) == 2


async def test_any_logs_are_rated_by_who_answered(tmp_path: Path, capsys: Capture) -> None:
    seats = "scripted:greedy,scripted:patient,scripted:selfish"
    for seed in range(4):
        more: dict[str, Any] = {"seed": seed, "game_id": f"game{seed}", "settings": {"length": 6}}
        await play_game("conversation", seats, tmp_path, **more)
    (tmp_path / "table.json").write_text("[]", encoding="utf-8")
    assert rate(tmp_path, "--min-games", "2", "--html") == 0
    assert {path.name for path in (tmp_path / "ratings").iterdir()} == FILES
    found = json.loads((tmp_path / "ratings" / "ratings.json").read_text("utf-8"))
    names = [record["entrant"] for record in found["entrants"]]
    assert names == ["scripted:greedy", "scripted:patient", "scripted:selfish"]
    assert found["counts"]["statuses"] == {"finished": 4, "unreadable": 1}
    assert [table["target"] for table in found["targets"]] == ["points"]
    assert rate(tmp_path, "--target", "places") == 2
    capsys.readouterr()


def test_terms_change_what_is_rated(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(lines_of(dealt_rows()), encoding="utf-8")
    words = ["--target", "places", "--direction", "auto", "--covariates", "seat,same_provider"]
    assert rate(path, *words, "--against", "e02", "--anchor", "e00", "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found == json.loads((tmp_path / "ratings" / "ratings.json").read_text("utf-8"))
    (table,) = found["targets"]
    assert table["direction"] in {"top", "bottom"}
    assert {"top", "bottom"} <= table["held_out"].keys()
    assert {pair["other"] for pair in table["against"]} == {"e02"}
    assert [row["rating"] for row in table["rows"] if row["entrant"] == "e00"] == [1500.0]
    command = "--target places --direction auto --covariates seat,same_provider --against e02"
    assert command in (tmp_path / "ratings" / "card.md").read_text("utf-8").replace("\\", "")
    assert rate(path, "--csv", "--prior", "none", "--target", "pairs") == 2


def test_all_tied_is_a_table_of_equals(tmp_path: Path, capsys: Capture) -> None:
    rows = [row for number in range(25) for row in game_rows(number, ("Ada", 1), ("Ben", 1))]
    path = tmp_path / "ties.jsonl"
    path.write_text(lines_of(rows), encoding="utf-8")
    assert rate(path, "--html") == 0
    assert capsys.readouterr().out.count("1-2   ") >= 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["cpu"], "did you mean 'cup'?"),
        (["cup", "--against", "grugde"], "unknown entrant 'grugde': did you mean 'grudge'?"),
        (["cup", "--anchor", "nobody"], "unknown entrant 'nobody'"),
        (["cup", "--covariates", "seat,moon"], "unknown covariate 'moon'"),
        (["cup", "--min-games", "0"], "expected --min-games to be at least 1: got 0"),
        (["cup", "--target", "luck"], "unknown target 'luck'"),
        (["cup", "--target", "points"], "targets of deliberations such as wins and places"),
        (["talks.jsonl"], "expected games with a winner: talks has none"),
        (["broken.jsonl"], "line 2 of"),
        (["empty.jsonl"], "expected rows in"),
        (["mixed.jsonl"], "expected games of one kind"),
        (["twice.jsonl"], "sits twice"),
    ],
)
def test_bad_input_is_said_in_one_sentence(
    logs: Path, tmp_path: Path, capsys: Capture, words: list[str], sentence: str
) -> None:
    (tmp_path / "broken.jsonl").write_text('{"game_id": "a"}\nnonsense\n', encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    plain, chess, talks = (
        game_rows(number, ("Ada", 1), ("Ben", 2), game=game)
        for number, game in enumerate(("deliberations", "chess", "talks"))
    )
    twice = game_rows(1, ("Ada", 1), ("Ada", 2))
    for name, rows in (("mixed", plain + chess), ("talks", talks), ("twice", twice)):
        (tmp_path / f"{name}.jsonl").write_text(lines_of(rows), encoding="utf-8")
    what = tmp_path / words[0] if words[0].endswith("jsonl") else words[0]
    assert rate(what, *words[1:], "--logs-dir", logs, "--out", tmp_path / "out") == 2
    assert_refused(capsys, sentence)
    assert not (tmp_path / "out").exists()


def test_nothing_finished_is_a_failure(tmp_path: Path, capsys: Capture) -> None:
    assert rate(tmp_path) == 1
    assert "no finished game" in capsys.readouterr().err


def test_why_a_finished_game_is_not_rated_is_told(tmp_path: Path, capsys: Capture) -> None:
    alike = "scripted:greedy,scripted:greedy"
    run_game("conversation", alike, tmp_path, settings={"length": 2})
    assert rate(tmp_path) == 1
    told = "1 unrated; play some first. 1 game unrated: two seats of the game are one entrant."
    assert told in capsys.readouterr().err
