"""Limits for each caller: actions per second, and concurrent streams."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from engine.server.web.refusal import Refusal

KEPT = 10_000
HOSTS_PLACES = 20
STREAMS_A_KEY = 50
HOST = "host"
Key = TypeVar("Key")
Held = TypeVar("Held")


def keep_last(table: dict[Key, Held], key: Key, held: Held, most: int) -> None:
    """Add an entry as the newest, and drop the oldest if there are more than `most`."""
    table.pop(key, None)
    table[key] = held
    if len(table) > most:
        del table[next(iter(table))]


class RateLimit:
    """A token bucket for each caller.

    A bucket holds up to `rate` tokens and gains `rate` tokens a second.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, caller: str) -> bool:
        """Take one of the caller's tokens; return whether one was left."""
        now = self.clock()
        left, at = self._left.get(caller, (self.rate, now))
        left = min(self.rate, left + (now - at) * self.rate)
        allowed = left >= 1
        keep_last(self._left, caller, (left - allowed, now), KEPT)
        return allowed


class Places:
    """Viewer slots, with a limit for each caller and some slots reserved for the host."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken: Counter[str] = Counter()

    @contextmanager
    def place(self, caller: str) -> Iterator[None]:
        """Hold one slot; raise Refusal if none is free."""
        wait = {"retry-after": "5"}
        most = self.most
        if caller != HOST:
            if self.taken[caller] >= STREAMS_A_KEY:
                raise Refusal(503, f"expected at most {STREAMS_A_KEY} streams per key", wait)
            most -= min(HOSTS_PLACES, self.most // 2)
        if self.taken.total() >= most:
            raise Refusal(503, "all places are taken: try again in a few seconds", wait)
        self.taken[caller] += 1
        try:
            yield
        finally:
            self.taken[caller] -= 1
            self.taken += Counter()
