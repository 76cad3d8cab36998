"""Logs and journals of another version are refused with one sentence that names both versions."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import example
import logs
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.record.journal import Journal
from engine.runs.index import Index
from tests.support.tables import config_for
from tests.support.terminal import Capture

FORMAT = "expected version 2 of the log format: got version 1"
CURRENT = GAMES["guest"].version
RULES = f"expected version {CURRENT} of guest: got version {CURRENT + 1}"
FORKED = ["--at=3", "--players=scripted:leader,scripted:leader,scripted:leader,scripted:leader"]


def write_log(folder: Path, **other: object) -> None:
    """Play the game `game`, and change fields of its log."""
    GameEngine(config_for("guest", logs_dir=folder, game_id="game")).run()
    path = folder / "game.json"
    log = json.loads(path.read_text(encoding="utf-8")) | {"checksum": ""} | other
    path.write_text(json.dumps(log), encoding="utf-8")


def write_journal(folder: Path, version: int = 2, game_version: int = CURRENT) -> None:
    """Begin the game `game` with other versions in its header."""
    config: GameEngineConfig = config_for("guest", logs_dir=folder, game_id="game")
    header = config.header() | {"version": version}
    header["made_from"]["game_version"] = game_version
    Journal.create(folder / "game.jsonl", header).close()


def sentence_of(
    main: Callable[[list[str]], int], folder: Path, words: list[str], capsys: Capture
) -> str:
    """Return the only line of a program that refuses these words."""
    assert main([*words, f"--logs-dir={folder}"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    return line


@pytest.mark.parametrize("view", [["--terminal"], ["--json"], ["--check"], ["--html"]])
def test_a_log_of_another_version_is_not_read(
    view: list[str], tmp_path: Path, capsys: Capture
) -> None:
    write_log(tmp_path, version=1)
    assert FORMAT in sentence_of(logs.main, tmp_path, ["game", *view], capsys)


@pytest.mark.parametrize("words", [["--replay=game"], ["--fork=game", *FORKED]])
def test_a_log_of_another_version_or_of_other_rules_is_not_played(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    write_log(tmp_path / "format", version=1)
    assert FORMAT in sentence_of(example.main, tmp_path / "format", words, capsys)
    write_log(tmp_path / "rules", game_version=CURRENT + 1)
    assert RULES in sentence_of(example.main, tmp_path / "rules", words, capsys)


def test_a_log_of_other_rules_is_shown_but_not_checked(tmp_path: Path, capsys: Capture) -> None:
    write_log(tmp_path, game_version=CURRENT + 1)
    assert logs.main(["game", "--json", f"--logs-dir={tmp_path}"]) == 0
    capsys.readouterr()
    assert RULES in sentence_of(logs.main, tmp_path, ["game", "--check"], capsys)


@pytest.mark.parametrize(
    ("version", "game_version", "sentence"), [(1, CURRENT, FORMAT), (2, CURRENT + 1, RULES)]
)
def test_a_journal_of_another_version_is_neither_shown_nor_resumed(
    version: int, game_version: int, sentence: str, tmp_path: Path, capsys: Capture
) -> None:
    write_journal(tmp_path, version, game_version)
    assert sentence in sentence_of(example.main, tmp_path, ["--resume=game"], capsys)
    assert sentence in sentence_of(logs.main, tmp_path, ["game", "--terminal"], capsys)


@pytest.mark.parametrize(
    "write", [partial(write_log, version=1), partial(write_journal, version=1)]
)
def test_the_list_says_why_a_file_of_another_version_is_not_read(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    write(tmp_path)
    index = Index(tmp_path)
    assert (index.row("game").status, index.row("game").reason) == ("unreadable", FORMAT)
    index.close()
