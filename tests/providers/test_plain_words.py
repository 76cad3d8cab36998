"""Endpoints without structured output: `structured: false` puts the form into words in each API."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from engine.engine import GameEngine
from providers import PROVIDERS
from providers.connection import SdkClient
from providers.endpoint import Endpoint
from providers.openai_chat import ChatClient
from providers.plain_words import field_in_words
from tests.support.asked import ADAPTERS, ask
from tests.support.fake_api import FakeApi
from tests.support.tables import config_for, with_first

WORDS = (
    "\n\nAnswer with one JSON object and nothing else. Its fields: "
    '"why" (text of at most 80 characters), "vote" (one of "Ann", "Bob").'
)
FORMS = ("response_format", "text", "output_config")


@ADAPTERS
async def test_the_schema_stands_in_words_at_the_end(adapter: type[SdkClient[Any]]) -> None:
    """At the very end, so that a cache still finds what comes before; all else is sent as ever."""
    said = 'Well: {"why": "", "vote": "Ann"} So be it.'
    completion, plain, _ = await ask(adapter, lambda body: said, structured=False)
    _, usual, _ = await ask(adapter, structured=True)
    assert completion.text == said
    assert [usual.pop(form) for form in FORMS if form in usual]
    in_words = json.dumps(f"Ann or Bob.{WORDS}")
    assert plain == json.loads(json.dumps(usual).replace('"Ann or Bob."', in_words))


async def test_deepseek_knows_json_but_no_schema() -> None:
    _, body, _ = await ask(ChatClient, **PROVIDERS["deepseek"].settings)
    assert body["response_format"] == {"type": "json_object"}
    assert body["messages"][-1]["content"].endswith(WORDS)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (
            {"type": "string", "maxLength": 60, "description": "why"},
            "why: text of at most 60 characters",
        ),
        ({"type": "string"}, "text"),
        (
            {"type": "string", "enum": ["\u00e9t\u00e9", 'a "b"']},
            'one of "\u00e9t\u00e9", "a \\"b\\""',
        ),
        (
            {"type": "integer", "minimum": 1, "maximum": 9, "description": "n"},
            "n: type integer, minimum 1, maximum 9",
        ),
        ({"type": "boolean"}, "type boolean"),
    ],
)
def test_a_field_in_words(field: dict[str, Any], words: str) -> None:
    assert field_in_words(field) == words


@ADAPTERS
def test_the_form_is_structured_or_not(adapter: type[SdkClient[Any]]) -> None:
    with pytest.raises(ValueError, match=r"expected client_kwargs\.structured to be true or false"):
        adapter(Endpoint("m", settings={"structured": "no"}))


@pytest.mark.parametrize(
    ("provider", "path"), [("compatible", "/v1"), ("openai", "/v1"), ("anthropic", "")]
)
async def test_a_game_is_played_in_plain_words(provider: str, path: str, tmp_path: Path) -> None:
    """The answer's last JSON object counts; the log keeps the setting, so the game could go on."""
    said = 'Say {"item": "x"}? No: {"item": "stay silent", "rationale": ""} That is it.'
    seats = f"{provider}:m,scripted:random"
    config = config_for("conversation", seats, tmp_path, settings={"length": 2})
    async with FakeApi(reply=lambda body: said) as api:
        kwargs = {"base_url": f"{api.url}{path}", "structured": False}
        config = with_first(config, client_kwargs=kwargs, api_key=SecretStr("none"))
        history = await GameEngine(config).play()
    used = history.usage["Ada"]
    assert (history.status, used.attempts, used.fallbacks) == ("finished", 2, 0)
    assert history.players[0].client_kwargs == kwargs
    for asked in api.requests:
        assert not {"structured", *FORMS} & asked.body.keys()
        assert json.dumps(asked.body).count("Its fields: ") == 1
