"""Servers that say what a terminal would obey, send too much, or set cookies."""

import ast
import asyncio
import gzip
import json
import logging
import math
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

import providers
from client_factory import ClientFactory
from engine.config import read_config
from engine.engine import GameEngine
from engine.runs.seating import read_players
from engine.spending.costs import price
from providers import FatalError, ProviderError, Usage, retry_lines
from providers.anthropic import MessagesClient
from providers.arrivals import MOST_BYTES
from providers.connection import SdkClient
from providers.openai import ResponsesClient
from providers.openai_chat import ChatClient
from tests.support.asked import ADAPTERS, CANARY, REQUEST, ask, client_of
from tests.support.fake_api import FakeApi, chat, legal, messages, responses
from tests.support.paths import ROOT
from tests.support.tables import config_for, with_first

EVIL = "\x1b[31mred\x1b]52;c;cm0gLXJm\x07 \u202eback\x9b2J\r\n over"
SHAPES: dict[type[SdkClient[Any]], tuple[str, Callable[..., Any]]] = {
    ChatClient: ("compatible", chat),
    ResponsesClient: ("openai", responses),
    MessagesClient: ("anthropic", messages),
}


async def no_sleep(seconds: float) -> None:
    """Go on at once."""


def poisoned(value: Any, place: str) -> Any:
    """Return plain data whose texts all say EVIL; only what is called `place` stays."""
    if isinstance(value, dict):
        return {name: poisoned(held, name) for name, held in value.items()}
    if isinstance(value, list):
        return [poisoned(held, place) for held in value]
    kept = place in {"type", "role", "content", "text", "object"} or not isinstance(value, str)
    return value if kept else EVIL


def errors() -> list[Any]:
    said = {"message": EVIL, "code": EVIL, "type": EVIL, "param": EVIL}
    detail = [{"loc": ["body", EVIL], "msg": EVIL}]
    return [{"error": said}, {"error": EVIL}, {"detail": EVIL}, {"detail": detail}, EVIL, said]


@ADAPTERS
@pytest.mark.parametrize("status", [400, 401, 404, 422, 429, 500])
async def test_no_fault_holds_what_moves_a_terminal(
    adapter: type[SdkClient[Any]], status: int
) -> None:
    for error in errors():
        with pytest.raises(ProviderError) as caught:
            await ask(adapter, lambda body: web.json_response(error, status=status))  # noqa: B023
        assert str(caught.value).isprintable()


@ADAPTERS
@pytest.mark.parametrize(
    "broken", [{"status": EVIL}, {"error": EVIL}, {"error": {"code": EVIL, "message": EVIL}}, {}]
)
async def test_no_word_of_an_answer_reaches_a_terminal_raw(
    adapter: type[SdkClient[Any]], broken: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Nor by a whole game: not in a line of the log, a fault, or the model that is named."""
    provider, shaped = SHAPES[adapter]
    shape = poisoned(shaped("{}"), "") | broken
    async with FakeApi(lambda body: web.json_response(shape)) as api:
        kwargs = {"base_url": api.url, "max_attempts": 2}
        config = config_for("conversation", f"{provider}:m,scripted:random", settings={"length": 2})
        config = with_first(config, client_kwargs=kwargs, api_key=SecretStr(CANARY))
        async with aclosing(ClientFactory(no_sleep)) as factory:
            history = await GameEngine(config, factory=factory).play()
    told = [record.getMessage() for record in caplog.records if record.name.startswith("arena")]
    for event in history.events:
        attempts = [f"{one.fault}{one.reasoning}{one.served}" for one in event.attempts]
        told += [event.content, *attempts]
    assert all("\x1b" not in words and "\u202e" not in words for words in [history.reason, *told])
    lines = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert all(record.getMessage().isprintable() for record in lines)


def test_every_fault_is_made_by_the_one_door() -> None:
    """Its words are cleaned where it is made, and replaced only where keys are taken out."""
    kinds: list[Any] = [providers.ProviderError]
    for kind in kinds:
        kinds += kind.__subclasses__()
        more = ["words"] if kind is providers.FormError else []
        assert str(kind(f"a{EVIL}", *more)).isprintable()
        assert len(str(kind("x" * 10**6, *more))) < 10**4
    writers = set()
    for path in sorted([*ROOT.glob("*.py"), *(ROOT / "providers").glob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(one, ast.Attribute) and one.attr == "args" for one in targets):
                writers.add(path.name)
    assert writers == {"connection.py"}


def packed(body: bytes, packing: str) -> bytes:
    if packing == "gzip":
        return gzip.compress(body, 9)
    return zlib.compress(body, 9) if packing == "deflate" else body


def answer_of(size: int, packing: str) -> web.Response:
    """Return a good answer with so many blanks around it."""
    body = json.dumps(chat('{"why": "", "vote": "Ann"}')).encode()
    headers = {"content-encoding": packing, "content-type": "application/json"}
    return web.Response(body=packed(body + b" " * (size - len(body)), packing), headers=headers)


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
@pytest.mark.parametrize("times", [1, 5])
async def test_an_answer_is_unpacked_up_to_a_bound(packing: str, times: int) -> None:
    size = times * MOST_BYTES
    answer = answer_of(size if times > 1 else MOST_BYTES // 64, packing)
    tracemalloc.start()
    try:
        if times == 1:
            completion, *_ = await ask(ChatClient, lambda body: answer)
            assert completion.finish == "stop"
            return
        assert len(bytes(answer.body or b"")) < 500_000  # type: ignore[arg-type]
        before = tracemalloc.get_traced_memory()[0]
        with pytest.raises(ProviderError, match=r"^m answered with more than 64 MB$"):
            await ask(ChatClient, lambda body: answer)
        assert tracemalloc.get_traced_memory()[1] - before < 4 * MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip"])
async def test_a_packing_without_a_bound_is_refused(packing: str) -> None:
    with pytest.raises(ProviderError, match="was not requested"):
        await ask(ChatClient, lambda body: answer_of(2000, packing))


async def test_cookies_are_neither_kept_nor_sent_nor_a_key_that_is_none() -> None:
    def reply(body: dict[str, Any]) -> web.Response:
        answer = web.json_response(chat(legal(body)))
        answer.set_cookie("who", "knows")
        return answer

    async with FakeApi(reply) as api:
        address = f"http://localhost:{api.url.rpartition(':')[2]}/v1"
        async with client_of("compatible", base_url=address) as client:
            for _ in range(3):
                await client.complete(REQUEST)
    assert len(api.requests) == 3
    assert all("Cookie" not in asked.headers for asked in api.requests)
    assert all("Authorization" not in asked.headers for asked in api.requests)


async def test_a_dead_server_fills_one_line_a_minute_with_game_and_seat(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Eight games at once, whose every call fails twice: a line, and a count at the end."""
    monkeypatch.setattr(retry_lines, "MINUTE", math.inf)
    async with FakeApi(lambda body: web.json_response({}, status=503)) as api:
        kwargs = {"base_url": f"{api.url}/v1", "max_attempts": 3}
        factory = ClientFactory(no_sleep)
        games = []
        for number in range(8):
            own: dict[str, Any] = {"seed": number, "game_id": f"game{number}"}
            config = config_for("conversation", "compatible:m,scripted:random", **own)
            config = with_first(config, client_kwargs=kwargs)
            games.append(GameEngine(config, factory=factory))
        await asyncio.gather(*(game.play() for game in games))
        await factory.aclose()
    told = [record.getMessage() for record in caplog.records if record.name == "arena.client"]
    retries = len(api.requests) * 2 // 3
    assert told[0].startswith(
        "compatible: m answered HTTP 503 (Ada in game0, attempt 1 of 3); retry"
    )
    assert told[1:] == [f"compatible: retried {retries - 1} more times since that line"]


@pytest.mark.parametrize(
    ("shorthand", "words"),
    [
        (
            "compatible@http://h:1/v1",
            "expected a model before the address: compatible:MODEL@ADDRESS",
        ),
        ("compatible:\udcff@http://h:1/v1", "expected model to be a name in visible characters"),
        ("compatible:a\x1b[31m@http://h:1/v1", "expected model to be a name in visible characters"),
    ],
)
def test_a_seat_that_cannot_be_is_refused_at_once(shorthand: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_players(shorthand)


@pytest.mark.parametrize(
    "text", ["api_key: !SECRET sk-a", "api_key: !sk-0123456789 x", "a: !!x/y 1"]
)
def test_a_tag_of_yaml_is_never_quoted(text: str, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(f"game: dilemma\n{text}\n")
    with pytest.raises(ValueError, match=r"line 2: it has a tag; write a value .* in quotes$"):
        read_config(path)


async def test_a_refused_key_is_told_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEY_OF_MY_PROXY", CANARY)
    async with FakeApi(lambda body: web.json_response({}, status=401)) as api:
        for variable in ("COMPATIBLE_API_KEY", "KEY_OF_MY_PROXY"):
            settings: dict[str, Any] = {"base_url": f"{api.url}/v1"}
            if variable.startswith("KEY"):
                settings["api_key_env"] = variable
            async with client_of("compatible", **settings) as client:
                with pytest.raises(FatalError) as caught:
                    await client.complete(REQUEST)
            assert str(caught.value) == f"m answered HTTP 401 (check the API key in {variable})"


@ADAPTERS
@pytest.mark.parametrize("count", [10**12, -5, 1.5, "many"])
async def test_usage_that_cannot_be_is_unknown(adapter: type[SdkClient[Any]], count: Any) -> None:
    shape = SHAPES[adapter][1]("{}")
    for name in shape["usage"]:
        if not isinstance(shape["usage"][name], int) or name == "total_tokens":
            continue
        answer = shape | {"usage": shape["usage"] | {name: count}}
        completion, *_ = await ask(adapter, lambda body: web.json_response(answer))  # noqa: B023
        assert completion.usage == Usage()


@pytest.mark.parametrize(
    "model",
    [
        "azure/gpt-5-mini",
        "bedrock/anthropic.claude-haiku-4-5-20251001-v1:0",
        "vertex_ai/gemini-2.5-flash",
    ],
)
def test_clouds_behind_a_proxy_have_their_prices(model: str) -> None:
    seat = {"provider": "compatible", "model": model, "client_kwargs": {"base_url": "http://h/v1"}}
    cost = price(seat, Usage(prompt_tokens=1000, completion_tokens=100))
    assert cost is not None
    assert cost > 0
    assert price(seat | {"model": "other/gpt-5-mini"}, Usage(prompt_tokens=1000)) is None
