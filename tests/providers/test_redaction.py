"""What a server says, without keys: long messages are cut first, between words."""

import pytest

from providers.faults import fault_of_status
from providers.redaction import (
    LONGEST_MESSAGE,
    SCANNED,
    first_words,
    without_parts,
    without_secrets,
)
from providers.settings import REDACTED

CANARY = "sk-canary-0123456789abcdef"
PLAIN = "canary of a header, 98765"
# In these the patterns of the redaction once took quadratic time.
LONG = ["é,", "x", "***", "sk-", "bearer ", "a:", "://", "* ", "-*-", "\n"]


def fault_said(message: object) -> str:
    """Return what a fault with this message of the server says in the end."""
    fault = fault_of_status(400, {"error": {"message": message}})
    return without_secrets(str(fault), [CANARY, PLAIN])


@pytest.mark.parametrize("word", LONG, ids=repr)
@pytest.mark.parametrize("length", [100_000, 10_000_000])
def test_a_long_message_is_cut_before_it_is_searched(word: str, length: int) -> None:
    fault = fault_of_status(400, {"error": {"message": word * (length // len(word))}})
    assert len(str(fault)) <= SCANNED + 100
    assert len(first_words(str(fault))) <= SCANNED
    assert len(without_secrets(str(fault), [CANARY, PLAIN])) <= LONGEST_MESSAGE


@pytest.mark.parametrize("secret", [CANARY, PLAIN, "Z" * 40, "AIzaSy0123456789ab", "a1b2-***-c3d4"])
@pytest.mark.parametrize("before", ["no: ", "no:\n", "no,", "(", "key=", "Bearer "])
def test_half_a_key_at_the_cut_is_not_shown(secret: str, before: str) -> None:
    """The spaces are shown as one, so that the cut would come well within what is shown."""
    for shift in range(len(secret) + len(before) + 2):
        spaces = " " * (SCANNED - shift - 5)
        shown = fault_said(f"Oops.{spaces}{before}{secret} and more" + " more" * 100)
        assert "Oops" in shown
        for start in range(len(secret) - 8):
            assert secret[start : start + 8] not in shown


def test_a_message_of_one_word_is_counted() -> None:
    assert fault_said("é," * 50_000) == "answered HTTP 400: (a message of 100000 characters)"
    assert fault_said("é," * 100).startswith("answered HTTP 400: é,é,")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no key", "no key"),
        (CANARY, REDACTED),
        (f"<{CANARY}>", f"<{REDACTED}>"),
        (f"{CANARY[:8]} {CANARY[9:]}", f"{REDACTED} {REDACTED}"),
        (CANARY[:7], CANARY[:7]),
        (f"{CANARY[:9]}{CANARY[12:21]}!", f"{REDACTED}!"),
        ("HTTP 422 of 4", "HTTP 422 of 4"),
        ("pass: abcd", f"pass: {REDACTED}"),
        ("".join(f"%{code:02x}" for code in CANARY.encode()), REDACTED),
        (f"key {' '.join(CANARY)}!", f"key {REDACTED}!"),
        ("at CANARY/0123.4567 now", f"at {REDACTED} now"),
        ("(%63anary%2D0123%34", f"({REDACTED}"),
    ],
)
def test_parts_of_secrets_are_redacted(text: str, shown: str) -> None:
    assert without_parts(text, [CANARY, "2", "abcd", ""]) == shown


@pytest.mark.parametrize(
    "error", [{"message": "no", "code": ["x"], "type": {}}, {"message": ["no"]}, [1], 10**50]
)
def test_an_error_of_any_form_is_a_fault(error: object) -> None:
    assert str(fault_of_status(400, {"error": error})).startswith("answered HTTP 400")
