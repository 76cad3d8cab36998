"""Model clients, made once and shared: one for each distinct config, with its retries, limits and key.

The only retry around the wire is here, and only for faults that may pass; the SDKs' own are switched off.
"""

import asyncio
import json
import logging
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from nearest import one_of
from providers import PROVIDERS, Client, Completion, CompletionRequest, TransientError
from providers.connection import Endpoint, Pool

LONGEST_WAIT = 60.0
JITTERED = wait_random_exponential(multiplier=0.5, max=30)
log = logging.getLogger("arena.client")


class ClientConfig(BaseModel):
    """What one client is made from.

    `timeout` is in seconds for one attempt, `max_attempts` counts the first, `concurrency` bounds the calls under way;
    `settings` are sent with every call. The key is left out of every dump.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str
    model: str
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    base_url: str | None = None
    timeout: float = Field(default=60.0, gt=0)
    max_attempts: int = Field(default=4, ge=1)
    concurrency: int = Field(default=16, ge=1)
    settings: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> "ClientConfig":
        provider = PROVIDERS[one_of(self.provider, PROVIDERS, "provider")]
        if not self.model:
            raise ValueError(f"expected a model for {self.provider}, such as --players {self.provider}:MODEL")
        if self.base_url is not None and urlsplit(self.base_url).scheme not in {"http", "https"}:
            raise ValueError(f"expected base_url to be an http or https address: got {self.base_url!r}")
        if self.provider == "compatible" and self.base_url is None:
            raise ValueError("expected client_kwargs to name the base_url of a compatible endpoint: got none")
        if provider.key_variable and self.api_key is None:
            raise ValueError(
                f"expected a key for {self.provider}: set {provider.key_variable} in the environment or in a file .env"
            )
        return self

    @classmethod
    def for_player(
        cls, provider: str, model: str, api_key: SecretStr | None = None, client_kwargs: Mapping[str, Any] | None = None
    ) -> "ClientConfig":
        """Return the config of a player's client.

        Of `client_kwargs`, base_url, timeout, max_attempts and concurrency are this config's fields, the rest settings.
        Model, key and address fall back to the provider's own: a default, or an environment variable.
        """
        known = PROVIDERS[one_of(provider, PROVIDERS, "provider")]
        kwargs = dict(client_kwargs or {})
        own = {name: kwargs.pop(name) for name in ("timeout", "max_attempts", "concurrency") if name in kwargs}
        environ = os.environ.get
        key = environ(known.key_variable) if known.key_variable else None
        return cls(
            provider=provider,
            model=model or known.default_model,
            api_key=api_key or (SecretStr(key) if key else None),
            base_url=kwargs.pop("base_url", None) or environ(known.base_url_variable or "") or known.base_url or None,
            settings=kwargs,
            **own,
        )

    @property
    def identity(self) -> str:
        """The whole config as text, key included: what makes two configs one client. It is never written anywhere."""
        key = self.api_key.get_secret_value() if self.api_key else ""
        return json.dumps([self.model_dump(mode="json"), key], sort_keys=True)


class ClientFactory:
    """Makes clients, one for each distinct config, however many players ask: `len(factory)` counts them."""

    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}
        self._pool = Pool()

    def __len__(self) -> int:
        return len(self._clients)

    def get(self, config: ClientConfig) -> Client:
        """Return the client of `config`; ValueError if it cannot be made."""
        client = self._clients.get(config.identity)
        if client is None:
            client = self._clients[config.identity] = PatientClient(config, self._make(config), self._pool)
        return client

    async def aclose(self) -> None:
        """Close the connections that were opened in this event loop; the clients may be used again."""
        await self._pool.aclose()

    def _make(self, config: ClientConfig) -> Client:
        module, name = PROVIDERS[config.provider].client.split(":")
        key = config.api_key.get_secret_value() if config.api_key else ""
        endpoint = Endpoint(config.model, config.base_url, key, config.timeout, config.settings, self._pool)
        client: Client = getattr(import_module(module), name)(endpoint)
        return client


class PatientClient:
    """A provider's client that is asked again after passing faults, and never by too many at once."""

    def __init__(self, config: ClientConfig, client: Client, pool: Pool) -> None:
        self.config = config
        self.client = client
        self.pool = pool

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise the ProviderError of the last attempt."""
        limit = self.pool.once((self, "limit"), lambda: asyncio.Semaphore(self.config.concurrency))
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=stop_after_attempt(self.config.max_attempts),
            wait=pause,
            before_sleep=self._tell,
            reraise=True,
        )
        async with limit:
            return await attempts(self._attempt, request)

    async def _attempt(self, request: CompletionRequest) -> Completion:
        try:
            async with asyncio.timeout(self.config.timeout):
                return await self.client.complete(request)
        except TimeoutError:
            raise TransientError(f"{self.config.model}: no answer within {self.config.timeout:g} s") from None

    def _tell(self, state: RetryCallState) -> None:
        fault = state.outcome.exception() if state.outcome else None
        log.warning("%s; retry in %.0f s", fault, state.next_action.sleep if state.next_action else 0)


def pause(state: RetryCallState) -> float:
    """Return the seconds until the next attempt: what the server asked for, bounded, or else jittered exponential."""
    fault = state.outcome.exception() if state.outcome else None
    if isinstance(fault, TransientError) and fault.retry_after is not None:
        return min(fault.retry_after, LONGEST_WAIT)
    return JITTERED(state)
