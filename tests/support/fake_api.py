"""A fake model server over real HTTP, with Chat Completions, Responses and Messages."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Shape = Callable[..., dict[str, Any]]
Reply = Callable[[dict[str, Any]], str | web.StreamResponse]


def schema_in(body: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema that a request in any of the APIs asks for, even if only in words."""
    for form in (
        body.get("response_format", {}).get("json_schema", {}),
        body.get("text", {}).get("format", {}),
        body.get("output_config", {}).get("format", {}),
    ):
        if "schema" in form:
            schema: dict[str, Any] = form["schema"]
            return schema
    return {"properties": fields_in_words(body)}


def fields_in_words(body: dict[str, Any]) -> dict[str, Any]:
    """Return the fields and choices that the last message of a request describes in words."""
    *_, last = body.get("messages") or body.get("input") or [{"content": ""}]
    content = last["content"]
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    _, in_words, told = text.rpartition("Its fields: ")
    if not in_words:
        return {}
    places = [*re.finditer(r'"(\w+)" \(', told)]
    fields: dict[str, Any] = {}
    for place, after in zip(places, [*places[1:], None], strict=True):
        meaning = told[place.end() : after.start() if after else len(told)]
        listed = meaning.partition("one of ")[2].rpartition(")")[0]
        longest = re.search(r"at most (\d+) characters", meaning)
        fields[place[1]] = {"enum": json.loads(f"[{listed}]")} if listed else {}
        if longest is not None:
            fields[place[1]] = {"maxLength": int(longest[1])}
    return fields


def legal(body: dict[str, Any]) -> str:
    """Return the first legal answer to a request."""
    fields = schema_in(body)["properties"]
    return json.dumps({name: first_legal(field, f"some {name}") for name, field in fields.items()})


def first_legal(field: dict[str, Any], words: str) -> str | int:
    """Return the first choice of a field, a number if it takes one, else `words`."""
    if "enum" in field:
        choice: str = field["enum"][0]
        return choice
    return 30 if field.get("type") == "integer" else words


@dataclass
class FakeApi:
    """An async context manager; `reply` makes a text or a whole response after `delay` seconds."""

    reply: Reply = legal
    delay: float = 0.0
    url: str = ""
    requests: list[Asked] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(Asked(request.path, dict(request.headers), body))
        answer = self.reply(body)
        await asyncio.sleep(self.delay)
        if isinstance(answer, web.StreamResponse):
            return answer
        shape: Shape = SHAPES.get(request.path.rpartition("/")[2], responses)
        return web.json_response(shape(answer))


def chat(text: str, **more: Any) -> dict[str, Any]:
    """Return a chat completion; `more` replaces fields of its message or choice."""
    finish = more.pop("finish_reason", "stop")
    message = {"role": "assistant", "content": text} | more
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [choice],
        "usage": usage,
    }


def responses(
    text: str, *, refusal: str = "", summary: str = "", status: str = "completed"
) -> dict[str, Any]:
    said = (
        {"type": "refusal", "refusal": refusal}
        if refusal
        else {"type": "output_text", "text": text}
    )
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    thought = {
        "type": "reasoning",
        "id": "t1",
        "summary": [{"type": "summary_text", "text": summary}],
    }
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 120,
    }
    content = [{"annotations": [], **said}]
    return {
        "id": "r1",
        "object": "response",
        "created_at": 0,
        "model": "fake",
        "status": status,
        "output": [*([thought] if summary else []), message | {"content": content}],
        "usage": usage,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }


def messages(text: str, *, thinking: str = "", stop_reason: str = "end_turn") -> dict[str, Any]:
    usage = {
        "input_tokens": 30,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 10,
        "output_tokens": 20,
        "output_tokens_details": {"thinking_tokens": 5},
    }
    thought = [{"type": "thinking", "thinking": thinking, "signature": "s"}] if thinking else []
    return {
        "id": "a1",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": [*thought, {"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


# The last part of an address, and the form of its answers.
SHAPES: dict[str, Shape] = {"completions": chat, "responses": responses, "messages": messages}
