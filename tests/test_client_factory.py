"""One client for each config: what is refused, shared, and tried again for how long."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr, ValidationError

from client_factory import ClientConfig, ClientFactory, PatientClient
from providers import (
    PROVIDERS,
    Client,
    Completion,
    CompletionRequest,
    FatalError,
    Message,
    RequestError,
    TransientError,
)
from providers.endpoint import Pool
from tests.support.fake_api import FakeApi, Reply

CANARY = "sk-canary-0123456789abcdef"
REQUEST = CompletionRequest("You play.", (Message("user", ("Well?",)),))


def config_at(url: str, **more: Any) -> ClientConfig:
    return ClientConfig.for_player(
        "compatible", "m", SecretStr(CANARY), {"base_url": f"{url}/v1", **more}
    )


class Naps:
    """A sleep that notes what it was asked for and takes no time."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def answers(*statuses: int, **headers: str) -> Reply:
    """Return a reply that fails with each status in turn, then answers."""
    left = list(statuses)

    def reply(body: dict[str, Any]) -> str | web.Response:
        if not left:
            return "yes"
        return web.json_response({"error": {"message": "no"}}, status=left.pop(0), headers=headers)

    return reply


@pytest.mark.parametrize(
    ("provider", "kwargs", "words"),
    [
        ("opnai", {}, "did you mean 'openai'"),
        ("openai", {}, "OPENAI_API_KEY"),
        ("groq", {}, "expected a model for groq"),
        ("compatible", {}, "base_url"),
        ("compatible", {"base_url": "ftp://host"}, "http or https"),
        ("compatible", {"base_url": "https:///v1"}, "http or https"),
        ("local", {"timeout": 0}, "greater than 0"),
        ("local", {"max_attempts": 0}, "greater than or equal to 1"),
    ],
)
def test_a_wrong_config_is_refused_in_one_sentence(
    provider: str, kwargs: dict[str, Any], words: str
) -> None:
    model = "" if provider in {"local", "groq"} else "m"
    with pytest.raises(ValueError, match=words) as caught:
        ClientConfig.for_player(provider, model, None, kwargs)
    assert "\n" not in str(caught.value)


def test_what_a_player_leaves_out_comes_from_the_table_and_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    config = ClientConfig.for_player("openai", "", None, {"temperature": 0.2, "timeout": 5})
    assert config.model == PROVIDERS["openai"].default_model
    assert config.api_key == SecretStr(CANARY)
    assert config.base_url == "http://127.0.0.1:1/v1"
    assert (config.timeout, config.max_attempts, config.concurrency) == (5, 4, 16)
    assert config.settings == {"temperature": 0.2}


def test_no_key_shows() -> None:
    config = config_at("http://127.0.0.1:1", headers={"authorization": CANARY})
    assert CANARY not in f"{config!r} {config}"
    assert CANARY not in config_at("http://127.0.0.1:1").model_dump_json()
    settings = {"headers": {"x": CANARY}}
    with pytest.raises(ValidationError) as caught:
        ClientConfig(provider="nobody", model="m", api_key=SecretStr(CANARY), settings=settings)
    assert CANARY not in str(caught.value)


def test_a_thousand_players_share_one_client() -> None:
    factory = ClientFactory()
    clients = {id(factory.get(config_at("http://127.0.0.1:1", temperature=1))) for _ in range(1000)}
    assert len(clients) == len(factory.clients) == 1
    assert id(factory.get(config_at("http://127.0.0.1:1", temperature=0))) not in clients
    other_key = config_at("http://127.0.0.1:1", temperature=1).model_copy(
        update={"api_key": SecretStr("another")}
    )
    factory.get(other_key)
    assert len(factory.clients) == 3
    assert ClientFactory()


async def complete(url: str, sleep: Naps, **more: Any) -> str:
    factory = ClientFactory(sleep)
    try:
        return (await factory.get(config_at(url, **more)).complete(REQUEST)).text
    finally:
        await factory.aclose()


@pytest.mark.parametrize(
    ("headers", "waits"),
    [({"retry-after": "4"}, [4, 4]), ({"retry-after": "9999"}, [60, 60]), ({}, None)],
)
async def test_passing_faults_are_tried_again(
    headers: dict[str, str], waits: list[int] | None, caplog: pytest.LogCaptureFixture
) -> None:
    naps = Naps()
    async with FakeApi(reply=answers(429, 503, **headers)) as api:
        assert await complete(api.url, naps) == "yes"
    assert len(api.requests) == 3
    if waits:
        assert naps.seconds == waits
    else:
        assert 0.5 <= naps.seconds[0] <= 1 <= naps.seconds[1] <= 1.5
    records = [record for record in caplog.records if record.name == "arena.client"]
    assert [record.levelno for record in records] == [logging.WARNING] * 2
    told = [record.getMessage() for record in records]
    assert told[0].startswith("compatible: m answered HTTP 429: no (attempt 1 of 4); retry in ")
    assert told[1] == "compatible: retried 1 more times since that line"
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("status", "fault", "calls"),
    [(429, TransientError, 3), (401, FatalError, 1), (400, RequestError, 1)],
)
async def test_only_passing_faults_are_tried_again_and_not_for_ever(
    status: int, fault: type[Exception], calls: int
) -> None:
    async with FakeApi(reply=answers(*[status] * 9)) as api:
        with pytest.raises(fault):
            await complete(api.url, Naps(), max_attempts=3)
    assert len(api.requests) == calls


@pytest.mark.parametrize(("seconds", "calls"), [(15.0, 2), (25.0, 1)])
async def test_the_first_attempt_takes_of_the_patience_too(
    seconds: float, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 30 seconds: 15 and a wait of 10 leave room for another attempt, 25 and 10 do not."""
    asked: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: seconds * len(asked))
    monkeypatch.setattr("client_factory.time", clock)

    class Slow:
        async def complete(self, request: CompletionRequest) -> Any:
            asked.append(seconds)
            raise TransientError("no", retry_after=10.0)

    naps = Naps()
    config = config_at("http://127.0.0.1:1", patience=30, max_attempts=2)
    client: Any = ClientFactory(naps).get(config)
    client.client = Slow()
    with pytest.raises(TransientError):
        await client.complete(REQUEST)
    assert len(asked) == calls
    assert naps.seconds == [10.0] * (calls - 1)


async def test_no_more_calls_than_allowed_are_under_way() -> None:
    under_way, most = 0, 0

    class Counting:
        async def complete(self, request: CompletionRequest) -> Any:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1

    client: Any = ClientFactory().get(config_at("http://127.0.0.1:1", concurrency=3))
    client.client = Counting()
    await asyncio.gather(*(client.complete(REQUEST) for _ in range(20)))
    assert most == 3


async def test_who_waits_for_another_attempt_holds_no_place() -> None:
    async with FakeApi(
        reply=lambda body: web.Response(status=503) if "busy" in json.dumps(body) else "yes"
    ) as api:
        waiting, free = asyncio.Event(), asyncio.Event()

        async def sleep(seconds: float) -> None:
            waiting.set()
            await free.wait()

        factory = ClientFactory(sleep)
        client = factory.get(config_at(api.url, concurrency=1, max_attempts=2))
        stuck = asyncio.create_task(client.complete(CompletionRequest("busy", REQUEST.messages)))
        await waiting.wait()
        assert (await client.complete(REQUEST)).text == "yes"
        free.set()
        with pytest.raises(TransientError):
            await stuck
        await factory.aclose()


def test_one_client_serves_several_event_loops_and_leaves_nothing_open() -> None:
    factory = ClientFactory()

    async def play(client: Client | None = None) -> None:
        async with FakeApi() as api:
            client = factory.get(config_at(api.url, concurrency=2))
            await asyncio.gather(*(client.complete(REQUEST) for _ in range(8)))

    async def ask(client: Client) -> None:
        with pytest.raises(TransientError):
            await asyncio.gather(*(client.complete(REQUEST) for _ in range(4)))

    for _ in range(2):
        asyncio.run(play())
    lost = factory.get(config_at("http://127.0.0.1:1", concurrency=2, max_attempts=1))
    for _ in range(2):
        asyncio.run(ask(lost))


class Busy:
    """A client with a queue of its own, longer than an attempt may take."""

    @asynccontextmanager
    async def queue(self, request: CompletionRequest) -> AsyncIterator[None]:
        await asyncio.sleep(0.3)
        yield

    async def complete(self, request: CompletionRequest) -> Completion:
        return Completion("yes")


async def test_time_in_a_clients_own_queue_is_no_time_of_the_attempt() -> None:
    config = config_at("http://127.0.0.1:1", timeout=0.1, max_attempts=1)
    assert (await PatientClient(config, Busy(), Pool()).complete(REQUEST)).text == "yes"
