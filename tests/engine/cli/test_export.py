"""`tournament.py export`, as somebody types it who publishes a tournament."""

from pathlib import Path

import pytest
import yaml

from tests.support.foreign.elimination import as_jsonl, elimination_log
from tests.support.terminal import Capture
from tests.support.tournaments.cups import short_cup, write_cup
from tests.support.tournaments.rated import rows_in
from tournament import main


@pytest.fixture(scope="module")
def logs_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    path = write_cup(folder, short_cup(license="CC0-1.0"))
    assert main(["play", str(path), "--logs-dir", str(folder)]) == 0
    return folder


def test_a_tournament_is_exported_with_the_rows_of_its_games(
    logs_dir: Path, tmp_path: Path, capsys: Capture
) -> None:
    where = ["--logs-dir", str(logs_dir)]
    data = tmp_path / "data"
    assert main(["export", "cup", "--to", str(data), *where]) == 0
    told = capsys.readouterr()
    assert "6 games, 18 seats" in told.out
    assert "tournament.py rate" in told.err
    games = rows_in(data / "games.jsonl.gz")
    assert [game["game_id"] for game in games] == [f"cup_{number:06}" for number in range(6)]
    kept = rows_in(logs_dir / "cup" / "rows.jsonl")
    rows = sorted((row for game in kept for row in game["rows"]), key=key_of)
    exported = sorted(rows_in(data / "seats.jsonl.gz"), key=key_of)
    assert [{name: row[name] for name in rows[0]} for row in exported] == rows
    head = (data / "README.md").read_text().split("---\n")[1]
    assert yaml.safe_load(head)["configs"][1]["data_files"] == "seats.jsonl.gz"
    assert yaml.safe_load(head)["license"] == "cc0-1.0"


def key_of(row: dict[str, object]) -> tuple[object, object]:
    return row["game_id"], row["seat"]


def test_an_import_is_exported_too(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.jsonl").write_bytes(as_jsonl(elimination_log(1)))
    (tmp_path / "b.jsonl").write_bytes(as_jsonl(elimination_log(2, day="2025-03-01")))
    (tmp_path / "c.jsonl").write_bytes(as_jsonl(elimination_log(3)[:-1]))
    imported = tmp_path / "in"
    main(["import", "elimination_game", str(tmp_path), "--to", str(imported)])
    data = tmp_path / "data"
    assert main(["export", str(imported), "--to", str(data), "--no-text"]) == 0
    assert "Games: " in capsys.readouterr().out
    votes = rows_in(data / "votes.jsonl.gz")
    assert all(vote["candidates"] is None for vote in votes)
    # The jury of b is not to be believed.
    assert len({vote["game_id"] for vote in votes if vote["jury"]}) == 2
    assert len(rows_in(data / "seats.jsonl.gz")) == 16
    statuses = sorted(str(game["status"]) for game in rows_in(data / "games.jsonl.gz"))
    assert statuses == ["finished", "finished", "stopped"]
    card = (data / "README.md").read_text()
    assert "not counted as votes, because they are unreliable: 1" in card
    assert "Nor is what players said" in card


def test_parquet_beside_json_lines(logs_dir: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    where = ["--logs-dir", str(logs_dir)]
    words = ["export", "cup", "--to", str(tmp_path), "--license", "cc-by-4.0", *where]
    assert main([*words, "--parquet"]) == 0
    assert "license: cc-by-4.0" in (tmp_path / "README.md").read_text()
    names = {path.name for path in tmp_path.iterdir()}
    assert {"games.parquet", "seats.parquet", "events.parquet", "votes.parquet"} < names
    assert main(words) == 0
    assert not [*tmp_path.glob("*.parquet")]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing"], "expected a tournament in"),
        (["cup", "--license", "Mine!"], "expected the id of a license"),
    ],
)
def test_bad_input_is_a_sentence(
    words: list[str], sentence: str, logs_dir: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["export", *words, "--to", str(tmp_path), "--logs-dir", str(logs_dir)]) == 2
    assert sentence in capsys.readouterr().err
