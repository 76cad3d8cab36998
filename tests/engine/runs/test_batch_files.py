"""The table of many games in logs/batches/: written as games end, made again from the logs."""

import asyncio
import csv
import json
import signal
from pathlib import Path
from typing import Any

import pytest

import example
import logs
from engine.runs.batch_files import SECONDS_BETWEEN, BatchFiles
from engine.runs.results import COLUMNS
from tests.engine.runs.test_batch import start, words_at
from tests.support.fake_api import FakeApi, legal
from tests.support.terminal import Capture

SEATS = "scripted:weave,scripted:selfish"
WORDS = ["--players", SEATS, "--length", "4", "--seed", "3", "--games"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "logs" / "batches"


def table_in(folder: Path) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Return the rows and the summary of the only batch in a folder."""
    (sheet,) = folder.glob("*.csv")
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return rows, json.loads(sheet.with_suffix(".json").read_text(encoding="utf-8"))


def test_files_are_written_at_once_and_then_every_few_seconds() -> None:
    files = BatchFiles("batch", None)
    assert files.due()
    files.write([])
    assert not files.due()
    assert files.last is not None
    files.last -= SECONDS_BETWEEN
    assert files.due()


def test_a_row_a_game_and_player_and_the_summary_beside(folder: Path, capsys: Capture) -> None:
    assert example.main([*WORDS, "5"]) == 0
    shown = capsys.readouterr().out
    rows, data = table_in(folder)
    assert [*rows[0]] == [*COLUMNS, "shared", "own_turns"]
    assert [(row["game"], row["deal"], row["rotation"], row["seed"]) for row in rows[::2]] == [
        ("0", "0", "0", "3"),
        ("1", "0", "1", "3"),
        ("2", "1", "0", "4"),
        ("3", "1", "1", "4"),
        ("4", "2", "0", "5"),
    ]
    seated = [(row["player"], row["model"], row["seat"]) for row in rows[:4]]
    assert seated[:2] == [("Ada", "weave", "0"), ("Ben", "selfish", "1")]
    assert seated[2:] == [("Ben", "selfish", "0"), ("Ada", "weave", "1")]
    for row in rows:
        log = json.loads((folder.parent / f"{row['game_id']}.json").read_text())
        score = log["outcome"]["scores"][row["player"]]
        assert float(row["score"]) == pytest.approx(score, abs=1e-6)
        assert row["place"] == str(log["outcome"]["placements"][row["player"]])
        assert (row["asked"], row["answered"], row["void"]) == ("4", "4", "0")

    ada = [[float(row["score"]) for row in rows if row["player"] == "Ada"]]
    deals = [(ada[0][0] + ada[0][1]) / 2, (ada[0][2] + ada[0][3]) / 2, ada[0][4]]
    centre = sum(deals) / 3
    error = (sum((one - centre) ** 2 for one in deals) / 2 / 3) ** 0.5
    (player,) = [one for one in data["players"] if one["player"] == "Ada"]
    assert player["score"]["mean"] == pytest.approx(centre, abs=1e-6)
    assert player["score"]["error"] == pytest.approx(error, abs=1e-6)
    assert [game["rotation"] for game in data["games"]] == [0, 1, 0, 1, 0]
    assert data["deals"] == 3

    note = "5 games are not a multiple of the 2 seats: play 6 for 3 whole deals."
    assert shown.count(note) == 2
    assert note in data["sentences"]
    assert f"Table: logs/batches/{data['batch']}.csv, and .json" in shown
    assert "uv run studies.py conversation tournament --strategies weave,selfish" in shown


def test_without_rotation_each_game_has_a_deal_of_its_own(folder: Path) -> None:
    assert example.main([*WORDS, "3", "--no-rotate"]) == 0
    rows, _ = table_in(folder)
    assert [row["deal"] for row in rows[::2]] == ["0", "1", "2"]
    assert {(row["rotation"], row["player"]) for row in rows[::2]} == {("0", "Ada")}


def test_the_list_of_logs_does_not_see_the_folder_of_tables(folder: Path, capsys: Capture) -> None:
    assert example.main([*WORDS, "2"]) == 0
    capsys.readouterr()
    assert logs.main(["--list", "--csv"]) == 0
    listed = capsys.readouterr().out
    assert len(listed.splitlines()) == 3
    assert "batches" not in listed
    assert "unreadable" not in listed


def test_the_table_can_be_made_again_from_the_logs(folder: Path, capsys: Capture) -> None:
    assert example.main([*WORDS, "4"]) == 0
    shown = capsys.readouterr().out
    (sheet,) = folder.glob("*.csv")
    plan = sheet.with_suffix(".json")
    before = sheet.read_bytes(), plan.read_bytes()
    sheet.unlink()
    assert logs.main(["--batch", str(sheet)]) == 0
    assert (sheet.read_bytes(), plan.read_bytes()) == before
    again = capsys.readouterr().out
    assert again.partition("Shared score")[2].partition("\nNext")[0] in shown


def test_a_batch_that_is_not_there_is_said_not_to_be(folder: Path, capsys: Capture) -> None:
    assert example.main([*WORDS, "1"]) == 0
    (sheet,) = folder.glob("*.csv")
    capsys.readouterr()
    for name, sentence in (
        (f"{sheet.stem}x", f"did you mean {sheet.stem!r}"),
        ("../../etc; rm", "expected the name of a batch"),
    ):
        assert logs.main(["--batch", name]) == 2
        assert sentence in capsys.readouterr().err
    sheet.with_suffix(".json").write_text('{"games": [{"game_id": "../secret"}]}')
    assert logs.main(["--batch", sheet.stem]) == 2
    assert "to be the table of a batch" in capsys.readouterr().err


def test_nothing_is_written_where_no_log_is_kept(tmp_path: Path, folder: Path) -> None:
    seats = [{"player_id": name, "provider": "scripted", "model": "random"} for name in "AB"]
    config = {"game": {"name": "conversation", "length": 3}, "player_configs": seats}
    (tmp_path / "game.yaml").write_text(json.dumps(config | {"logs_dir": None}))
    assert example.main(["--config", "game.yaml", "--games", "2"]) == 0
    assert not folder.parent.exists()


def test_a_folder_that_cannot_be_written_stops_no_game(folder: Path, capsys: Capture) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    assert example.main([*WORDS, "2"]) == 1
    captured = capsys.readouterr()
    assert "2 games: 2 finished." in captured.out
    assert "logs/batches cannot be written" in captured.err
    assert len([*folder.parent.glob("*.json")]) == 2


@pytest.mark.parametrize(("more", "games"), [((), 0), (("--include-void",), 4)])
async def test_void_games_alone_are_no_result(
    more: tuple[str, ...], games: int, folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    """The model talks nonsense all the time: both deals are void, and the exit code says so."""
    async with FakeApi(reply=lambda _: "nonsense") as api:
        words = [*words_at(tmp_path, api), "--games", "4", "--seed", "3", *more]
        assert await asyncio.to_thread(example.main, words) == 1
    text = " ".join(capsys.readouterr().out.split())
    fate = "still counted" if more else "left out of the means (--include-void counts them)"
    assert f"4 void, {fate}: gameplay_" in text
    assert "(Ada answered 0 of 4)" in text
    rows, data = table_in(folder)
    assert {row["void"] for row in rows} == {"1"}
    assert [row["fallbacks"] for row in rows if row["player"] == "Ada"] == ["4"] * 4
    for player in data["players"]:
        assert player["games"] == games
        assert (player["score"] is None) is (games == 0)


async def test_a_killed_batch_goes_on_game_by_game_and_its_table_with_it(tmp_path: Path) -> None:
    """Killed in its first games: the table names all games, and is whole when they are."""
    held = asyncio.Event()

    def reply(body: dict[str, Any]) -> str:
        if len(api.requests) == 5:
            held.set()
        return legal(body)

    async with FakeApi(reply=reply, delay=0.2) as api:
        words = ("--games", "3", "--seed", "3", "--concurrency", "2")
        child = await start(tmp_path, api, *words)
        await held.wait()
        child.send_signal(signal.SIGKILL)
        await child.communicate()
        folder = tmp_path / "logs" / "batches"
        plan = json.loads(next(folder.glob("*.json")).read_text(encoding="utf-8"))
        places = [(game["deal"], game["rotation"]) for game in plan["games"]]
        assert places == [(0, 0), (0, 1), (1, 0)]
        api.delay = 0
        journals = sorted(journal.stem for journal in (tmp_path / "logs").glob("*.jsonl"))
        assert journals
        for name in journals:
            config = ["--resume", name, "--logs-dir", str(tmp_path / "logs")]
            assert await asyncio.to_thread(example.main, config) == 0
    assert logs.main(["--batch", plan["batch"], "--logs-dir", str(tmp_path / "logs")]) == 0
    rows, data = table_in(folder)
    states = [game["status"] for game in data["games"]]
    assert states == ["finished"] * len(journals) + ["waiting"] * (3 - len(journals))
    assert [row["player"] for row in rows] == ["Ada", "Ben", "Ben", "Ada"][: len(rows)]
    assert all(float(row["tokens"]) > 0 for row in rows if row["player"] == "Ada")


async def test_a_budget_over_all_games_leaves_a_table_of_what_was_played(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi() as api:
        words = ["--games", "3", "--seed", "3", "--concurrency", "1", "--max-calls", "6"]
        words = [*words_at(tmp_path, api), *words]
        assert await asyncio.to_thread(example.main, words) == 4
    assert len(api.requests) == 6
    rows, data = table_in(folder)
    assert [game["status"] for game in data["games"]] == ["finished", "stopped", "stopped"]
    assert [row["asked"] for row in rows if row["player"] == "Ada"] == ["4", "2", "0"]
    assert [row["score"] == "" for row in rows] == [False] * 2 + [True] * 4
    assert [player["games"] for player in data["players"]] == [1, 1]
    said = capsys.readouterr().err.splitlines()
    for number in (1, 2):
        assert f"  uv run example.py --resume {data['batch']}_{number}" in said
    assert said[-1] == f"  uv run logs.py --batch {data['batch']}"


async def test_ctrl_c_finishes_the_calls_under_way_and_keeps_the_table(
    tmp_path: Path,
) -> None:
    asked = asyncio.Event()

    def reply(body: dict[str, Any]) -> str:
        if len(api.requests) == 2:
            asked.set()
        return legal(body)

    async with FakeApi(reply=reply, delay=0.3) as api:
        child = await start(tmp_path, api, "--games", "3", "--seed", "3", "--concurrency", "2")
        await asked.wait()
        child.send_signal(signal.SIGINT)
        shown, errors = await child.communicate()
    assert child.returncode == 5
    assert b"--resume gameplay_" in errors
    journals = [path.read_text(encoding="utf-8") for path in (tmp_path / "logs").glob("*.jsonl")]
    assert sum(journal.count('"kind": "answer"') for journal in journals) == 2
    _, data = table_in(tmp_path / "logs" / "batches")
    assert [game["status"] for game in data["games"]] == ["interrupted"] * 2 + ["waiting"]
    assert b"3 games: 2 interrupted, 1 waiting." in shown
