"""What every client of a web API needs: shared HTTP connections, one way to call, and faults told without keys."""

import asyncio
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Generic, TypeVar

import httpx2

from providers import (
    Completion,
    CompletionRequest,
    FatalError,
    ProviderError,
    RequestError,
    SettingError,
    TransientError,
)
from providers.settings import KEY, REDACTED

T = TypeVar("T")
S = TypeVar("S")
REMEDIES = {401: "check the API key", 402: "add credit", 403: "check what the key may do"}
REMEDIES |= dict.fromkeys((404, 405, 410), "check model and base_url")
TRANSIENT = {408, 409, 425, 429, 499}
BUSY = {429, 529}
HOPELESS_CODES = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_error",
    "model_not_found",
}
HOPELESS_WORDS = ("your credit balance", "api key not valid")
# Fields of a request that are what is asked, not how; their names may stand in any sentence.
CONTENT = {"model", "messages", "input", "instructions", "system", "text", "store", "extra_body"}
# What servers echo of a key: whole, with stars in it, or as a long word of another form.
KEY_LIKE = re.compile(rf"{KEY.pattern}|\S*\*{{3,}}\S*|[-\w]{{32,}}")


class Pool:
    """What is made once for each event loop, and shared there: made when first asked for, closed when its loop ends.

    So one client serves several loops, one after another (asyncio.run twice) or in several threads.
    """

    def __init__(self) -> None:
        self._made: dict[
            asyncio.AbstractEventLoop, tuple[AsyncGenerator[None], dict[Hashable, Any]]
        ] = {}

    async def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` made for `name` in this loop, made now if it was not before."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            things: dict[Hashable, Any] = {}
            self._made[loop] = keeper, _ = self._keep(loop, things), things
            await anext(keeper)
        _, things = self._made[loop]
        if name not in things:
            things[name] = make()
        thing: T = things[name]
        return thing

    async def aclose(self) -> None:
        """Close the HTTP connections of this loop; whoever asks again opens new ones."""
        keeper, _ = self._made.get(asyncio.get_running_loop(), (None, {}))
        if keeper is not None:
            await keeper.aclose()

    async def _keep(
        self, loop: asyncio.AbstractEventLoop, things: dict[Hashable, Any]
    ) -> AsyncGenerator[None]:
        # asyncio.run closes the generators still open when its loop ends: nobody can forget to
        # close connections.
        try:
            yield
        finally:
            self._made.pop(loop, None)
            for thing in things.values():
                if isinstance(thing, httpx2.AsyncClient):
                    await thing.aclose()


@dataclass(frozen=True)
class Endpoint:
    """Where a model is: its name there, address and key, seconds for one call, and the settings each call is sent.

    `settings` are fields of the API's own request body, which win over ours; `headers` (or
    `extra_headers`) among them are sent as such. With `structured: false` the form of the answer is
    told in words, for a model that knows no other.
    """

    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    pool: Pool = field(default_factory=Pool)


class SdkClient(ABC, Generic[S]):
    """A client made of one SDK, whose own client is an `S`; a subclass says how its API is called and read."""

    sdk: ClassVar[Any]
    thinking_room: ClassVar[int]

    def __init__(self, endpoint: Endpoint) -> None:
        settings = dict(endpoint.settings)
        for name in ("headers", "extra_headers", "extra_body"):
            if not isinstance(settings.get(name, {}), Mapping):
                raise ValueError(
                    f"expected client_kwargs.{name} to be a mapping of names and values: it is none"
                )
        self.structured = settings.pop("structured", True)
        if not isinstance(self.structured, bool):
            raise ValueError(
                f"expected client_kwargs.structured to be true or false: got {self.structured!r:.80}"
            )
        self.endpoint = endpoint
        self.headers: Mapping[str, str] = settings.pop("headers", {}) | settings.pop(
            "extra_headers", {}
        )
        self.settings: Mapping[str, Any] = settings | settings.pop("extra_body", {})
        self.timeout = httpx2.Timeout(endpoint.timeout, connect=min(10.0, endpoint.timeout))

    @abstractmethod
    def connect(self, http: httpx2.AsyncClient) -> S:
        """Return the SDK's client on an open HTTP client."""

    @abstractmethod
    def body(self, request: CompletionRequest) -> dict[str, Any]:
        """Return the arguments of the call; the settings that win over them stand in its `extra_body`."""

    @abstractmethod
    async def send(self, client: S, body: dict[str, Any]) -> Any:
        """Make the call."""

    @abstractmethod
    def read(self, answer: Any) -> Completion:
        """Return what the answer says; raise anything if it is no answer of this API."""

    def room(self, request: CompletionRequest, *, at_least: int = 0) -> int:
        """Return how many tokens an answer and the thoughts before it may take; `at_least` so many are for thoughts."""
        return request.max_tokens + max(self.thinking_room * request.may_think, at_least)

    async def http(self) -> httpx2.AsyncClient:
        """Return the loop's HTTP client, one for all clients of this SDK."""
        http: httpx2.AsyncClient = await self.endpoint.pool.once(
            self.sdk, self.sdk.DefaultAioHttpClient
        )
        return http

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError that carries neither a key nor the SDK's own exception."""
        settings: set[str] = set()
        try:
            http = await self.http()
            client = await self.endpoint.pool.once(self, lambda: self.connect(http))
            body = self._body(request)
            settings = {self.endpoint.model, "json_schema", *body, *body["extra_body"]} - CONTENT
            completion = self.read(await self.send(client, body))
        except Exception as error:
            fault = self._fault_of(error)
            if type(fault) is RequestError and names_one_of(settings, str(fault)):
                fault = SettingError(*fault.args)
        else:
            if completion.finish != "stop" or completion.text.strip():
                return completion
            fault = TransientError("gave an empty answer")
        fault.args = (f"{self.endpoint.model} {self._redacted(str(fault))}",)
        # Raised here, outside any handler: else the SDK's exception, key and all, would hang on it
        # as __context__.
        raise fault

    def _body(self, request: CompletionRequest) -> dict[str, Any]:
        try:
            return self.body(request if self.structured else in_words(request))
        except (TypeError, ValueError, AttributeError) as error:
            raise FatalError(
                f"cannot be asked with these client_kwargs ({type(error).__name__})"
            ) from None

    def _fault_of(self, error: Exception) -> ProviderError:
        if isinstance(error, ProviderError):
            return error
        if isinstance(error, self.sdk.APIStatusError):
            return fault_of_status(error.status_code, error.body, error.response.headers)
        if isinstance(error, self.sdk.APIConnectionError | httpx2.TransportError):
            # Over aiohttp a refused or broken connection comes as a ConnectTimeout, and so as the
            # SDK's timeout.
            late = isinstance(error.__cause__, httpx2.TimeoutException)
            if late and not isinstance(error.__cause__, httpx2.ConnectTimeout):
                return TransientError(f"did not answer within {self.endpoint.timeout:g} s")
            return TransientError("could not be reached, or broke off its answer")
        return TransientError(f"answered with something unreadable ({type(error).__name__})")

    def _redacted(self, text: str) -> str:
        """Return `text` as one line of at most 400 characters without the key, parts of it, or what looks like one."""
        for secret in filter(None, (self.endpoint.key, *self.headers.values())):
            for size in range(len(secret), min(len(secret), 8) - 1, -1):
                for start in range(len(secret) - size + 1):
                    text = text.replace(secret[start : start + size], REDACTED)
        return " ".join(KEY_LIKE.sub(REDACTED, text).split())[:400]


def in_words(request: CompletionRequest) -> CompletionRequest:
    """Return `request` with its schema as words at its end, for endpoints that take no schema."""
    if request.schema is None:
        return request
    *before, last = request.messages
    *parts, end = last.parts
    asked = replace(last, parts=(*parts, f"{end}{words_for(request.schema)}"))
    return replace(request, messages=(*before, asked), schema=None)


def words_for(schema: Mapping[str, Any]) -> str:
    """Return the paragraph that tells in which form to answer; it shows no object that might be taken for an answer."""
    fields = (f'"{name}" ({field_in_words(field)})' for name, field in schema["properties"].items())
    return f"\n\nAnswer with one JSON object and nothing else. Its fields: {', '.join(fields)}."


def field_in_words(field: Mapping[str, Any]) -> str:
    """Return what a field of a JSON Schema is for, and what it may hold."""
    if "enum" in field:
        held = (
            f"one of {', '.join(json.dumps(value, ensure_ascii=False) for value in field['enum'])}"
        )
    elif field.get("type") == "string":
        held = (
            f"text of at most {field['maxLength']} characters" if "maxLength" in field else "text"
        )
    else:
        held = ", ".join(
            f"{name} {value}" for name, value in field.items() if name != "description"
        )
    return f"{field['description']}: {held}" if "description" in field else held


def names_one_of(settings: set[str], said: str) -> bool:
    """Return whether a sentence has one of `settings` in it as a word of its own."""
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in settings)


def fault_of_status(
    status: int, body: object, headers: Mapping[str, str] | None = None
) -> ProviderError:
    """Return the fault that an HTTP status and its JSON body stand for; its message is not redacted yet."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    error = error if isinstance(error, Mapping) else {"message": error}
    said = error.get("message")
    said = said if isinstance(said, str) and not said.lstrip().startswith("<") else ""
    sentence = f"answered HTTP {status}" + (f": {said}" if said else "")
    hopeless = {error.get("code"), error.get("type")} & HOPELESS_CODES or said.lower().startswith(
        HOPELESS_WORDS
    )
    if status in REMEDIES or hopeless:
        return FatalError(f"{sentence} ({REMEDIES.get(status, 'check key, credit and model')})")
    if status in TRANSIENT or status >= 500:
        return TransientError(sentence, retry_after(headers or {}), busy=status in BUSY)
    return RequestError(sentence)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return for how many seconds (0 or more) the server wants to be left alone, None if it does not say so.

    It may say so in milliseconds (`retry-after-ms`), in seconds, or by a date (RFC 9110).
    """
    wish, milliseconds = headers.get("retry-after", ""), headers.get("retry-after-ms", "")
    try:
        seconds = float(milliseconds) / 1000 if milliseconds else float(wish)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(wish) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def count(value: object) -> int:
    """Return a number of tokens as an API told it, 0 for what is no number."""
    return value if isinstance(value, int) and value > 0 else 0


def amount(value: object) -> float | None:
    """Return an amount of money as an API told it, None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        return None
    return float(value)
