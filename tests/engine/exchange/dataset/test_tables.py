"""A data set out of games: four tables that hold what happened, and nothing that may not leave."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.exchange.dataset.card import data_card
from engine.exchange.dataset.contents import logs_shelf
from engine.exchange.dataset.tables import (
    TABLES,
    Contents,
    GameRecord,
    write_dataset,
    write_parquet,
)
from engine.history import Event, History
from engine.runs.seat_rows import seat_rows
from tests.support.hostile import CORPUS
from tests.support.island import island, scripted_island

ODD = [text for texts in CORPUS.values() for text in texts]


def record_of(history: History, status: str = "finished") -> GameRecord:
    entrants = {seat.player_id: f"entrant {seat.model}" for seat in history.players}
    # Two of a kind would be one entrant.
    named = {player: f"{name} {place}" for place, (player, name) in enumerate(entrants.items())}
    rows = tuple(seat_rows(history, named, block="block")) if status == "finished" else ()
    return GameRecord(
        history.game_id, "block", history.game, status, entrants=named, rows=rows, history=history
    )


@pytest.fixture(scope="module")
def histories() -> list[History]:
    return [replace(scripted_island(4, seed, 0.2).run(), game_id=f"g{seed}") for seed in range(3)]


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    lines = gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()).decode().split("\n")
    return [json.loads(line) for line in lines if line]


def test_every_game_seat_event_and_vote_has_a_row(histories: list[History], tmp_path: Path) -> None:
    contents = write_dataset(map(record_of, reversed(histories)), tmp_path / "reversed")
    times = sorted(event.timestamp for history in histories for event in history.events)
    assert (contents.began, contents.ended) == (times[0], times[-1])
    contents = write_dataset(map(record_of, histories), tmp_path)
    events = [event for history in histories for event in history.events]
    assert contents.rows["games"] == 3
    assert contents.rows["seats"] == 12
    assert contents.rows["events"] == len(events)
    assert contents.rows["votes"] == sum(event.kind == "vote" for event in events)
    for name, columns in TABLES.items():
        for row in table(tmp_path, name):
            assert [*row] == [*columns]
    assert [row["content"] for row in table(tmp_path, "events")] == [one.content for one in events]
    for row in table(tmp_path, "seats"):
        assert row["player_id"] in row["entrant"] or row["player_id"]


def test_a_data_set_of_logs_names_entrants_as_a_rating_does(tmp_path: Path) -> None:
    path = tmp_path / "g0.json"
    path.write_text(island("loyal", "grudge", "random").run().to_json(), encoding="utf-8")
    (record,) = logs_shelf([path], "cup").records
    assert [row["entrant"] for row in record.rows] == [*record.entrants.values()]
    assert record.entrants["Ada"] == "scripted:loyal"


def test_votes_are_told_with_their_candidates(histories: list[History], tmp_path: Path) -> None:
    write_dataset(map(record_of, histories), tmp_path)
    votes = table(tmp_path, "votes")
    assert {vote["valid"] for vote in votes} == {True, False}
    assert {vote["jury"] for vote in votes} == {True, False}
    for vote in votes:
        assert vote["choice"] in vote["candidates"] or not vote["valid"]
        assert vote["voter"] not in vote["candidates"]


def test_the_same_games_are_the_same_bytes(histories: list[History], tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    for folder in ("a", "b"):
        contents = write_dataset(map(record_of, histories), tmp_path / folder)
        write_parquet(tmp_path / folder, contents)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path


def test_parquet_has_the_same_rows(histories: list[History], tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    contents = write_dataset(map(record_of, histories), tmp_path)
    write_parquet(tmp_path, contents)
    for name, columns in TABLES.items():
        found = duckdb.read_parquet(str(tmp_path / f"{name}.parquet"))
        assert found.columns == [*columns]
        rows = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
        assert rows == table(tmp_path, name)


def test_unrated_games_have_no_seats(histories: list[History], tmp_path: Path) -> None:
    records = [record_of(histories[0]), record_of(histories[1], "void")]
    records.append(GameRecord("g9", "g9", "deliberations", "drawn", seed=3))
    write_dataset(records, tmp_path)
    assert {row["game_id"] for row in table(tmp_path, "seats")} == {"g0"}
    games = table(tmp_path, "games")
    assert [game["status"] for game in games] == ["finished", "void", "drawn"]
    assert (games[2]["seed"], games[2]["version"]) == (3, None)


def test_prompts_answers_and_keys_never_leave(tmp_path: Path) -> None:
    history = island("model", "loyal", "grudge").run()
    prompts = [history.prompt_of(event) for event in history.events]
    questions = [prompt.question for prompt in prompts if prompt]
    assert questions
    write_dataset([record_of(history)], tmp_path)
    text = "".join(json.dumps(row) for name in TABLES for row in table(tmp_path, name))
    for question in questions:
        assert json.dumps(question)[1:-1] not in text
    for seat in history.players:
        assert not seat.system or json.dumps(seat.system)[1:60] not in text
    for event in history.events:
        for attempt in event.attempts:
            assert json.dumps(attempt.text)[1:-1] not in text


def test_words_are_left_out_where_asked(histories: list[History], tmp_path: Path) -> None:
    history = histories[0]
    secret = "only said in private"
    event = Event(
        history.next_index, "note", "Note", "player Ada", history.players[0].player_id, secret, (),
        {"words": secret, "to": history.players[0].player_id, "deep": [{"more": secret}, 3]}, "",
        reasoning=secret,
    )  # fmt: skip
    more = replace(history, rounds=[*history.rounds])
    more.rounds[-1] = replace(more.rounds[-1], events=[*more.rounds[-1].events, event])
    write_dataset([record_of(more)], tmp_path, text=False)
    rows = table(tmp_path, "events")
    assert secret not in json.dumps(rows)
    assert {row["content"] for row in rows} == {None}
    facts = json.loads(rows[-1]["data"])
    assert facts == {"words": None, "to": history.players[0].player_id, "deep": [{"more": None}, 3]}


def test_hostile_words_do_nothing_in_tables_and_card(tmp_path: Path) -> None:
    history = scripted_island(3, 1).run()
    players = [seat.player_id for seat in history.players]
    for place, text in enumerate(ODD):
        event = Event(
            history.next_index, "pitch", "Pitch", "player x", players[place % 3], text, (), {}, ""
        )
        history.rounds[-1].events.append(event)
    record = record_of(history)
    names = {player: ODD[place] for place, player in enumerate(players)}
    rows = tuple({**row, "entrant": ODD[place]} for place, row in enumerate(record.rows))
    contents = write_dataset([replace(record, entrants=names, rows=rows)], tmp_path)
    content = gzip.decompress((tmp_path / "events.jsonl.gz").read_bytes())
    assert (
        len(content.splitlines()) == len(content.decode().splitlines()) == contents.rows["events"]
    )
    assert b"\x1b" not in content
    told = table(tmp_path, "events")[-len(ODD) :]
    written = [text.encode("utf-8", "replace").decode() for text in ODD]
    assert [row["content"] for row in told] == written


def test_a_card_is_one_front_matter_and_inert() -> None:
    contents = Contents()
    for name in ODD:
        contents.entrants[name] = 3
        contents.statuses[name] = 1
    card = data_card("cup", contents, {"license": "other", "from": ODD[0], "words": ""})
    _, head, body = card.split("---\n", 2)
    assert yaml.safe_load(head)["license"] == "other"
    plain = data_card("cup", Contents(), {"license": "other", "words": ""})
    assert body.count("\n") <= plain.count("\n") + len(ODD) + 202
    assert body.replace("\n", "").isprintable()
    for mark in ("<", "://", "www."):
        assert mark not in body
    assert not re.search(r"(?<!\\)\]\(", body)


@pytest.mark.parametrize("name", [ODD[0], "a: b\n---\n# c", "&x *x !!python/none", "x" * 999])
def test_any_name_of_a_data_set_is_a_text_of_its_front_matter(name: str) -> None:
    _, head, _ = data_card(name, Contents(), {"license": "other", "words": ""}).split("---\n", 2)
    assert isinstance(yaml.safe_load(head)["pretty_name"], str)
