"""Every fault of a server in each API, through whole games: ridden out, counted, or fatal."""

import asyncio
import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr
from rich.console import Console

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import Event, History
from engine.round import IN_WORDS
from engine.views.perspective import Shown
from engine.views.terminal import print_history
from engine.views.typst import document
from providers import Client, CompletionRequest, Message, TransientError
from tests.support.fake_api import FakeApi, legal
from tests.support.fault_api import FATAL, LOST, PASSING, SLOW, UNUSABLE, USABLE, FaultApi
from tests.support.tables import config_for, with_first

CANARY = "sk-canary-0123456789abcdef"
OTHER = "canary-of-a-header-98765"
TURNS = 3
REQUEST = CompletionRequest("You play.", (Message("user", ("Well?",)),))
SEATS = {"compatible": "/v1", "openai": "/v1", "anthropic": ""}
API = pytest.mark.parametrize("provider", SEATS)


@pytest.fixture(autouse=True)
def _nothing_leaks(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> Iterator[None]:
    """No key stands in any debug output nor in any file that a test leaves behind."""
    caplog.set_level(logging.DEBUG)
    yield
    assert clean_of_keys(caplog.text)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or clean_of_keys(path.read_text(encoding="utf-8"))


def clean_of_keys(text: str) -> bool:
    return CANARY not in text and OTHER not in text and CANARY[:16] not in text


def game_at(api: FaultApi, provider: str, folder: Path, **limits: Any) -> GameEngineConfig:
    """Return a game of a model and a script; the model's seat holds a key and a secret header."""
    config = config_for(
        "conversation", f"{provider}:m,scripted:random", folder, settings={"length": TURNS}
    )
    kwargs = {
        "base_url": f"{api.url}{SEATS[provider]}",
        "headers": {"x-team": OTHER},
        "max_attempts": 2,
    } | limits
    return with_first(config, api_key=SecretStr(CANARY), client_kwargs=kwargs)


async def play(config: GameEngineConfig, api: FaultApi, journal: Path | None = None) -> History:
    """Play, or go on with, a game that must come to an end by itself, whatever the server does."""
    factory = ClientFactory(api.sleep)
    if journal:
        seat = GameEngine.resume(journal, config, factory=factory)
    else:
        seat = GameEngine(config, factory=factory)
    try:
        async with asyncio.timeout(60):
            history = await seat.play()
    finally:
        await factory.aclose()
    assert clean_of_keys(
        f"{history.reason} {history.to_json()} {config!r} {seat.players} {vars(seat)}"
    )
    return history


def faults_in(history: History) -> list[Event]:
    return [event for event in history.events if event.kind == "fault"]


@API
@pytest.mark.parametrize("fault", FATAL)
async def test_a_fatal_fault_fails_the_game_until_it_is_mended(
    provider: str, fault: str, tmp_path: Path
) -> None:
    async with FaultApi(fault=fault, first=2) as api:
        config = game_at(api, provider, tmp_path)
        failed = await play(config, api)
        assert (failed.status, len(api.requests), api.naps) == ("failed", 2, [])
        assert failed.reason.startswith(f"m answered HTTP {fault[:3]}: no: ")
        assert "\n" not in failed.reason
        assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]
        api.fault = ""
        mended = await play(config, api, tmp_path / "game.jsonl")
    assert mended.status == "finished"
    assert len(api.requests) == 1 + TURNS
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


@API
@pytest.mark.parametrize("fault", [*PASSING, "refused"])
async def test_a_passing_fault_is_ridden_out(provider: str, fault: str, tmp_path: Path) -> None:
    async with FaultApi(fault=fault, first=1, last=1) as api:
        history = await play(game_at(api, provider, tmp_path), api)
    assert history.status == "finished"
    assert not faults_in(history)
    assert history.usage["Ada"].fallbacks == 0
    assert len(api.requests) == TURNS + (fault != "refused")
    assert len(api.naps) == 1
    if fault.startswith("429 after"):
        assert api.naps[0] == {"0": 0, "-1": 0, "3600": 60}.get(
            fault[10:], pytest.approx(0.75, abs=0.25)
        )


@API
@pytest.mark.parametrize("fault", [*PASSING, "gone"])
async def test_a_lasting_fault_becomes_a_counted_fallback(
    provider: str, fault: str, tmp_path: Path
) -> None:
    async with FaultApi(fault=fault, first=2) as api:
        history = await play(game_at(api, provider, tmp_path), api)
    met = TURNS - 1
    assert history.status == "finished"
    assert len(faults_in(history)) == history.usage["Ada"].fallbacks == met
    assert all(
        event.content.startswith("m ") and "\n" not in event.content for event in faults_in(history)
    )
    assert len(api.naps) == met


@API
@pytest.mark.parametrize("fault", SLOW)
async def test_who_never_answers_holds_nobody_up(provider: str, fault: str, tmp_path: Path) -> None:
    """The first attempt times out and is repeated; a server that stays slow costs fallbacks."""
    async with FaultApi(fault=fault, first=2, last=4) as api:
        history = await play(game_at(api, provider, tmp_path, timeout=0.3), api)
    assert history.status == "finished"
    assert len(faults_in(history)) == history.usage["Ada"].fallbacks >= 1
    assert all("did not answer within 0.3 s" in event.content for event in faults_in(history))


@API
@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize(("first", "last"), [(2, 2), (1, TURNS)])
async def test_a_request_that_is_refused_is_not_made_again(
    provider: str, fault: str, first: int, last: int, tmp_path: Path
) -> None:
    async with FaultApi(fault=fault, first=first, last=last) as api:
        history = await play(game_at(api, provider, tmp_path), api)
    assert history.status == "finished"
    assert len(faults_in(history)) == history.usage["Ada"].fallbacks == 1 + last - first
    assert (len(api.requests), api.naps) == (TURNS, [])


@API
@pytest.mark.parametrize("fault", UNUSABLE)
@pytest.mark.parametrize("lasting", [False, True])
async def test_an_unusable_answer_is_asked_for_again(
    provider: str, fault: str, lasting: bool, tmp_path: Path
) -> None:
    """Once: asked again with the reason. Three times, as often as allowed: the fallback counts."""
    async with FaultApi(fault=fault, first=2, last=4 if lasting else 2) as api:
        history = await play(game_at(api, provider, tmp_path), api)
    assert history.status == "finished"
    assert history.usage["Ada"].fallbacks == lasting
    told = [] if fault in {"length", "refusal"} else [IN_WORDS]
    then = ["asked again"] * (2 * lasting or 1) + ["fallback"] * lasting
    assert [event.data["then"] for event in faults_in(history)] == then + told
    assert max(len(str(asked.body)) for asked in api.requests) < 20_000


@API
@pytest.mark.parametrize("fault", USABLE)
async def test_an_odd_answer_is_used_as_it_can_be(
    provider: str, fault: str, tmp_path: Path
) -> None:
    async with FaultApi(fault=fault) as api:
        history = await play(game_at(api, provider, tmp_path), api)
    async with FaultApi() as api:
        plain = await play(game_at(api, provider, tmp_path / "plain"), api)
    assert not faults_in(history)
    assert history.outcome == plain.outcome


@pytest.mark.parametrize("fault", ["401", "500", "page", "illegal"])
async def test_a_key_from_the_environment_or_a_file_shows_nowhere(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server echoes the key; no prompt, no export and no exception's whole text holds it."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    async with FaultApi(fault=fault, first=2) as api:
        ada: dict[str, Any] = {"player_id": "Ada", "provider": "openai", "model": "m"}
        ada["client_kwargs"] = {"base_url": f"{api.url}/v1"}
        ben: dict[str, Any] = {"player_id": "Ben", "provider": "anthropic", "model": "m"}
        ben["api_key"] = CANARY
        ben["client_kwargs"] = {"base_url": api.url, "headers": {"x-team": OTHER}}
        game = {"name": "conversation", "length": 2}
        settings = {"player_configs": [ada, ben], "logs_dir": tmp_path, "game": game}
        history = await play(GameEngineConfig.model_validate(settings), api)
    assert any(CANARY in str(asked.headers) for asked in api.requests)
    assert clean_of_keys("".join(str(asked.body) for asked in api.requests))
    shown = io.StringIO()
    print_history(history, Console(file=shown, width=200), Shown(prompts=True, reasoning=True))
    assert clean_of_keys(shown.getvalue() + document(history, Shown(prompts=True, reasoning=True)))


def client_at(api: FakeApi, **more: Any) -> tuple[ClientFactory, Client]:
    factory = ClientFactory(more.pop("sleep", asyncio.sleep))
    kwargs = {"base_url": f"{api.url}/v1"} | more
    return factory, factory.get(
        ClientConfig.for_player("compatible", "m", SecretStr(CANARY), kwargs)
    )


async def test_a_busy_server_is_left_alone_by_everybody() -> None:
    """While the one that was told so waits, no other call of the same client is made."""
    waiting, free = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await free.wait()

    async with FaultApi(fault="429 after 3600", last=1) as api:
        factory, client = client_at(api, sleep=sleep)
        first = asyncio.create_task(client.complete(REQUEST))
        await waiting.wait()
        others = [asyncio.create_task(client.complete(REQUEST)) for _ in range(5)]
        await asyncio.sleep(0.2)
        assert len(api.requests) == 1
        free.set()
        assert len(await asyncio.gather(first, *others)) == 6
        assert len(api.requests) == 7
        await factory.aclose()


async def test_who_gives_up_waiting_leaves_the_door_open() -> None:
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with FaultApi(fault="429", last=1) as api:
        factory, client = client_at(api, sleep=sleep)
        first = asyncio.create_task(client.complete(REQUEST))
        await waiting.wait()
        other = asyncio.create_task(client.complete(REQUEST))
        first.cancel()
        assert (await other).finish == "stop"
        await factory.aclose()


async def test_a_question_has_a_time_limit_of_its_own() -> None:
    async with FaultApi(fault="429 after 3600") as api:
        factory, client = client_at(api, sleep=api.sleep, patience=30)
        with pytest.raises(TransientError):
            await client.complete(REQUEST)
        assert (len(api.requests), api.naps) == (1, [])
        await factory.aclose()


@API
@pytest.mark.parametrize("first", [1, 2])
async def test_a_setting_that_is_refused_at_once_fails_the_game(
    provider: str, first: int, tmp_path: Path
) -> None:
    """The provider blames a setting of the seat; after a good answer, that cannot be the cause."""
    refusal = f"Unsupported parameter: 'temperature' is not supported, {CANARY}."

    def reply(body: dict[str, Any]) -> str | web.Response:
        if "temperature" in body and len(api.requests) >= first:
            return web.json_response({"error": {"message": refusal}}, status=400)
        return legal(body)

    async with FaultApi(reply=reply) as api:
        history = await play(game_at(api, provider, tmp_path, temperature=0.3), api)
        if first == 2:
            assert (history.status, history.usage["Ada"].fallbacks) == ("finished", TURNS - 1)
            return
        assert (history.status, len(api.requests), faults_in(history)) == ("failed", 1, [])
        assert history.reason == (
            "m answered HTTP 400: "
            "Unsupported parameter: 'temperature' is not supported, (redacted) "
            "(fix model or client_kwargs, then test them with --check)"
        )
        assert (await play(game_at(api, provider, tmp_path / "mended"), api)).status == "finished"


async def test_a_resumed_seat_remembers_that_it_was_answered(tmp_path: Path) -> None:
    """Stopped after its first answer and resumed, a game meets a refusal as if never stopped."""
    refusal = {"error": {"message": "max_tokens is too large"}}
    async with FaultApi(fault="401", first=2) as api:
        await play(game_at(api, "compatible", tmp_path), api)
        api.fault, api.reply = "", lambda body: web.json_response(refusal, status=400)
        history = await play(game_at(api, "compatible", tmp_path), api, tmp_path / "game.jsonl")
    assert (history.status, history.usage["Ada"].fallbacks) == ("finished", TURNS - 1)
