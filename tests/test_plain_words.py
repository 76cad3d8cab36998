"""Endpoints without structured output: `structured: false` tells the form in words, in each of the APIs alike."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from engine.engine import GameEngine
from providers import PROVIDERS
from providers.connection import Endpoint, SdkClient
from providers.openai_chat import ChatClient
from tests.asked import ADAPTERS, SCHEMA, ask
from tests.fake_api import FakeApi
from tests.tables import config_for

FORMS = ("response_format", "text", "output_config")


@ADAPTERS
async def test_the_schema_stands_in_words_at_the_end(adapter: type[SdkClient[Any]]) -> None:
    """At the very end, so that what stands before it is still found in a cache; all else is sent as ever."""
    said = 'Well: {"why": "", "vote": "Ann"} So be it.'
    completion, plain, _ = await ask(adapter, lambda body: said, structured=False)
    _, usual, _ = await ask(adapter, structured=True)
    assert completion.text == said
    assert [usual.pop(form) for form in FORMS if form in usual]
    words = f"Ann or Bob.\n\nAnswer with one JSON object that fits this JSON Schema: {json.dumps(SCHEMA)}"
    assert plain == json.loads(json.dumps(usual).replace('"Ann or Bob."', json.dumps(words)))


async def test_deepseek_knows_json_but_no_schema() -> None:
    _, body, _ = await ask(ChatClient, **PROVIDERS["deepseek"].settings)
    assert body["response_format"] == {"type": "json_object"}
    assert body["messages"][-1]["content"].endswith(json.dumps(SCHEMA))


@ADAPTERS
def test_the_form_is_structured_or_not(adapter: type[SdkClient[Any]]) -> None:
    with pytest.raises(ValueError, match=r"expected client_kwargs\.structured to be true or false: got 'no'"):
        adapter(Endpoint("m", settings={"structured": "no"}))


@pytest.mark.parametrize(("provider", "path"), [("compatible", "/v1"), ("openai", "/v1"), ("anthropic", "")])
async def test_a_game_is_played_in_plain_words(provider: str, path: str, tmp_path: Path) -> None:
    """The last JSON object of what is said counts; the log keeps the setting, so that the game could go on."""
    said = 'Say {"item": "x"}? No: {"item": "stay silent", "rationale": ""} That is it.'
    config = config_for("conversation", f"{provider}:m,scripted:random", tmp_path, settings={"length": 2})
    async with FakeApi(reply=lambda body: said) as api:
        kwargs = {"base_url": f"{api.url}{path}", "structured": False}
        told = {"client_kwargs": kwargs, "api_key": SecretStr("none")}
        seats = [config.player_configs[0].model_copy(update=told), config.player_configs[1]]
        history = await GameEngine(config.model_copy(update={"player_configs": seats})).play()
    assert (history.status, history.usage["Ada"].attempts, history.usage["Ada"].fallbacks) == ("finished", 2, 0)
    assert history.players[0].client_kwargs == kwargs
    for asked in api.requests:
        assert not {"structured", *FORMS} & asked.body.keys()
        assert json.dumps(asked.body).count("JSON Schema") == 1
