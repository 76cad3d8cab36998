"""Shared model clients: one per distinct config, with the config's retries, limits and key.

Only this module retries network calls, after temporary faults; the SDKs' own retries are off.
"""

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from protocol.suggest import explain, one_of
from providers import (
    PROVIDERS,
    Client,
    Completion,
    CompletionRequest,
    Provider,
    TransientError,
    UnreachableError,
)
from providers.endpoint import Endpoint, Pool
from providers.faults import late_words
from providers.retry_lines import RetryLines
from providers.settings import (
    KEY_VARIABLE,
    hidden_texts,
    is_variable,
    public_settings,
    without_keys,
    without_password,
)

if TYPE_CHECKING:
    from tenacity import RetryCallState

LONGEST_WAIT = 60.0
LIMITS = ("timeout", "max_attempts", "patience", "concurrency")
Sleep = Callable[[float], Awaitable[None]]
Queue = Callable[[CompletionRequest], AbstractAsyncContextManager[None]]


class ClientConfig(BaseModel):
    """The settings of one client.

    `timeout` is the limit for one attempt, in seconds. `max_attempts` includes the first attempt;
    none begins more than `patience` seconds after the request. `settings` are sent with every
    call. `key_variable` names the environment variable of the key. No dump contains the key.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    provider: str
    model: str
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    key_variable: str = ""
    base_url: str | None = None
    timeout: float = Field(default=60.0, gt=0)
    max_attempts: int = Field(default=4, ge=1)
    patience: float = Field(default=600.0, gt=0)
    concurrency: int = Field(default=16, ge=1)
    settings: dict[str, Any] = Field(default_factory=dict, repr=False)

    @model_validator(mode="after")
    def _check(self) -> "ClientConfig":
        provider = PROVIDERS[one_of(self.provider, PROVIDERS, "provider")]
        if not self.model:
            raise ValueError(
                f"expected a model for {self.provider}, such as --players {self.provider}:MODEL"
            )
        self._check_address(provider)
        key = self.api_key.get_secret_value() if self.api_key else ""
        if not (key.isascii() and key.isprintable()):
            raise ValueError(
                f"expected the key for {self.provider} to be one line of ASCII characters: copy it "
                "again"
            )
        if provider.key_variable and provider.needs_key and self.api_key is None:
            raise ValueError(
                f"expected a key for {self.provider}: "
                f"set {provider.key_variable} in the environment or in a file .env"
            )
        return self

    def _check_address(self, provider: Provider) -> None:
        if self.base_url is not None:
            address = urlsplit(self.base_url)
            if address.scheme not in {"http", "https"} or not address.hostname:
                shown = without_password(self.base_url)
                raise ValueError(
                    f"expected base_url to be an http or https address: got {shown!r:.80}"
                )
        if provider.needs_base_url and self.base_url is None:
            # Text after an "@" is an address only if it starts with http://; else it belongs to the
            # model.
            model = self.model.partition("@")[0] or "MODEL"
            raise ValueError(
                f"expected the base_url of a {self.provider} endpoint: set "
                f"{provider.base_url_variable}, or client_kwargs: {{base_url: ...}}, or "
                f"--players {self.provider}:{model}@http://HOST:PORT/v1"
            )

    @classmethod
    def for_player(
        cls,
        provider: str,
        model: str,
        api_key: SecretStr | None = None,
        client_kwargs: Mapping[str, Any] | None = None,
    ) -> "ClientConfig":
        """Return the config of a player's client.

        In `client_kwargs`, base_url and the LIMITS become fields of this config, `api_key_env`
        names the environment variable of the key, and the rest are settings. Model, key and address
        fall back to the provider's default or environment variable. Raises ValueError, with one
        sentence about what is wrong or missing.
        """
        known = PROVIDERS[one_of(provider, PROVIDERS, "provider")]
        kwargs = dict(known.settings) | dict(client_kwargs or {})
        limits = _take_limits(kwargs, known)
        base_url = kwargs.pop("base_url", None) or _address_of(known)
        variable = kwargs.pop(KEY_VARIABLE, None)
        looked_up = not api_key
        if looked_up:
            api_key = _key_of(known) if variable is None else key_in(variable)
        try:
            return cls(
                provider=provider,
                model=model or known.default_model,
                api_key=api_key,
                key_variable=str(variable or known.key_variable) if looked_up else "",
                base_url=base_url,
                settings=kwargs,
                **limits,
            )
        except ValidationError as error:
            raise ValueError(explain(error, cls.model_fields)) from None

    @property
    def identity(self) -> str:
        """The config and its key as text; equal configs share a client. Never write this text."""
        key = self.api_key.get_secret_value() if self.api_key else ""
        return json.dumps([self.model_dump(mode="json"), key], sort_keys=True)


def _take_limits(kwargs: dict[str, Any], provider: Provider) -> dict[str, Any]:
    """Remove the LIMITS from `kwargs` and return them; the provider's values are the defaults."""
    limits = {name: kwargs.pop(name, getattr(provider, name, None)) for name in LIMITS}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _key_of(provider: Provider) -> SecretStr | None:
    """Return the key in the provider's environment variable, if any."""
    key = os.environ.get(provider.key_variable, "").strip()
    return SecretStr(key) if key else None


def key_in(variable: object) -> SecretStr:
    """Return the key in the environment variable `variable`; raise ValueError if it is missing."""
    if not is_variable(variable):
        # The message does not show the value: it may be the key itself.
        raise ValueError(
            f"expected {KEY_VARIABLE} to be the name of an environment variable in capitals, such "
            "as MY_KEY"
        )
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(
            f"expected a key in the environment variable {variable}, as {KEY_VARIABLE} of a seat "
            "says: set it in the environment or in a file .env"
        )
    return SecretStr(key)


def _address_of(provider: Provider) -> str | None:
    """Return the address in the provider's environment variable, else its default, if any."""
    named = os.environ.get(provider.base_url_variable, "").strip()
    return provider.read_address(named) if named else provider.base_url or None


class ClientFactory:
    """Creates one client per config, shared by players with equal configs; `gate` may wrap it."""

    def __init__(
        self,
        sleep: Sleep = asyncio.sleep,
        gate: Callable[[ClientConfig, Client], Client] | None = None,
    ) -> None:
        self.clients: dict[str, PatientClient] = {}
        self._pool = Pool()
        self._lock = threading.Lock()
        self._sleep = sleep
        self._gate = gate

    def get(self, config: ClientConfig) -> Client:
        """Return the client of `config`; raise ValueError if it cannot be created."""
        with self._lock:
            patient = self.clients.get(config.identity)
            if patient is None:
                client: Client = resolve_name(PROVIDERS[config.provider].client)(
                    self._endpoint_of(config)
                )
                if self._gate is not None:
                    client = self._gate(config, client)
                patient = PatientClient(config, client, self._pool, self._sleep)
                self.clients[config.identity] = patient
        return patient

    async def aclose(self) -> None:
        """Close this event loop's connections; asyncio.run does so too. Other loops keep theirs."""
        for client in self.clients.values():
            client.lines.tell_held()
        await self._pool.aclose()

    def _endpoint_of(self, config: ClientConfig) -> Endpoint:
        row = PROVIDERS[config.provider]
        settings = {"base_url": config.base_url or "", **config.settings}
        return Endpoint(
            model=config.model,
            base_url=config.base_url,
            key=config.api_key.get_secret_value() if config.api_key else "",
            key_variable=config.key_variable,
            timeout=config.timeout,
            concurrency=config.concurrency,
            settings=config.settings,
            pool=self._pool,
            secrets=tuple(hidden_texts(settings, public_settings(config.provider, settings))),
            thinks=row.thinks and config.base_url == row.base_url,
            shows=row.shows,
        )


class Entrance:
    """Admits up to `places` calls at a time, and none while a call waits for a busy server."""

    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.opened = asyncio.Event()
        self.opened.set()
        self._waiting: set[object] = set()

    def shut(self, caller: object) -> None:
        """Admit no calls until `caller` calls `open`."""
        self._waiting.add(caller)
        self.opened.clear()

    def open(self, caller: object) -> None:
        """Admit calls again, unless another caller has also called `shut`."""
        self._waiting.discard(caller)
        if not self._waiting:
            self.opened.set()


class PatientClient:
    """A provider's client that retries temporary faults, and waits while its server is busy."""

    def __init__(
        self, config: ClientConfig, client: Client, pool: Pool, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.config = config
        self.client = client
        self.pool = pool
        self.sleep = sleep
        self.lines = RetryLines(config.provider)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise the ProviderError of the last attempt."""
        entrance = await self.pool.once(self, lambda: Entrance(self.config.concurrency))
        began = time.monotonic()
        try:
            return await self._attempt(request, entrance)
        except TransientError as error:
            fault = error
        return await self._again(request, entrance, fault, time.monotonic() - began)

    async def _again(
        self, request: CompletionRequest, entrance: Entrance, fault: TransientError, seconds: float
    ) -> Completion:
        """Repeat a call that took `seconds` and failed with `fault`.

        Tenacity takes as long to run as the rest of a call, so it is used only after a failure.
        If any attempt reached the provider, the provider counts as reachable.
        """
        from tenacity import (
            AsyncRetrying,
            retry_if_exception_type,
            stop_after_attempt,
            stop_before_delay,
        )

        failed = [fault]
        faults: list[BaseException | None] = []

        async def attempt() -> Completion:
            if failed:
                raise failed.pop()
            entrance.open(attempt)
            return await self._attempt(request, entrance)

        def before_sleep(state: "RetryCallState") -> None:
            fault = state.outcome.exception() if state.outcome else None
            faults.append(fault)
            if isinstance(fault, TransientError) and fault.busy:
                entrance.shut(attempt)
            seconds = state.next_action.sleep if state.next_action else 0.0
            turn = f"attempt {state.attempt_number} of {self.config.max_attempts}"
            self.lines.tell(fault, request.session, turn, seconds)

        attempts = AsyncRetrying(
            sleep=self.sleep,
            retry=retry_if_exception_type(TransientError),
            stop=stop_after_attempt(self.config.max_attempts)
            | stop_before_delay(self.config.patience - seconds),
            wait=pause,
            before_sleep=before_sleep,
            reraise=True,
        )
        try:
            return await attempts(attempt)
        except UnreachableError as error:
            if all(isinstance(earlier, UnreachableError) for earlier in faults):
                raise
            raise TransientError(*error.args) from None
        finally:
            entrance.open(attempt)

    async def _attempt(self, request: CompletionRequest, entrance: Entrance) -> Completion:
        """Send the request once.

        A call that waits for its next attempt does not count towards `places`. Time spent in a
        client's own queue does not count towards the timeout.
        """
        async with entrance.places:
            await entrance.opened.wait()
            async with queue_of(self.client, request):
                try:
                    async with asyncio.timeout(self.config.timeout) as limit:
                        return await self.client.complete(request)
                except TimeoutError:
                    if not limit.expired():
                        raise
        words = late_words(self.config.timeout, without_keys(self.config.base_url or ""))
        raise UnreachableError(f"{self.config.model} {words}", late=True)


def queue_of(client: Client, request: CompletionRequest) -> AbstractAsyncContextManager[None]:
    """Return the client's own queue, in which a request waits for its turn, or a null context."""
    queue: Queue | None = getattr(client, "queue", None)
    return nullcontext() if queue is None else queue(request)


def pause(state: "RetryCallState") -> float:
    """Return the seconds to wait: as the server requested (capped), or exponential backoff."""
    fault = state.outcome.exception() if state.outcome else None
    if isinstance(fault, TransientError) and fault.retry_after is not None:
        return min(fault.retry_after, LONGEST_WAIT)
    from tenacity import wait_exponential_jitter

    return wait_exponential_jitter(multiplier=0.5, max=30, jitter=0.5)(state)
