"""Rate limits for each key: calls and tokens per minute, first come, first served.

Providers apply their limits to a key, so all calls with the same key wait in one queue, whatever
their seats.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count, takewhile
from typing import NamedTuple

from client_factory import ClientConfig, queue_of
from engine.tournaments.terms import Rate
from providers import PROVIDERS, Client, Completion, CompletionRequest
from providers.thoughts import ROOM

MINUTE = 60.0
# Maximum difference, in seconds, between the times that two calls take to reach the provider.
LAG = 1.0
# A call's unused tokens come back early, so a waiting call checks again after this many seconds.
LOOK = 1.0
# Few texts have fewer characters per token than this.
CHARACTERS_A_TOKEN = 3


class CallNeeds(NamedTuple):
    """What a call needs: its provider, its key's fingerprint, and the most tokens it may use."""

    provider: str
    key: str
    tokens: int


class Permits(ABC):
    """Issues permits for calls: the gate of this process, or one shared by several machines.

    Calls to providers without `rates` never wait.
    """

    rates: Mapping[str, Rate]

    def client(self, config: ClientConfig, client: Client) -> Client:
        """Wrap a client, for a ClientFactory, so that it gets a permit before each attempt."""
        return RatedClient(config, client, self) if config.provider in self.rates else client

    @abstractmethod
    async def permit(self, needs: CallNeeds) -> int:
        """Wait until the call may begin, and return the number of its permit."""

    @abstractmethod
    def settle(self, number: int, tokens: int) -> None:
        """Record how many tokens the call with this permit used."""


@dataclass
class Taking:
    """An amount taken from a bucket: when (clock seconds), how much, and whether it came back."""

    at: float
    amount: int
    back: bool = False


class Bucket:
    """An allowance per minute: each amount taken comes back a minute later.

    So at most `most` is taken in any minute; a steadily refilled bucket would allow twice as much
    in the first minute. A rate of 1/3 per minute allows 1 every 3 minutes.
    """

    def __init__(self, most: float) -> None:
        self.most = max(1.0, most)
        self.seconds = MINUTE * max(1.0, 1 / most) + LAG
        self.takings: deque[Taking] = deque()
        self.out = 0

    def wait(self, amount: int, now: float) -> float:
        """Return the seconds until `amount` (or `most`, if that is less) is available."""
        while self.takings and self.takings[0].at + self.seconds <= now:
            taking = self.takings.popleft()
            taking.back = True
            self.out -= taking.amount
        missing = self.out + min(amount, self.most) - self.most
        if missing <= 0:
            return 0.0
        back = now
        for taking in self.takings:
            back = taking.at + self.seconds
            missing -= taking.amount
            if missing <= 0:
                break
        return back - now

    def take(self, amount: int, now: float) -> Taking:
        """Take `amount`, for which the caller has waited."""
        taking = Taking(now, amount)
        self.takings.append(taking)
        self.out += amount
        return taking

    def settle(self, taking: Taking, amount: int) -> None:
        """Correct the amount taken, unless it has come back."""
        if not taking.back:
            self.out += amount - taking.amount
            taking.amount = amount


class KeyLine:
    """The queue for one key: its buckets by unit, its lock, and the number of waiting calls.

    An unlimited rate has no bucket. If `used_at` is set, all buckets count as emptied at that time.
    """

    def __init__(self, allowed: Rate, share: float, used_at: float | None) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0
        rates = {"calls": allowed.calls_per_minute, "tokens": allowed.tokens_per_minute}
        self.buckets = {unit: Bucket(most * share) for unit, most in rates.items() if most}
        if used_at is not None:
            for bucket in self.buckets.values():
                bucket.take(int(bucket.most), used_at)

    def wait(self, tokens: int, now: float) -> tuple[float, str]:
        """Return the seconds until a call may begin, and the rate that delays it, if any."""
        longest = (0.0, "")
        amounts = {"calls": 1, "tokens": tokens}
        for unit, bucket in self.buckets.items():
            seconds = bucket.wait(amounts[unit], now)
            longest = max(longest, (seconds, f"{bucket.most:g} {unit} a minute"))
        return longest

    def take(self, tokens: int, now: float) -> Taking | None:
        """Take a call's allowances; return the Taking of its tokens, or None if unlimited."""
        amounts = {"calls": 1, "tokens": tokens}
        takings = {unit: each.take(amounts[unit], now) for unit, each in self.buckets.items()}
        return takings.get("tokens")


class Gate(Permits):
    """Lets calls begin at the `rates` of their providers.

    `share` is the part of each rate that this gate may use. `idle` is the number of seconds since
    the last call of an earlier run (None if there was none), because earlier calls may have used up
    a minute's allowance. Use a gate in only one event loop at a time.
    """

    def __init__(
        self,
        rates: Mapping[str, Rate],
        *,
        share: float = 1.0,
        idle: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.rates = rates
        self.share = share
        self.used_at = None if idle is None else clock() - idle
        self.clock = clock
        self.sleep = sleep
        self.lines: dict[tuple[str, str], KeyLine] = {}
        # These numbers differ from all numbers issued by an earlier gate that was lost.
        self.numbers = count(time.time_ns())
        self.takings: dict[int, tuple[Bucket, Taking]] = {}

    async def permit(self, needs: CallNeeds) -> int:
        """Wait until the call may begin, and return the number of its permit."""
        number = next(self.numbers)
        if needs.provider not in self.rates:
            return number
        line = self._line(needs)
        line.waiting += 1
        try:
            async with line.turn:
                taking = await self._take(line, needs.tokens)
        finally:
            line.waiting -= 1
        if taking is not None:
            self._forget_old()
            self.takings[number] = (line.buckets["tokens"], taking)
        return number

    async def _take(self, line: KeyLine, tokens: int) -> Taking | None:
        while True:
            seconds, _ = line.wait(tokens, self.clock())
            if not seconds:
                return line.take(tokens, self.clock())
            await self.sleep(min(seconds, LOOK))

    def settle(self, number: int, tokens: int) -> None:
        """Correct the amount taken for a call to the number of tokens that it used."""
        if number in self.takings:
            bucket, taking = self.takings.pop(number)
            bucket.settle(taking, tokens)

    def waiting(self) -> str:
        """Return a description of why calls wait, or "" if none do."""
        reasons = []
        for (provider, _), line in self.lines.items():
            seconds, rate = line.wait(0, self.clock())
            if line.waiting and rate:
                calls = "1 call waits" if line.waiting == 1 else f"{line.waiting} calls wait"
                reasons.append(f"{calls} for {provider}: {rate}, the next in {seconds:.0f} s")
        return "; ".join(reasons)

    def _forget_old(self) -> None:
        """Forget amounts that came back before they were settled, such as those of failed calls."""
        back = takewhile(lambda number: self.takings[number][1].back, self.takings)
        for number in [*back]:
            del self.takings[number]

    def _line(self, needs: CallNeeds) -> KeyLine:
        whose = (needs.provider, needs.key)
        if whose not in self.lines:
            self.lines[whose] = KeyLine(self.rates[needs.provider], self.share, self.used_at)
        return self.lines[whose]


class RatedClient:
    """A client that gets a permit before each attempt; the wait is not part of the attempt."""

    def __init__(self, config: ClientConfig, client: Client, permits: Permits) -> None:
        self.client = client
        self.permits = permits
        self.provider = config.provider
        self.key = fingerprint_of(config)
        self.numbers: dict[int, int] = {}

    @asynccontextmanager
    async def queue(self, request: CompletionRequest) -> AsyncIterator[None]:
        """Wait for the wrapped client's own queue, and then for a permit."""
        needs = CallNeeds(self.provider, self.key, tokens_at_most(self.provider, request))
        # A request may be repeated, but is never sent twice at the same time.
        name = id(request)
        async with queue_of(self.client, request):
            self.numbers[name] = await self.permits.permit(needs)
            try:
                yield
            finally:
                del self.numbers[name]

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`; a failed request counts as its maximum number of tokens."""
        completion = await self.client.complete(request)
        tokens = completion.usage.prompt_tokens + completion.usage.completion_tokens
        if tokens:
            self.permits.settle(self.numbers[id(request)], tokens)
        return completion


def fingerprint_of(config: ClientConfig) -> str:
    """Return the fingerprint of a provider's key; a server without keys counts as one key."""
    key = config.api_key.get_secret_value() if config.api_key else config.base_url or ""
    return blake2b(key.encode(), digest_size=8, person=b"arena gate").hexdigest()


def tokens_at_most(provider: str, request: CompletionRequest) -> int:
    """Return the maximum number of tokens in a call's prompt, reasoning and answer together."""
    texts = [request.system, str(request.schema or "")]
    texts += [message.text for message in request.messages]
    thinks = PROVIDERS[provider].thinks if request.thinks is None else request.thinks
    room = request.max_tokens + (ROOM if thinks and request.may_think else 0)
    return sum(map(len, texts)) // CHARACTERS_A_TOKEN + room
