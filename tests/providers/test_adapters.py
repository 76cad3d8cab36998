"""Each adapter against a server that speaks its API: what it sends, reads, and says of faults."""

import json
from typing import Any

import pytest
from aiohttp import web

from providers import (
    CompletionRequest,
    FatalError,
    Message,
    ProviderError,
    RequestError,
    TransientError,
    UnreachableError,
    Usage,
)
from providers.anthropic import MessagesClient
from providers.connection import SdkClient
from providers.endpoint import Endpoint
from providers.openai import ResponsesClient
from providers.openai_chat import ChatClient
from tests.support.asked import ADAPTERS, CANARY, REQUEST, SCHEMA, ask
from tests.support.fake_api import FakeApi, Reply, chat, messages, responses


async def fault_at(adapter: type[SdkClient[Any]], reply: Reply) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(adapter, reply)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return caught.value


def with_json(answer: Any, status: int = 200, **headers: str) -> Reply:
    return lambda body: web.json_response(answer, status=status, headers=headers)


@ADAPTERS
async def test_an_answer_is_read_and_its_tokens_counted_alike(
    adapter: type[SdkClient[Any]],
) -> None:
    completion, _, _ = await ask(adapter)
    assert json.loads(completion.text) == {"why": "some why", "vote": "Ann"}
    assert completion.usage == Usage(
        prompt_tokens=100,
        cached_tokens=60,
        completion_tokens=20,
        reasoning_tokens=5,
        cache_write_tokens=10,
    )
    assert (completion.finish, completion.reasoning) == ("stop", "")
    assert completion.raw["model"] == "fake"


async def test_what_chat_completions_are_sent() -> None:
    _, body, headers = await ask(
        ChatClient, temperature=0.3, top_k=4, headers={"x-team": "a"}, extra_body={"min_p": 1}
    )
    assert body["messages"] == [
        {"role": "system", "content": "You play."},
        {"role": "user", "content": "Ann: hello\nBen: hi\nYour vote?"},
        {"role": "assistant", "content": "Cleo"},
        {"role": "user", "content": "Ann or Bob."},
    ]
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "Vote", "schema": SCHEMA, "strict": True},
    }
    assert (body["model"], body["temperature"], body["top_k"], body["min_p"]) == ("m", 0.3, 4, 1)
    assert body["max_tokens"] == 200
    assert "prompt_cache_key" not in body
    assert headers["authorization"] == f"Bearer {CANARY}"
    assert headers["x-team"] == "a"


async def test_an_openai_account_is_told_to_no_other_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    _, _, headers = await ask(ChatClient)
    assert "openai-organization" not in headers


async def test_settings_win_over_what_chat_completions_are_sent() -> None:
    _, body, _ = await ask(ChatClient, max_completion_tokens=9)
    assert (body.get("max_tokens"), body["max_completion_tokens"]) == (None, 9)
    assert (await ask(ChatClient, max_tokens=7))[1]["max_tokens"] == 7


async def test_what_responses_are_sent() -> None:
    settings: dict[str, Any] = {"reasoning": {"summary": "auto"}, "text": {"verbosity": "low"}}
    _, body, _ = await ask(ResponsesClient, reasoning_effort="low", **settings)
    assert body["instructions"] == "You play."
    assert body["input"][0]["content"] == "Ann: hello\nBen: hi\nYour vote?"
    assert body["text"] == {
        "format": {"type": "json_schema", "name": "Vote", "schema": SCHEMA, "strict": True},
        "verbosity": "low",
    }
    assert body["reasoning"] == {"effort": "low", "summary": "auto"}
    assert (body["prompt_cache_key"], body["store"]) == ("Ann", False)
    assert (await ask(ResponsesClient, max_tokens=77))[1]["max_output_tokens"] == 77


async def test_what_messages_are_sent() -> None:
    _, body, headers = await ask(MessagesClient, temperature=0.3, reasoning_effort="low")
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body["system"] == [{"type": "text", "text": "You play.", **mark}]
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "Ann: hello\n", **mark},
        {"type": "text", "text": "Ben: hi\n", **mark},
        {"type": "text", "text": "Your vote?"},
    ]
    assert body["messages"][1:] == [
        {"role": "assistant", "content": [{"type": "text", "text": "Cleo"}]},
        {"role": "user", "content": [{"type": "text", "text": "Ann or Bob."}]},
    ]
    schema = body["output_config"]["format"]["schema"]
    assert schema["properties"]["vote"]["enum"] == ["Ann", "Bob"]
    assert schema["additionalProperties"] is False
    assert body["output_config"]["effort"] == "low"
    assert body["temperature"] == 0.3
    assert headers["authorization"] == f"Bearer {CANARY}"


@pytest.mark.parametrize(("parts", "marked"), [(1, 0), (2, 1), (4, 3), (9, 3)])
async def test_messages_have_four_cache_breakpoints_at_most(parts: int, marked: int) -> None:
    message = Message("user", tuple(f"part {n}" for n in range(parts)))
    request = CompletionRequest("You play.", (message,))
    _, body, _ = await ask(MessagesClient, request=request)
    blocks = body["messages"][0]["content"]
    found = [n for n, block in enumerate(blocks) if "cache_control" in block]
    assert found == [*range(parts - 1 - marked, parts - 1)]
    assert "output_config" not in body


async def test_a_budget_for_thoughts_leaves_room_for_the_answer() -> None:
    _, body, _ = await ask(MessagesClient, thinking={"type": "enabled", "budget_tokens": 20000})
    assert body["max_tokens"] == 20200


LENGTH = {"status": "incomplete"}
FINISHES: list[tuple[type[SdkClient[Any]], Any, str, str]] = [
    (ChatClient, chat("cut", finish_reason="length"), "length", "cut"),
    (ChatClient, chat("", finish_reason="length"), "length", ""),
    (ChatClient, chat("", refusal="I will not."), "refusal", "I will not."),
    (ChatClient, chat("", finish_reason="content_filter"), "refusal", ""),
    (ResponsesClient, responses("cut", **LENGTH), "length", "cut"),
    (ResponsesClient, responses("", refusal="I will not."), "refusal", "I will not."),
    (
        ResponsesClient,
        responses("", **LENGTH) | {"incomplete_details": {"reason": "content_filter"}},
        "refusal",
        "",
    ),
    (MessagesClient, messages("cut", stop_reason="max_tokens"), "length", "cut"),
    (MessagesClient, messages("cut", stop_reason="model_context_window_exceeded"), "length", "cut"),
    (MessagesClient, messages("No.", stop_reason="refusal"), "refusal", "No."),
]


@pytest.mark.parametrize(("adapter", "answer", "finish", "text"), FINISHES)
async def test_why_an_answer_ended(
    adapter: type[SdkClient[Any]], answer: Any, finish: str, text: str
) -> None:
    completion, _, _ = await ask(adapter, with_json(answer))
    assert (completion.finish, completion.text) == (finish, text)


@pytest.mark.parametrize(
    ("adapter", "answer"),
    [
        (ChatClient, chat("yes", reasoning_content="hmm")),
        (ChatClient, chat("yes", reasoning="hmm")),
        (ResponsesClient, responses("yes", summary="hmm")),
        (MessagesClient, messages("yes", thinking="hmm")),
    ],
)
async def test_shown_reasoning_is_kept_apart(adapter: type[SdkClient[Any]], answer: Any) -> None:
    completion, _, _ = await ask(adapter, with_json(answer))
    assert (completion.text, completion.reasoning) == ("yes", "hmm")


async def test_an_endpoint_need_not_count_tokens_and_may_send_parts() -> None:
    parts: Any = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "yes"}]
    completion, _, _ = await ask(ChatClient, with_json(chat(parts) | {"usage": None}))
    assert (completion.text, completion.usage) == ("yes", Usage())


STATUSES: list[tuple[int, type[ProviderError]]] = [
    *((status, FatalError) for status in (401, 402, 403, 404)),
    *((status, TransientError) for status in (408, 409, 429, 500, 502, 503, 529)),
    *((status, RequestError) for status in (400, 413, 422)),
]


@ADAPTERS
@pytest.mark.parametrize(("status", "kind"), STATUSES)
async def test_each_status_is_one_kind_of_fault(
    adapter: type[SdkClient[Any]], status: int, kind: type[ProviderError]
) -> None:
    error = {"type": "e", "message": f"Wrong key {CANARY},\n or {CANARY[:12]}"}
    said = {"type": "error", "error": error}
    fault = await fault_at(adapter, with_json(said, status, **{"retry-after": "7"}))
    assert type(fault) is kind
    assert str(fault).startswith(f"m answered HTTP {status}: Wrong key (redacted)")
    parts = [CANARY[start : start + 8] for start in range(len(CANARY) - 7)]
    assert not any(part in f"{fault!r} {fault.__dict__}" for part in parts)
    assert "\n" not in str(fault)
    if isinstance(fault, TransientError):
        assert fault.retry_after == 7


BROKEN = [
    ("text/html", "<html>busy</html>"),
    *(
        ("application/json", text)
        for text in ('{"id": "x", "cho', "", "{}", "[]", "null", '"yes"', "7", "[" * 9999)
    ),
]


@ADAPTERS
@pytest.mark.parametrize(("content_type", "text"), BROKEN)
async def test_what_is_no_answer_passes(
    adapter: type[SdkClient[Any]], content_type: str, text: str
) -> None:
    fault = await fault_at(adapter, lambda body: web.Response(text=text, content_type=content_type))
    assert isinstance(fault, TransientError)


EMPTY: list[tuple[type[SdkClient[Any]], Any]] = [
    (ChatClient, chat("") | {"choices": []}),
    (ChatClient, chat("") | {"choices": None}),
    (ChatClient, chat("")),
    (ChatClient, chat(None)),  # type: ignore[arg-type]
    (ChatClient, chat(" \n")),
    (ChatClient, chat(7)),  # type: ignore[arg-type]
    (ChatClient, chat("half", finish_reason="error")),
    (ChatClient, {"error": {"code": 502, "message": "Provider returned error"}}),
    (ResponsesClient, responses("") | {"output": []}),
    (ResponsesClient, responses("")),
    (
        ResponsesClient,
        responses("", status="failed") | {"error": {"code": "server_error", "message": "x"}},
    ),
    (ResponsesClient, responses("", status="cancelled")),
    (MessagesClient, messages("")),
    (MessagesClient, messages("") | {"content": []}),
    (MessagesClient, messages("") | {"content": None}),
]


@pytest.mark.parametrize(("adapter", "answer"), EMPTY)
async def test_an_empty_answer_passes(adapter: type[SdkClient[Any]], answer: Any) -> None:
    assert isinstance(await fault_at(adapter, with_json(answer)), TransientError)


@pytest.mark.parametrize(
    ("adapter", "answer", "kind"),
    [
        (ChatClient, {"error": {"code": 401, "message": "No auth"}}, FatalError),
        (
            ResponsesClient,
            responses("", status="failed") | {"error": {"code": "invalid_prompt"}},
            RequestError,
        ),
    ],
)
async def test_a_fault_may_come_with_a_200(
    adapter: type[SdkClient[Any]], answer: Any, kind: type[Exception]
) -> None:
    assert type(await fault_at(adapter, with_json(answer))) is kind


@ADAPTERS
async def test_nobody_there_passes(adapter: type[SdkClient[Any]]) -> None:
    endpoint = Endpoint("m", "http://127.0.0.1:1", CANARY, 5.0)
    refused = "m could not be reached at http://127.0.0.1:1: the connection was refused"
    with pytest.raises(UnreachableError, match=refused):
        await adapter(endpoint).complete(REQUEST)
    await endpoint.pool.aclose()


@ADAPTERS
async def test_a_slow_answer_passes(adapter: type[SdkClient[Any]]) -> None:
    async with FakeApi(delay=5) as api:
        endpoint = Endpoint("m", api.url, CANARY, 0.1)
        with pytest.raises(UnreachableError, match=r"m did not answer within 0\.1 s at http"):
            await adapter(endpoint).complete(REQUEST)
        await endpoint.pool.aclose()
