"""New words against old ones: what hears them is a new state, and the old one stays."""

from dataclasses import replace

import pytest

from engine.games.talks.archetypes import Move
from engine.games.talks.game import TalksGame
from engine.games.talks.speech.answer import Utterance
from engine.games.talks.speech.hearing import hear_answer
from engine.games.talks.state import DialogueMove
from engine.games.talks.talk_state import TalkState
from engine.games.talks.theory.choosing import Choice
from engine.games.talks.theory.effects import talk_after
from tests.support.narrowing import not_none
from tests.support.talking import group

CARE = Utterance(reply="Love is care for somebody.", aspect_1="care for others")
BREAD = Utterance(reply="Bakers rise early to make bread.", aspect_1="price of bread")


def state_of_talk(who: str = "a") -> TalkState:
    """Return a talk of two before its first words, in which `who` is to ask a question."""
    return next_turn(TalksGame().state_of(group("ab"), {"a": "Ann", "b": "Ben"}), who)


def next_turn(state: TalkState, who: str) -> TalkState:
    return replace(state, speaker=who, choice=Choice(DialogueMove(Move.QUESTION), {}, {}))


def told(state: TalkState, answer: Utterance, then: str) -> TalkState:
    """Return the state after an answer, when it is the turn of `then`."""
    heard = hear_answer(state, answer)
    return next_turn(
        replace(heard, talk=talk_after(heard.talk, not_none(heard.exchange), {})), then
    )


def test_hearing_leaves_the_state_as_it_was() -> None:
    before = told(state_of_talk(), CARE, "b")
    first = hear_answer(before, CARE)
    assert first.exchange is not None
    assert (first.exchange.novelty, first.exchange.nearest) == (0.0, 1)
    assert [record.text for record in before.said.records] == [CARE.reply]
    assert len(first.said.records) == 2

    # The same words from the same state: they do not find themselves, nor is their id taken.
    assert hear_answer(before, CARE).exchange == first.exchange
    expected = hear_answer(state_of_talk(), CARE).exchange
    assert hear_answer(state_of_talk(), CARE).exchange == expected


def test_two_futures_of_a_state_know_nothing_of_one_another() -> None:
    before = state_of_talk()
    caring = told(before, CARE, "b")
    baking = told(before, BREAD, "b")
    again = not_none(hear_answer(baking, CARE).exchange)
    assert again.novelty > 0.5
    assert again.aspects == ("care for others",)
    assert [record.text for record in caring.labels.records] == ["care for others"]
    assert [record.text for record in baking.labels.records] == ["price of bread"]


def test_an_id_that_is_taken_is_refused() -> None:
    said = hear_answer(state_of_talk(), CARE).said
    with pytest.raises(ValueError, match="expected a record with a new id"):
        said.with_record(said.records[0])


def test_the_name_of_a_participant_is_no_aspect() -> None:
    exchange = hear_answer(
        state_of_talk(), Utterance(reply="Ben is right.", aspect_1="ben")
    ).exchange
    assert not_none(exchange).aspects == ()


@pytest.mark.parametrize(
    ("position", "kept"),
    [
        ("Love is care.", "Love is care."),
        ("I", ""),  # a word holds nothing
        ("Love", ""),
        (f"Love {'is care ' * 40}", f"Love {'is care ' * 24}is…"),
        ("", ""),
    ],
)
def test_a_position_is_words_and_breaks_off_behind_one(position: str, kept: str) -> None:
    assert Utterance(reply="Love is care.", position=position).position == kept
    # What the log has reads the same again.
    assert Utterance(reply="Love is care.", position=kept).position == kept


def test_a_label_breaks_off_behind_a_word() -> None:
    label = Utterance(reply="Love.", aspect_1="the price of bread and " * 4).aspect_1
    assert label == "the price of bread and the price of bread and the price of…"
