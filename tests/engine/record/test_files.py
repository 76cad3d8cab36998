"""Files of games: written whole, read only where they are files, through no link of a stranger."""

import os
from pathlib import Path

import pytest

from engine.record.files import DiskError, read_regular, write_whole
from engine.record.journal import Journal
from tests.support.odd_files import ODD

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
