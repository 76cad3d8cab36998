"""What comes back from a player, judged: refusals, cut answers, other models, thoughts."""

from pathlib import Path

import pytest

from protocol import judge as judging
from protocol.judge import ask_again, judge
from providers import Completion
from tests.support.turns import turn

LEGAL = '{"item": "jazz"}'


def test_a_refusal_is_no_answer_whatever_it_says() -> None:
    """A provider that calls its answer a refusal means it, though it may read as a legal choice."""
    answer, attempt = judge(turn(), Completion(LEGAL, finish="refusal"), 0.5)
    assert answer is None
    assert attempt.fault == "expected an answer: got a refusal"
    assert (attempt.text, attempt.finish, attempt.seconds) == (LEGAL, "refusal", 0.5)
    assert "got a refusal" in ask_again(attempt)[1].text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (LEGAL, None),
        (
            '{"item": "ja',
            'expected one JSON object with the fields rationale, item: got \'{"item": "ja\' '
            "(the answer was cut at its length limit: be shorter)",
        ),
    ],
)
def test_a_cut_answer_counts_if_it_is_whole(text: str, fault: str | None) -> None:
    answer, attempt = judge(turn(), Completion(text, finish="length"), 0.0)
    assert (answer is None) == (fault is not None)
    assert attempt.fault == fault


@pytest.mark.parametrize(
    ("asked", "served", "kept"), [("m", "m", ""), ("m", "other", "other"), ("", "other", "")]
)
def test_another_model_is_named_if_one_was_asked_for(asked: str, served: str, kept: str) -> None:
    _, attempt = judge(turn(), Completion(LEGAL, raw={"model": served}), 0.0, asked)
    assert attempt.served == kept


def test_thoughts_join_the_reasoning() -> None:
    text = f"<think>jazz, then</think>{LEGAL}"
    answer, attempt = judge(turn(), Completion(text, reasoning="Hm."), 0.0)
    assert answer is not None
    assert (attempt.text, attempt.reasoning) == (text, "Hm.\njazz, then")


@pytest.mark.parametrize("libraries", [judging.LIBRARIES, Path(__file__).name])
def test_a_script_that_raises_is_shown_with_its_line(
    libraries: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed script is among libraries itself: then the last line is shown."""
    monkeypatch.setattr(judging, "LIBRARIES", libraries)

    def script() -> None:
        raise ValueError("no  item")

    with pytest.raises(ValueError, match="no  item") as raised:
        script()
    line = script.__code__.co_firstlineno + 1
    words = judging.bug_in_words(raised.value)
    assert words.startswith("raised ValueError: no item in ")
    assert words.endswith(f"test_judge.py, line {line}; fix the script")
