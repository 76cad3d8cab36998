"""Model text made fit to be said, names made safe, topics made subjects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.settings import distinct, safe_id, seat_name
from engine.games.talks.speech.answer import utterance_of
from engine.games.talks.speech.utterance import WORDS, cut_to_say, fit_to_say, subject_of
from player import PlayerConfig
from protocol.text import room_for

LONG = " ".join(f"This is sentence number {number} of many." for number in range(71))


def tidy(text: str, name: str, words: int = WORDS) -> str:
    return cut_to_say(fit_to_say(text, name, words), words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I agree.", "I agree."),
        ("Sophia: I agree.", "I agree."),
        ("Sophia: Sophia: I agree.", "I agree."),
        ("**Sophia:** sophia (she/her): I agree.", "I agree."),
        ("[Sophia] - I agree.", "I agree."),
        ("Sophia is my name: I agree.", "Sophia is my name: I agree."),
        ("Marcus: says what?", "Marcus: says what?"),
        ("<think>They want me to agree.</think>I agree.", "I agree."),
        ("I agree. <thinking>Do I?</thinking> Truly.", "I agree. Truly."),
        ("I agree.<think>and then", "I agree."),
        ("they want me to agree</think>Sophia: I agree.", "I agree."),
        ("I agree. We do. I agree. I agree.", "I agree. We do."),
        ("I\n\nagree.", "I agree."),
        ("It costs 3.50 or so. Ok", "It costs 3.50 or so. Ok"),
        ("I agree. My reasons are these:", "I agree."),
        ("so it goes, " + "on and on " * 60, "so it goes."),
    ],
)
def test_an_utterance_is_tidied(text: str, expected: str) -> None:
    assert tidy(text, "Sophia") == expected


@pytest.mark.parametrize(
    "called", ["Dr. Elena Rodriguez", "Elena", "Dr. Rodriguez", "Elena Rodriguez", "dr elena"]
)
def test_a_part_of_ones_name_is_ones_name_too(called: str) -> None:
    assert tidy(f"**{called}:** Elena: I agree.", "Dr. Elena Rodriguez") == "I agree."
    assert tidy(f"{called} agrees: so do I.", "Dr. Elena Rodriguez") == f"{called} agrees: so do I."


def test_who_writes_one_endless_word_is_told_its_length() -> None:
    with pytest.raises(ValueError, match="120 words at most: got 5000 characters"):
        tidy("x" * 5000, "Sophia")


def test_500_words_are_cut_behind_a_sentence() -> None:
    assert len(LONG.split()) == 71 * 7
    said = tidy(LONG, "Sophia", 120)
    assert said.endswith("number 16 of many.")  # 17 sentences of 7 words are 119
    assert LONG.startswith(said)


def test_a_sentence_that_breaks_off_where_the_room_ends_is_cut() -> None:
    whole = "I agree with Ann. We owe each other the truth."
    broken = f"{whole} This is why we should re"
    assert cut_to_say(broken, 40, len(broken)) == whole
    # A space at the end of the room was stripped.
    assert cut_to_say(broken, 40, len(broken) + 1) == whole
    assert cut_to_say(broken, 40, len(broken) + 2) == broken
    assert cut_to_say(whole, 40, len(whole)) == whole
    assert cut_to_say("We should re", 40, 12) == "We should re"
    small = utterance_of("Ann", 40, small=True)
    assert small(reply=(f"{whole} " + "on and " * 40)[:232]).spoken() == (whole, True)


@pytest.mark.parametrize(
    "text", ["", "Sophia:", "<think>hm</think>", "word " * 500, "x" * 5000, "my reasons:"]
)
def test_what_cannot_be_tidied_is_asked_again(text: str) -> None:
    with pytest.raises(ValueError, match="expected 2 to 4"):
        tidy(text, "Sophia")


@given(st.text(max_size=400), st.integers(1, 40))
def test_whatever_is_said_fits(text: str, words: int) -> None:
    try:
        said = tidy(text, "Sophia", words)
    except ValueError:
        return
    assert 1 <= len(said.split()) <= words
    assert len(said) <= room_for(words)
    assert not said.casefold().startswith("sophia:")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Sophia", "sophia"),
        ("Dr. Elena Rodriguez", "dr_elena_rodriguez"),
        ("Prof. José-Luis Ñandú, PhD", "prof_jose_luis_nandu_phd"),
        ("孔子", "participant"),
        ("../../etc/passwd", "etc_passwd"),
    ],
)
def test_ids_are_safe(name: str, expected: str) -> None:
    assert safe_id(name) == expected


@given(st.text())
def test_every_id_is_safe_and_every_seat_a_legal_name(name: str) -> None:
    assert safe_id(name).isascii()
    assert safe_id(name).replace("_", "a").isalnum()
    assert len(seat_name(name)) <= 40


@pytest.mark.parametrize(
    "name", ["Dr. Elena Rodriguez", 'Prof. "Jim": Chen (emeritus)', "x" * 90, "D'Arcy  Jones"]
)
def test_a_seat_takes_any_title(name: str) -> None:
    assert PlayerConfig(player_id=seat_name(name), provider="human").player_id == seat_name(name)


@given(st.lists(st.sampled_from(["a", "b", "a_2"]), max_size=6))
def test_ids_are_told_apart(ids: list[str]) -> None:
    made = distinct(ids)
    assert len({*made}) == len(ids)
    assert all(new.startswith(old) for new, old in zip(made, ids, strict=True))


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("What is love?", "love"),
        ("what are  rights ?", "rights"),
        ("Ethics of AI", "Ethics of AI"),
        ("Is there free will?", "this question"),
        ("The future of human-AI collaboration", "the future of human-AI collaboration"),
        ("A theory of mind", "a theory of mind"),
        ("Theology", "Theology"),
    ],
)
def test_a_topic_becomes_a_subject(topic: str, expected: str) -> None:
    assert subject_of(topic) == expected
