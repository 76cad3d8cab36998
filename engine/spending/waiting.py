"""The pending calls of all seats and their start times, for display during a wait."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from client_factory import ClientConfig
from providers import Client, Completion, CompletionRequest
from providers.settings import without_keys


class Wait(NamedTuple):
    """A pending call: its seat, and its start on a monotonic clock, in seconds."""

    who: str
    began: float


@dataclass
class Waits:
    """All pending calls, readable from any thread."""

    clock: Callable[[], float] = time.monotonic
    waits: dict[int, Wait] = field(default_factory=dict)
    begun: int = 0

    @contextmanager
    def call(self, who: str) -> Iterator[None]:
        """List a call of `who` as pending during the `with` block."""
        self.begun += 1
        number = self.begun
        self.waits[number] = Wait(who, self.clock())
        try:
            yield
        finally:
            del self.waits[number]

    def longest(self) -> tuple[int, str, float] | None:
        """Return the longest pending call's number, `who` and seconds, or None if there is none."""
        under_way = tuple(self.waits.items())
        if not under_way:
            return None
        number, wait = under_way[0]
        return number, wait.who, self.clock() - wait.began


@dataclass(frozen=True)
class WatchedClient:
    """A client whose calls are listed in `waits` while they run."""

    client: Client
    waits: Waits
    who: str

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`."""
        with self.waits.call(self.who):
            return await self.client.complete(request)


def where(player_id: str, client: ClientConfig) -> str:
    """Return a player with its model's address: "Ada (ollama:llama3 at http://127.0.0.1:11434/v1)"."""
    address = f" at {without_keys(client.base_url)}" if client.base_url else ""
    return f"{player_id} ({client.provider}:{client.model}{address})"
