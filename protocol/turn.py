"""The form of a question and of its answer; users import these names from `player`."""

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from protocol.answer import Choices
from providers import Completion, CompletionRequest, Form, RequestError, Usage

A = TypeVar("A", bound=BaseModel)
Ask = Callable[[], Awaitable[Completion]]
# The number of transcript lines in one part of a prompt.
PART = 4
# How often the player is asked again after an illegal answer if legal ones are not listed.
RETRIES = 3


def no_doubt(answer: BaseModel) -> str:
    """Return "": most questions accept every legal answer."""
    del answer
    return ""


class Released(Exception):  # noqa: N818 - not a fault: the question may be asked again later
    """No caller is waiting for an answer any more: the question counts as never asked."""


class SeatTimeout(RequestError):  # noqa: N818 - missing a deadline is not an error
    """No answer came in time. The fallback is used, and the next question is asked as usual."""


@dataclass(frozen=True)
class Prompt:
    """A prompt: the rules and the player's character, the player's transcript, and the question.

    `transcript` contains one JSON line per event; `upto` is the number of the game's events so far.
    """

    system: str
    transcript: str
    question: str
    upto: int = 0

    @property
    def text(self) -> str:
        """The whole prompt, system text first."""
        return f"{self.system}\n\n{self.transcript}{self.question}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The transcript in parts, of which only the last can grow, followed by the question.

        Anthropic's API caches whole parts, so a transcript sent as one growing part would never be
        found in its cache.
        """
        lines = self.transcript.splitlines(keepends=True)
        begins = range(0, len(lines), PART)
        return (*("".join(lines[begin : begin + PART]) for begin in begins), self.question)

    @cached_property
    def sha256(self) -> str:
        """The fingerprint of the whole prompt."""
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Unlisted(Generic[A]):
    """How to judge a question whose legal answers are not shown to a model.

    `refuses` returns why an answer is illegal ("" if it is legal); it may be slow, so it is called
    in a thread. `board` returns the board to show again with that reason.
    """

    refuses: Callable[[A], str]
    board: Callable[[], str]


# Every seat gets one per question. A named tuple takes half as long to create as a dataclass.
class Turn(NamedTuple, Generic[A]):
    """One question to one player, the same for a model, a script and a person.

    A script reads `observation`; models and people read `prompt()`. An answer must fit the form
    `answer` and the legal values in `choices` (by field); otherwise `fallback` counts. `silence`
    is the choice to say nothing, after which a person is not asked for words. `notes` maps choices
    to text that a person sees next to them and a model has already read. `doubt` returns why a
    model should be asked once more despite a legal answer, or "". `grid` is the board a person may
    answer on, as `engine.report.grids` reads it. With `unlisted`, a model does not see the choices,
    and is asked again up to RETRIES times after an illegal answer.
    """

    player_id: str
    kind: str
    observation: Any
    prompt: Callable[[], Prompt]
    answer: type[A]
    choices: Choices
    fallback: A
    silence: str | None = None
    notes: Callable[[], Mapping[str, str]] = dict
    doubt: Callable[[A], str] = no_doubt
    grid: Callable[[], Sequence[Sequence[Mapping[str, Any]]]] = tuple
    unlisted: Unlisted[A] | None = None

    @property
    def listed(self) -> Choices:
        """The choices that a model sees and must choose from."""
        return self.choices if self.unlisted is None else {}

    async def refusal(self, answer: A) -> str:
        """Return why an answer is illegal although its form is right, or "" if it is legal."""
        if self.unlisted is None:
            return ""
        return await asyncio.to_thread(self.unlisted.refuses, answer)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a question, with its raw text and its fault (None: nothing is wrong).

    `finish` is why the answer ended, according to the provider, or "ignored" if it did not fit the
    requested schema, or "none" if no answer came. `served` is the provider's name for the model
    that answered, if it differs from the requested name. `form` is the form actually used, if the
    endpoint refused the intended one.
    """

    text: str
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0.0
    fault: str | None = None
    finish: Literal["stop", "length", "refusal", "ignored", "none"] = "stop"
    served: str = ""
    form: Form | Literal[""] = ""


class Reply(NamedTuple, Generic[A]):
    """The answer that counts, with its attempts, and the prompt if one was read.

    `number` counts a round's recorded questions from 1; it is 0 for an unrecorded question.
    """

    answer: A
    attempts: tuple[Attempt, ...] = ()
    fell_back: bool = False
    prompt: Prompt | None = None
    number: int = 0


class Tape(Protocol):
    """A record of raw replies, which are written before they are parsed, and read on replay."""

    async def take(self, fingerprint: str, ask: Ask) -> tuple[Completion, float]:
        """Return the next reply and its duration: the recorded one, or else the result of `ask`."""
        ...


class Untaped:
    """A tape that records nothing; while it is `closing`, no new questions are asked."""

    def __init__(self) -> None:
        self.closing = False

    async def take(self, fingerprint: str, ask: Ask) -> tuple[Completion, float]:
        """Return the answer of `ask`; raise Released if the tape is closing."""
        del fingerprint
        if self.closing:
            raise Released
        return await ask(), 0.0


class Answerer(Protocol):
    """A connection to a person: a terminal, a page in a browser, or a remote program.

    Only the answerer tracks whether the person is present. While the person is away, `ask` may
    raise SeatTimeout at once.
    """

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Return the answer as JSON, or "" if the person leaves for good and is never asked again.

        If this raises SeatTimeout or another RequestError, the error is recorded as a fault, and
        the fallback answers only this question. Raises Released if `release` is called meanwhile.
        """
        ...

    def release(self) -> None:
        """End every pending `ask` with Released; any thread may call it."""
        ...


Script = Callable[[Turn[Any], random.Random], BaseModel]
Scripts = Mapping[str, Script]
# Scripts that search outside Python, so other threads can run meanwhile.
SEARCHES: list[Script] = []


def search(script: Script) -> Script:
    """Mark a script as slow: a player calls it in a thread, so that other games continue."""
    SEARCHES.append(script)
    return script


@cache
def searchers() -> ThreadPoolExecutor:
    """Return the thread pool in which scripts search, with one thread per core."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="search")


def fingerprint(request: CompletionRequest) -> str:
    """Return a hash of a request's whole content, to match recorded answers to questions."""
    # JSON would take three times as long for all this text; the lengths separate the parts.
    parts = [request.system]
    for message in request.messages:
        parts += [message.role, message.text]
    sizes = json.dumps([len(part) for part in parts])
    schema = json.dumps(request.schema, sort_keys=True)
    whole = "".join((sizes, schema, *parts))
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
