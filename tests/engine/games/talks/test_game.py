"""Whole talks: how they end, what models get wrong, what settings change."""

import json
import re
from typing import Any

import pytest

from engine.games.talks.archetypes import Move
from engine.games.talks.game import TalksGame
from engine.games.talks.state import GroupDiscussionState
from engine.games.talks.theory.choosing import MultiAgentGameTheory
from engine.history import History, history_from_json
from tests.support.fake_api import FakeApi
from tests.support.histories import of_kind
from tests.support.narrowing import not_none
from tests.support.tables import play_with_models
from tests.support.talking import scripted_talk


def speakers(history: History) -> list[str]:
    return [event.data["speaker"] for event in of_kind(history, "utterance")]


def test_the_ends_differ_with_the_cast() -> None:
    assert {"consensus", "max_reached"} <= {
        of_kind(scripted_talk(2, depth=3, seed=seed), "stop")[0].data["reason"]
        for seed in range(12)
    }
    circling = scripted_talk(2, depth=3, script="repeating")
    assert of_kind(circling, "stop")[0].data["reason"] == "repetitive"
    cast = [
        {"name": name, "gender": "female", "personality": "collaborative", "expertise": "ethics"}
        for name in ("Sophia", "Tomas")
    ]
    kind = scripted_talk(
        cast, depth=4, script="fresh", termination={"min_convergence": 0.7}, seed=1
    )
    assert of_kind(kind, "stop")[0].data["reason"] == "convergence"


def test_a_cap_of_one_is_a_talk_of_one_exchange() -> None:
    history = scripted_talk(5, max_iterations=1)
    assert len(history.rounds) == 1
    assert of_kind(history, "stop")[0].data["reason"] == "max_reached"


def test_what_a_conclude_pays_is_counted_once_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    count = MultiAgentGameTheory.conclude_payoffs

    def watched(theory: MultiAgentGameTheory, state: GroupDiscussionState) -> list[float]:
        counted.append(state.turn_number)
        return count(theory, state)

    monkeypatch.setattr(MultiAgentGameTheory, "conclude_payoffs", watched)
    assert counted == [*range(len(scripted_talk(3, seed=1, host=True).rounds) + 1)]


def test_a_count_among_the_constants_stays_a_whole_number() -> None:
    constants = TalksGame(constants={"patience": 3, "noise": 0}).constants
    assert [repr(constants[name]) for name in ("patience", "noise")] == ["3", "0.0"]
    # A log gives back what it was made from.
    history = history_from_json(scripted_talk(2, depth=1, constants={"patience": 3}).to_json())
    settings = {name: value for name, value in history.config["game"].items() if name != "name"}
    assert repr(TalksGame.model_validate(settings).numbers.patience) == "3"


def test_constants_change_the_talk() -> None:
    without_chance = [
        speakers(scripted_talk(5, constants={"noise": 0.0}, seed=seed))[:3] for seed in range(3)
    ]
    assert without_chance[0] == without_chance[1] == without_chance[2]
    assert len({tuple(speakers(scripted_talk(5, seed=seed))[:3]) for seed in range(3)}) > 1


PANEL: list[dict[str, Any]] = [
    {
        "name": "Dr. Elena Rodriguez",
        "gender": "female",
        "personality": "analytical",
        "core_beliefs": ["All is number"],
    },
    {
        "name": 'Prof. "Jim" Chen',
        "gender": "Male",
        "personality": "ASSERTIVE",
        "expertise": "machine_learning",
    },
    {"name": "Kim", "gender": "non-binary", "personality": "cautious"},
]


def test_titles_and_quotes_in_names_do_no_harm() -> None:
    history = scripted_talk(PANEL)
    names = [seat.player_id for seat in history.players]
    assert names == ["Dr. Elena Rodriguez", "Prof. Jim Chen", "Kim"]
    elena, jim, kim = of_kind(history, "setup")
    assert elena.visibility == ()
    assert elena.data["participant"]["participant_id"] == "dr_elena_rodriguez"
    assert "You use she/her pronouns." in elena.content
    assert "You believe the following. All is number." in elena.content
    assert "an assertive thinker with expertise in machine learning" in jim.content
    assert "they/them" in kim.content


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"participants": [PANEL[0] | {"personality": "sceptical"}]},
            "unknown personality 'sceptical': did you mean 'skeptical'",
        ),
        (
            {"participants": [PANEL[0] | {"gender": "femal"}]},
            "unknown gender 'femal': did you mean 'female'",
        ),
        (
            {"participants": [PANEL[0], PANEL[0]]},
            "expected participants with different names: got 'Dr. Elena Rodriguez' twice",
        ),
        ({"participants": [PANEL[0] | {"name": " \n"}]}, "expected a participant's name"),
        ({"participants": [PANEL[0] | {"expertize": "x"}]}, "expertize"),
        ({"participants": 1}, "expected 2 to 12 participants: got 1"),
        ({"depth": 6}, "expected a depth from 1 to 5, such as 5: got 6"),
        ({"depth": "filosophy"}, "unknown depth 'filosophy': did you mean 'philosophy'"),
        ({"topic": " "}, "expected a topic of 1 to 500 characters: got 0"),
        ({"constants": {"dampr": 0.1}}, "unknown constant 'dampr': did you mean 'damper'"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"termination": {"min_novelty": 2}}, "min_novelty"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        TalksGame.model_validate(settings)


def test_players_must_be_called_as_the_participants() -> None:
    with pytest.raises(
        ValueError, match="with the participants' names, Sophia, Marcus: got Ada, Ben"
    ):
        TalksGame(participants=2).start(["Ada", "Ben"], None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected at least two participants: got 1"):
        TalksGame().start(["Ada"], None)  # type: ignore[arg-type]


def fields(**said: str) -> str:
    return json.dumps(
        dict.fromkeys(("plan", "reply", "position", "aspect_1", "aspect_2", "aspect_3"), "") | said
    )


async def with_model(reply: Any, **settings: Any) -> tuple[History, FakeApi]:
    """Return a talk of Sophia, a model that answers as `reply` does, with Marcus, a script."""
    seats = "Sophia=compatible:model,Marcus=scripted:in_character"
    terms = {"participants": 2, "depth": 1, **settings}
    return await play_with_models("talks", seats, reply, settings=terms)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sophia: Sophia: Love is care.", "Love is care."),
        ("<think>Be kind.</think> Love is care.", "Love is care."),
        (" ".join(f"Number {n} is one of many." for n in range(90)), None),
        ("\x1b[31mLove\x1b[0m is care.", "[31mLove[0m is care."),
    ],
)
async def test_a_models_words_are_cleaned(text: str, said: str | None) -> None:
    history, _ = await with_model(lambda _: fields(reply=text))
    own = [event for event in of_kind(history, "utterance") if event.player_id == "Sophia"]
    assert own
    for event in own:
        assert len(event.content.split()) <= 120
        assert event.content.endswith(".")
        assert said is None or event.content == said


async def test_words_that_cannot_be_cut_are_asked_for_again() -> None:
    answers = iter(
        [fields(reply="love " * 500), *[fields(reply=f"Love is care, part {n}.") for n in range(9)]]
    )
    history, api = await with_model(lambda _: next(answers))
    (fault,) = of_kind(history, "fault")
    assert "120 words at most: got 500 words" in fault.content
    assert fault.data["then"] == "asked again"
    assert "120 words at most" in str(api.requests[1].body)


async def test_silence_is_an_exchange_that_says_nothing() -> None:
    history, _ = await with_model(lambda _: fields(reply="  "))
    silent = [event for event in of_kind(history, "utterance") if event.fell_back]
    assert silent
    assert {event.content for event in silent} == {"(says nothing)"}
    assert all(event.data["aspects"] == [] for event in silent)
    assert history.status == "finished"


async def test_a_prompt_tells_who_where_and_what_to_do() -> None:
    """The fields of the design's template: constant ones, then the transcript, the task last."""
    history, _ = await with_model(
        lambda _: fields(reply="Love is care.", position="Love is care"), depth=2
    )
    asked = [event for event in of_kind(history, "utterance") if event.prompt is not None]
    prompt = not_none(history.prompt_of(asked[-1]))
    assert 'TOPIC: "What is the meaning of life?"' in prompt.system
    assert "You are Sophia" not in prompt.transcript
    who, *lines = prompt.transcript.splitlines()
    assert who.startswith('narrator: "The participants: Sophia (she/her, ')
    assert "Marcus (he/him, skeptical, logic)" in who
    said = of_kind(history, "utterance")[: len(lines)]
    assert lines == [f"{event.player_id}: {json.dumps(event.content)}" for event in said]
    assert 'Your positions so far: "Love is care"' in prompt.question
    verb = "asked you" if said[-1].data["move"] in {"QUESTION", "CHALLENGE"} else "said"
    assert f"Marcus has just {verb}: {json.dumps(said[-1].content)}" in prompt.question
    assert "Respond as Sophia would" in prompt.question
    assert '"reply" (your words to the others' in prompt.question
    task = of_kind(history, "selection")[len(said)]
    assert f"YOUR TASK: {task.data['move']}." in prompt.question


def test_every_move_has_its_own_instruction() -> None:
    seen = set()
    for seed in range(4):
        history = scripted_talk(5, depth=4, seed=seed)
        seen |= {event.data["move"] for event in of_kind(history, "utterance")}
    assert seen == {*Move}


async def test_aspects_of_one_meaning_are_one() -> None:
    labels = iter(
        ["trust between people", "Trust between people", "the price of bread", "trust among people"]
    )
    history, _ = await with_model(
        lambda _: fields(reply="Love is care.", aspect_1=next(labels, "nothing else")),
        max_iterations=4,
        words=40,
    )
    said = of_kind(history, "utterance")
    own = [event.data["aspects"] for event in said if event.player_id == "Sophia"]
    assert own == [["trust between people"], ["trust between people"]]
