"""What a conversation tells is read from its lines, and from nothing else."""

from dataclasses import replace

import pytest

from engine.games.conversation.facts import facts_of_conversation
from engine.history import Event
from tests.test_every_game import play


def event_of(kind: str, content: str) -> Event:
    return Event(0, kind, "", "narrator", None, content, (), {"item": "secret"}, "")


@pytest.mark.parametrize(
    ("kind", "content", "told"),
    [
        (
            "speech",
            "bees & tides (2) (importance 0.80): tea (importance 0.11) is worse",
            {"item": "bees & tides (2)", "subjects": ["bees", "tides"], "importance": 0.8},
        ),
        (
            "pause",
            "No player speaks: pause 2 of the 3 in a row that end the conversation.",
            {"pause": 2},
        ),
        ("pause", "Silence.", {}),
        (
            "setup",
            "Your items: tea (importance 1.00, your own bonus 0.35); jazz (importance 0.08). "
            "Your ranking of the subjects, best first: tea, jazz.",
            {
                "bank": [
                    {"item": "tea", "subjects": ["tea"], "importance": 1.0, "bonus": 0.35},
                    {"item": "jazz", "subjects": ["jazz"], "importance": 0.08},
                ]
            },
        ),
        ("setup", "Your items: . Your ranking of the subjects, best first: .", {"bank": []}),
        ("proposal", "would speak of tea (importance 0.40)", {}),
    ],
)
def test_lines_are_read(kind: str, content: str, told: dict[str, object]) -> None:
    assert facts_of_conversation(event_of(kind, content)) == told


def test_a_whole_game_is_told_without_its_data() -> None:
    for event in play("conversation", seed=5, settings={"length": 40}).events:
        told = facts_of_conversation(replace(event, data={}))
        assert told == facts_of_conversation(event)
        if event.kind == "speech":
            assert event.data["item"] == f"{event.player_id}: {told['item']}"
        elif event.kind == "setup":
            held = [f"{event.player_id}: {item['item']}" for item in told["bank"]]
            assert held == [item["id"] for item in event.data["bank"]]


@pytest.mark.parametrize("kind", ["setup", "speech", "pause"])
def test_a_line_of_somebody_else_takes_no_longer_for_what_stands_in_it(kind: str) -> None:
    """A file may hold any line; where each letter began a search this took hours."""
    for part in ("a", " (importance 0.5", "No player speaks: pause ", "9"):
        line = part * (1_000_000 // len(part))
        assert facts_of_conversation(event_of(kind, line)) in ({}, {"bank": []})
