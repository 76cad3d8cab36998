"""Endpoints as people set them up: addresses, keys, APIs that are not served, schemas ignored."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from client_factory import ClientConfig
from engine.engine import GameEngine
from engine.history import History
from engine.round import IGNORED, IN_WORDS
from engine.runs.seating import read_players
from player import PlayerConfig
from providers import FatalError
from providers.addresses import ollama_address
from providers.openai import ResponsesClient
from providers.thoughts import has_thought
from tests.support.asked import REQUEST, ask, client_of
from tests.support.fake_api import FakeApi, Reply, chat, legal, responses
from tests.support.tables import config_for, with_first

LM_STUDIO = {"error": "Unexpected endpoint or method. (POST /v1/responses). Returning 200 anyway"}
# LiteLLM's proxy adds this to whatever a server behind it answers.
ROUTED = "Received Model Group=m\nAvailable Model Group Fallbacks=None"
UNSERVED: list[tuple[int, Any]] = [
    (404, {"error": {"message": "File Not Found", "type": "not_found_error"}}),
    (404, {"detail": "Not Found"}),
    (404, "404 page not found"),
    (405, {"detail": "Method Not Allowed"}),
    (501, {"error": {"message": "not implemented"}}),
    (200, LM_STUDIO),
    (404, {"error": {"message": f"litellm.NotFoundError: Not Found. {ROUTED}", "code": "404"}}),
    (500, {"error": {"message": f"21 validation errors for ResponsesAPIResponse. {ROUTED}"}}),
]
MADE_UP = "a-key-made-up"


class ChatAlone(FakeApi):
    """A server that serves chat completions and answers any other path with `status`."""

    status = 404
    said: Any = ""

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        answer = await super()._answer(request)
        if request.path == "/v1/chat/completions":
            return answer
        if isinstance(self.said, str):
            return web.Response(text=self.said, status=self.status)
        return web.json_response(self.said, status=self.status)


def address_at(api: FakeApi, provider: str) -> str:
    """Return the address of a server, as a client of this provider is told it."""
    return api.url if provider == "anthropic" else f"{api.url}/v1"


async def play(
    api: FakeApi, provider: str = "compatible", folder: Path | None = None, **kwargs: Any
) -> History:
    """Play a game of three turns between a model at `api` and a script."""
    seats = f"{provider}:m,scripted:random"
    config = config_for("conversation", seats, folder, settings={"length": 3})
    own = {"base_url": address_at(api, provider), "max_attempts": 1} | kwargs
    config = with_first(config, api_key=SecretStr(MADE_UP), client_kwargs=own)
    return await GameEngine(config).play()


@pytest.mark.parametrize(("status", "said"), UNSERVED)
async def test_chat_completions_stand_in_where_responses_are_not_served(
    status: int, said: Any
) -> None:
    """The API that is not there is asked for once, by one client, however many questions."""
    async with ChatAlone() as api:
        api.status, api.said = status, said
        history = await play(api, "openai", reasoning={"effort": "low"}, text={"verbosity": "low"})
    paths = [asked.path for asked in api.requests]
    assert paths == ["/v1/responses", *["/v1/chat/completions"] * 3]
    assert history.status == "finished"
    assert history.usage["Ada"].attempts == 3
    assert not [event for event in history.events if event.kind == "fault"]
    for asked in api.requests[1:]:
        assert (asked.body["reasoning_effort"], asked.body["verbosity"]) == ("low", "low")
        assert not {"reasoning", "text"} & asked.body.keys()


@pytest.mark.parametrize(
    "error",
    [
        {"message": "no such thing", "code": "model_not_found"},
        {"message": "The model `m` does not exist."},
    ],
)
async def test_a_model_that_is_not_there_is_asked_for_through_one_api(error: Any) -> None:
    answer = {"error": error}
    with pytest.raises(FatalError, match=r"m answered HTTP 404: .* \(check model and base_url\)"):
        # `ask` sees that there was one request.
        await ask(ResponsesClient, lambda body: web.json_response(answer, status=404))


async def test_where_neither_api_is_served_the_sentence_is_of_chat_completions() -> None:
    async with FakeApi(reply=lambda body: web.json_response({}, status=404)) as api:
        history = await play(api, "openai")
    assert [asked.path for asked in api.requests] == ["/v1/responses", "/v1/chat/completions"]
    assert history.reason == "m answered HTTP 404 (check model and base_url)"


def typed(body: dict[str, Any]) -> str | web.Response:
    """Answer as llama.cpp's server does, first unusably, so that an earlier answer is sent."""
    if not all(item.get("type") == "message" for item in body["input"]):
        error = {"message": "Cannot determine type of 'item'", "type": "invalid_request_error"}
        return web.json_response({"error": error}, status=400)
    return legal(body) if len(body["input"]) > 1 else '{"rationale": "", "item": "'


async def test_earlier_answers_say_what_they_are() -> None:
    async with FakeApi(typed) as api:
        history = await play(api, "openai")
    assert history.usage["Ada"].fallbacks == 0
    assert history.usage["Ada"].attempts == 6


BABBLE: list[Callable[[str], str]] = [
    lambda answer: f"Sure! Here it is:\n```json\n{answer}\n```",
    lambda answer: f"I would say {answer[1:-1]}.",
    lambda answer: answer.replace("item", "choice"),
]


@pytest.mark.parametrize("provider", ["compatible", "openai", "anthropic"])
@pytest.mark.parametrize("babble", BABBLE)
async def test_a_seat_whose_schema_is_ignored_is_told_the_form_in_words(
    provider: str, babble: Callable[[str], str]
) -> None:
    """Only its first answer had a schema, and that is said once; in words it answers well."""

    def reply(body: dict[str, Any]) -> str:
        return legal(body) if "Its fields: " in json.dumps(body) else babble(legal(body))

    async with FakeApi(reply) as api:
        history = await play(api, provider)
    asked_in_words = ["Its fields: " in json.dumps(asked.body) for asked in api.requests]
    assert asked_in_words == [False] + [True] * (len(api.requests) - 1)
    said = [event for event in history.events if event.kind == "fault"]
    assert [(event.content, event.data["then"]) for event in said][-1] == (IGNORED, IN_WORDS)
    assert [event.content for event in said].count(IGNORED) == 1
    assert history.usage["Ada"].fallbacks == 0


async def test_a_resumed_game_goes_on_in_words(tmp_path: Path) -> None:
    """What was recorded in the old way fits the game, and no schema is tried again."""

    def reply(body: dict[str, Any]) -> str | web.Response:
        if len(api.requests) == 3:
            return web.json_response({"error": {"message": "pay"}}, status=402)
        return f"Well: {legal(body)}"

    async with FakeApi(reply) as api:
        history = await play(api, folder=tmp_path)
        assert (history.status, len(api.requests)) == ("failed", 3)
        (journal,) = tmp_path.glob("*.jsonl")
        history = await GameEngine.resume(journal).play()
    assert history.status == "finished"
    assert "Its fields: " in json.dumps(api.requests[-1].body)
    assert [event.content for event in history.events if event.kind == "fault"] == [IGNORED]


async def test_a_seat_without_schemas_ignores_none() -> None:
    async with FakeApi(lambda body: f"Well: {legal(body)}") as api:
        history = await play(api, structured=False)
    assert not [event for event in history.events if event.kind == "fault"]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("gpu", "http://gpu:11434/v1"),
        ("gpu:11500", "http://gpu:11500/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:11500", "http://127.0.0.1:11500/v1"),
        ("http://0.0.0.0:11500", "http://127.0.0.1:11500/v1"),
        (":11500", "http://127.0.0.1:11500/v1"),
        ("[::]:11500", "http://127.0.0.1:11500/v1"),
        ("::1", "http://[::1]:11434/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("[::1]:11500", "http://[::1]:11500/v1"),
        ("http://gpu", "http://gpu:80/v1"),
        ("https://gpu", "https://gpu:443/v1"),
        ("https://gpu:8443/ollama/", "https://gpu:8443/ollama/v1"),
        ("gpu:11500/", "http://gpu:11500/v1"),
        (' "gpu:11500" ', "http://gpu:11500/v1"),
    ],
)
def test_every_form_of_ollamas_own_variable_is_read(
    host: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ollama_address(host) == address
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert ClientConfig.for_player("ollama", "llama3").base_url == address


async def test_a_compatible_seat_is_set_up_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with FakeApi() as api:
        monkeypatch.setenv("COMPATIBLE_BASE_URL", f"{api.url}/v1")
        monkeypatch.setenv("COMPATIBLE_API_KEY", MADE_UP)
        seats = read_players("compatible:m,scripted:random")
        config = config_for("conversation").model_copy(update={"player_configs": seats})
        await GameEngine(config).play()
    assert api.requests[0].headers["Authorization"] == f"Bearer {MADE_UP}"


def test_a_compatible_seat_without_an_address_says_the_three_ways_to_give_one() -> None:
    with pytest.raises(ValueError, match=r"COMPATIBLE_BASE_URL.*base_url: .*@http://HOST:PORT/v1"):
        ClientConfig.for_player("compatible", "m")
    forgotten = r"expected the base_url.* --players compatible:m@http://HOST:PORT/v1$"
    with pytest.raises(ValueError, match=forgotten):
        ClientConfig.for_player("compatible", "m@127.0.0.1:4000/v1")


@pytest.mark.parametrize(
    ("shorthand", "provider", "model", "address"),
    [
        ("compatible:m@http://127.0.0.1:4000/v1", "compatible", "m", "http://127.0.0.1:4000/v1"),
        ("Zoe=compatible:@cf/meta/l@https://h/v1", "compatible", "@cf/meta/l", "https://h/v1"),
        ("openai:@http://127.0.0.1:1/v1", "openai", "gpt-5.4-mini", "http://127.0.0.1:1/v1"),
        ("openai:ft@2", "openai", "ft@2", None),
    ],
)
def test_a_seat_may_name_its_address(
    shorthand: str, provider: str, model: str, address: str | None
) -> None:
    (seat, other) = read_players(f"{shorthand},scripted:greedy")
    assert (seat.provider, seat.model) == (provider, model)
    assert seat.client_kwargs.get("base_url") == address
    assert not other.client_kwargs


def test_a_seat_may_skip_the_trial_of_its_form() -> None:
    skips = "compatible:m@http://h:1/v1?structured=false"
    (seat, other) = read_players(f"{skips},compatible:m@http://h/v1?v=2")
    assert seat.client_kwargs == {"base_url": "http://h:1/v1", "structured": False}
    assert other.client_kwargs == {"base_url": "http://h/v1?v=2"}


async def test_a_seats_key_may_come_from_any_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has the variable's name, never the key, and a resumed game finds it again."""
    monkeypatch.setenv("KEY_OF_MY_PROXY", MADE_UP)
    async with FakeApi() as api:
        settings = {"player_id": "Ada", "provider": "compatible", "model": "m"}
        settings["api_key_env"] = "KEY_OF_MY_PROXY"
        place = {"client_kwargs": {"base_url": f"{api.url}/v1"}}
        seat = PlayerConfig.model_validate(settings | place)
        config = config_for("conversation", "scripted:random,scripted:random", tmp_path)
        seats = [seat, config.player_configs[1]]
        history = await GameEngine(config.model_copy(update={"player_configs": seats})).play()
    assert {asked.headers["Authorization"] for asked in api.requests} == {f"Bearer {MADE_UP}"}
    assert "api_key_env" not in json.dumps([asked.body for asked in api.requests])
    (log,) = tmp_path.iterdir()
    assert MADE_UP not in log.read_text()
    assert history.players[0].client_kwargs["api_key_env"] == "KEY_OF_MY_PROXY"


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("KEY_THAT_IS_NOT_SET", "expected a key in the environment variable KEY_THAT_IS_NOT_SET"),
        ("sk-live-0123456789", "expected api_key_env to be the name of an environment variable"),
        (7, "expected api_key_env to be the name of an environment variable"),
    ],
)
def test_a_key_that_is_not_there_is_told_before_anything_begins(
    variable: object, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        ClientConfig.for_player("openai", "m", None, {"api_key_env": variable})
    assert "sk-live" not in str(caught.value)


def test_an_endpoint_of_ones_own_waits_for_its_turn_outside_the_time_limit() -> None:
    here = ClientConfig.for_player("ollama", "llama3")
    assert (here.timeout, here.max_attempts, here.concurrency) == (120, 2, 1)
    assert ClientConfig.for_player("local", "").timeout == 120
    assert ClientConfig.for_player("compatible", "m", None, {"base_url": "http://h"}).timeout == 60


async def complete(api: FakeApi, provider: str, times: int, **kwargs: Any) -> list[dict[str, Any]]:
    """Ask one client so often, as a seat does that has read the answers; return what was sent."""
    request = REQUEST
    settings = {"base_url": address_at(api, provider), **kwargs}
    async with client_of(provider, "m", SecretStr(MADE_UP), **settings) as client:
        for _ in range(times):
            completion = await client.complete(request)
            request = replace(request, thinks=request.thinks or has_thought(completion))
    return [asked.body for asked in api.requests]


def refusing(field: str, message: str, answer: Any = None) -> Reply:
    """Return a reply that refuses each request which holds `field`."""

    def reply(body: dict[str, Any]) -> str | web.Response:
        if field in json.dumps(body):
            return web.json_response({"error": {"message": message}}, status=400)
        return legal(body) if answer is None else web.json_response(answer)

    return reply


@pytest.mark.parametrize(
    ("provider", "kwargs", "field", "message"),
    [
        ("openai", {}, "summary", "Unsupported parameter: 'reasoning.summary'."),
        ("gemini", {}, "include_thoughts", "Thinking is not enabled for models/m"),
        (
            "anthropic",
            {"thinking": {"type": "adaptive"}},
            "summarized",
            "thinking.adaptive.display: Extra inputs are not permitted",
        ),
    ],
)
async def test_a_model_that_refuses_to_show_its_reasoning_is_asked_without(
    provider: str, kwargs: dict[str, Any], field: str, message: str
) -> None:
    """Once more at once, and never again with the setting."""
    async with FakeApi(refusing(field, message)) as api:
        bodies = await complete(api, provider, 3, **kwargs)
    assert [field in json.dumps(body) for body in bodies] == [True, False, False, False]


@pytest.mark.parametrize("provider", ["openai", "gemini"])
async def test_a_model_that_reasons_is_asked_to_show_it(provider: str) -> None:
    async with FakeApi() as api:
        (body,) = await complete(api, provider, 1)
    if provider == "openai":
        assert body["reasoning"] == {"summary": "auto"}
    else:
        assert body["extra_body"] == {"google": {"thinking_config": {"include_thoughts": True}}}


@pytest.mark.parametrize("provider", ["compatible", "anthropic", "ollama", "deepseek"])
async def test_nobody_is_told_to_reason(provider: str) -> None:
    answer = chat("{}", finish_reason="stop") | {"usage": None}
    reply: Reply = legal if provider == "anthropic" else lambda body: web.json_response(answer)
    async with FakeApi(reply) as api:
        (body,) = await complete(api, provider, 1)
    assert not {"thinking", "reasoning", "reasoning_effort", "extra_body"} & body.keys()


async def test_a_claude_that_reasons_unasked_is_asked_for_a_summary() -> None:
    """The second time: the fake's tokens say that it has reasoned the first."""
    async with FakeApi() as api:
        first, second = await complete(api, "anthropic", 2)
    assert "thinking" not in first
    assert second["thinking"] == {"type": "adaptive", "display": "summarized"}


async def test_an_answer_has_room_for_thoughts_only_where_there_are_some() -> None:
    plain = responses('{"why": "", "vote": "Ann"}')
    plain["usage"]["output_tokens_details"]["reasoning_tokens"] = 0
    async with FakeApi(lambda body: web.json_response(plain)) as api:
        bodies = await complete(api, "openai", 2)
    assert [body["max_output_tokens"] for body in bodies] == [200, 200]
    async with FakeApi() as api:
        bodies = await complete(api, "openai", 2)
    assert [body["max_output_tokens"] for body in bodies] == [200, 200 + 8192]
    async with FakeApi(lambda body: web.json_response(plain)) as api:
        bodies = await complete(api, "openai", 2, reasoning_effort="low")
    assert [body["max_output_tokens"] for body in bodies] == [200 + 8192] * 2


@pytest.mark.parametrize(
    "answer",
    [
        chat("<think>Well, ", finish_reason="length"),
        chat("", finish_reason="length"),
        chat("{", finish_reason="length", reasoning="Well, "),
    ],
)
async def test_a_model_that_thinks_shows_it_by_its_first_answer(answer: dict[str, Any]) -> None:
    answer = answer | {"usage": None}
    async with FakeApi(lambda body: web.json_response(answer)) as api:
        bodies = await complete(api, "compatible", 2)
    assert [body["max_tokens"] for body in bodies] == [200, 200 + 8192]
