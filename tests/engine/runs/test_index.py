"""The table of a folder's games: its rows, how it follows the folder, and what it survives."""

import itertools
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.history import History
from engine.record.journal import Journal, completion_data
from engine.runs.game_row import UNREADABLE, GameRow, SeatCost, row_from
from engine.runs.index import FILE, Index
from engine.runs.query import Query
from engine.spending.validity import SeatAnswers
from player import Console
from providers import Completion, Usage
from tests.support.histories import small_history
from tests.support.odd_files import ODD
from tests.support.paths import ROOT
from tests.support.tables import config_for

SEATS = "openai:no-such-model,scripted:greedy"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    found = Index(tmp_path)
    yield found
    found.close()


def names_in(index: Index, query: Query | None = None) -> list[str]:
    return [row.name for row in index.every(query or Query(sort="name"))]


def save(folder: Path, name: str, change: Callable[[History], object] = lambda log: None) -> Path:
    log = small_history()
    log.game_id = name
    change(log)
    path = folder / f"{name}.json"
    path.write_text(log.to_json(), encoding="utf-8")
    return path


def test_the_row_of_a_log_tells_what_the_log_does(tmp_path: Path, index: Index) -> None:
    def spend(log: History) -> None:
        log.usage["Ada"].asks = 4
        log.usage["Ada"].fallbacks = 3
        log.usage["Ada"].tokens = Usage(100, 0, 23)
        log.rounds[0].events[0].timestamp = "2026-01-01T14:00:00+02:00"
        log.events[-1].timestamp = "2026-01-01T12:01:30.500000+00:00"

    path = save(tmp_path, "parley", spend)
    row = index.row("parley")
    state = path.stat()
    assert (row.mtime_ns, row.size) == (state.st_mtime_ns, state.st_size)
    assert (row.game, row.status, row.reason, row.seed) == ("parley", "finished", "", 7)
    assert row.players == ("Ada", "Ben", "Cleo")
    assert row.models == ("openai:some-model", "scripted:greedy", "human")
    log = small_history()
    assert (row.rounds, row.events) == (2, len(log.events))
    assert (row.began, row.took) == ("2026-01-01T12:00:00.000+00:00", 90.5)
    assert row.tokens == 123
    # The events do not hold these calls, so nobody knows what they cost.
    assert (row.cost, row.spent[0]) == (None, SeatCost(123, None))
    assert row.spent[1] == SeatCost(0, 0.0)
    assert log.outcome is not None
    assert row.summary == log.outcome.summary
    assert row.result.startswith("Ben wins, ")
    assert row.title == "parley: Ada, Ben and Cleo"
    assert row.void == (SeatAnswers("Ada", 1, 4),)
    assert row.valid is True
    data = row.as_data()
    assert (data["void"], data["void_seats"]) == ("", "Ada answered 1 of 4")
    both = replace(row, void=(*row.void, SeatAnswers("Ben", 0, 3)))
    data = both.as_data()
    assert (both.valid, data["void"]) == (False, "Ada answered 1 of 4, Ben answered 0 of 3")
    assert data["void_seats"] == ""
    assert json.loads(json.dumps(row.as_data()))["players"] == ["Ada", "Ben", "Cleo"]


def test_the_row_of_a_journal_tells_how_far_the_game_is(tmp_path: Path, index: Index) -> None:
    lines = iter(["1", "2"])

    def read(_question: str) -> str:
        line = next(lines, None)
        if line is None:
            engine.interrupt()
        return line or "1"

    seats = "human,scripted:greedy"
    config = config_for("conversation", seats, tmp_path, settings={"length": 9}, seed=5)
    engine = GameEngine(config, console=Console(read, lambda text: None))
    assert engine.run().status == "running"
    row = index.row("game")
    assert (row.file, row.game, row.status) == ("game.jsonl", "conversation", "unfinished")
    assert (row.players, row.models) == (("Ada", "Ben"), ("human", "scripted:greedy"))
    assert (row.rounds, row.seed, row.cost, row.tokens) == (2, 5, 0.0, 0)
    assert (row.title, row.result) == ("Ada against Ben in conversation", "")
    assert row.who == "Ada (human); Ben (scripted:greedy)"
    assert (row.events, row.took, row.valid) == (None, None, None)


def begin_game(folder: Path, name: str) -> Journal:
    header = {"version": 2, "made_from": config_for("conversation", SEATS).made_from()}
    return Journal.create(folder / f"{name}.jsonl", header)


def answer(journal: Journal, number: int) -> None:
    completion = completion_data(Completion("{}", usage=Usage(number)))
    entry = {"at": (number, 1, 1), "player": "Ada", "asked": "x", "seconds": 0}
    journal.write({"kind": "answer", **entry, "completion": completion})


def test_journals_that_grow_are_read_in_a_tenth_of_the_time(tmp_path: Path) -> None:
    """Each look at this clock takes a second: after one of reading come nine without."""
    journal = begin_game(tmp_path, "game")
    index = Index(tmp_path, itertools.count().__next__)
    rounds = []
    for number in range(1, 31):
        answer(journal, number)
        index.refresh()
        rounds.append(index.row("game").rounds)
    journal.close()
    # What is new is read at once.
    begin_game(tmp_path, "other").close()
    index.refresh()
    assert index.row("other").status == "unfinished"
    assert len(set(rounds)) == 4
    index.close()


def test_what_a_journal_has_recorded_is_summed(tmp_path: Path) -> None:
    index = Index(tmp_path, lambda: 0.0)
    journal = begin_game(tmp_path, "game")
    for number in (1, 2, 3):
        answer(journal, number)
        index.refresh()
        row = index.row("game")
        assert (row.rounds, row.tokens) == (number, number * (number + 1) // 2)
    assert row.spent == (SeatCost(6, None), SeatCost(0, 0.0))
    journal.write({"kind": "stopped", "reason": "the budget is used up"})
    journal.close()
    index.refresh()
    row = index.row("game")
    assert (row.status, row.reason) == ("stopped", "the budget is used up")
    index.close()


def test_a_log_takes_the_place_of_its_journal(tmp_path: Path, index: Index) -> None:
    begin_game(tmp_path, "game").close()
    assert index.row("game").status == "unfinished"
    save(tmp_path, "game")
    index.refresh()
    assert names_in(index) == ["game"]
    assert index.row("game").status == "finished"
    (tmp_path / "game.json").unlink()
    index.refresh()
    assert index.row("game").status == "unfinished"
    (tmp_path / "game.jsonl").unlink()
    index.refresh()
    assert names_in(index) == []
    with pytest.raises(KeyError):
        index.row("game")


def test_a_journal_that_becomes_a_log_while_it_is_read_is_never_unreadable(tmp_path: Path) -> None:
    journal = begin_game(tmp_path, "game")

    def fold() -> float:
        """Fold the journal, between the look into the folder and that into the journal."""
        if not (tmp_path / "game.json").exists():
            save(tmp_path, "game")
            (tmp_path / "game.jsonl").unlink()
        return 0.0

    index = Index(tmp_path)
    index.refresh()
    index.clock = fold
    answer(journal, 1)
    journal.close()
    index.refresh()
    assert index.row("game").status == "unfinished"
    index.refresh()
    assert index.row("game").status == "finished"
    index.close()


def test_what_is_no_game_is_listed_with_its_reason(tmp_path: Path, index: Index) -> None:
    save(tmp_path, "parley")
    for kind, make in ODD.items():
        make(tmp_path / f"{kind}.json")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "junk.jsonl").write_text("junk")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / os.fsdecode(b"caf\xe9.json")).write_text("{}")
    header = {"version": 2, "made_from": {"config": {"player_configs": 3}}}
    Journal.create(tmp_path / "hollow.jsonl", header).close()
    (tmp_path / "notes.txt").write_text("no log")
    rows = {row.file: row for row in index.every(Query(status=UNREADABLE))}
    assert len(rows) == len(ODD) + 5
    assert all(row.reason for row in rows.values())
    assert str(tmp_path) not in str([row.reason for row in rows.values()])
    assert rows["pipe.json"].reason == "it is not a regular file"
    assert "game's header" in rows["junk.jsonl"].reason
    assert r"caf\udce9.json" in rows
    assert names_in(index, Query(status="finished")) == ["parley"]


def test_numbers_and_texts_of_any_size_are_listed(tmp_path: Path, index: Index) -> None:
    def exaggerate(log: History) -> None:
        log.seed = 10**30
        log.usage["Ada"].tokens = Usage(10**40)
        log.game = "x" * 10**6
        log.rounds[0].events[0].timestamp = "yesterday"

    save(tmp_path, "huge", exaggerate)
    row = index.row("huge")
    assert (row.status, row.seed, row.took) == ("finished", None, None)
    assert len(row.game) == 500


def test_a_file_is_read_again_only_if_time_or_size_changed(tmp_path: Path, index: Index) -> None:
    path = save(tmp_path, "parley")
    assert index.row("parley").seed == 7
    state = path.stat()
    path.write_text(path.read_text().replace('"seed": 7', '"seed": 8'))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    index.refresh()
    assert index.row("parley").seed == 7
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    index.refresh()
    assert index.row("parley").status == UNREADABLE, "its checksum does not match"
    save(tmp_path, "parley", lambda log: setattr(log, "seed", 123))
    index.refresh()
    assert index.row("parley").seed == 123


def test_a_second_index_knows_what_the_first_read(tmp_path: Path, index: Index) -> None:
    path = save(tmp_path, "parley")
    index.refresh()
    state = path.stat()
    path.write_bytes(b"x" * state.st_size)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    second = Index(tmp_path)
    assert second.row("parley") == index.row("parley")
    second.close()


def test_a_folder_that_is_not_there_has_no_games(tmp_path: Path) -> None:
    save(tmp_path, "parley").rename(tmp_path / "file")
    for name in ("none", "file"):
        index = Index(tmp_path / name)
        assert names_in(index) == []
        index.close()
    assert not (tmp_path / "none").exists()


def spoil_row(path: Path) -> None:
    with sqlite3.connect(path) as table:
        table.execute("UPDATE games SET players = 'no JSON', rounds = 'many'")
    table.close()


def make_foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as table:
        table.execute("CREATE TABLE letters (words)")
        table.execute("CREATE VIEW games AS SELECT words AS file FROM letters")
        table.execute("PRAGMA user_version = 1")
    table.close()


def make_older(path: Path) -> None:
    with sqlite3.connect(path) as table:
        table.execute("DELETE FROM games")
        table.execute("PRAGMA user_version = 99")
    table.close()


def cut_middle(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * 4096 + content[8192:])


DAMAGES: dict[str, Callable[[Path], object]] = {
    "junk": lambda path: path.write_bytes(b"no table at all" * 1000),
    "empty": lambda path: path.write_bytes(b""),
    "short": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "middle": cut_middle,
    "row": spoil_row,
    "foreign": make_foreign,
    "older": make_older,
    "gone": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_made_again(tmp_path: Path, damage: str) -> None:
    names = [f"game_{number:02}" for number in range(60)]
    for name in names:
        save(tmp_path, name)
    index = Index(tmp_path)
    assert names_in(index) == names
    index.close()
    DAMAGES[damage](tmp_path / FILE)
    for _ in range(2):
        index = Index(tmp_path)
        assert names_in(index) == names
        assert index.row("game_30").rounds == 2
        index.close()
    assert (tmp_path / FILE).read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("damage", ["junk", "row", "middle"])
def test_a_table_damaged_meanwhile_is_made_again(tmp_path: Path, index: Index, damage: str) -> None:
    names = [f"game_{number:02}" for number in range(60)]
    for name in names:
        save(tmp_path, name)
    index.refresh()
    DAMAGES[damage](tmp_path / FILE)
    assert names_in(index) == names
    index.refresh()
    assert names_in(index) == names


SOUND: dict[str, Any] = asdict(GameRow("a.json", 1, 2, "a", players=("Ada",), seed=3, took=0.5)) | {
    "players": ["Ada"],
    "models": ["scripted:greedy"],
    "spent": [{"tokens": 3, "cost": None}],
    "void": [["Ada", 1, 2]],
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": "2"},
        {"name": None},
        {"title": 7},
        {"seed": "3"},
        {"players": ["Ada", 7]},
        {"players": None},
        {"models": [None]},
        {"spent": [{"tokens": "3", "cost": None}]},
        {"spent": [3]},
        {"void": [["Ada", 1]]},
        {"void": [["Ada", 1, None]]},
    ],
)
def test_a_row_with_a_value_of_another_type_is_damaged(wrong: dict[str, Any]) -> None:
    row = row_from(SOUND)
    assert (row.seed, row.took, row.cost, row.players) == (3, 0.5, None, ("Ada",))
    assert (row.spent, row.void) == ((SeatCost(3, None),), (SeatAnswers("Ada", 1, 2),))
    with pytest.raises((TypeError, ValueError)):
        row_from(SOUND | wrong)


def test_fractions_that_a_damaged_journal_holds_as_whole_numbers_are_listed() -> None:
    # If such a row counted as damaged, the index would read its game again without end.
    row = row_from(SOUND | {"seed": 1.5, "events": 10.0})
    assert (row.seed, row.events) == (1.5, 10)


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_table_is_left_alone(tmp_path: Path, kind: str) -> None:
    """The rows are kept in memory then."""
    ODD[kind](tmp_path / FILE)
    save(tmp_path, "parley")
    index = Index(tmp_path)
    assert names_in(index) == ["parley"]
    assert index.row("parley").seed == 7
    assert (tmp_path / FILE).is_dir() if kind == "folder" else os.path.lexists(tmp_path / FILE)
    index.close()


def test_where_no_file_can_be_made_the_rows_are_in_memory() -> None:
    index = Index(Path("/proc/self"))
    assert names_in(index) == []
    index.close()


FULL = """
import resource, sys
from pathlib import Path
from engine.runs.index import FILE, Index
from engine.runs.query import Query
folder = Path(sys.argv[1])
index = Index(folder)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
index.refresh()
print(len([*index.every(Query())]))
"""


@pytest.mark.parametrize("size", [0, 16384, 40000])
def test_on_a_full_disk_the_rows_are_in_memory(tmp_path: Path, size: int) -> None:
    for number in range(300):
        save(tmp_path, f"game_{number:02}")
    words = [sys.executable, "-B", "-c", FULL, str(tmp_path), str(size)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("300\n", "")


FOLLOW = """
import sys
from pathlib import Path
from engine.runs.index import Index
from engine.runs.query import Query
index = Index(Path(sys.argv[1]))
while True:
    index.refresh()
    names = [row.name for row in index.every(Query(sort="name"))]
    if "end" in names:
        break
print(" ".join(names))
"""


def test_several_processes_follow_one_folder(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FOLLOW, str(tmp_path)]
    others = [
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for number in range(120):
        save(tmp_path, f"game_{number:03}")
        if number % 3 == 0:
            (tmp_path / f"game_{number:03}.json").unlink()
    save(tmp_path, "end")
    left = sorted(path.stem for path in tmp_path.glob("*.json"))
    for other in others:
        out, err = other.communicate(timeout=60)
        assert (out.split(), err) == (left, "")
    index = Index(tmp_path)
    assert names_in(index) == left
    index.close()
    with sqlite3.connect(tmp_path / FILE) as table:
        assert table.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert table.execute("SELECT COUNT(*) FROM games").fetchone() == (len(left),)
    table.close()


def test_threads_share_an_index(tmp_path: Path, index: Index) -> None:
    for number in range(50):
        save(tmp_path, f"game_{number:02}")

    def look(number: int) -> int:
        if number % 2:
            index.refresh()
        rows, _ = index.page(Query(limit=200))
        return len(rows)

    with ThreadPoolExecutor(4) as threads:
        counts = [*threads.map(look, range(40))]
    assert counts[-1] == 50
