"""Keys that come by other ways than a server's echo: configs, addresses, resumed journals."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr, ValidationError

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig, read_config, redact
from engine.engine import GameEngine
from engine.record.journal import Journal, JournalError
from player import PlayerConfig
from protocol.suggest import explain
from providers import CompletionRequest, FatalError, Message, Usage
from tests.support.fake_api import FakeApi, chat
from tests.support.tables import config_for, with_first

CANARY = "sk-canary-0123456789abcdef"
SEAT = {"player_id": "Ada", "provider": "compatible", "model": "m", "api_key": CANARY}


@pytest.mark.parametrize(
    "text",
    [
        f'api_key: "{CANARY}\nmodel: m',
        f"api_key: {CANARY}: x",
        f"api_key: [{CANARY}",
        f"- api_key\n- {CANARY}",
        f"api_key: {CANARY}\n\tmodel: m",
        f"? {CANARY}\x00",
    ],
)
def test_a_config_that_is_no_yaml_is_not_quoted(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"bad\.yaml") as caught:
        read_config(tmp_path / "bad.yaml")
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "seat",
    [
        {name: value for name, value in SEAT.items() if name != "player_id"},
        SEAT | {"api_key": [CANARY]},
        SEAT | {"client_kwargs": CANARY},
        SEAT | {"provder": "openai"},
        SEAT | {"player_id": ""},
        [CANARY],
    ],
)
def test_a_config_that_is_refused_is_not_quoted(seat: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        GameEngineConfig.model_validate({"player_configs": [seat]})
    sentence = explain(caught.value, PlayerConfig.model_fields)
    assert CANARY not in f"{caught.value} {caught.value!r} {sentence}"


def test_secrets_in_addresses_and_headers_are_not_kept() -> None:
    kwargs = {
        "base_url": f"https://me:{CANARY}@host/v1",
        "headers": {"x-team": CANARY},
        "extra_headers": {"x-other": CANARY},
        "cookie": CANARY,
    }
    assert CANARY not in str(redact({"client_kwargs": kwargs, "seed": 3}))
    player = PlayerConfig(player_id="Ada", api_key=SecretStr(CANARY), client_kwargs=kwargs)
    assert CANARY not in f"{player!r} {player} {player.model_dump_json(exclude={'client_kwargs'})}"


def test_a_game_with_secret_headers_is_resumed_only_with_them(tmp_path: Path) -> None:
    """They are in no journal: what stands there in their place is never sent."""
    config = config_for(
        "conversation", "compatible:m,scripted:random", tmp_path, at="http://127.0.0.1:1"
    )
    kwargs = config.player_configs[0].client_kwargs | {"headers": {"x-team": CANARY}}
    config = with_first(config, client_kwargs=kwargs)
    Journal.create(tmp_path / "game.jsonl", config.header()).close()
    with pytest.raises(JournalError, match=r"headers and secrets of Ada.*--config FILE"):
        GameEngine.resume(tmp_path / "game.jsonl")
    resumed = GameEngine.resume(tmp_path / "game.jsonl", config)
    assert resumed.journal is not None
    resumed.journal.close()


def ollama_table(tmp_path: Path, settings: dict[str, Any]) -> GameEngineConfig:
    """Return a small game in which a model of Ollama's, with these settings, sits with a script."""
    config = config_for("conversation", "ollama:m,scripted:random", tmp_path)
    return with_first(config, client_kwargs=settings)


def test_a_setting_that_is_no_secret_is_in_the_log_and_the_game_is_resumed(tmp_path: Path) -> None:
    settings = {"num_ctx": 8192, "keep_alive": "5m", "options": {"mirostat": 2}}
    path = tmp_path / "game.jsonl"
    header = ollama_table(tmp_path, settings).header()
    assert header["made_from"]["config"]["player_configs"][0]["client_kwargs"] == settings
    Journal.create(path, header).close()
    resumed = GameEngine.resume(path)
    assert resumed.config.player_configs[0].client_kwargs == settings
    assert resumed.history.config["player_configs"][0]["client_kwargs"] == settings
    assert resumed.history.players[0].client_kwargs == settings
    assert resumed.journal is not None
    resumed.journal.close()


ASKED = CompletionRequest("You play.", (Message("user", ("Well?",)),))
SECRET = "hunter2-of-the-team"


async def ask_at(address: str, **more: Any) -> Any:
    """Return what a chat model at this address answers one question."""
    factory = ClientFactory()
    config = ClientConfig.for_player(
        "compatible", "m", SecretStr(CANARY), {"base_url": address, "max_attempts": 1} | more
    )
    try:
        return await factory.get(config).complete(ASKED)
    finally:
        await factory.aclose()


def answer_with(facts: dict[str, Any], body: dict[str, Any]) -> web.Response:
    """Answer every question alike."""
    del body
    return web.json_response(facts)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"headers": {"x-team": SECRET}},
        {"headers": {"Authorization": f"Basic {SECRET}"}},
        {"extra_body": {"team": {"pass": SECRET}}},
        {"tools": [{"type": "mcp", "authorization": SECRET}]},
        {"tools": [{"headers": [["x-team", SECRET]]}]},
    ],
    ids=str,
)
async def test_what_a_server_echoes_of_its_secrets_is_in_no_completion(
    settings: dict[str, Any],
) -> None:
    for said in (CANARY, SECRET, f"Bearer {CANARY}", f"{CANARY[:18]}... {SECRET[3:]}"):
        facts = chat(f"I say {CANARY} {SECRET}", reasoning_content=f"{CANARY} {SECRET}")
        facts |= {"id": said, "model": said, "service_tier": said}
        async with FakeApi() as api:
            api.reply = partial(answer_with, facts)
            completion = await ask_at(f"{api.url}/v1", **settings)
        kept = str(completion)
        assert CANARY not in kept
        assert CANARY[:16] not in kept
        if settings:
            assert SECRET not in kept
            assert SECRET[5:] not in kept
        assert completion.text.startswith("I say (redacted)")


async def test_facts_of_an_answer_that_are_no_texts_are_left_out() -> None:
    facts = chat("yes") | {"id": {"deep": [CANARY]}, "model": "m" * 10_000}
    facts["usage"] = {"prompt_tokens": 10**400, "completion_tokens": 3}
    async with FakeApi(reply=lambda body: web.json_response(facts)) as api:
        completion = await ask_at(f"{api.url}/v1")
    assert completion.raw == {"model": "m" * 200}
    assert completion.usage == Usage()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_request_is_sent_on_to_another_server(status: int) -> None:
    async with FakeApi() as other, FakeApi() as api:
        place = {"location": f"{other.url}/v1/chat/completions?key={CANARY}"}
        api.reply = lambda body: web.Response(status=status, headers=place)
        with pytest.raises(FatalError, match=r"to another server, http://127\.0\.0\.1:") as no:
            await ask_at(f"{api.url}/v1", headers={"x-team": SECRET})
    assert other.requests == []
    assert CANARY not in str(no.value)


async def test_a_request_is_sent_on_within_its_server() -> None:
    async with FakeApi() as api:
        moved = {"location": "/new/chat/completions"}
        api.reply = lambda body: (
            web.Response(status=307, headers=moved) if len(api.requests) == 1 else "yes"
        )
        completion = await ask_at(f"{api.url}/v1", headers={"x-team": SECRET})
    assert completion.text == "yes"
    paths = [asked.path for asked in api.requests]
    assert paths == ["/v1/chat/completions", "/new/chat/completions"]


@pytest.mark.parametrize(
    "address",
    [
        f"htp://me:{CANARY}@host/v1",
        f"http//me:{CANARY}@host/v1",
        f"me:p/{CANARY}@host",
        f"host/v1?key={CANARY}",
        f"me@{CANARY}@host",
        f"localhost:8000/{CANARY}",
    ],
)
def test_an_address_that_is_refused_is_shown_without_its_password(address: str) -> None:
    with pytest.raises(ValueError, match="expected base_url to be an http or https") as caught:
        ClientConfig.for_player("compatible", "m", None, {"base_url": address})
    assert CANARY not in str(caught.value)
    assert "host" in str(caught.value)


@pytest.mark.parametrize("key", [f"{CANARY}\nX: y", f"{CANARY}é", f"{CANARY}\x00"])
def test_a_key_that_cannot_be_sent_is_refused_unsaid(key: str) -> None:
    with pytest.raises(ValueError, match="expected the key for compatible to be one line") as no:
        ClientConfig.for_player("compatible", "m", SecretStr(key), {"base_url": "http://a/v1"})
    assert CANARY not in str(no.value)


@pytest.mark.parametrize("value", [2, 2.5, True, None, [CANARY], {"a": CANARY}, f"{CANARY}\n", "é"])
@pytest.mark.parametrize("place", ["headers", "extra_headers"])
def test_a_header_that_cannot_be_sent_is_refused_unsaid(place: str, value: Any) -> None:
    kwargs = {"base_url": "http://a/v1", place: {"X-Version": value}}
    config = ClientConfig.for_player("compatible", "m", None, kwargs)
    with pytest.raises(ValueError, match=r"expected client_kwargs\.headers\.X-Version to be") as no:
        ClientFactory().get(config)
    assert CANARY not in str(no.value)


@pytest.mark.parametrize("name", [2, None, "", "X Version", "X:Y", "é"])
def test_a_headers_name_that_cannot_be_sent_is_refused(name: Any) -> None:
    kwargs = {"base_url": "http://a/v1", "headers": {name: "2"}}
    config = ClientConfig.for_player("compatible", "m", None, kwargs)
    with pytest.raises(ValueError, match=r"expected the names in client_kwargs\.headers to be"):
        ClientFactory().get(config)
