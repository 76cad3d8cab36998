import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import logs
from engine.cli.main import ExitCode
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import VERSION, history_from_json
from engine.record.journal import Journal
from tests.support.histories import small_history
from tests.support.paths import ROOT
from tests.support.programs import run_python
from tests.support.tables import config_for
from tests.support.terminal import Capture, assert_refused

HEAVY = {"pydantic", "rich", "typst", "openai", "anthropic", "jinja2", "yaml", "asyncio", "nearest"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parley.json").write_text(small_history().to_json(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def killed(folder: Path) -> Path:
    """A game of scripts that was killed before its log was written: its journal is its header."""
    path = folder / "killed.jsonl"
    Journal.create(path, {"version": VERSION, "made_from": short_game().made_from()}).close()
    return path


def short_game(**more: Any) -> GameEngineConfig:
    return config_for("conversation", "scripted:random", settings={"length": 3}, **more)


def run(folder: Path, *words: str) -> int:
    return logs.main([*words, "--logs-dir", str(folder)])


def test_a_game_is_named_by_a_beginning_or_is_the_newest(folder: Path, capsys: Capture) -> None:
    older = folder / "older.json"
    older.write_text(small_history().to_json(), encoding="utf-8")
    os.utime(older, (1, 1))
    for words in (["parley"], ["par"], ["last"], [], ["--filename", "par", "--terminal"]):
        assert run(folder, *words) == 0, words
        assert "--filename parley " in capsys.readouterr().err
    assert run(folder, "old") == 0
    assert "--filename older " in capsys.readouterr().err
    (folder / "parlance.json").write_bytes(older.read_bytes())
    assert run(folder, "par") == ExitCode.USAGE
    assert "2 games begin with 'par', such as par" in capsys.readouterr().err


def test_an_empty_folder_has_no_last_game(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path) == ExitCode.USAGE
    assert f"there is no game in {tmp_path} yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--filename parly", "there is no game 'parly' in {folder}: did you mean 'parley'?"),
        ("parly --terminal", "there is no game 'parly' in {folder}: did you mean 'parley'?"),
        ("--filename ../parley --terminal", "expected the name of a log"),
        ("--filename sub/parley --terminal", "expected the name of a log"),
        ("--filename .. --terminal", "there is no game '..'"),
        ("--filename /etc/passwd --terminal", "expected the name of a log"),
        ("--filename", "argument --filename: expected one argument; see uv run logs.py --help"),
        ("--filename parley --terminl", "unknown option '--terminl': did you mean '--terminal'?"),
        ("parley --filename parley", "expected one game: got 'parley' and --filename"),
        ("parley again", "expected an option: got 'again'"),
        ("zebra", "there is no game 'zebra'"),
        ("--filename parley --terminal --as ada", "unknown player 'ada': did you mean 'Ada'?"),
        ("foreign --terminal", "foreign.json: expected a game log: game: Field required"),
        ("--filename torn --terminal", "torn.json: expected a game log: "),
        ("--filename junk --terminal", "expected junk.jsonl to begin with a game's header"),
        ("--filename hollow --terminal", "hollow.jsonl to begin with a game"),
    ],
)
def test_bad_input_is_named(folder: Path, words: str, sentence: str, capsys: Capture) -> None:
    (folder / "foreign.json").write_text('{"a": 1}')
    (folder / "torn.json").write_bytes(b'{"game": "\xff')
    (folder / "junk.jsonl").write_text("junk")
    Journal.create(folder / "hollow.jsonl", {"made_from": None}).close()
    assert run(folder, *words.split()) == ExitCode.USAGE
    assert_refused(capsys, sentence.format(folder=folder), "logs.py")


def test_no_such_folder(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path / "none", "--list") == ExitCode.USAGE
    assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["parley", "parley.json", "logs/parley.json", "logs/parley"])
def test_terminal(folder: Path, name: str, capsys: Capture) -> None:
    assert run(folder, "--filename", name, "--terminal") == ExitCode.DONE
    out, err = capsys.readouterr()
    assert "the tides and the bread" in out
    assert "What now?" not in out
    assert (
        err == f"Next:\n  uv run logs.py --filename parley --logs-dir {folder}"
        " --terminal --include-prompts --include-reasoning\n"
    )


def test_prompts_and_reasoning(folder: Path, capsys: Capture) -> None:
    words = ("parley", "--terminal", "--include-prompts", "--include-reasoning")
    assert run(folder, *words) == ExitCode.DONE
    out, err = capsys.readouterr()
    assert "What now?" in out
    assert "Bees are safe." in out
    assert err.endswith("--pdf\n")


def test_json_is_the_log(folder: Path, capsys: Capture) -> None:
    assert run(folder, "--filename", "parley", "--json", "--terminal", "--typst") == ExitCode.DONE
    out, err = capsys.readouterr()
    assert history_from_json(out) == small_history()
    assert "the tides and the bread" in err
    assert "Written: " in err


def test_json_as_a_player_sees_it(folder: Path, capsys: Capture) -> None:
    assert run(folder, "--filename", "parley", "--json", "--as", "Cleo") == ExitCode.DONE
    seen = history_from_json(capsys.readouterr().out)
    visible = [event.content for event in small_history().seen_by("Cleo")]
    assert [event.content for event in seen.events] == visible
    assert not any(event.prompt or event.reasoning or event.data for event in seen.events)


def test_documents_stand_beside_the_log(folder: Path, capsys: Capture) -> None:
    assert run(folder, "--filename", "parley", "--typst") == ExitCode.DONE
    assert run(folder, "--filename", "parley", "--pdf", "--as", "Ben") == ExitCode.DONE
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["parley.json", "parley.typ", "parley_as_Ben.pdf", "parley_as_Ben.typ"]
    assert f"Written: {folder / 'parley_as_Ben.pdf'}" in capsys.readouterr().out
    assert "You hold bees." not in (folder / "parley_as_Ben.typ").read_text(encoding="utf-8")


def test_a_sheet_stands_beside_the_log(folder: Path, capsys: Capture) -> None:
    assert run(folder, "--filename", "parley", "--csv") == ExitCode.DONE
    out, err = capsys.readouterr()
    assert out == f"Written: {folder / 'parley.csv'}\n"
    assert err == f"Next:\n  uv run logs.py --filename parley --logs-dir {folder} --terminal\n"
    sheet = (folder / "parley.csv").read_bytes()
    assert sheet.startswith(b"index,round,kind,player,heading,content,seen_by,data,")
    assert run(folder, "parley", "--csv", "--as", "Ben", "--include-prompts") == ExitCode.DONE
    assert b"You hold bees." not in (folder / "parley_as_Ben.csv").read_bytes()


@pytest.mark.parametrize("taken", ["parley.typ", "parley.pdf", "parley.csv"])
def test_what_cannot_be_written_is_a_failure(folder: Path, taken: str, capsys: Capture) -> None:
    (folder / taken).mkdir()
    assert run(folder, "--filename", "parley", "--pdf", "--csv") == ExitCode.FAILED
    assert capsys.readouterr().err.startswith("logs.py: ")


def test_a_killed_game_is_shown_as_far_as_it_goes(
    folder: Path, killed: Path, capsys: Capture
) -> None:
    before = killed.read_bytes()
    assert run(folder, "--filename", "killed", "--terminal") == ExitCode.DONE
    out, err = capsys.readouterr()
    assert "What Ada holds" in out
    assert "killed has no final log: this is what its journal contains so far." in err
    assert err.endswith(f"Next:\n  uv run example.py --resume killed --logs-dir {folder}\n")
    assert killed.read_bytes() == before


def test_a_finished_game_is_shown(folder: Path, capsys: Capture) -> None:
    history = GameEngine(short_game(logs_dir=folder, game_id="talk")).run()
    assert run(folder, "--filename", "talk", "--terminal", "--json") == ExitCode.DONE
    assert history_from_json(capsys.readouterr().out) == history


def test_list(folder: Path, killed: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (folder / "foreign.json").write_text("[]")
    (folder / "foreign.jsonl").write_text("junk")
    (folder / "other.jsonl").write_text("junk")
    (folder / "notes.txt").write_text("no log")
    for age, name in enumerate(["other.jsonl", "killed.jsonl", "parley.json", "foreign.json"]):
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    assert run(folder, "--list") == ExitCode.DONE
    out, err = capsys.readouterr()
    rows = [re.split(r" {2,}", line.strip()) for line in out.splitlines()[2:]]
    who = "Ada (openai:some-model); Ben (scripted:greedy); Cleo (human)"
    title = "parley: Ada, Ben and Cleo"
    assert rows[0] == ["parley", title, "finished", "Ben wins, 1.25 to 0.5", "parley", "2", who]
    # What has no time at which it began comes last, by the name of its file.
    assert [row[0] for row in rows] == ["parley", "other.jsonl", "killed", "foreign.json"]
    assert rows[1][1] == rows[3][1] == "unreadable"
    assert "unfinished" in rows[2]
    assert err == f"Next:\n  uv run logs.py --filename parley --terminal --logs-dir {folder}\n"


@pytest.mark.parametrize(("width", "last"), [(80, "result"), (120, "rounds")])
def test_a_game_is_one_line_of_the_list_with_its_whole_name(
    tmp_path: Path, width: int, last: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    history = small_history()
    names = [f"gameplay_20260101_12000{number}_0123456{number}" for number in range(4)]
    players = ["Ada", "Benedict the Second", "\u5929" * 20, "x" * 30]
    for name, player in zip(names, players, strict=True):
        seat = replace(history.players[0], player_id=player)
        text = replace(history, game_id=name, players=[seat, *history.players[1:]]).to_json()
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    assert run(tmp_path, "--list") == ExitCode.DONE
    header, _, *rows, caption, end = capsys.readouterr().out.split("\n")
    assert (header.split()[-1], end) == (last, "")
    assert caption.startswith("without ")
    assert sorted(row.split()[0] for row in rows) == names
    assert max(map(cell_len, [header, *rows])) <= width
    # A text is cut behind a word.
    title = next(row for row in rows if names[0] in row).partition("  ")[2]
    assert title.startswith("parley: Ada, Ben" + ("…" if width == 80 else " and Cleo"))


def test_the_list_as_csv(folder: Path, capsys: Capture) -> None:
    assert run(folder, "--list", "--csv") == ExitCode.DONE
    assert (
        capsys.readouterr().out == "name,title,status,void,result,game,rounds,who\r\n"
        'parley,"parley: Ada, Ben and Cleo",finished,,"Ben wins, 1.25 to 0.5",parley,2,'
        "Ada (openai:some-model); Ben (scripted:greedy); Cleo (human)\r\n"
    )


def test_a_long_list_says_where_the_rest_is(
    folder: Path, killed: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.cli.logs.review.LISTED", 1)
    assert run(folder, "--list") == ExitCode.DONE
    listed = capsys.readouterr().out
    assert "killed" not in listed
    assert f"newest 1. All of them: uv run logs.py --list --csv --logs-dir {folder}\n" in listed
    assert run(folder, "--list", "--csv") == ExitCode.DONE
    assert "killed" in capsys.readouterr().out


def test_an_empty_list(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path, "--list") == ExitCode.DONE
    assert capsys.readouterr() == (
        f"There is no game in {tmp_path} yet.\n",
        "Next:\n  uv run example.py --offline\n",
    )


def test_schema(capsys: Capture) -> None:
    assert logs.main(["--schema"]) == ExitCode.DONE
    schema = json.loads(capsys.readouterr().out)
    assert {"game", "rounds", "players", "outcome"} <= set(schema["properties"])


def test_a_closed_pipe_is_no_error(folder: Path) -> None:
    for way in ("--terminal", "--json"):
        command = [sys.executable, "logs.py", "parley", way, "--logs-dir", str(folder)]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == ExitCode.DONE


@pytest.mark.parametrize("face", ["logs.py", "example.py"])
def test_help_teaches_and_imports_nothing_heavy(face: str) -> None:
    done = run_python("-X", "importtime", face, "--help")
    assert done.stdout.count(f"uv run {face}") >= 4
    imported = libraries_in(done.stderr)
    assert "argparse" in imported
    assert not imported & HEAVY


def test_an_unchanged_list_imports_nothing_that_reads_logs(folder: Path) -> None:
    words = ("-X", "importtime", "logs.py", "--list", "--logs-dir", str(folder))
    first, second = run_python(*words), run_python(*words)
    assert second.stdout == first.stdout
    assert "pydantic" in libraries_in(first.stderr)
    assert not libraries_in(second.stderr) & {"pydantic", "asyncio", "jinja2"}


def libraries_in(importtime: str) -> set[str]:
    """Return the top-level modules in the output of `-X importtime`."""
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in importtime.splitlines()}
