"""Reading answers: what is accepted, what is refused and why, and what a hostile text becomes."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from protocol.answer import (
    AnswerError,
    Exact,
    IllegalAnswer,
    Reason,
    UnreadableAnswer,
    answer_room,
    last_object,
    match_choice,
    read_answer,
    schema_of,
)
from protocol.person import blanks_of, fill_in, option_meant
from protocol.text import clean
from protocol.turn import Prompt, Turn


class Choice(BaseModel):
    rationale: Reason = ""
    item: str


LEGAL = {"item": ("rivers & jazz", "moss", "player B", "stay silent")}


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ('{"rationale": "r", "item": "moss"}', "moss"),
        ('{"item": "moss"}', "moss"),
        ('Sure! ```json\n{"item": "moss"}\n```', "moss"),
        ('{"item": "moss"} no wait {"item": "rivers & jazz"}', "rivers & jazz"),
        ('<think>{"item": "moss"}</think>{"item": "stay silent"}', "stay silent"),
        ('{"item": "[Moss]"}', "moss"),
        ('{"item": "b"}', "player B"),
        ('{"item": "  RIVERS &  jazz. "}', "rivers & jazz"),
    ],
)
def test_read(text: str, item: str) -> None:
    assert read_answer(text, Choice, LEGAL).item == item


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", UnreadableAnswer, "expected one JSON object with the fields rationale, item: got ''"),
        ("moss", UnreadableAnswer, "got 'moss'"),
        ('{"item": "moss"', UnreadableAnswer, "expected one JSON object"),
        ("[1, 2]", UnreadableAnswer, "expected one JSON object"),
        ('{"rationale": "x"}', UnreadableAnswer, "expected item: Field required"),
        (
            '{"item": "grass"}',
            IllegalAnswer,
            'one of ["rivers & jazz", "moss", "player B", "stay silent"]: got \'grass\'',
        ),
        ('{"item": 7}', IllegalAnswer, "got 7"),
        ('{"item": null}', IllegalAnswer, "got None"),
        ('{"item": "moss", "rationale": 7}', UnreadableAnswer, "expected rationale"),
        ("<think>never ends", UnreadableAnswer, "expected one JSON object"),
    ],
)
def test_refused(text: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        read_answer(text, Choice, LEGAL)
    assert words in str(caught.value)


ITEMS = ("rivers & jazz", "rivers", "moss", "stay silent")
PLAYERS = ("Ada", "Ada 2", "Player 1", "Player 10", "Ann-Marie", "Ann")


@pytest.mark.parametrize(
    ("value", "legal", "meant"),
    [
        ("rivers & jazz (importance 0.96)", ITEMS, "rivers & jazz"),
        ("Rivers & Jazz: it is my best", ITEMS, "rivers & jazz"),
        ('"moss" - 0.4', ITEMS, "moss"),
        ("moss, since nobody spoke of it", ITEMS, "moss"),
        ("moss because it is green", ITEMS, None),
        ("moss (or rivers)", ITEMS, None),
        ("rivers & moss (0.3)", ITEMS, None),
        ("rivers & jazz (0.96)", ("rivers", "moss"), None),
        ("mossy (0.3)", ITEMS, None),
        ("(0.96) moss", ITEMS, None),
        ("Player 10 (a liar)", PLAYERS, "Player 10"),
        ("player 1: quiet", PLAYERS, "Player 1"),
        ("Ada 2 (a liar)", PLAYERS, "Ada 2"),
        ("Ada 3 (a liar)", PLAYERS, None),
        ("Ada, Ann", PLAYERS, None),
        ("Ada 2 left (so nobody)", PLAYERS, None),
        ("Ann-Marie (first)", PLAYERS, "Ann-Marie"),
        ("Ann-Marie (first)", ("Ann", "Ada"), None),
        ("C (cooperate)", ("C", "D"), "C"),
        ("C, D, C", ("C", "D"), None),
        ("MOSS (a)", ("Moss", "moss"), None),
        ("moss (\u202e]]> {{ x }}", ITEMS, "moss"),
        ("moss" + "(" * 40_000, ITEMS, "moss"),
        ("(", ("", "a"), None),
        # Without a remark: one that is near two options is none.
        ("moss", ("Moss", "moss"), "moss"),
        ("MOSS", ("Moss", "moss"), None),
        ("b", ("player B", "[b]"), None),
        ("[b]", ("player B", "[b]"), "[b]"),
        ("MOSS", ("Moss", "jazz"), "Moss"),
    ],
)
def test_a_choice_is_the_one_option_it_begins_with_or_is_near_to(
    value: str, legal: tuple[str, ...], meant: str | None
) -> None:
    if meant is not None:
        assert match_choice(value, legal, "item") == meant
    else:
        with pytest.raises(IllegalAnswer, match="expected item to be one of"):
            match_choice(value, legal, "item")


def test_schema_is_strict_and_holds_the_legal_values() -> None:
    schema = schema_of(Choice, LEGAL)
    assert schema["required"] == ["rationale", "item"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["item"] == {"type": "string", "enum": list(LEGAL["item"])}
    assert schema["properties"]["rationale"]["maxLength"] == 60
    assert "default" not in schema["properties"]["rationale"]
    # 60 characters of reason, 13 of the longest item, 20 for each of two fields, 60 to spare
    assert answer_room(schema) == 60 + 13 + 40 + 60


def test_text_is_cut_and_cleaned() -> None:
    reason = "a\\u001b[31m\\u202e\\ud800\\u200bb " + "x" * 200
    answer = read_answer(f'{{"rationale": "{reason}", "item": "moss"}}', Choice, LEGAL)
    assert answer.rationale.startswith("a[31mb xxx")
    assert len(answer.rationale) == 60


@given(st.text())
def test_clean_text_can_be_printed_and_written(text: str) -> None:
    cleaned = str(clean(text))
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in cleaned)
    assert cleaned.encode("utf-8").decode() == cleaned
    assert clean(cleaned) == cleaned


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    found = last_object(text)
    if found is None:
        with pytest.raises(UnreadableAnswer, match="expected one JSON object"):
            read_answer(text, Choice, LEGAL)
    else:
        assert isinstance(found, dict)


def test_deeply_nested_text_is_refused() -> None:
    with pytest.raises(UnreadableAnswer):
        read_answer('{"item":' * 5000, Choice, LEGAL)


@pytest.mark.parametrize(
    "junk",
    [
        '{"a":' * 9_000,
        '{"' * 20_000,
        '{"a":[' * 8_000,
        '{"a":1 ' * 7_000,
    ],
    ids=lambda text: text[:6],
)
def test_the_search_for_an_answer_is_bounded(junk: str) -> None:
    """It is given up before the object at the end, which a search without bounds would find."""
    assert last_object(f'{junk} "}} {{"item": "x"}}') is None


@pytest.mark.parametrize(
    "before",
    ["\\frac{a}{b} " * 3_000, "{" * 40_000, '{"a": ' * 50, '{"a": {}} ' * 4_000, '{"' * 1_000],
    ids=lambda text: text[:6],
)
def test_what_a_model_may_write_before_its_answer_is_passed_over(before: str) -> None:
    assert last_object(f'{before} " {{"item": "x"}}') == {"item": "x"}


class Move(Exact):
    """A move, as a game of chess writes it."""

    move: str


def test_an_exact_choice_is_what_is_written() -> None:
    """ "bxa6" is a pawn's capture: it never stands for the bishop's."""
    choices = {"move": ("Bxa6", "e4")}
    assert read_answer('{"move": " e4 "}', Move, choices).move == "e4"
    for written in ("bxa6", "[Bxa6]", "E4", "e4 (best)"):
        with pytest.raises(IllegalAnswer):
            read_answer(json.dumps({"move": written}), Move, choices)


def test_a_person_names_an_exact_choice_before_a_number() -> None:
    turn = Turn(
        "Ada",
        "move",
        observation={},
        prompt=lambda: Prompt("", "", "", 0),
        answer=Move,
        choices={"move": ("3", "1", "2")},
        fallback=Move(move="3"),
    )
    assert fill_in(turn, {"move": "1"}) == {"move": "1"}
    (blank,) = blanks_of(turn)
    assert option_meant("1", blank) == "1"
    assert option_meant("1", replace(blank, exact=False)) == "3"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"text": "moss"}, ""),
        ({"text": "rivers"}, ""),
        ({"text": "rivers & jazz"}, "expected text to have at most 6 characters: got 13"),
        ({}, "expected text: what you say"),
        ({"words": "moss"}, "expected the fields text: got 'words'"),
    ],
)
def test_a_persons_words_have_room_up_to_their_limit(said: dict[str, str], fault: str) -> None:
    class Speech(BaseModel):
        text: str = Field(max_length=6, description="what you say")

    turn = Turn("Ada", "speech", None, lambda: Prompt("", "", ""), Speech, {}, Speech(text=""))
    with pytest.raises(AnswerError, match=fault) if fault else nullcontext():
        assert fill_in(turn, said) == said
