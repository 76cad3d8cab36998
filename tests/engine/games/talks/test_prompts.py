"""What a model must be told before it can talk: each prompt is held to a checklist."""

from typing import Any

import pytest

from engine.games.talks.game import TalksGame
from engine.history import History
from tests.support.fake_api import FakeApi, schema_in
from tests.support.tables import play_with_models

PEOPLE: list[dict[str, Any]] = [
    {
        "name": "Sophia",
        "gender": "female",
        "personality": "collaborative",
        "expertise": "computer_science",
        "core_beliefs": ["bread is old", "rules_come_first"],
    },
    {"name": "Marcus", "gender": "male", "personality": "skeptical", "expertise": "logic"},
    {"name": "Kim", "gender": "non-binary", "personality": "cautious"},
]
SETTINGS: dict[str, Any] = {
    "participants": PEOPLE,
    "depth": 3,
    "words": 77,
    "max_iterations": 7,
    "termination": {"min_novelty": 0.25, "min_convergence": 0.85},
    "constants": {"conclude_share": 0.6},
    "turns": "round_robin",
    "tell_score": True,
}
RULES = {
    "players": "A philosophical discussion of 3 participants",
    "turns": "in at most 7 turns",
    "aim": "Your aim is a talk of high quality, a score from 0 to 100 that all participants share.",
    "score": "100 times the mean of five figures",
    "fairness": "how evenly the turns are shared (1 - Gini)",
    "depth": "the level reached out of 3",
    "aspects": "the different aspects named out of 9",
    "novelty": "how new the words of each turn are",
    "agreement": "how far you agree at the end",
    "gate": "once it has 4 aspects in 9 turns",
    "circles": "low novelty (below 0.25)",
    "consensus": "60 % of you want to conclude",
    "convergence": "or you agree (above 0.85)",
    "target": "TARGET DEPTH: Level 3/5 (Applications)",
    "length": "2-4 sentences, at most 77 words",
}


async def talk_of_models() -> tuple[History, FakeApi]:
    seats = ",".join(f"{one['name']}=compatible:m" for one in PEOPLE)
    return await play_with_models("talks", seats, settings=SETTINGS, seed=3)


async def test_every_question_is_held_to_the_checklist() -> None:
    _, api = await talk_of_models()
    assert len(api.requests) == 7
    for turn, request in enumerate(api.requests, 1):
        system, asked = (message["content"] for message in request.body["messages"])
        for what, words in RULES.items():
            assert words in system, what
        fields = [*schema_in(request.body)["properties"]]
        assert fields == ["plan", "reply", "position", "aspect_1", "aspect_2", "aspect_3"]
        assert all(f'"{name}" (' in asked for name in fields)
        assert f"Turn {turn} of at most 7." in asked
        assert "The talk is at the level " in asked
        # One depth, not two: the number stands in the rules alone.
        assert "Level " not in asked
        opens = "Open the talk: say what you believe, and why." in asked
        assert opens is (turn == 1)
        assert ("has just " in asked) is not opens
        rounds_off = any(f"YOUR TASK: {move}." in asked for move in ("SYNTHESIZE", "CONCLUDE"))
        assert ("Answer one exact point that " in asked) is not (opens or rounds_off)
        assert ("add one concrete thing" in asked) <= ("Answer one exact point" in asked)
        assert ("Your positions so far: " in asked) is (turn > 3)


async def test_everybody_is_told_who_it_is_and_nobody_else() -> None:
    history, _ = await talk_of_models()
    sophia = history.seat("Sophia").system
    assert (
        "You are Sophia, a collaborative thinker with expertise in computer science. "
        "You use she/her pronouns. " in sophia
    )
    assert "You believe the following. Bread is old. Rules come first." in sophia
    assert "You are Sophia.\n" not in sophia
    for name in ("Marcus", "Kim"):
        assert "Bread is old" not in history.seat(name).system
    for event in history.events:
        prompt = history.prompt_of(event)
        if prompt is not None:
            assert "Bread is old" not in prompt.transcript
            assert "computer science" in prompt.transcript


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("flowchart", "after 12 turns, or, once it has 4 aspects in 9 turns, as soon as one of"),
        (
            "any",
            "after 12 turns, or as soon as one of these conditions is met: 2 of the last 3 turns, "
            "leaving out conclusions,",
        ),
        (
            "all",
            "once it has 4 aspects in 9 turns and all of these conditions are met: 2 of the last 3 "
            "turns, leaving out conclusions,",
        ),
    ],
)
def test_the_rules_tell_when_a_talk_ends(mode: str, words: str) -> None:
    rules = TalksGame.model_validate({"termination": {"mode": mode}}).rules(players=2)
    assert words in rules
    assert ("and you agree (above" in rules) is (mode == "all")
    assert ("CONCLUDE only once the talk may end." in rules) is (mode != "any")


@pytest.mark.parametrize("reader", ["", "small"])
def test_nobody_is_told_to_agree_unless_the_score_is_told(reader: str) -> None:
    plain = "You need not agree: a clear, lasting difference is a good end."
    assert plain in TalksGame().rules(players=2, reader=reader)
    told = TalksGame(tell_score=True).rules(players=2, reader=reader)
    assert plain not in told
    assert ("1 - Gini" in told) is (not reader)
    assert "Gini" not in TalksGame().rules(players=2, reader=reader)


def test_the_rules_of_before_are_told_where_they_hold() -> None:
    ending = {"circles": "once", "conclude": "always"}
    rules = TalksGame.model_validate({"termination": ending}).rules(players=2)
    assert "as soon as one of these conditions is met: a turn has low novelty (below 0.3)" in rules
    assert "CONCLUDE only once" not in rules
