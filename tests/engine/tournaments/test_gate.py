"""No minute has more calls or tokens than a key may take, and whoever comes first goes first."""

import asyncio
import heapq
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from client_factory import ClientConfig, ClientFactory, PatientClient
from engine.tournaments.gate import Bucket, CallNeeds, Gate, fingerprint_of, tokens_at_most
from engine.tournaments.terms import Rate
from providers import Completion, CompletionRequest, Message, RequestError, TransientError, Usage
from providers.endpoint import Pool
from tests.support.fake_api import FakeApi

REQUEST = CompletionRequest("system", (Message("user", ("question",)),), max_tokens=100)


@dataclass
class FakeTime:
    """Seconds that pass as soon as everybody sleeps."""

    now: float = 0.0
    sleepers: list[tuple[float, int, asyncio.Future[None]]] = field(default_factory=list)
    number: Any = field(default_factory=count)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self.sleepers, (self.now + seconds, next(self.number), future))
        await future

    def run(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        return asyncio.run(self._run(work))

    async def _run(self, work: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
        whole = asyncio.gather(*work)
        while not whole.done():
            for _ in range(20):
                await asyncio.sleep(0)
            if self.sleepers:
                self.now, _, future = heapq.heappop(self.sleepers)
                future.set_result(None)
        return await whole


def gate_of(time: FakeTime, **more: Any) -> Gate:
    return Gate({"openai": more.pop("rate")}, clock=time.clock, sleep=time.sleep, **more)


def most_in_a_minute(times: Sequence[tuple[float, int]]) -> int:
    """Return the greatest sum of amounts within any 60 seconds."""
    return max(
        (sum(amount for at, amount in times if begin <= at < begin + 60) for begin, _ in times),
        default=0,
    )


calls = st.lists(
    st.tuples(
        st.floats(0, 150),  # when it comes
        st.integers(1, 60),  # what it may take
        st.floats(0, 1),  # the part of it that it takes
        st.floats(0, 90),  # how long it takes
        st.sampled_from(["one key", "another"]),
    ),
    max_size=25,
)


@given(calls, st.integers(1, 6), st.integers(60, 150))
def test_no_minute_has_more_than_is_allowed(
    coming: list[tuple[float, int, float, float, str]], most_calls: int, most_tokens: int
) -> None:
    time = FakeTime()
    gate = gate_of(time, rate=Rate(calls_per_minute=most_calls, tokens_per_minute=most_tokens))
    begun: dict[str, list[tuple[float, int]]] = {"one key": [], "another": []}
    order: dict[str, list[float]] = {"one key": [], "another": []}

    async def call(at: float, tokens: int, part: float, lasts: float, key: str) -> None:
        await time.sleep(at)
        number = await gate.permit(CallNeeds("openai", key, tokens))
        took = int(tokens * part)
        begun[key].append((time.now, took))
        order[key].append(at)
        await time.sleep(lasts)
        gate.settle(number, took)

    time.run(*(call(*one) for one in coming))
    assert sum(map(len, begun.values())) == len(coming)
    for key, times in begun.items():
        assert most_in_a_minute([(at, 1) for at, _ in times]) <= most_calls
        assert most_in_a_minute(times) <= most_tokens
        assert order[key] == sorted(order[key])
    assert gate.waiting() == ""


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(1, 9)), max_size=12), st.integers(1, 9))
def test_nobody_waits_longer_than_a_bucket_needs(
    takings: list[tuple[float, int]], amount: int
) -> None:
    bucket, now = Bucket(10), 0.0
    for pause, took in takings:
        now += pause + bucket.wait(took, now + pause)
        bucket.take(took, now)
    wait = bucket.wait(amount, now)
    if wait:
        assert bucket.wait(amount, now + wait - 0.001) > 0
    assert bucket.wait(amount, now + wait + 1e-6) == 0


def times_of(gate: Gate, time: FakeTime, calls: int, tokens: int = 0, took: int = 0) -> list[float]:
    """Return when each of some calls may begin that all come now, in whole seconds."""

    async def call() -> float:
        number = await gate.permit(CallNeeds("openai", "key", tokens))
        began = time.now
        gate.settle(number, took)
        return round(began)

    return time.run(*(call() for _ in range(calls)))


@pytest.mark.parametrize(
    ("rate", "more", "calls", "expected"),
    [
        (Rate(calls_per_minute=3), {}, 7, [0, 0, 0, 61, 61, 61, 122]),
        # An eighth of 20 is 2 a minute, and the half one is left.
        (Rate(calls_per_minute=20), {"share": 1 / 8}, 4, [0, 0, 61, 61]),
        # An eighth of 2 is one in four minutes.
        (Rate(calls_per_minute=2), {"share": 1 / 8}, 2, [0, 241]),
        # Whoever called 20 seconds ago may have used up everything then.
        (Rate(calls_per_minute=2), {"idle": 20}, 3, [41, 41, 102]),
        (Rate(calls_per_minute=2), {"idle": 90}, 3, [0, 0, 61]),
        (Rate(), {}, 3, [0, 0, 0]),
    ],
)
def test_calls_begin_when_they_may(
    rate: Rate, more: dict[str, Any], calls: int, expected: list[float]
) -> None:
    time = FakeTime()
    assert times_of(gate_of(time, rate=rate, **more), time, calls) == expected


@pytest.mark.parametrize(
    ("tokens", "took", "expected"),
    [
        (50, 50, [0, 0, 61, 61]),
        (50, 10, [0, 0, 0, 0]),  # what is not used comes back at once
        (50, 100, [0, 61, 122, 183]),  # what was not foreseen is waited for afterwards
        (500, 90, [0, 61, 122, 183]),  # more than there is begins when nothing else is out
    ],
)
def test_tokens_are_taken_before_and_settled_after(
    tokens: int, took: int, expected: list[float]
) -> None:
    time = FakeTime()
    gate = gate_of(time, rate=Rate(tokens_per_minute=100))
    assert times_of(gate, time, 4, tokens, took) == expected


def test_what_nobody_settles_is_forgotten_after_a_minute() -> None:
    time = FakeTime()
    gate = gate_of(time, rate=Rate(tokens_per_minute=100))

    time.run(*(gate.permit(CallNeeds("openai", "key", 100)) for _ in range(3)))
    assert len(gate.takings) == 1


@dataclass
class TimingClient:
    """A provider that notes when it is called; each question fails in passing at first."""

    time: FakeTime
    times: list[tuple[float, int]] = field(default_factory=list)
    failed: set[int] = field(default_factory=set)

    async def complete(self, request: CompletionRequest) -> Completion:
        self.times.append((self.time.now, 1))
        await self.time.sleep(2)
        if request.max_tokens not in self.failed:
            self.failed.add(request.max_tokens)
            raise TransientError("not now")
        return Completion("answer", usage=Usage(prompt_tokens=3, completion_tokens=4))


def test_an_attempt_that_is_repeated_asks_for_a_permit_again() -> None:
    """Of 4 a minute, 10 questions of two attempts each take 20, the last after 4 minutes."""
    time = FakeTime()
    gate = gate_of(time, rate=Rate(calls_per_minute=4))
    config = ClientConfig(provider="openai", model="m", api_key=SecretStr("k"), timeout=5)
    provider = TimingClient(time)
    client = PatientClient(config, gate.client(config, provider), Pool(), time.sleep)
    questions = [client.complete(CompletionRequest("", (), max_tokens=n)) for n in range(10)]
    assert [answer.text for answer in time.run(*questions)] == ["answer"] * 10
    assert len(provider.times) == 20
    assert most_in_a_minute(provider.times) == 4
    assert provider.times[-1][0] >= 4 * 60


async def test_the_wait_is_none_of_an_attempts_time_and_is_told() -> None:
    """A server of our own gets 3 of 5 questions, and the others when the minute is over."""
    now = 0.0
    moment = asyncio.Event()
    answered = asyncio.Semaphore(0)

    async def sleep(seconds: float) -> None:
        await moment.wait()

    gate = Gate({"compatible": Rate(calls_per_minute=3)}, clock=lambda: now, sleep=sleep)
    factory = ClientFactory(gate=gate.client)
    async with FakeApi() as api:
        config = ClientConfig(provider="compatible", model="m", base_url=f"{api.url}/v1")
        client = factory.get(config)
        asked = [asyncio.create_task(client.complete(request_about(n))) for n in range(5)]
        for task in asked:
            task.add_done_callback(lambda _: answered.release())
        for _ in range(3):
            await answered.acquire()
        assert len(api.requests) == 3
        assert gate.waiting() == "2 calls wait for compatible: 3 calls a minute, the next in 61 s"
        now = 61.5
        moment.set()
        await asyncio.gather(*asked)
        assert len(api.requests) == 5
        assert gate.waiting() == ""
        await factory.aclose()


def request_about(number: int) -> CompletionRequest:
    return CompletionRequest("", (Message("user", (f"question {number}",)),))


async def test_a_provider_without_a_rate_passes_no_gate() -> None:
    client = TimingClient(FakeTime())
    gate = Gate({"openai": Rate(calls_per_minute=1)})
    assert gate.client(ClientConfig(provider="ollama", model="m"), client) is client
    assert await gate.permit(CallNeeds("ollama", "key", 10**9))


async def test_whoever_gives_up_leaves_the_line() -> None:
    gate = Gate({"openai": Rate(calls_per_minute=1)}, clock=lambda: 0.0)
    wish = CallNeeds("openai", "key", 1)
    await gate.permit(wish)
    waiting = [asyncio.create_task(gate.permit(wish)) for _ in range(2)]
    await asyncio.sleep(0)
    assert gate.waiting().startswith("2 calls wait")
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert gate.waiting() == ""


async def test_a_call_that_fails_counts_as_all_that_it_might_have_taken() -> None:
    class Refusing:
        async def complete(self, request: CompletionRequest) -> Completion:
            raise RequestError("no")

    gate = Gate({"openai": Rate(tokens_per_minute=10_000)}, clock=lambda: 0.0)
    config = ClientConfig(provider="openai", model="m", api_key=SecretStr("k"))
    factory = PatientClient(config, gate.client(config, Refusing()), Pool())
    with pytest.raises(RequestError):
        await factory.complete(REQUEST)
    (bucket, _), *_ = gate.takings.values()
    assert bucket.out == tokens_at_most("openai", REQUEST) == 14 // 3 + 100 + 8192


def test_a_fingerprint_tells_keys_apart_and_holds_none() -> None:
    def fingerprint(key: str | None, url: str = "http://h") -> str:
        secret = None if key is None else SecretStr(key)
        config = ClientConfig(provider="compatible", model="m", api_key=secret, base_url=url)
        return fingerprint_of(config)

    assert fingerprint("sk-canary") == fingerprint("sk-canary", "http://other")
    assert fingerprint("sk-canary") != fingerprint("sk-other")
    assert fingerprint(None, "http://one") != fingerprint(None, "http://two")
    assert "canary" not in fingerprint("sk-canary")
