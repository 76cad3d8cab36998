"""A game as CSV: each event a row, each figure in its column, no cell that a spreadsheet runs."""

import csv
import io
import json
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.history import History
from engine.views.event_csv import COLUMNS, events_csv
from engine.views.perspective import Shown
from protocol.turn import Attempt
from providers import Usage
from tests.support.fake_api import FakeApi
from tests.support.histories import add, small_history
from tests.support.tables import config_for


def rows_of(history: History, **shown: Any) -> list[dict[str, str]]:
    return [
        *csv.DictReader(io.StringIO(events_csv(history, Shown(**shown)), newline=""), strict=True)
    ]


def test_each_event_is_a_row() -> None:
    history = small_history()
    rows = rows_of(history)
    assert [(row["index"], row["kind"], row["content"]) for row in rows] == [
        (str(event.index), event.kind, event.content) for event in history.events
    ]
    assert tuple(rows[0]) == COLUMNS
    setup, speech = rows[1], rows[6]
    assert (setup["round"], setup["heading"]) == ("1", "What Ada holds")
    assert setup["player"] == setup["seen_by"] == "Ada"
    assert json.loads(speech["data"]) == history.events[6].data
    assert speech["seen_by"] == "Ada, Ben, Cleo"
    assert speech["attempts"] == speech["cost"] == speech["fell_back"] == ""


def test_what_an_answer_took() -> None:
    """Two attempts: 5 + 7 tokens, 0.5 + 1.25 s, $0.25 + $0.5; without the last no cost is known."""
    history = small_history()
    event = history.events[4]
    event.attempts = (
        Attempt("a", usage=Usage(5, 4, 3, 2, 1, 0.25), seconds=0.5),
        Attempt("b", usage=Usage(7, 0, 1, 0, 0, 0.5), seconds=1.25),
    )
    event.usage = sum((one.usage for one in event.attempts if one.usage), Usage())
    names = COLUMNS[COLUMNS.index("attempts") : COLUMNS.index("timestamp")]
    row = rows_of(history)[4]
    assert [row[name] for name in names] == ["2", "0", "12", "4", "1", "4", "2", "1.75", "0.75"]
    event.attempts = (event.attempts[0], Attempt("b", usage=Usage(7, 0, 1)))
    assert rows_of(history)[4]["cost"] == ""


def test_questions_and_reasoning_are_asked_for() -> None:
    row = rows_of(small_history(), prompts=True, reasoning=True)[4]
    assert (row["question"], row["reasoning"]) == ("What now?", "Bees are safe.")
    seen = rows_of(small_history(), prompts=True, reasoning=True, view="Cleo")
    assert [row["content"] for row in seen] == [
        event.content for event in small_history().seen_by("Cleo")
    ]
    assert not any(row["question"] or row["reasoning"] or row["data"] for row in seen)


@pytest.mark.parametrize(
    "words", ["=1+1", "\t=1+1", "\u200b=1+1", "\x1b=1+1", "\ufeff@x", "\uff1d1", "\r\n-2", ' "=1']
)
def test_no_words_begin_a_formula(words: str) -> None:
    history = small_history(words)
    add(history, history.rounds[1], "speech", "fine", player_id="Ada", heading=words)
    said = [rows_of(history)[6]["content"], rows_of(history)[-1]["heading"]]
    assert all(cell[0] == "'" and cell[1:].strip('"')[0] in "=@-\uff1d" for cell in said)


async def test_the_sheet_of_a_game_adds_up() -> None:
    async with FakeApi() as api:
        config = config_for(
            "conversation", "compatible:m,scripted:greedy", at=api.url, settings={"length": 3}
        )
        history = await GameEngine(config).play()
    asked = [row for row in rows_of(history) if row["attempts"]]
    assert {row["player"] for row in asked} == {"Ada"}
    total = sum(int(row["prompt_tokens"]) for row in asked)
    assert total == history.usage["Ada"].tokens.prompt_tokens == 300
    assert events_csv(history) == events_csv(history)
