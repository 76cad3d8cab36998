"""Files of a tournament that somebody changed: ratings never follow them without a word."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

import tournament
from engine.record.chain import seal
from engine.tournaments.ledger import Ledger
from engine.tournaments.row_cache import SEAL
from engine.tournaments.run import TournamentRun
from tests.support.odd_files import ODD
from tests.support.terminal import Capture
from tests.support.tournaments.cups import short_cup
from tests.support.tournaments.rated import rate


def change_byte(content: bytes) -> bytes:
    place = content.index(b'"score": ') + len(b'"score": ')
    return content[:place] + (b"8" if content[place:][:1] != b"8" else b"9") + content[place + 1 :]


@pytest.mark.parametrize(
    "spoil",
    [
        change_byte,
        lambda content: b"[]\n" + content,
        lambda content: b'{"form": 3}\n' + content,
        lambda content: b"[" * 100_000 + b"\n" + content,
        lambda content: b"\xff\n" + content.replace(b"rows", b"sows", 1),
        lambda content: content[:-40] + b"\n",
    ],
    ids=["a byte", "a list", "no rows", "brackets", "no text", "cut"],
)
def test_rows_that_are_not_as_they_were_written_are_made_again(
    spoil: Callable[[bytes], bytes], part: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert rate("cup", "--logs-dir", tmp_path) == 0
    rated = (part / "ratings.json").read_bytes()
    rows = part / "rows.jsonl"
    whole = rows.read_bytes()
    rows.write_bytes(spoil(whole))
    assert rate(rows, "--logs-dir", tmp_path) == 2
    capsys.readouterr()
    assert rate("cup", "--logs-dir", tmp_path) == 0
    told = r"[12] of 1[23] lines in .* were not written by this version"
    assert re.search(told, capsys.readouterr().err)
    assert (part / "ratings.json").read_bytes() == rated
    assert sorted(rows.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert rate("cup", "--logs-dir", tmp_path) == 0
    assert "not written by this version" not in capsys.readouterr().err


def test_forged_rows_are_found_by_verifying(part: Path, tmp_path: Path, capsys: Capture) -> None:
    assert rate("cup", "--logs-dir", tmp_path, "--verify") == 0
    assert "kept rows" not in capsys.readouterr().err
    rated, card = (part / "ratings.json").read_bytes(), (part / "card.md").read_text("utf-8")
    assert re.search(r'^verified: "[0-9a-f]{64}"$', card, re.MULTILINE)
    assert "tournament.py rate cup --verify --html" in card
    first, *others = (part / "rows.jsonl").read_bytes().splitlines(keepends=True)
    kept = json.loads(first)
    del kept["sum"]
    for row in kept["rows"]:
        row["place"] = 5 - row["place"]
    # Who knows the form of the seal can seal anything.
    (part / "rows.jsonl").write_bytes(seal(kept, SEAL) + b"".join(others))
    assert rate("cup", "--logs-dir", tmp_path) == 0
    assert (part / "ratings.json").read_bytes() != rated
    assert "verified" not in (part / "card.md").read_text("utf-8")
    capsys.readouterr()
    assert rate("cup", "--logs-dir", tmp_path, "--verify") == 0
    assert "1 of 12 kept rows in" in capsys.readouterr().err
    assert (part / "ratings.json").read_bytes() == rated
    assert (part / "card.md").read_text("utf-8") == card


def test_a_forged_log_is_found_by_verifying(
    logs: Path, part: Path, tmp_path: Path, capsys: Capture
) -> None:
    log = part / "games" / "cup_000003.json"
    log.write_bytes(forged_log(log))
    ledger = Ledger.open(part / "ledger.jsonl")
    digest = sha256(log.read_bytes()).hexdigest()
    asyncio.run(ledger.done(replace(ledger.state.done[3], sha256=digest)))
    ledger.close()
    assert rate("cup", "--logs-dir", tmp_path) == 0
    assert rate("cup", "--logs-dir", tmp_path, "--verify") == 1
    said = capsys.readouterr().err
    assert "1 logs break their rules" in said
    assert "cup_000003.json" in said
    assert rate(logs / "cup" / "rows.jsonl", "--verify") == 2


def test_a_forged_log_is_not_taken_in(part: Path) -> None:
    """A ledger without the end of a game is gone on with, if the log keeps its rules."""
    ledger = part / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if b'"done"' in line)
    number = json.loads(lines[last])["number"]
    ledger.write_bytes(b"".join(lines[:last]))
    log = part / "games" / f"cup_{number:06}.json"
    whole = log.read_bytes()
    log.write_bytes(forged_log(log))
    log.with_suffix(".jsonl").write_bytes(b"paid for\n")
    with pytest.raises(ValueError, match=r"cup_\d+\.json: .*move that log away"):
        TournamentRun(short_cup(games=12, min_games=5), part).run()
    assert log.with_suffix(".jsonl").exists()
    log.write_bytes(whole)
    TournamentRun(short_cup(games=12, min_games=5), part).run()
    assert not log.with_suffix(".jsonl").exists()
    assert b'"done"' in ledger.read_bytes().splitlines()[-1]


def forged_log(log: Path) -> bytes:
    """Return a log in which the outcome is turned round, without its checksum."""
    plain = json.loads(log.read_bytes())
    places = plain["outcome"]["placements"]
    plain["outcome"]["placements"] = {name: 5 - place for name, place in places.items()}
    return json.dumps(plain | {"checksum": ""}).encode()


@pytest.mark.parametrize("name", ["ledger-1of2.jsonl", "ledger-3of8.jsonl"])
def test_a_mixture_of_ledgers_is_refused(
    name: str, part: Path, tmp_path: Path, capsys: Capture
) -> None:
    shutil.copy(part / "ledger.jsonl", part / name)
    assert rate("cup", "--logs-dir", tmp_path) == 2
    assert f"there are {name}, ledger.jsonl" in capsys.readouterr().err
    with pytest.raises(ValueError, match="to continue as it began"):
        TournamentRun(short_cup(games=12, min_games=5), part).run()


@pytest.mark.parametrize("place", [".", "cup", "cup/games"])
def test_no_data_set_is_written_where_games_are(place: str, logs: Path, capsys: Capture) -> None:
    before = sorted(logs.rglob("*"))
    to, where = str(logs / place), str(logs)
    assert tournament.main(["export", "cup", "--to", to, "--logs-dir", where]) == 2
    assert "a separate folder for the data set" in capsys.readouterr().err
    assert sorted(logs.rglob("*")) == before


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "folder"])
def test_rows_that_are_no_file_are_made_again(kind: str, part: Path, tmp_path: Path) -> None:
    (part / "rows.jsonl").unlink()
    ODD[kind](part / "rows.jsonl")
    assert rate("cup", "--logs-dir", tmp_path) == 0
    assert (part / "rows.jsonl").is_file()


def test_a_list_of_tournaments_outlives_odd_ratings(
    logs: Path, tmp_path: Path, capsys: Capture
) -> None:
    contents = ["[" * 100_000, '{"targets": [{"rows": 3}]}', "9" * 5000, None]
    for number, content in enumerate(contents):
        part = tmp_path / f"cup{number}"
        shutil.copytree(logs / "cup", part, ignore=shutil.ignore_patterns("ratings.json"))
        if content is None:
            os.mkfifo(part / "ratings.json")
        else:
            (part / "ratings.json").write_text(content, encoding="utf-8")
    assert tournament.main(["list", "--logs-dir", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert all(f"cup{number}" in shown for number in range(4))
