"""What every client of a web API needs: shared HTTP connections, its settings, and its faults told in one way."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import httpx2

from providers import FatalError, ProviderError, RequestError, TransientError

T = TypeVar("T")
FATAL = {401, 402, 403, 404}
TRANSIENT = {408, 409, 425, 429}
NO_CREDIT = re.compile(r"insufficient_quota|credit balance|billing", re.IGNORECASE)
KEY_LIKE = re.compile(r"\b(sk-|key-|xai-|gsk_|AIza)[-_A-Za-z0-9*.]{8,}")


class Pool:
    """What is made once for each event loop, and shared there: connections belong to the loop that opened them."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, Any]] = WeakKeyDictionary()

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` made for `name` in this loop, made now if it was not before."""
        made = self._made.setdefault(asyncio.get_running_loop(), {})
        if name not in made:
            made[name] = make()
        kept: T = made[name]
        return kept

    async def aclose(self) -> None:
        """Close the HTTP connections of this loop."""
        for made in self._made.pop(asyncio.get_running_loop(), {}).values():
            if isinstance(made, httpx2.AsyncClient):
                await made.aclose()


@dataclass(frozen=True)
class Endpoint:
    """Where a model is: its name there, address and key, seconds for one call, and the settings each call is sent."""

    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    settings: dict[str, Any] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool)


async def told(endpoint: Endpoint, call: Callable[[], Awaitable[T]]) -> T:
    """Return what `call` returns; whatever it raises is told as a ProviderError, without key and without its cause."""
    try:
        return await call()
    except ProviderError:
        raise
    except Exception as error:
        fault = fault_of(error, endpoint)
    raise fault


def fault_of(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Return an SDK's or the wire's exception as one of ours; both SDKs name status, response and body alike."""
    status = getattr(error, "status_code", None)
    sentence = f"{endpoint.model}: {f'HTTP {status}: ' if status else ''}{_message(error)}"
    sentence = KEY_LIKE.sub("(redacted)", sentence.replace(endpoint.key or "\\0", "(redacted)"))[:400]
    if status in FATAL or NO_CREDIT.search(sentence):
        return FatalError(sentence)
    if status is None or status in TRANSIENT or status >= 500:
        response = getattr(error, "response", None)
        return TransientError(sentence, _seconds(response.headers.get("retry-after") if response is not None else None))
    return RequestError(sentence)


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else body
    said = inner.get("message") if isinstance(inner, dict) else None
    if isinstance(error, json.JSONDecodeError):
        return "the answer was no JSON"
    return " ".join(str(said or error or type(error).__name__).split())


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
