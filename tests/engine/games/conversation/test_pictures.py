"""What the pictures of a conversation show, against its log and the scorer."""

import pytest

from engine.games.conversation.game import ConversationGame
from engine.history import History
from engine.report.charts import Heat, Lines
from tests.support.narrowing import instance, not_none
from tests.support.tables import run_game


def played(length: int = 12) -> History:
    settings = {"length": length, "bank_size": 4, "subjects": 5}
    return run_game("conversation", "scripted:greedy,scripted:random", settings=settings, seed=4)


def test_the_curves_end_where_the_score_does() -> None:
    history = played()
    score = instance(ConversationGame.charts(history)["score"], Lines)
    assert [*score.x] == [*range(1, len(history.rounds) + 1)]
    for part, curve in score.series.items():
        assert curve[-1] == pytest.approx(not_none(history.outcome).shared[part])


def test_every_subject_that_was_spoken_of_is_counted_once_an_item() -> None:
    history = played()
    subjects = instance(ConversationGame.charts(history)["subjects"], Heat)
    assert subjects.rows == ["Ada", "Ben"]
    named: dict[tuple[str | None, str], int] = {}
    for event in history.events:
        if event.kind == "speech":
            for name in event.content.partition(" (importance")[0].split(" & "):
                named[event.player_id, name] = named.get((event.player_id, name), 0) + 1
    counted = {}
    for row, cells in zip(subjects.rows, subjects.cells, strict=True):
        for column, cell in zip(subjects.columns, cells, strict=True):
            if cell is not None:
                counted[row, column] = cell
    assert counted == named
    assert named


def test_before_the_first_turn_there_are_none() -> None:
    assert ConversationGame.charts(played(length=0)) == {}
