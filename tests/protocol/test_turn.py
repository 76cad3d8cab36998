"""Questions and their fingerprints: a recorded answer belongs to the same question alone."""

from dataclasses import replace

import pytest

from protocol.turn import Untaped, fingerprint
from providers import Completion, CompletionRequest, Message

ASKED = CompletionRequest("rules", (Message("user", ("ab", "c")), Message("assistant", ("d",))))


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, system="rule", messages=(Message("user", ("sab", "c")), ASKED.messages[1])),
        replace(ASKED, messages=ASKED.messages[:1]),
        replace(ASKED, messages=ASKED.messages[::-1]),
        replace(ASKED, messages=(Message("user", ("ab", "cd")), Message("assistant", ("",)))),
        replace(ASKED, messages=(Message("assistant", ("ab", "c")), ASKED.messages[1])),
        replace(ASKED, schema={}),
        replace(ASKED, schema={"type": "object"}),
    ],
)
def test_another_question_has_another_fingerprint(other: CompletionRequest) -> None:
    assert fingerprint(other) != fingerprint(ASKED)


def test_how_a_request_is_sent_is_not_in_its_fingerprint() -> None:
    split = replace(ASKED.messages[0], parts=("a", "bc"))
    same = replace(ASKED, messages=(split, ASKED.messages[1]), session="Ada", form="words")
    assert fingerprint(same) == fingerprint(ASKED)


async def test_without_a_record_no_seconds_are_counted() -> None:
    async def ask() -> Completion:
        return Completion("jazz")

    assert await Untaped().take("", ask) == (Completion("jazz"), 0.0)
