"""Who was asked is reminded: the open question in the prompt, and in the words of scripts."""

from dataclasses import replace

import pytest

from engine.games.talks.archetypes import Move
from engine.games.talks.game import TalksGame
from engine.games.talks.speech.answer import utterance_of
from engine.games.talks.speech.asking import open_question, question_values
from engine.games.talks.speech.hearing import similar_positions
from engine.games.talks.state import DialogueMove, Exchange
from engine.games.talks.talk_state import TalkState
from engine.games.talks.theory.choosing import Choice
from engine.prompting import render
from tests.support.talking import group

NAMES = {"a": "Ann", "b": "Ben", "c": "Cleo"}
SAID = (
    Exchange(1, "a", Move.QUESTION, "b", "Ben, is bread a promise?", "Bread is a promise."),
    Exchange(2, "c", Move.DEEPEN, None, "Trains are late in winter.", "Trains are late."),
    Exchange(3, "a", Move.DEEPEN, None, "A promise rises like bread.", "Promises rise."),
)


def state_before(move: Move, *said: Exchange, who: str = "b") -> TalkState:
    """Return a talk in which `who` is to make a move after exchanges."""
    talk = replace(group("abc"), exchanges=said, turn_number=len(said))
    state = TalksGame().state_of(talk, NAMES)
    return replace(state, speaker=who, choice=Choice(DialogueMove(move), {}, {}))


def question(state: TalkState, reader: str = "") -> str:
    seen = TalksGame().observation_of(state)
    return render("talks/utterance.j2", reader=reader, **question_values(state, seen, 12))


@pytest.mark.parametrize("reader", ["", "small"])
def test_the_prompt_quotes_the_question_that_waits(reader: str) -> None:
    asked = question(state_before(Move.DEEPEN, *SAID), reader)
    reminder = (
        'Ann asked you in turn 1: "Ben, is bread a promise?" You have not answered yet. '
        "Answer that first."
    )
    assert reminder in asked
    assert 'Ann has just said: "A promise rises like bread."' in asked
    assert reminder not in question(state_before(Move.DEEPEN, *SAID, who="c"), reader)
    # The last words are beside the move anyway.
    last = question(state_before(Move.DEEPEN, SAID[0]), reader)
    assert 'Ann has just asked you: "Ben, is bread a promise?"' in last
    assert "You have not answered yet" not in last


@pytest.mark.parametrize(
    ("steps", "turn"),
    [
        (["a Q b", "c D"], 1),
        (["a C b", "c Q b", "a D"], 1),  # the first of two
        (["a S b", "c D"], None),  # a SUPPORT asks nothing
        (["a Q b", "b D", "c D"], None),
        (["a Q b", "b D", "a Q b", "c D"], 3),
        (["a Q b"], None),
        (["c D", "a Q c", "c D"], None),
    ],
)
def test_which_question_is_open(steps: list[str], turn: int | None) -> None:
    moves = {"Q": Move.QUESTION, "C": Move.CHALLENGE, "S": Move.SUPPORT, "D": Move.DEEPEN}
    said = []
    for number, step in enumerate(steps, 1):
        who, move, *target = step.split()
        said.append(Exchange(number, who, moves[move], target[0] if target else None, "Words."))
    found = open_question(said, "b")
    assert (found.turn if found else None) == turn


def test_positions_are_shown_if_near_and_never_to_a_challenger() -> None:
    assert similar_positions(state_before(Move.SUPPORT, *SAID)) == (("Ann", "Bread is a promise."),)
    assert similar_positions(state_before(Move.CHALLENGE, *SAID)) == ()


def test_a_synthesis_names_two_views_by_their_owners() -> None:
    assert "Ann's view and Cleo's view" in question(state_before(Move.SYNTHESIZE, *SAID), "small")
    alone = question(state_before(Move.SYNTHESIZE, SAID[0], who="a"), "small")
    assert "Bring two views together: your own view." in alone


@pytest.mark.parametrize("move", [*Move])
def test_a_small_model_brings_a_case_at_level_3_alone(move: Move) -> None:
    state = state_before(move, *SAID)
    assert "one real case" not in question(state, "small")
    deep = replace(state, talk=replace(state.talk, max_depth_reached=3))
    assert "Use one real case from logic." in question(deep, "small")


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (Move.DEEPEN, "This is so because"),
        (Move.CHALLENGE, "Ann, you have a point about"),
        (Move.SUPPORT, "I agree with Ann, because"),
        (Move.QUESTION, "Ann,"),
        (Move.SYNTHESIZE, "Both Ann and I miss"),
        (Move.CONCLUDE, "We have said enough"),
    ],
)
def test_a_small_model_reads_its_first_words_last(move: Move, words: str) -> None:
    state = state_before(move, *SAID, who="c")
    state = replace(state, choice=Choice(DialogueMove(move, "a"), {}, {}))
    assert question(state, "small").rstrip().endswith(f'Begin with "{words}".')
    waiting = replace(state_before(move, *SAID), choice=state.choice)
    assert "After your answer, go on with" in question(waiting, "small")


def test_a_small_model_opens_with_a_question_where_that_is_its_move() -> None:
    asked = "End with one question to all."
    assert asked in question(state_before(Move.QUESTION, who="a"), "small")
    assert asked not in question(state_before(Move.DEEPEN, who="a"), "small")


def test_a_small_model_writes_no_plan() -> None:
    """It would go on with its plan in its words."""
    assert "plan" in utterance_of("Ann", 60, plans=True).model_fields
    assert "plan" not in utterance_of("Ann", 60, plans=True, small=True).model_fields
