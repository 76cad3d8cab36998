"""Files of games: written whole, read only where they are files, through no link of a stranger."""

import os
import re
from pathlib import Path

import pytest

from engine.record.files import DiskError, is_log_name, new_game_id, read_regular, write_whole
from engine.record.journal import Journal
from tests.support.odd_files import ODD
from tests.support.tables import NOON

HEADER = {"version": 1, "made_from": {"config": {}}}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_not_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    ODD[kind](path)
    with pytest.raises(OSError, match=r"game\.json") as caught:
        read_regular(path)
    assert caught.value.strerror
    with pytest.raises(OSError, match=r"game\.json"):
        Journal.load(path)


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_bytes(b"{}")
    (tmp_path / "game.json").symlink_to("old.json")
    assert read_regular(tmp_path / "game.json") == b"{}"


def test_a_file_that_fills_the_memory_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "game.json").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="larger than 2 GB"):
        read_regular(tmp_path / "game.json")


@pytest.mark.parametrize("kind", [*ODD, "file"])
def test_a_part_is_written_through_no_link(kind: str, tmp_path: Path) -> None:
    """Whatever lies where the part is to be written is replaced; a folder is a fault."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    part = tmp_path / "game.json.part"
    if kind == "file":
        part.symlink_to(elsewhere)
    else:
        ODD[kind](part)
    if kind == "folder":
        with pytest.raises(DiskError, match=r"game\.json cannot be written"):
            write_whole(tmp_path / "game.json", "{}")
        return
    write_whole(tmp_path / "game.json", "{}")
    assert (tmp_path / "game.json").read_text() == "{}"
    assert elsewhere.read_text() == "mine"
    assert not os.path.lexists(part)
    assert not (tmp_path / "game.json").is_symlink()


@pytest.mark.parametrize("kind", ODD)
def test_no_journal_is_begun_where_something_lies(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ODD[kind](path)
    with pytest.raises(OSError, match=r"game\.jsonl"):
        Journal.create(path, HEADER)
    with pytest.raises((OSError, ValueError), match=r"game\.jsonl"):
        Journal.reopen(path)


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, part, synced = tmp_path / "game.json", tmp_path / "game.json.part", []
    path.write_text("old")

    def fsync(descriptor: int) -> None:
        synced.append((path.read_text(), part.read_text()))

    monkeypatch.setattr(os, "fsync", fsync)
    write_whole(path, "new")
    assert (synced, path.read_text()) == ([("old", "new")], "new")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("gameplay_20260101_120000_ab12cd34", True),
        ("game-1", True),
        ("-game", False),
        ("game.json", False),
        ("logs/game", False),
        ("../game", False),
        ("my game", False),
        ("", False),
    ],
)
def test_only_names_that_can_be_typed_name_a_log(text: str, fits: bool) -> None:
    assert is_log_name(text) is fits


def test_the_id_of_a_game_has_its_time_and_eight_random_digits() -> None:
    made = {new_game_id(lambda: NOON) for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch(r"gameplay_20260[0-9]{3}_120000_[0-9a-f]{8}", one) for one in made)
