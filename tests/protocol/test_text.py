"""Words that are too long are cut where a reader would stop."""

import random

import pytest
from pydantic import BaseModel

from protocol.answer import Reason, answer_room, give_room, schema_of
from protocol.text import cut_at_word, fit_words, room_for, text_before_cut


@pytest.mark.parametrize(
    ("text", "words", "told", "cut"),
    [
        ("One two three.", 3, "One two three.", False),
        ("One  two\nthree", 3, "One two three", False),
        ("", 3, "", False),
        ("One two. Three four five.", 4, "One two.", True),
        ('He said: "No!" Then he left us.', 5, 'He said: "No!"', True),
        ("I am 3.5 years old, and so on.", 3, "I am 3.5…", True),
        ("One two three four", 2, "One two…", True),
        # 2 words have 13 characters; a text that ends there in a sentence had no more room.
        ("Wonderful mountains", 2, "Wonderful…", True),
        ("Abc. abcdefgh", 2, "Abc.", True),
        ("Abcd abcdefg.", 2, "Abcd abcdefg.", False),
        ("x" * 100, 2, "x" * 12 + "…", True),
    ],
)
def test_free_words_are_cut_at_a_sentence(text: str, words: int, told: str, cut: bool) -> None:
    assert fit_words(text, words) == (told, cut)
    assert len(told) <= room_for(words)


@pytest.mark.parametrize(
    ("text", "limit", "told"),
    [
        ("short", 10, "short"),
        ("ends here.", 10, "ends here."),
        ("breaks off", 10, "breaks…"),
        ("a comma, and more", 10, "a comma…"),
        ("x" * 20, 10, "x" * 9 + "…"),
    ],
)
def test_a_reason_is_cut_at_a_word(text: str, limit: int, told: str) -> None:
    assert cut_at_word(text, limit) == told


class Opinion(BaseModel):
    reason: Reason = ""
    note: Reason
    side: str


@pytest.mark.parametrize(("reasons", "words"), [(60, 9), (300, 46), (1000, 153)])
def test_a_form_is_given_room_for_its_reasons(reasons: int, words: int) -> None:
    form = give_room(Opinion, reasons)
    schema = schema_of(form, {"side": ("C", "D")})
    assert [*schema["properties"]] == ["reason", "note", "side"]
    assert schema["properties"]["reason"]["maxLength"] == reasons
    assert f"{words} words at most" in schema["properties"]["note"]["description"]
    assert answer_room(schema) > 2 * reasons
    answer = form(note="because of rain and snow " * 99, side="C")
    assert (answer.reason, answer.note[-1], len(answer.note) <= reasons) == ("", "…", True)
    assert isinstance(answer, Opinion)
    with pytest.raises(ValueError, match="note"):
        form(side="C")


WORDS = ["so", "it", "is.", "Why?", "…", "extraordinarily", "a,b;", "(no!)", "w" * 90, "end."]


def test_what_was_cut_is_cut_again_to_the_same_words() -> None:
    draws = random.Random(7)
    cuts = 0
    for _ in range(2000):
        text = " ".join(draws.choices(WORDS, k=draws.randint(1, 40)))
        words = draws.randint(1, 30)
        said, cut = fit_words(text, words)
        if cut:
            cuts += 1
            assert fit_words(text_before_cut(said, words), words) == (said, True)
        else:
            assert fit_words(said, words) == (said, False)
    assert cuts > 500
