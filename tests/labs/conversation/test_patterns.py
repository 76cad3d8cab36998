"""Patterns of conversations, counted by hand."""

import pytest

from engine.games.conversation.record import Conversation, Item
from labs.conversation.patterns import Patterns, patterns_of, subject_runs

ITEMS = {
    "a": Item("a", "ann", (0, 1), 0.5),
    "b": Item("b", "ann", (1,), 0.5),
    "c": Item("c", "ben", (1, 2), 0.5),
    "d": Item("d", "ben", (2,), 0.5),
}


def test_runs_of_a_subject() -> None:
    """a b c share 1 (run of 3), 0 is alone (1); 2 runs over c and d (2), then d alone (1)."""
    turns = [ITEMS["a"], ITEMS["b"], ITEMS["c"], ITEMS["d"], None, ITEMS["d"]]
    assert sorted(subject_runs(turns)) == [1, 1, 2, 3]
    assert subject_runs([]) == subject_runs([None, None]) == []


def test_patterns_of_a_conversation() -> None:
    """Six turns: one pause, d twice; runs 3, 1, 2, 1.

    ann spoke 2, ben 3: |2-3| twice over 2 * 2 * 5 = 0.1.
    """
    rankings = {"ann": (0, 1, 2), "ben": (2, 1, 0)}
    conversation = Conversation(8, 3, rankings, ITEMS, ("a", "b", "c", "d", None, "d"))
    assert patterns_of(conversation) == pytest.approx((3, 7 / 4, 0.1, 1 / 6, 1 / 6))
    empty = Conversation(length=8, subjects=3, rankings={"ann": (0, 1, 2)}, items={}, turns=())
    assert patterns_of(empty) == Patterns(0, 0.0, 0.0, 0.0, 0.0)
