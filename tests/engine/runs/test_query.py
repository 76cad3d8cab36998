"""What a list of games can be asked: filters, orders, pages, and questions that are none."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.history import Outcome, Status
from engine.runs.index import Index
from engine.runs.query import MOST_ROWS, SORTS, Query
from tests.support.histories import small_history

# Name, game, second player, model of the first, status, when, who won.
GAMES: tuple[tuple[str, str, str, str, Status, str, str], ...] = (
    ("anna", "talks", "Ben", "gpt-5", "finished", "2026-01-01T09:00:00+00:00", "Ada wins"),
    ("berta", "talks", "Bo", "gpt-5-mini", "finished", "2026-01-02T00:00:00+00:00", "A tie."),
    ("clara", "guest", "Ben", "qwen2:7b", "stopped", "2026-01-02T23:59:59.500000+00:00", ""),
    ("dora_50%", "guest", "Élise", "gpt-5", "failed", "2026-01-03T01:00:00+02:00", "100% 'all'"),
)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    for number, (name, game, player, model, status, when, summary) in enumerate(GAMES):
        log = small_history(players=("Ada", player, "Cleo"))
        log.game, log.status = game, status
        if name == "clara":
            log.config = {"game": {"name": "guest", "game": "tiny_hanabi(seed=1)"}}
        log.outcome = Outcome({}, {}, summary=summary)
        log.players[0] = type(log.players[0])("Ada", "openai", model)
        for event in log.events:
            event.timestamp = when
        path = tmp_path / f"{name}.json"
        path.write_text(log.to_json(), encoding="utf-8")
        os.utime(path, (1e9 + number, 1e9 + number))
    (tmp_path / "junk.jsonl").write_text("junk")
    os.utime(tmp_path / "junk.jsonl", (1, 1))
    found = Index(tmp_path)
    yield found
    found.close()


def test_the_games_that_a_folder_has_are_named(index: Index) -> None:
    assert index.games() == ["guest", "talks"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "dora_50% clara berta anna junk"),
        ({"game": "talks"}, "berta anna"),
        ({"game": "talk"}, ""),
        ({"player": "Ben"}, "clara anna"),
        ({"player": "Be"}, ""),
        ({"player": "Élise"}, "dora_50%"),
        ({"model": "gpt-5"}, "dora_50% anna"),
        ({"model": "openai:gpt-5"}, "dora_50% anna"),
        ({"model": "openai"}, "dora_50% clara berta anna"),
        ({"model": "qwen2:7b"}, "clara"),
        ({"model": "scripted:greedy"}, "dora_50% clara berta anna"),
        ({"status": "finished"}, "berta anna"),
        ({"status": "unreadable"}, "junk"),
        ({"q": "ANNA"}, "anna"),
        ({"q": "élise"}, "dora_50%"),
        ({"q": "gpt-5 wins"}, "anna"),
        ({"q": "wins gpt-5 nobody"}, ""),
        ({"q": "50%"}, "dora_50%"),
        ({"q": "_"}, "dora_50% clara"),
        ({"q": "talks"}, "berta anna"),
        ({"q": "hanabi guest"}, "clara"),
        ({"q": "%"}, "dora_50%"),
        ({"q": "'all'"}, "dora_50%"),
        ({"since": "2026-01-02"}, "dora_50% clara berta"),
        ({"until": "2026-01-02"}, "dora_50% clara berta anna"),
        ({"until": "2026-01-01"}, "anna"),
        ({"since": "2026-01-02T00:00:00.001", "until": "2026-01-02T23:00+00:00"}, "dora_50%"),
        ({"since": "2026-01-02T02:00:00+02:00"}, "dora_50% clara berta"),
        ({"game": "guest", "player": "Ben", "status": "stopped", "q": "clara"}, "clara"),
        ({"sort": "name"}, "anna berta clara dora_50% junk"),
        ({"sort": "-name"}, "junk dora_50% clara berta anna"),
        ({"sort": "changed"}, "junk anna berta clara dora_50%"),
        ({"sort": "began", "status": "finished"}, "anna berta"),
        ({"sort": "-rounds", "limit": 1}, "dora_50%"),
    ],
)
def test_filters_and_orders(index: Index, asked: dict[str, Any], expected: str) -> None:
    rows, _ = index.page(Query(**asked))
    assert [row.name for row in rows] == expected.split()


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{name}" for name in SORTS)])
def test_pages_of_any_order_hold_every_game_once(index: Index, sort: str) -> None:
    whole = [row.name for row in index.every(Query(sort=sort))]
    assert sorted(whole) == ["anna", "berta", "clara", "dora_50%", "junk"]
    for limit in (1, 2, 3):
        found = []
        cursor = ""
        while True:
            rows, cursor = index.page(Query(sort=sort, cursor=cursor, limit=limit))
            assert len(rows) <= limit
            found += [row.name for row in rows]
            if not cursor:
                break
        assert found == whole


def test_a_page_goes_on_where_the_last_ended_whatever_changed(index: Index, tmp_path: Path) -> None:
    first, cursor = index.page(Query(limit=2))
    (tmp_path / "emma.json").write_bytes((tmp_path / "anna.json").read_bytes())
    (tmp_path / "clara.json").unlink()
    index.refresh()
    second, _ = index.page(Query(limit=2, cursor=cursor))
    assert [row.name for row in (*first, *second)] == ["dora_50%", "clara", "berta", "anna"]


HOSTILE = (
    "' OR 1=1 --", "'; DROP TABLE games; --", '" OR ""="', "\\", "\x00", "\ud800", "[" * 1000,
    "NULL",
)  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE, ids=repr)
def test_a_filter_is_only_a_value(index: Index, words: str) -> None:
    for name in ("game", "player", "model", "status"):
        asked: dict[str, Any] = {name: words}
        assert index.page(Query(**asked)) == ([], "")
    index.page(Query(q=words))
    assert len([*index.every(Query())]) == 5


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"limit": 0}, "expected limit to be from 1 to 200: got 0"),
        ({"limit": MOST_ROWS + 1}, "got 201"),
        ({"sort": "nam"}, "unknown sort 'nam': did you mean 'name'?"),
        ({"sort": "name; DROP TABLE games"}, "unknown sort"),
        ({"sort": "--name"}, "unknown sort"),
        ({"since": "yesterday"}, "expected since to be a date such as 2026-01-31"),
        ({"until": "2026-13-01"}, "expected until to be a date"),
        ({"until": "9999-12-31T23:59:59-23:00"}, "expected until to be a date"),
        ({"cursor": "zzz"}, "expected cursor to be the next cursor of an earlier page"),
        ({"cursor": "é"}, "expected cursor"),
        ({"cursor": "W" * 3000}, "expected cursor"),
        ({"cursor": "W1tbW1tb" * 240}, "expected cursor"),
        # ["-changed", true, "f"], ["-changed", 1e999, "f"], ["-changed", 2**70, "f"], ["name", ...
        ({"cursor": "WyItY2hhbmdlZCIsIHRydWUsICJmIl0="}, "expected cursor"),
        ({"cursor": "WyItY2hhbmdlZCIsIDFlOTk5LCAiZiJd"}, "expected cursor"),
        ({"cursor": "WyItY2hhbmdlZCIsIDExODA1OTE2MjA3MTc0MTEzMDM0MjQsICJmIl0="}, "expected cursor"),
        ({"cursor": "WyJuYW1lIiwgImYiLCAiZiJd"}, "expected cursor"),
    ],
)
def test_a_wrong_question_is_refused_in_a_sentence(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^[eu]") as refused:
        Query(**asked)
    assert sentence in str(refused.value)
    assert len(str(refused.value)) < 200
