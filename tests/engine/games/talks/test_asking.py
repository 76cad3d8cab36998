"""What a speaker is asked: feelings in words, beliefs as sentences, its own positions."""

from dataclasses import replace

import pytest

from engine.games.talks.archetypes import Gender, Move
from engine.games.talks.game import TalksGame
from engine.games.talks.speech.answer import utterance_of
from engine.games.talks.speech.asking import as_sentences, feelings_in_words, positions_held
from engine.games.talks.state import DialogueMove, Exchange
from engine.games.talks.talk_state import TalkState
from engine.games.talks.theory.choosing import Choice
from tests.support.talking import group


def state_with(affinity: float, respect: float, gender: Gender = Gender.MALE) -> TalkState:
    """Return a talk of Ann and Ben, in which Ann feels so for Ben and is to speak."""
    talk = group("ab")
    own = replace(
        talk.participants["a"], relationships={"b": affinity}, respect_levels={"b": respect}
    )
    other = replace(talk.participants["b"], gender=gender)
    state = TalksGame().state_of(
        replace(talk, participants={"a": own, "b": other}), {"a": "Ann", "b": "Ben"}
    )
    move = DialogueMove(Move.QUESTION, target="b")
    return replace(state, speaker="a", choice=Choice(move, {}, {}))


@pytest.mark.parametrize(
    ("affinity", "respect", "sentences"),
    [
        (0.0, 0.7, []),
        (0.0, 0.725, ["You respect Ben."]),
        (-0.4, 0.75, ["You respect Ben and often disagree with him."]),
        (0.8, 0.8, ["You highly respect Ben and often agree with him."]),
        (0.4, 0.65, ["You think little of Ben and sometimes agree with him."]),
        (-0.2, 0.7, ["You sometimes disagree with Ben."]),
        (0.1, 0.7, ["You sometimes agree with Ben."]),
        (0.4 + 0.4, 0.7, ["You often agree with Ben."]),
    ],
)
def test_feelings_are_told_in_words(affinity: float, respect: float, sentences: list[str]) -> None:
    assert feelings_in_words(state_with(affinity, respect)) == sentences


def test_feelings_use_the_right_pronoun() -> None:
    state = state_with(-0.4, 0.6, Gender.NON_BINARY)
    assert feelings_in_words(state) == ["You think little of Ben and often disagree with them."]


def test_beliefs_are_sentences() -> None:
    told = as_sentences(["bread_is old", "Is it so?", "  Maps lie. "])
    assert told == ["Bread is old.", "Is it so?", "Maps lie."]


def test_own_positions_are_shown_back_once_each() -> None:
    state = state_with(0.0, 0.5)
    said = []
    for turn, position in enumerate(["one", "two", "one", "", "three", "four"], 1):
        said.append(Exchange(turn, "a", Move.QUESTION, None, "Words.", position))
        said.append(Exchange(turn, "b", Move.QUESTION, None, "Words.", f"not {position}"))
    talk = replace(state.talk, exchanges=tuple(said))
    seen = TalksGame().observation_of(state.with_talk(talk))
    assert positions_held(seen) == ["two", "three", "four"]


def test_a_reply_is_tidied_and_cut() -> None:
    limited = utterance_of("Ann", 40)
    assert next(iter(limited.model_fields)) == "reply"
    assert limited.model_json_schema()["properties"]["reply"]["maxLength"] == 260
    answer = limited.model_validate({"reply": "Ann: I see. " + "It is so. " * 2})
    assert answer.spoken() == ("I see. It is so.", False)
    long = limited.model_validate({"reply": " ".join(f"It is so for {n}." for n in range(20))})
    words, cut = long.spoken()
    assert cut
    assert words.endswith("for 7.")


def test_a_small_models_schema_has_room_for_shorter_words() -> None:
    """It fills whatever room it has; what it says is cut at the same words as anybody's."""
    usual, small = (utterance_of("Ann", 40, small=small) for small in (False, True))
    assert usual.words == small.words == 40
    schemas = [form.model_json_schema()["properties"]["reply"] for form in (usual, small)]
    assert [schema["maxLength"] for schema in schemas] == [260, 232]
