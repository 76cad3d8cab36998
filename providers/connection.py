"""The base of every web API client: shared HTTP connections and a common way to make calls."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from http.cookiejar import DefaultCookiePolicy
from typing import Any, ClassVar, Generic, TypeVar

import httpx2

from providers import (
    FORMS,
    Completion,
    CompletionRequest,
    FatalError,
    Form,
    FormError,
    ProviderError,
    RequestError,
    SettingError,
    TransientError,
    UnreachableError,
    Usage,
)
from providers.arrivals import HEADERS, stay_with_server, unpack_within_bounds
from providers.endpoint import Endpoint
from providers.faults import CHECK_KEY, fault_of_status, late_words, names_one_of, refusal_in
from providers.plain_words import in_words
from providers.redaction import public_completion, without_secrets
from providers.refusals import FORM, SHOWS, Body, Edit, is_stream, refused_feature
from providers.thoughts import ROOM, is_told_to_think

S = TypeVar("S")
LONGEST_CONNECT = 10.0
# No model reads or writes more tokens at once.
MOST_TOKENS = 10**8
HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]{1,100}", re.ASCII)
HTTP: dict[str, Any] = {
    "event_hooks": {"response": [stay_with_server, unpack_within_bounds]},
    "headers": HEADERS,
}
# Fields with a request's content, not its settings; their names may occur in any sentence.
CONTENT = {"model", "messages", "input", "instructions", "system", "text", "store", "extra_body"}


class SdkClient(ABC, Generic[S]):
    """A client built on an SDK's client of type `S`; subclasses define how to use its API."""

    sdk: ClassVar[Any]
    forms: ClassVar[tuple[Form, ...]] = FORMS
    edits: ClassVar[Mapping[str, Edit]]

    def __init__(self, endpoint: Endpoint) -> None:
        settings = dict(endpoint.settings)
        headers = _take_mapping(settings, "headers") | _take_mapping(settings, "extra_headers")
        extra_body = _take_mapping(settings, "extra_body")
        structured = settings.pop("structured", True)
        if not isinstance(structured, bool):
            raise ValueError("expected client_kwargs.structured to be true or false: it is neither")
        self.structured = structured
        # The features that the endpoint has refused.
        self.refused: frozenset[str] = frozenset()

        self.endpoint = endpoint
        self.headers = checked_headers(headers)
        self.secrets = (endpoint.key, *self.headers.values(), *endpoint.secrets)
        self.settings: Mapping[str, Any] = settings | extra_body
        self.is_told_to_think = is_told_to_think(self.settings)
        connect = min(LONGEST_CONNECT, endpoint.timeout)
        self.timeout = httpx2.Timeout(endpoint.timeout, connect=connect)

    def room(self, request: CompletionRequest, at_least: int = 0) -> int:
        """Return the token limit for answer and thoughts, with `at_least` or more for thoughts.

        If no answer has come yet, the provider's row decides whether the model is likely to think.
        """
        learned = self.endpoint.thinks if request.thinks is None else request.thinks
        thinks = request.may_think and (self.is_told_to_think or learned)
        return request.max_tokens + max(ROOM if thinks else 0, at_least)

    def connect(self, http: httpx2.AsyncClient) -> S:
        """Return the SDK's client, which never retries: `client_factory` does."""
        client: S = self.sdk.AsyncClient(
            api_key=self.endpoint.key or "none",
            base_url=self.endpoint.base_url,
            timeout=self.timeout,
            max_retries=0,
            default_headers=self.headers,
            http_client=http,
        )
        return client

    @abstractmethod
    def body(self, request: CompletionRequest, shows: Mapping[str, Any]) -> Body:
        """Return the call's arguments; `shows` contains settings that make thoughts visible."""

    @abstractmethod
    async def send(self, client: S, body: Body) -> Any:
        """Make the call."""

    @abstractmethod
    def read(self, answer: Any) -> Completion:
        """Return an answer as a Completion; raise an exception if it has another API's format."""

    async def http(self) -> httpx2.AsyncClient:
        """Return the event loop's HTTP client, shared by all clients of this SDK."""
        http: httpx2.AsyncClient = await self.endpoint.pool.once(
            self.sdk, lambda: without_cookies(self.sdk.DefaultAioHttpClient(**HTTP))
        )
        return http

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError.

        The error contains no key, and is not linked to the SDK's exception, which may contain one.
        """
        settings: set[str] = set()
        try:
            http = await self.http()
            client = await self.endpoint.pool.once(self, lambda: self.connect(http))
            body = self._checked_body(request, self.refused)
            # Words that a server might use to blame a setting or the model for a fault.
            settings = {self.endpoint.model, "json_schema", *body, *body["extra_body"]} - CONTENT
            answer = await self._answer(client, body, request)
            completion = public_completion(self.read(answer), self.secrets)
        except Exception as error:
            fault = self._fault_of(error)
        else:
            if completion.finish != "stop" or completion.text.strip():
                return completion
            fault = TransientError("gave an empty answer")

        # This is raised outside the handler: inside, its __context__ would be the SDK's exception,
        # which may contain the key.
        raise self._without_secrets(fault, settings)

    async def _answer(self, client: S, body: Body, request: CompletionRequest) -> Any:
        """Make the call; repeat it without refused features, which are left out from then on."""
        refused = self.refused
        while True:
            try:
                answer = await self.send(client, body)
            except self.sdk.APIStatusError as error:
                feature = self._refused_by(error, body, request, refused)
                if not feature:
                    raise
                if feature == FORM:
                    raise self._form_error(error, request) from None
            else:
                if "stream" in refused or not is_stream(answer):
                    self.refused |= refused
                    return answer
                feature = "stream"
            refused |= {feature}
            body = self._checked_body(request, refused)

    def _refused_by(
        self, error: Any, body: Body, request: CompletionRequest, refused: frozenset[str]
    ) -> str:
        """Return the request feature that caused `error`, or "" for any other cause."""
        features = [
            feature
            for feature in (SHOWS, *self.edits)
            if self._checked_body(request, refused | {feature}) != body
        ]
        if request.schema is not None and self._form_of(request) != "words":
            features.append(FORM)
        message = f"{error.message} {error.body!s:.2000}"
        return refused_feature(error.status_code, message, features)

    def _form_error(self, error: Any, request: CompletionRequest) -> FormError:
        """Return the fault for a refused form, with the next form that this API supports."""
        tried = FORMS.index(self._form_of(request))
        lesser = [form for form in self.forms if FORMS.index(form) > tried]
        return FormError(str(fault_of_status(error.status_code, error.body)), lesser[0])

    def _form_of(self, request: CompletionRequest) -> Form:
        return request.form if self.structured else "words"

    def _without_secrets(self, fault: ProviderError, settings: set[str]) -> ProviderError:
        """Return a fault that is safe to show, with the model's name and without any key."""
        if type(fault) is RequestError and names_one_of(settings, str(fault)):
            fault = SettingError(*fault.args)
        message = without_secrets(str(fault), self.secrets)
        if self.endpoint.key_variable:
            message = message.replace(
                f"({CHECK_KEY})", f"({CHECK_KEY} in {self.endpoint.key_variable})"
            )
        fault.args = (f"{self.endpoint.model} {message}",)
        return fault

    def _checked_body(self, request: CompletionRequest, refused: frozenset[str]) -> Body:
        form = self._form_of(request)
        if form != "schema":
            request = replace(in_words(request), form=form)
        try:
            body = self.body(request, {} if SHOWS in refused else self.endpoint.shows)
            for feature, edit in self.edits.items():
                if feature in refused:
                    edit(body)
            return body
        except (TypeError, ValueError, AttributeError) as error:
            raise FatalError(
                f"cannot be asked with these client_kwargs ({type(error).__name__})"
            ) from None

    def _fault_of(self, error: Exception) -> ProviderError:
        for known in (error, error.__cause__):
            if isinstance(known, ProviderError):
                return known
        if isinstance(error, self.sdk.APIStatusError):
            return fault_of_status(error.status_code, error.body, error.response.headers)
        if isinstance(error, self.sdk.APIConnectionError | httpx2.TransportError):
            return self._lost_call(error)
        return TransientError(f"returned an unreadable answer ({type(error).__name__})")

    def _lost_call(self, error: Exception) -> TransientError:
        """Return the fault for a call without a complete answer."""
        address = self.endpoint.base_url or ""
        cause = error.__cause__
        late = isinstance(cause, httpx2.TimeoutException)
        # With aiohttp, a refused or broken connection appears as a ConnectTimeout, and so as the
        # SDK's timeout.
        if late and not isinstance(cause, httpx2.ConnectTimeout):
            return UnreachableError(late_words(self.endpoint.timeout, address), late=True)
        refusal = refusal_in(error)
        if refusal:
            return UnreachableError(f"could not be reached at {address}: {refusal}")
        return TransientError("closed the connection in the middle of its answer")


def without_cookies(http: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """Return an HTTP client that keeps no cookies, so that no server can link games."""
    # This import takes as long as the rest of a scripted game.
    from aiohttp import DummyCookieJar

    http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
    transports: list[Any] = [http._transport, *http._mounts.values()]
    for transport in filter(None, transports):
        # The transport's session has its own cookie jar, which cannot be passed as an argument.
        transport.client = transport.get_client()
        transport.client._cookie_jar = DummyCookieJar()
    return http


def _take_mapping(settings: Body, name: str) -> Body:
    """Take the setting `name` out of `settings`; raise ValueError if it is not a mapping."""
    value = settings.pop(name, {})
    if not isinstance(value, Mapping):
        # The message does not show the value: it may be a key.
        raise ValueError(f"expected client_kwargs.{name} to be a mapping of names and values")
    return dict(value)


def checked_headers(headers: Mapping[Any, Any]) -> dict[str, str]:
    """Return valid headers; raise ValueError for an invalid one, without showing its value."""
    for name, value in headers.items():
        if not isinstance(name, str) or not HEADER_NAME.fullmatch(name):
            raise ValueError(
                "expected the names in client_kwargs.headers to be words such as X-Team: "
                f"got {name!r:.40}"
            )
        if not isinstance(value, str):
            raise ValueError(
                f"expected client_kwargs.headers.{name} to be a text: write it in quotes, "
                f'such as {name}: "2"'
            )
        if not (value.isascii() and value.isprintable()):
            raise ValueError(
                f"expected client_kwargs.headers.{name} to be one line of ASCII characters"
            )
    return dict(headers)


def token_count(value: object) -> int:
    """Return `value` if it is a plausible number of tokens, else 0."""
    return value if isinstance(value, int) and 0 < value <= MOST_TOKENS else 0


def believable(usage: Usage, counts: Iterable[object]) -> Usage:
    """Return `usage`, or only its cost if any of the API's own `counts` is impossible."""
    absurd = any(count and not token_count(count) for count in counts)
    return Usage(cost=usage.cost) if absurd else usage


def dollar_amount(value: object) -> float | None:
    """Return `value` if it is a plausible amount in dollars, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None
