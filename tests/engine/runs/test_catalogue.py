"""The list of games in a folder, whatever else lies in it."""

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import logs
from engine.cli.main import run_command
from engine.runs.catalogue import catalogue, find_game
from engine.runs.game_row import UNREADABLE
from tests.support.odd_files import ODD
from tests.support.tables import run_game
from tests.support.terminal import Capture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one game, and every odd thing under the names of a log and a journal."""
    run_game("conversation", "", tmp_path, settings={"length": 2})
    for kind, make in ODD.items():
        make(tmp_path / f"log-{kind}.json")
        make(tmp_path / f"journal-{kind}.jsonl")
    return tmp_path


def test_the_list_is_in_the_order_in_which_games_began(tmp_path: Path) -> None:
    for name, day in (("later", 2), ("sooner", 1)):
        clock = partial(datetime, 2026, 1, day, tzinfo=UTC)
        terms: dict[str, Any] = {"settings": {"length": 2}, "game_id": name, "clock": clock}
        run_game("conversation", "", tmp_path, **terms)
    os.utime(tmp_path / "later.json", (0, 0))
    assert [row[0] for row in catalogue(tmp_path).rows] == ["later", "sooner"]


def test_what_is_no_file_spoils_only_its_own_row(folder: Path, capsys: Capture) -> None:
    rows = {str(row[0]): row[2] for row in catalogue(folder).rows}
    assert rows.pop("game") == "finished"
    assert len(rows) == 2 * len(ODD)
    assert {*rows.values()} == {UNREADABLE}
    assert find_game(folder, "last") == "game"
    assert logs.main(["--list", "--logs-dir", str(folder)]) == 0
    assert "--filename game --terminal" in capsys.readouterr().err


def test_a_prefix_means_a_game_of_the_kind(tmp_path: Path) -> None:
    for name in ("game_a.json", "game_b.jsonl"):
        (tmp_path / name).touch()
    assert find_game(tmp_path, "game", "finished game") == "game_a"
    assert find_game(tmp_path, "game", "unfinished game") == "game_b"
    with pytest.raises(ValueError, match="2 games begin with 'game'"):
        find_game(tmp_path, "game")


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_refused_in_a_sentence(kind: str, folder: Path, capsys: Capture) -> None:
    where = ["--logs-dir", str(folder)]
    commands = [
        ("logs.py", ["--filename", f"log-{kind}", "--terminal"]),
        ("logs.py", ["--filename", f"journal-{kind}", "--check"]),
        ("example.py", ["--replay", f"log-{kind}"]),
        ("example.py", ["--resume", f"journal-{kind}"]),
        ("example.py", ["--fork", f"log-{kind}", "--at", "1", "--players", "scripted:greedy"]),
    ]
    for name, words in commands:
        assert run_command(name, [*words, *where]) in (1, 2)
        told = capsys.readouterr().err
        assert kind in told
        assert told.count("\n") == 1
