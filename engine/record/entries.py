"""Journal lines as read back from untrusted files."""

from dataclasses import astuple, dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from engine.record.files import read_json
from protocol.answer import Plain
from providers import Completion

# The numbers of a round, a question in that round, and an attempt at that question.
Address = tuple[int, int, int]
# No question takes more tokens, and no round has more questions.
MOST = 10**12


@dataclass
class RecordedAnswer:
    """The checked fields of an "answer" line; `asked` is the fingerprint of the question."""

    at: Address
    player: str
    seconds: float
    asked: str = ""
    time: str = ""
    completion: Completion | None = None
    fault: Literal["TransientError", "RequestError"] | None = None
    message: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError unless there is either a completion or a fault, and valid values."""
        if (self.completion is None) == (self.fault is None):
            raise ValueError("expected a completion or a fault")
        numbers = [*self.at, self.seconds]
        if self.completion is not None:
            numbers += [number or 0 for number in astuple(self.completion.usage)]
        if max(map(abs, numbers)) > MOST:
            raise ValueError(f"expected numbers up to {MOST}")
        if self.time and not is_time(self.time):
            raise ValueError(f"expected a time in ISO 8601: got {self.time:.40}")


@dataclass
class RecordedForm:
    """The checked fields of a "form" line."""

    at: Address
    player: str
    form: Literal["", "json", "words"]


@dataclass
class RecordedEnd:
    """The checked fields of a "failed" or "stopped" line.

    `bound` is the number of events at which a limit stopped the game, if one did.
    """

    reason: str
    bound: int | None = None


@dataclass
class RecordedVerdict:
    """The checked fields of a "verdict" line; `at` is the index of an event."""

    at: int
    reason: str


FORMS: dict[str, type[Any]] = {
    "answer": RecordedAnswer,
    "form": RecordedForm,
    "failed": RecordedEnd,
    "stopped": RecordedEnd,
    "verdict": RecordedVerdict,
}


def read_journal_line(body: bytes) -> Plain:
    """Return a journal line as plain data; raise ValueError if no game could have written it."""
    entry: Plain = read_json(body)
    kind = entry.get("kind")
    if not isinstance(kind, str):
        raise ValueError(f"expected a kind of line: got {kind!r:.40}")
    if kind in FORMS:
        _adapter(kind).validate_python(entry)
    return entry


def is_time(value: object) -> bool:
    """Return whether a value is a time in ISO 8601 with a time zone, as in events."""
    try:
        return datetime.fromisoformat(str(value)).tzinfo is not None
    except ValueError:
        return False


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(FORMS[kind])
