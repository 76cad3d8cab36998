"""The only seam to the network: what a model is asked, what it answers, and how a call can fail.

ProviderError
├── FatalError       no later call can succeed either: bad key, unknown model, no credit
├── TransientError   the same call may succeed later: overload, rate limit, lost connection, timeout
└── RequestError     this one call cannot succeed: too long, refused by the API
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request; `parts` are sent joined, and all but the last are a prefix worth caching."""

    role: Literal["user", "assistant"]
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole message as the model reads it."""
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One question to a model.

    `schema` is the JSON Schema that the answer must fit (None: free text), `session` names the conversation that the
    request continues, so that a provider can find its prefix cache again. `max_tokens` bounds the answer.
    """

    system: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    max_tokens: int = 1024
    session: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls; `prompt_tokens` include the cached ones, `completion_tokens` the reasoning ones."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the tokens of both together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back: the raw text, the reasoning the model showed, tokens, and why it stopped.

    `finish` is "stop", "length" (cut at max_tokens) or "refusal"; `raw` holds the few facts of the API's own answer
    that are worth keeping (its id, the model that served it).
    """

    text: str
    reasoning: str = ""
    usage: Usage = Usage()
    finish: Literal["stop", "length", "refusal"] = "stop"
    raw: Mapping[str, Any] = field(default_factory=dict)


class Client(Protocol):
    """A model that answers; one method wide."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError."""
        ...


class ProviderError(Exception):
    """A model call failed; the message is one sentence without any key."""


class FatalError(ProviderError):
    """No later call of this client can succeed until a person mends the cause."""


class TransientError(ProviderError):
    """The same call may succeed later; `retry_after` is the server's own wish in seconds, if it named one."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RequestError(ProviderError):
    """The one call cannot succeed however often it is made, but others may."""
