"""Endpoints that refuse a part of a request: games go on without it, and logs stay the same."""

import json
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.record.journal import Journal
from engine.round import INSTEAD, REFUSED
from engine.runs.check import check_log
from engine.runs.replay import Replay, fork
from engine.runs.seating import read_players
from tests.support.fake_api import FakeApi, Reply, chat, legal, messages, responses
from tests.support.tables import config_for, with_first

PATHS = {"compatible": "/v1", "openai": "/v1", "anthropic": "", "gemini": "/v1"}
Body = dict[str, Any]
Holds = Callable[[Body], object]
# A status and what is said.
Refusal = tuple[int, Body]


def openai_says(message: str) -> Refusal:
    error = {"message": message, "type": "invalid_request_error", "param": None}
    return 400, {"error": error}


def fastapi_says(place: str) -> Refusal:
    message = "Extra inputs are not permitted"
    return 422, {"detail": [{"type": "extra_forbidden", "loc": ["body", place], "msg": message}]}


def refused(refusal: Refusal) -> web.Response:
    status, said = refusal
    return web.json_response(said, status=status)


def has_system(body: Body) -> bool:
    roles = [message["role"] for message in body.get("messages", ())]
    return "system" in [*roles, *body] or "instructions" in body


WIRE: dict[str, tuple[str, Holds, Refusal]] = {
    "summary": (
        "openai",
        lambda body: "summary" in body.get("reasoning", {}),
        openai_says("Your organization must be verified to generate reasoning summaries."),
    ),
    "thoughts": (
        "gemini",
        lambda body: "extra_body" in body,
        openai_says("Thinking is not enabled for models/m"),
    ),
    "store": ("openai", lambda body: "store" in body, fastapi_says("store")),
    "prompt_cache_key": (
        "openai",
        lambda body: "prompt_cache_key" in body,
        (422, {"detail": "Unknown field prompt_cache_key"}),
    ),
    "limit": (
        "compatible",
        lambda body: "max_tokens" in body,
        openai_says(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead."
        ),
    ),
    "cache_control": (
        "anthropic",
        lambda body: "cache_control" in json.dumps(body),
        openai_says("messages.0.content.0.cache_control: Extra inputs are not permitted"),
    ),
    "system of chat": ("compatible", has_system, openai_says("System role not supported")),
    "system of responses": ("openai", has_system, fastapi_says("instructions")),
    "system of messages": (
        "anthropic",
        has_system,
        openai_says("system: this model takes no system prompt"),
    ),
}


def refusing(*refusals: tuple[Holds, Refusal], answer: Reply = legal) -> Reply:
    """Return a reply that refuses each request which holds what it should not."""

    def reply(body: Body) -> str | web.StreamResponse:
        for holds, refusal in refusals:
            if holds(body):
                return refused(refusal)
        return answer(body)

    return reply


def game_at(api: FakeApi, provider: str, folder: Path | None, **more: Any) -> GameEngineConfig:
    """Return a game whose first seat is a model: a dilemma asks it several questions at once."""
    game = more.pop("game", "dilemma")
    scripts = ",scripted:coin,scripted:stoc" if game == "dilemma" else ",scripted:random"
    settings = {"max_rounds": 3} if game == "dilemma" else {"length": 4}
    config = config_for(game, f"{provider}:m{scripts}", folder, settings=settings, seed=1)
    kwargs = {"base_url": f"{api.url}{PATHS[provider]}", "max_attempts": 1, **more}
    return with_first(config, api_key=SecretStr("none"), client_kwargs=kwargs)


async def play(config: GameEngineConfig) -> History:
    history = await GameEngine(config).play()
    assert (history.status, history.reason) == ("finished", "")
    return history


def faults_in(history: History) -> list[tuple[str, str]]:
    faults = [event for event in history.events if event.kind == "fault"]
    return [(event.content, event.data["then"]) for event in faults]


@pytest.mark.parametrize("feature", WIRE)
async def test_what_is_refused_on_the_wire_is_left_out_and_no_byte_of_a_log_changes(
    feature: str, tmp_path: Path
) -> None:
    provider, holds, refusal = WIRE[feature]
    async with FakeApi(refusing((holds, refusal))) as api:
        config = game_at(api, provider, tmp_path)
        history = await play(config)
        asked = len(api.requests)
        held = [bool(holds(one.body)) for one in api.requests]
        (tmp_path / "game.json").unlink()
        api.reply = legal
        usual = (await play(config)).to_json()
    at_once = held.index(False)
    assert held == [True] * at_once + [False] * (asked - at_once)
    assert len(api.requests) - asked == asked - at_once
    assert history.to_json() == usual
    assert faults_in(history) == []


def events(*data: Body) -> web.Response:
    """Return a stream of events, as all three APIs send them."""
    named = [f"event: {one['type']}\n" if "type" in one else "" for one in data]
    lines = [f"{name}data: {json.dumps(one)}\n\n" for name, one in zip(named, data, strict=True)]
    text = "".join([*lines, "data: [DONE]\n\n"])
    return web.Response(text=text, content_type="text/event-stream")


def chat_events(body: Body) -> web.Response:
    text = legal(body)
    whole = chat(text)
    usage = whole.pop("usage")
    shape = whole | {"object": "chat.completion.chunk"}
    deltas = [{"role": "assistant", "content": text[:9]}, {"content": text[9:]}, {}]
    choices: list[Body] = [{"index": 0, "delta": one, "finish_reason": None} for one in deltas]
    choices[-1]["finish_reason"] = "stop"
    chunks = [shape | {"choices": [choice]} for choice in choices]
    return events(*chunks, shape | {"choices": [], "usage": usage})


def responses_events(body: Body) -> web.Response:
    whole = responses(legal(body))
    begun = {"type": "response.created", "sequence_number": 0, "response": whole | {"output": []}}
    return events(begun, {"type": "response.completed", "sequence_number": 1, "response": whole})


def messages_events(body: Body) -> web.Response:
    whole = messages(legal(body))
    (block,) = whole["content"]
    usage = whole["usage"]
    delta = {"type": "text_delta", "text": block["text"]}
    return events(
        {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block | {"text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    )


STREAMS: dict[str, Reply] = {
    "compatible": chat_events,
    "openai": responses_events,
    "anthropic": messages_events,
}
ONLY_STREAMS = (
    lambda body: "stream" not in body,
    openai_says("This model only supports streaming: stream must be true"),
)


@pytest.mark.parametrize("provider", STREAMS)
@pytest.mark.parametrize("refuses", [True, False])
async def test_an_endpoint_that_only_streams_is_read_to_the_end(
    provider: str, refuses: bool, tmp_path: Path
) -> None:
    """It says so, or streams its answer unasked: the log is that of any other endpoint."""
    stream = STREAMS[provider]
    async with FakeApi(refusing(ONLY_STREAMS, answer=stream) if refuses else stream) as api:
        config = game_at(api, provider, tmp_path)
        streamed = (await play(config)).to_json()
        assert ["stream" in asked.body for asked in api.requests].count(False) == 1
        (tmp_path / "game.json").unlink()
        api.reply = legal
        assert streamed == (await play(config)).to_json()


async def test_a_feature_that_was_not_the_cause_stays(tmp_path: Path) -> None:
    """A request that is refused in every way teaches nothing, and a limit that is too high is its
    own fault."""

    def reply(body: Body) -> str | web.Response:
        if len(api.requests) == 2:
            return refused(openai_says("max_tokens is too large: 8000, at most 4096"))
        if 3 <= len(api.requests) <= 4:
            return refused(openai_says("no system prompt here"))
        return legal(body)

    async with FakeApi(reply) as api:
        history = await play(game_at(api, "compatible", tmp_path, game="conversation"))
    assert history.usage["Ada"].fallbacks == 2
    assert [has_system(asked.body) for asked in api.requests] == [True, True, True, False, True]


def takes_schema(body: Body) -> bool:
    return '"json_schema"' in json.dumps(body)


NO_SCHEMA = (
    takes_schema,
    openai_says("Invalid parameter: 'response_format' of type 'json_schema' is not supported."),
)
NO_OUTPUT = (takes_schema, openai_says("output_config.format: Extra inputs not permitted"))
NO_FORMAT = (
    lambda body: "response_format" in body or "format" in body.get("text", {}),
    fastapi_says("response_format"),
)
FORMS = {
    "json": ("compatible", NO_SCHEMA, ["schema", "json"]),
    "words": ("compatible", NO_FORMAT, ["schema", "json", "words"]),
    "json of responses": ("openai", NO_SCHEMA, ["schema", "json"]),
    "words of responses": ("openai", NO_FORMAT, ["schema", "json", "words"]),
    "words of messages": ("anthropic", NO_OUTPUT, ["schema", "words"]),
}


def form_of(body: Body) -> str:
    if takes_schema(body):
        return "schema"
    assert "Its fields: " in json.dumps(body)
    return "json" if '"json_object"' in json.dumps(body) else "words"


@pytest.mark.parametrize("case", FORMS)
@pytest.mark.parametrize("game", ["dilemma", "conversation"])
async def test_a_seat_goes_on_in_the_form_that_is_not_refused(
    case: str, game: str, tmp_path: Path
) -> None:
    """One trial of each form, which is no attempt; the log says so once, and plays again."""
    provider, refusal, forms = FORMS[case]
    async with FakeApi(refusing(refusal)) as api:
        history = await play(game_at(api, provider, tmp_path, game=game))
    asked = [form_of(one.body) for one in api.requests]
    assert asked == forms[:-1] + [forms[-1]] * (len(asked) - len(forms) + 1)
    used = history.usage["Ada"]
    assert (used.fallbacks, used.attempts) == (0, len(asked) - len(forms) + 1)
    assert faults_in(history) == [(REFUSED, INSTEAD[forms[-1]])]
    assert Replay(history).run().to_json() == history.to_json()
    assert check_log(history) == ""


async def journal_of(
    config: GameEngineConfig, factory: ClientFactory | None = None
) -> tuple[History, bytes]:
    """Play a game and return it with the journal that it had at its last event."""
    engine = GameEngine(config, factory=factory)
    path = (config.logs_dir or Path()) / "game.jsonl"
    kept = [b""]
    engine.subscribe(lambda event: kept.append(path.read_bytes()))
    history = await engine.play()
    return history, kept[-1]


@pytest.mark.parametrize("case", ["json", "words", "words of messages"])
@pytest.mark.parametrize("game", ["dilemma", "conversation"])
async def test_games_in_either_order_killed_anywhere_give_the_same_bytes(
    case: str, game: str, tmp_path: Path
) -> None:
    provider, refusal, _ = FORMS[case]
    async with FakeApi(refusing(refusal)) as api:
        logs = []
        for order in (("dilemma", "conversation"), ("conversation", "dilemma")):
            async with aclosing(ClientFactory()) as factory:
                for name in order:
                    folder = tmp_path / "-".join((*order, name))
                    config = game_at(api, provider, folder, game=name)
                    history, journal = await journal_of(config, factory)
                    if name == game:
                        logs.append((history.to_json(), journal))
        assert logs[0] == logs[1]
        log, journal = logs[0]
        lines = journal.splitlines(keepends=True)
        forms = [number for number, line in enumerate(lines) if b'"kind": "form"' in line]
        answers = [number for number, line in enumerate(lines) if b'"kind": "answer"' in line]
        assert forms[0] < answers[0]
        for cut in range(1, len(lines)):
            folder = tmp_path / f"cut {cut}"
            folder.mkdir()
            path = folder / "game.jsonl"
            path.write_bytes(b"".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2])
            config = game_at(api, provider, folder, game=game)
            assert (await GameEngine.resume(path, config).play()).to_json() == log


async def test_a_game_that_is_killed_behind_its_form_follows_what_it_is_answered_in(
    tmp_path: Path,
) -> None:
    """The endpoint takes schemas by then: the answer's own line of its form counts."""
    async with FakeApi(refusing(NO_SCHEMA)) as api:
        config = game_at(api, "compatible", tmp_path / "first", game="conversation")
        _, journal = await journal_of(config)
        lines = journal.splitlines(keepends=True)
        cut = next(n for n, line in enumerate(lines) if b'"kind": "form"' in line) + 1
        (tmp_path / "game.jsonl").write_bytes(b"".join(lines[:cut]))
        api.reply = legal
        config = game_at(api, "compatible", tmp_path, game="conversation")
        history = await GameEngine.resume(tmp_path / "game.jsonl", config).play()
    assert faults_in(history) == []
    assert Replay(history).run().to_json() == history.to_json()


async def test_a_fork_takes_the_forms_over(tmp_path: Path) -> None:
    async with FakeApi(refusing(NO_SCHEMA)) as api:
        history = await play(game_at(api, "compatible", None, game="conversation"))
        last = len(history.events) - 1
        journal = fork(history, last, read_players("Ben=scripted:greedy"), tmp_path).journal
        assert journal is not None
        journal.close()
        (path,) = tmp_path.iterdir()
        assert Journal.load(path).forms == journal.forms
        assert set(journal.forms.values()) == {"json"}


async def test_a_form_that_fails_for_another_reason_is_no_trial(tmp_path: Path) -> None:
    """The server is busy where the next form would be tried: the question is lost, and no more."""

    def reply(body: Body) -> str | web.Response:
        if takes_schema(body):
            return refused(NO_SCHEMA[1])
        return web.json_response({}, status=500) if len(api.requests) == 2 else legal(body)

    async with FakeApi(reply) as api:
        await play(game_at(api, "compatible", tmp_path, game="conversation"))
    assert [form_of(asked.body) for asked in api.requests] == ["schema", *["json"] * 4]


async def test_refused_trials_take_nothing_of_a_budget_of_calls(tmp_path: Path) -> None:
    async with FakeApi(refusing(NO_FORMAT)) as api:
        config = game_at(api, "compatible", tmp_path, game="conversation")
        limits = config.limits.model_copy(update={"max_calls": 4})
        history = await play(config.model_copy(update={"limits": limits}))
    assert (history.usage["Ada"].attempts, len(api.requests)) == (4, 6)


async def test_a_seat_may_skip_the_trial(tmp_path: Path) -> None:
    async with FakeApi(refusing(NO_FORMAT)) as api:
        history = await play(game_at(api, "compatible", tmp_path, structured=False))
    assert {form_of(asked.body) for asked in api.requests} == {"words"}
    assert faults_in(history) == []
