"""Journals that fit their checksums and were written by no game: refused in a sentence."""

import asyncio
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import run_command
from engine.record.chain import checksum_in, seal
from engine.record.journal import FORMAT, Journal
from tests.support.fake_api import FakeApi
from tests.support.tables import play_game

DEEP: Any = []
for _ in range(900):
    DEEP = [DEEP]
WRONG: list[Any] = [None, True, -1, 10**400, 1e308, "", "x", [], ["x"], {}, {"x": 1}, DEEP]
KEEP = object()
WRONG_OR_GONE = [*WRONG, KEEP]


async def play(folder: Path) -> None:
    """Leave a journal in `folder` of a game that two calls have stopped."""
    async with FakeApi() as api:
        players = "compatible:m,scripted:random"
        more: dict[str, Any] = {"settings": {"length": 4}, "limits": {"max_calls": 2}}
        await play_game("conversation", players, folder, at=api.url, **more)


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the lines of a journal with two answers and an end."""
    folder = tmp_path_factory.mktemp("true")
    asyncio.run(play(folder))
    lines = (folder / "game.jsonl").read_bytes().splitlines()
    found = [json.loads(line) for line in lines]
    for entry in found:
        del entry["sum"]
    assert [entry["kind"] for entry in found].count("answer") == 2
    return found


def write(entries: list[dict[str, Any]], path: Path) -> None:
    """Write entries as a journal whose checksums all fit."""
    before = FORMAT
    lines = []
    for entry in entries:
        line = seal(entry, before)
        lines.append(line)
        before = checksum_in(line)
    path.write_bytes(b"".join(lines))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every part of plain data."""
    if path:
        yield path
    parts: Any = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for name, held in parts:
        yield from places(held, (*path, name))


def put(entries: list[dict[str, Any]], path: tuple[Any, ...], wrong: Any) -> list[dict[str, Any]]:
    """Return the entries with `wrong` at a place; KEEP takes the place away."""
    forged: Any = copy.deepcopy(entries)
    held = forged
    for name in path[:-1]:
        held = held[name]
    if wrong is KEEP:
        del held[path[-1]]
    else:
        held[path[-1]] = wrong
    return list(forged)


@pytest.mark.parametrize("wrong", WRONG_OR_GONE, ids=lambda wrong: f"{wrong!r:.12}")
def test_a_forged_journal_is_refused_or_read(
    wrong: Any, entries: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No place of it, whatever stands there, lets a command end in a traceback."""
    path = tmp_path / "game.jsonl"
    ways = [way for way in places(entries) if "templates" not in way and len(way) > 1]
    # Each wrong value at other places: at every one it would take minutes.
    for way in ways[WRONG_OR_GONE.index(wrong) :: len(WRONG_OR_GONE)]:
        write(put(entries, way, wrong), path)
        assert run_command("logs.py", ["game", "--terminal", "--logs-dir", str(tmp_path)]) in (0, 2)
        capsys.readouterr()


@pytest.mark.parametrize(
    "wrong", [None, 10**400, "x", [], {}, KEEP], ids=lambda one: f"{one!r:.12}"
)
def test_a_forged_journal_goes_on_or_not(
    wrong: Any, entries: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.jsonl"
    where = ["--logs-dir", str(tmp_path), "--max-calls", "2"]
    ways = [way for way in places(entries) if "templates" not in way and len(way) > 1]
    for way in ways[WRONG_OR_GONE.index(wrong) :: len(WRONG_OR_GONE)]:
        write(put(entries, way, wrong), path)
        assert run_command("example.py", ["--resume", "game", *where]) in (0, 1, 2, 4)
        (tmp_path / "game.json").unlink(missing_ok=True)
        capsys.readouterr()


def test_a_line_that_is_no_entry_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    header = {"kind": "header", "version": 1, "made_from": {"config": {}}}
    for entry in ({"kind": 5}, {"at": [1]}, {"kind": "answer"}, {"kind": "stopped"}):
        write([header, entry], path)
        with pytest.raises(ValueError, match=r"expected line 2 of game\.jsonl to be a line of"):
            Journal.load(path)
