"""Aspects from plain words: short labels, none twice, none that only repeats the topic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.memory.embeddings import content_words
from engine.games.talks.speech.aspects import MOST, keyphrases
from tests.support.utterances import CASES

TEXTS = [text for case in CASES for text in case]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_every_utterance_has_up_to_three_short_labels_of_its_own_words(text: str) -> None:
    labels = keyphrases(text)[:MOST]
    assert labels
    for label in labels:
        assert 1 <= len(label.split()) <= 3
        assert {*label.split()} <= {*content_words(text)}


def test_what_only_repeats_the_topic_is_no_aspect() -> None:
    text = "The meaning of life is in our projects."
    assert "meaning" in keyphrases(text)
    assert keyphrases(text, "What is the meaning of life?") == ["projects"]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("", []),
        ("Is it so?", []),
        # One clause, three phrases, each behind a determiner: two words weigh more than one, then
        # their order counts.
        ("The mind needs a living body in the world.", ["living body", "mind", "world"]),
        # "opens" stands before "our": it is what is said of art. 1 + 1.5 for "our eyes", 1 + 1 for
        # two words.
        ("Disturbing art opens our eyes.", ["eyes", "disturbing art"]),
        # A word said twice weighs more: its count of 2 over the other's 1, and both are determined.
        ("The promise of the feeling. The promise.", ["promise", "feeling"]),
    ],
)
def test_key_phrases(text: str, labels: list[str]) -> None:
    assert keyphrases(text) == labels


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    labels = keyphrases(text)
    assert len({*labels}) == len(labels)
