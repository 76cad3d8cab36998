"""The only interface to models: requests, replies, and the faults of calls.

ProviderError
├── FatalError       no later call can succeed either: bad key, unknown model, no credit
├── TransientError   the same call may succeed later: overload, rate limit, lost connection
│   └── UnreachableError  no server answers at the address: refused, no such host, timeout
└── RequestError     this one call cannot succeed: too long, refused by the API
    ├── SettingError the API blames a setting or the model
    └── FormError    the API refuses the form of the answer; another may work

A new kind of API needs one file here and one row in PROVIDERS; an endpoint with a known API needs
only the row.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from providers.addresses import ollama_address

# Longer than the message of any redacted fault.
LONGEST_FAULT = 5000
# How a request states the form of the answer, best first: a JSON Schema, a description in words
# with a request for any JSON object, or only a description in words.
Form = Literal["schema", "json", "words"]
FORMS: tuple[Form, ...] = ("schema", "json", "words")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request; all `parts` but the last form a prefix worth caching."""

    role: Literal["user", "assistant"]
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole message as the model reads it."""
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One question to a model.

    `schema` is the JSON Schema that the answer must match (None: free text); `form` is how the
    request states it. `session` identifies the conversation, so that a provider can reuse its
    prefix cache. `max_tokens` limits the answer. A model that `may_think` gets extra room for its
    thoughts, depending on `thinks`: whether its earlier answers involved thoughts (None before the
    first answer).
    """

    system: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    max_tokens: int = 1024
    session: str = ""
    may_think: bool = True
    thinks: bool | None = None
    form: Form = "schema"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls.

    `prompt_tokens` include cached tokens, and `completion_tokens` include reasoning tokens.
    `cache_write_tokens` were written to the provider's cache. `cost` is in dollars, or None unless
    the provider reported it for every call.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return the combined tokens and cost; an empty Usage adds nothing."""
        if self == Usage():
            return other
        if other == Usage():
            return self
        cost = None
        if self.cost is not None and other.cost is not None:
            cost = self.cost + other.cost
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cost=cost,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply: the raw text, the reasoning the model showed, tokens, and why it stopped.

    `finish` is "stop", "length" (cut at max_tokens), "refusal", or "ignored" (the answer ended, but
    the endpoint did not enforce the schema). `raw` contains facts from the API's own answer (its
    id, the model that served it). `form` is the form actually used if the endpoint refused the
    requested one, else "".
    """

    text: str
    reasoning: str = ""
    usage: Usage = Usage()
    finish: Literal["stop", "length", "refusal", "ignored"] = "stop"
    raw: Mapping[str, Any] = field(default_factory=dict)
    form: Form | Literal[""] = ""


class Client(Protocol):
    """A model that answers requests."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError."""
        ...


def visible_line(text: str, limit: int) -> str:
    r"""Return the visible characters of a text, with runs of spaces collapsed, cut to `limit`.

    >>> visible_line("\x1b[31mred\u202e\n ink", 80)
    '[31mred ink'
    """
    spaced = " ".join(text.split())
    return "".join(letter for letter in spaced if letter.isprintable())[:limit]


class ProviderError(Exception):
    """A model call failed; the message is one line without keys or terminal escapes."""

    def __init__(self, message: str = "") -> None:
        super().__init__(visible_line(message, LONGEST_FAULT))


class FatalError(ProviderError):
    """No later call of this client can succeed until a person removes the cause."""


class TransientError(ProviderError):
    """The same call may succeed later.

    `retry_after` is the wait in seconds that the server asked for, if any. If `busy`, the server
    wants fewer calls from all users of this key, not just a later retry of this call.
    """

    def __init__(
        self, message: str, retry_after: float | None = None, *, busy: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.busy = busy


class UnreachableError(TransientError):
    """No server answers at the address; `late` means a timeout rather than a refused connection."""

    def __init__(self, message: str, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


class RequestError(ProviderError):
    """The call can never succeed, but other calls may."""


class SettingError(RequestError):
    """The call can never succeed, and the provider blames a setting or the model.

    Other calls with the same settings and model will fail too, unless some have already succeeded.
    In that case, the provider may be blaming `max_tokens` for a request that grew too long.
    """


class FormError(RequestError):
    """The endpoint refuses the form of a request; `form` is the next one to try."""

    def __init__(self, message: str, form: Form) -> None:
        super().__init__(message)
        self.form = form


# Settings whose value is a credential, or may hold one under any name.
SECRETS = frozenset(
    {
        "api_key",
        "auth_token",
        "cookies",
        "default_headers",
        "default_query",
        "extra_body",
        "extra_headers",
        "extra_query",
        "headers",
        "token",
    }
)
# Harmless texts inside a setting, such as the effort in `reasoning: {effort: low}`.
PLAIN = frozenset(
    {
        "display",
        "effort",
        "format",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning_effort",
        "service_tier",
        "stop",
        "summary",
        "ttl",
        "type",
        "verbosity",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Everything the program knows about one provider; nothing else compares providers by name.

    - `client`: import path of its class, imported only when a seat needs it.
    - `default_model`: used when a seat names none; if empty, a seat must name one.
    - `key_variable`: environment variable of the key, if any. `needs_key`: a seat without a key is
      rejected.
    - `base_url`, `base_url_variable`: its address, and the environment variable that overrides it,
      read by `read_address`.
    - `needs_base_url`: a seat must name the address, by which prices are looked up.
    - `when_away`: advice for users if no server answers at its address.
    - `price_name`: its name in the price table, if different.
    - `small`: by default its models get shorter and plainer prompts.
    - `free`: calls cost nothing. `tells_cost`: each answer states its cost.
    - `tells_model`: each answer names the model that gave it. `takes_files`: a model name with
      anything but letters and digits is a weights file on this machine.
    - `settings`: sent with every call unless a seat's `client_kwargs` override them.
    - `thinks`: models at `base_url` think by default. `shows`: settings that ask a model that
      thinks anyway to show its thoughts; left out where they are refused.
    - `secrets`, `plain`: settings that logs never and always contain; see `providers.settings`.
    - `timeout` (seconds for one attempt), `max_attempts`, `concurrency`: defaults for its seats;
      `measured_concurrency` applies to measurements, which play several games at a time.
    """

    client: str
    default_model: str = ""
    key_variable: str = ""
    needs_key: bool = True
    base_url: str = ""
    base_url_variable: str = ""
    read_address: Callable[[str], str] = str.strip
    needs_base_url: bool = False
    when_away: str = "check the network, and base_url if you set one"
    price_name: str = ""
    small: bool = False
    free: bool = False
    tells_cost: bool = False
    tells_model: bool = True
    takes_files: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    thinks: bool = False
    shows: Mapping[str, Any] = field(default_factory=dict)
    secrets: frozenset[str] = SECRETS
    plain: frozenset[str] = PLAIN
    timeout: float = 60.0
    max_attempts: int = 4
    concurrency: int = 16
    measured_concurrency: int | None = None


CHAT = "providers.openai_chat:ChatClient"
DEFAULT_PROVIDER = "local"
PROVIDERS: dict[str, Provider] = {
    "local": Provider(
        client="providers.local:LocalClient",
        default_model="smollm2",
        when_away="its server ended, perhaps for lack of memory; the next call starts a new one",
        small=True,
        free=True,
        # Its server knows the weights by an alias, and no other model can answer in their place.
        tells_model=False,
        takes_files=True,
        timeout=120.0,
        max_attempts=2,
        # One server, which answers one question at a time with all idle cores.
        concurrency=1,
        # Two servers with half of the cores each answer 1.3 times as many questions.
        measured_concurrency=2,
    ),
    "openai": Provider(
        client="providers.openai:ResponsesClient",
        default_model="gpt-5.4-mini",
        key_variable="OPENAI_API_KEY",
        base_url="https://api.openai.com/v1",
        base_url_variable="OPENAI_BASE_URL",
        thinks=True,
        shows={"reasoning": {"summary": "auto"}},
    ),
    "anthropic": Provider(
        client="providers.anthropic:MessagesClient",
        default_model="claude-haiku-5-5",
        key_variable="ANTHROPIC_API_KEY",
        base_url="https://api.anthropic.com",
        base_url_variable="ANTHROPIC_BASE_URL",
        thinks=True,
        # Newer models omit their thoughts unless they are asked for a summary.
        shows={"thinking": {"display": "summarized"}},
    ),
    "compatible": Provider(
        client=CHAT,
        key_variable="COMPATIBLE_API_KEY",
        needs_key=False,
        base_url_variable="COMPATIBLE_BASE_URL",
        needs_base_url=True,
        when_away="start the server there, or correct its address",
    ),
    "ollama": Provider(
        client=CHAT,
        base_url=ollama_address(""),
        base_url_variable="OLLAMA_HOST",
        read_address=ollama_address,
        when_away="start it with `ollama serve`, or set OLLAMA_HOST",
        free=True,
        timeout=120.0,
        max_attempts=2,
        # Its server answers one question at a time (OLLAMA_NUM_PARALLEL); others would wait there
        # and use up their timeouts.
        concurrency=1,
    ),
    "openrouter": Provider(
        client=CHAT,
        key_variable="OPENROUTER_API_KEY",
        base_url="https://openrouter.ai/api/v1",
        tells_cost=True,
        thinks=True,
        # Allowed in its setting `provider`, which chooses who serves the model.
        plain=PLAIN | {"data_collection", "ignore", "only", "order", "quantizations", "sort"},
    ),
    "gemini": Provider(
        client=CHAT,
        key_variable="GEMINI_API_KEY",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        price_name="google",
        thinks=True,
        # Its chat completions take their own fields inside a field of this name.
        shows={"extra_body": {"google": {"thinking_config": {"include_thoughts": True}}}},
    ),
    "xai": Provider(
        client=CHAT,
        key_variable="XAI_API_KEY",
        base_url="https://api.x.ai/v1",
        price_name="x-ai",
        thinks=True,
    ),
    "groq": Provider(
        client=CHAT,
        key_variable="GROQ_API_KEY",
        base_url="https://api.groq.com/openai/v1",
        thinks=True,
    ),
    "mistral": Provider(
        client=CHAT,
        key_variable="MISTRAL_API_KEY",
        base_url="https://api.mistral.ai/v1",
        thinks=True,
    ),
    "deepseek": Provider(
        client=CHAT,
        key_variable="DEEPSEEK_API_KEY",
        base_url="https://api.deepseek.com/v1",
        thinks=True,
        # Its JSON mode takes no schema, so the prompt describes the fields in words.
        settings={"structured": False, "response_format": {"type": "json_object"}},
    ),
    "together": Provider(
        client=CHAT,
        key_variable="TOGETHER_API_KEY",
        base_url="https://api.together.ai/v1",
        thinks=True,
    ),
}
