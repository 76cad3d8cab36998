"""The form of a question to a player and of what comes back; `player.py` hands these names on."""

import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from protocol.answer import Choices
from providers import Completion, CompletionRequest, Usage

A = TypeVar("A", bound=BaseModel)


class Released(Exception):  # noqa: N818 - it is no fault: the question may be asked again later
    """Nobody waits for an answer any more: the question stays as if it had never been asked."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a player reads: rules and character, then what it has seen, one JSON line an event, then the question.

    `upto` is how many events the game had when it was written.
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
    def sha256(self) -> str:
        """The fingerprint of the whole prompt."""
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Turn(Generic[A]):
    """One question to one player, the same for a model, a script and a person.

    A script reads `observation`, models and people read `prompt()`. All are held to `answer`, to
    the legal values in `choices` (by field) and, when nothing legal comes, to `fallback`. `silence`
    is the choice that says nothing: a person who makes it is asked for no words.
    """

    player_id: str
    kind: str
    observation: Any
    prompt: Callable[[], Prompt]
    answer: type[A]
    choices: Choices
    fallback: A
    silence: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a question: the raw text, reasoning, tokens, seconds, and what was wrong with it (None: nothing).

    `finish` is why the answer ended, as the provider told it; "none": no answer came at all.
    `served` is the model that answered, as the provider told it, where that is another name than
    the one that was asked for.
    """

    text: str
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0.0
    fault: str | None = None
    finish: Literal["stop", "length", "refusal", "none"] = "stop"
    served: str = ""


@dataclass(frozen=True, slots=True)
class Reply(Generic[A]):
    """The answer that counts, every attempt at it, whether it is the fallback, and the prompt if one was read.

    `number` is the question's place among those of its round that are not put to scripts, from 1.
    """

    answer: A
    attempts: tuple[Attempt, ...] = ()
    fell_back: bool = False
    prompt: Prompt | None = None
    number: int = 0


class Tape(Protocol):
    """Where a question's raw attempts are written before they are parsed, and read back on replay."""

    async def take(
        self, fingerprint: str, ask: Callable[[], Awaitable[Completion]]
    ) -> tuple[Completion, float]:
        """Return the next attempt and its seconds: the recorded one, or what `ask` answers, which is recorded first."""
        ...


class Untaped:
    """A tape that keeps nothing; while `closing`, nothing new is asked."""

    def __init__(self) -> None:
        self.closing = False

    async def take(
        self, fingerprint: str, ask: Callable[[], Awaitable[Completion]]
    ) -> tuple[Completion, float]:
        """Return what `ask` answers; Released if the tape is closing."""
        del fingerprint
        if self.closing:
            raise Released
        return await ask(), 0.0


class Answerer(Protocol):
    """The way to a person: a terminal, a page in a browser, a program on the wire."""

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Return the answer as JSON, "" if the person leaves for good.

        A RequestError, such as a missed deadline, is recorded as a fault: the fallback stands for
        this question alone. Released if `release` is called meanwhile.
        """
        ...

    def release(self) -> None:
        """End every pending `ask` with Released; any thread may call it."""
        ...


Script = Callable[[Turn[Any], random.Random], BaseModel]
Scripts = Mapping[str, Script]


def fingerprint(request: CompletionRequest) -> str:
    """Return a hash of all that a request asks, so that a recorded answer is only taken for the same question."""
    # Written as JSON all this text would take three times as long; instead each part is told apart
    # by its length.
    parts = [
        request.system,
        *(part for message in request.messages for part in (message.role, message.text)),
    ]
    schema = json.dumps(request.schema, sort_keys=True)
    sizes = json.dumps([len(part) for part in parts])
    return sha256("".join((sizes, schema, *parts)).encode("utf-8", "surrogatepass")).hexdigest()
