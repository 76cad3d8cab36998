"""The only seam to the network: what a model is asked, what it answers, and how a call can fail.

ProviderError
├── FatalError       no later call can succeed either: bad key, unknown model, no credit
├── TransientError   the same call may succeed later: overload, rate limit, lost connection, timeout
└── RequestError     this one call cannot succeed: too long, refused by the API
    └── SettingError what it names as the reason is a setting or the model

A new kind of API is one file here and one line in PROVIDERS; an endpoint that speaks a known one is
the line alone.
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

    `schema` is the JSON Schema that the answer must fit (None: free text), `session` names the
    conversation that the request continues, so that a provider can find its prefix cache again.
    `max_tokens` bounds the answer; there is more room for thoughts before it if it `may_think`.
    """

    system: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    max_tokens: int = 1024
    session: str = ""
    may_think: bool = True


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls; `prompt_tokens` include the cached ones, `completion_tokens` the reasoning ones.

    Cached tokens were read from the provider's cache, `cache_write_tokens` were put into it by this
    call. `cost` is in dollars, as the provider itself told it (None: not told); that of several
    calls is told if that of each is.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return the tokens and the cost of both together; nothing at all adds nothing."""
        if Usage() in (self, other):
            return other if self == Usage() else self
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back: the raw text, the reasoning the model showed, tokens, and why it stopped.

    `finish` is "stop", "length" (cut at max_tokens) or "refusal"; `raw` holds the few facts of the
    API's own answer that are worth keeping (its id, the model that served it).
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
    """The same call may succeed later; `retry_after` is the server's own wish in seconds, if it named one.

    `busy` says that the server wants fewer calls of anyone who uses this key, not only this one
    later.
    """

    def __init__(
        self, message: str, retry_after: float | None = None, *, busy: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.busy = busy


class RequestError(ProviderError):
    """The one call cannot succeed however often it is made, but others may."""


class SettingError(RequestError):
    """The one call cannot succeed for a setting or a model that the provider names; others that have them will fare so.

    Unless some have succeeded: a request that grew too long may be blamed on its `max_tokens` too.
    """


@dataclass(frozen=True, slots=True)
class Provider:
    """A kind of model API as the table knows it.

    `client` is the path of its class, imported only when somebody asks for it; `key_variable` the
    environment variable of its key (empty: it needs none), `base_url_variable` that of another
    address than `base_url`. `settings` are sent unless a player's own replace them; `timeout`
    (seconds for one attempt) and `concurrency` hold unless told else. `tells_cost` says that each
    answer comes with what it cost.
    """

    client: str
    default_model: str = ""
    key_variable: str = ""
    base_url: str = ""
    base_url_variable: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 60.0
    concurrency: int = 16
    tells_cost: bool = False


CHAT = "providers.openai_chat:ChatClient"
PROVIDERS: dict[str, Provider] = {
    # The server answers four at a time; more would wait there, at the cost of their own time limit.
    "local": Provider("providers.local:LocalClient", "smollm2", timeout=300.0, concurrency=4),
    "openai": Provider(
        "providers.openai:ResponsesClient",
        "gpt-5.4-mini",
        "OPENAI_API_KEY",
        base_url_variable="OPENAI_BASE_URL",
    ),
    "anthropic": Provider(
        "providers.anthropic:MessagesClient",
        "claude-haiku-5-5",
        "ANTHROPIC_API_KEY",
        base_url_variable="ANTHROPIC_BASE_URL",
    ),
    "compatible": Provider(CHAT),
    "ollama": Provider(CHAT, base_url="http://127.0.0.1:11434/v1"),
    "openrouter": Provider(
        CHAT, "", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", tells_cost=True
    ),
    "gemini": Provider(
        CHAT, "", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"
    ),
    "xai": Provider(CHAT, "", "XAI_API_KEY", "https://api.x.ai/v1"),
    "groq": Provider(CHAT, "", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
    "mistral": Provider(CHAT, "", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
    # DeepSeek's JSON mode takes no schema: it is told in words.
    "deepseek": Provider(
        CHAT,
        "",
        "DEEPSEEK_API_KEY",
        "https://api.deepseek.com/v1",
        settings={"structured": False, "response_format": {"type": "json_object"}},
    ),
    "together": Provider(CHAT, "", "TOGETHER_API_KEY", "https://api.together.ai/v1"),
}
