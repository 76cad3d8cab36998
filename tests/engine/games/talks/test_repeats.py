"""Repeated words: found, asked for again once, and cut; talks of parrots end in circles."""

import json
from typing import Any

import pytest

from engine.games.talks.archetypes import Move
from engine.games.talks.log.content import LITTLE, score_content
from engine.games.talks.memory.embeddings import default_embedder
from engine.games.talks.speech.repeats import find_repeat, without_copies
from engine.games.talks.state import Exchange
from engine.history import History, history_from_json
from engine.runs.check import check_log
from tests.oracles.judge import broken_rules
from tests.support.fake_api import FakeApi
from tests.support.histories import of_kind
from tests.support.narrowing import not_none
from tests.support.tables import play_with_models, run_game

RIVER = "A river makes its own bed, and the bed then tells the river where to go."
TWELVE = "a river makes its own bed, and the bed then tells the"
EARLIER = [Exchange(3, "Sophia", Move.DEEPEN, None, f"Listen. {RIVER}")]
THRICE = "The case of bread is old. The case of bread is hard. The case of bread is mine."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I disagree with all of it.", "I disagree with all of it."),
        # Eleven words are a quotation, twelve are a copy; capitals and signs do not matter.
        ("You say a river makes its own bed, and the bed then tells you.", None),
        (f"I disagree. You say {TWELVE} lot. Water has no plan.", "I disagree. Water has no plan."),
        (RIVER, "A river makes its own bed, and the bed then tells…"),
        (f"{RIVER} {RIVER[2:]}", "river makes its own bed, and the bed then tells the…"),
        (THRICE, "The case of bread is old. The case of bread is hard."),
        (
            "Yes we can and yes we can and yes we can and yes",
            "Yes we can and yes we can and yes we can…",
        ),
    ],
)
def test_what_repeats_is_cut(text: str, kept: str | None) -> None:
    assert without_copies(text, EARLIER) == (kept or text)
    assert find_repeat(without_copies(text, EARLIER), EARLIER) is None


def test_a_fault_names_what_was_repeated() -> None:
    copied = not_none(find_repeat(RIVER, EARLIER))
    assert copied.fault == (
        "expected words of your own: got a copy: 'a river makes its own bed and the bed then tells "
        "the' was said by Sophia in turn 3"
    )
    often = not_none(find_repeat(THRICE, []))
    assert often.fault == ("expected words that do not repeat: got 'the case of bread' 3 times")


def fields(reply: str) -> str:
    return json.dumps({"reply": reply, "position": "Bread is old.", "aspect_1": "", "aspect_2": ""})


async def talk_with_copies(*, stubborn: bool) -> tuple[History, FakeApi]:
    """Hold a talk in which a model copies each time, when it is asked again only if `stubborn`."""
    asked: list[int] = []

    def answer(body: dict[str, Any]) -> str:
        messages = body["messages"]
        asked.append(len(messages))
        if len(messages) > 2 and not stubborn:
            return fields(f"Number {len(asked)} is mine alone.")
        return fields(RIVER)

    seats = "Sophia=compatible:m,Marcus=scripted:fresh"
    return await play_with_models("talks", seats, answer, settings={"depth": 2}, seed=1)


async def test_a_model_that_copies_is_asked_again_once() -> None:
    history, api = await talk_with_copies(stubborn=False)
    first, *later = [event for event in of_kind(history, "utterance") if event.prompt]
    assert first.content == RIVER
    assert len(later) >= 2
    for event in later:
        refused, taken = event.attempts
        assert str(refused.fault).startswith("expected words of your own: got a copy")
        assert taken.fault is None
        assert event.content.endswith("is mine alone.")
        assert "uncut" not in event.data or not event.data["uncut"]
    assert "was said by Sophia in turn" in api.requests[-1].body["messages"][-1]["content"]
    assert check_log(history_from_json(history.to_json())) == ""
    assert broken_rules(history) == {}


async def test_a_model_that_copies_again_is_cut() -> None:
    history, _ = await talk_with_copies(stubborn=True)
    _, *later = [event for event in of_kind(history, "utterance") if event.prompt]
    for event in later:
        assert len(event.attempts) == 2
        assert not event.fell_back
        assert event.content == "A river makes its own bed, and the bed then tells…"
        assert event.data["uncut"] == RIVER
        assert event.data["novelty"] == 0
    assert check_log(history_from_json(history.to_json())) == ""
    assert broken_rules(history) == {}


@pytest.mark.parametrize("people", [2, 3, 5])
def test_a_talk_of_parrots_goes_in_circles(people: int) -> None:
    settings = {"depth": 2, "max_iterations": 12, "topic": "What is love?"}
    seats = ",".join(f"{name}=scripted:parrot" for name in "ABCDE"[:people])
    history = run_game("talks", seats, settings=settings, seed=people)
    said = of_kind(history, "utterance")
    assert max(event.data["novelty"] for event in said[1::2]) <= 0.2
    assert of_kind(history, "stop")[0].data["reason"] == "repetitive"
    assert len(said) <= 8
    texts = [event.content for event in said]
    assert score_content("What is love?", texts, default_embedder()).score <= LITTLE
    assert check_log(history_from_json(history.to_json())) == ""
    assert broken_rules(history) == {}
