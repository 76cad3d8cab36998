"""What a moderated session tells is read from its lines, and from nothing else."""

from dataclasses import replace

from engine.games.guest.record import facts_of_session
from engine.history import Event
from tests.test_every_game import play


def test_a_whole_game_is_told_without_its_data() -> None:
    for event in play("guest", seed=5).events:
        told = facts_of_session(replace(event, data={}))
        assert told == facts_of_session(event)
        if event.kind == "step":
            steps = event.data["steps"]
            reward = sum(step["reward"] for step in steps)
            assert told == {
                "action": steps[0]["action"],
                "reward": round(reward, 2),
                "speakers": [step["speaker"] for step in steps],
            }
        elif event.kind == "narration":
            assert told == {"energy": [round(one, 2) for one in event.data["energy"]]}
        else:
            assert told == {}


def test_other_words_tell_nothing() -> None:
    for event in play("guest").events:
        assert facts_of_session(replace(event, content="reward 1; wait; then spoke 1")) == {}


def test_numbers_that_no_agent_has_are_nobody() -> None:
    for number in ("²", "9" * 5000, "12"):
        line = f"reward 0.10; wait; then spoke {number}, 1"
        told = facts_of_session(Event(0, "step", "", "narrator", None, line, (), {}, ""))
        assert told["speakers"] == [None, 1]
