"""A model server that fails on demand in every way a server can, in all three APIs."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from aiohttp import web

from tests.support.fake_api import (
    SHAPES,
    Asked,
    FakeApi,
    chat,
    legal,
    messages,
    responses,
    schema_in,
)

HUGE = 2_000_000
Fault = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]


def api_of(path: str) -> str:
    """Return which of the three APIs a path belongs to."""
    return next((api for api in ("completions", "responses") if path.endswith(api)), "messages")


def said(request: web.Request, text: str) -> web.Response:
    """Return `text` as a model's answer in the API that was asked."""
    return web.json_response(SHAPES[api_of(request.path)](text))


async def status(
    request: web.Request, body: dict[str, Any], *, code: int, kind: str = "e", **headers: str
) -> web.Response:
    """Fail with an HTTP status and quote the caller's own headers, as careless servers do."""
    error = {"type": kind, "code": kind, "message": f"no: {dict(request.headers)}"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response({"type": "error", "error": error}, status=code, headers=named)


async def reset(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Break the connection before sending anything."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def hang(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Send nothing for longer than any client waits."""
    await asyncio.sleep(60)
    return web.Response()


async def drip(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Send a space now and then, so that no single read is ever late."""
    answer = web.StreamResponse(headers={"content-type": "application/json"})
    await answer.prepare(request)
    with suppress(ConnectionError):
        for _ in range(1000):
            await answer.write(b" ")
            await asyncio.sleep(0.05)
    return answer


async def cut(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Announce an answer and break off in the middle."""
    headers = {"content-type": "application/json", "content-length": "5000"}
    answer = web.StreamResponse(headers=headers)
    await answer.prepare(request)
    await answer.write(b'{"id": "r1", "cho')
    return await reset(request, body)


async def page(request: web.Request, body: dict[str, Any]) -> web.Response:
    """Answer 200 with an HTML page."""
    text = f"<html>Busy, {dict(request.headers)}</html>"
    return web.Response(text=text, content_type="text/html")


async def broken(request: web.Request, body: dict[str, Any]) -> web.Response:
    """Answer 200 with JSON that ends too early."""
    return web.Response(text='{"id": "r1", "choices": [{"index"', content_type="application/json")


async def shaped(
    request: web.Request, body: dict[str, Any], *, shapes: dict[str, Any]
) -> web.Response:
    """Answer 200 with the body in `shapes` for the API that was asked."""
    return web.json_response(shapes[api_of(request.path)])


async def worded(
    request: web.Request, body: dict[str, Any], *, words: Callable[[dict[str, Any]], str]
) -> web.Response:
    """Answer well-formed, with the text that `words` makes of the question."""
    return said(request, words(body))


async def echo(request: web.Request, body: dict[str, Any]) -> web.Response:
    """Answer legally, with the caller's own headers in all other text fields."""
    heard = str(dict(request.headers))
    api = api_of(request.path)
    thoughts: dict[str, dict[str, str]] = {
        "completions": {"reasoning_content": heard, "finish_reason": heard},
        "responses": {"summary": heard},
        "messages": {"thinking": heard, "stop_reason": heard},
    }
    shape = SHAPES[api](legal(body), **thoughts[api])
    return web.json_response(shape | {"id": heard, "model": heard, "system_fingerprint": heard})


def illegal(body: dict[str, Any]) -> str:
    """Choose an option that was not offered."""
    return json.dumps(dict.fromkeys(schema_in(body)["properties"], "no such choice"))


def twice(body: dict[str, Any]) -> str:
    """Give every field twice, first with a wrong value."""
    return f"{illegal(body)[:-1]}, {legal(body)[1:]}"


def with_reason(reason: str) -> Callable[[dict[str, Any]], str]:
    """Return a function that answers legally, with `reason` as the JSON of free fields."""

    def words(body: dict[str, Any]) -> str:
        pairs = (
            f'"{name}": {json.dumps(f["enum"][0]) if "enum" in f else reason}'
            for name, f in schema_in(body)["properties"].items()
        )
        return f"{{{', '.join(pairs)}}}"

    return words


EMPTY: dict[str, Any] = {
    "completions": {"choices": []},
    "responses": {"output": []},
    "messages": {"content": []},
}
NULL: dict[str, Any] = {
    "completions": chat(None),  # type: ignore[arg-type]
    "responses": {"output": None},
    "messages": {"content": None},
}
WHOLE = {"completions": chat(""), "responses": responses(""), "messages": messages("")}
CUT = {
    "completions": chat('{"item": ', finish_reason="length"),
    "responses": responses('{"item": ', status="incomplete"),
    "messages": messages('{"item": ', stop_reason="max_tokens"),
}
REFUSED = {
    "completions": chat("", refusal="I will not."),
    "responses": responses("", refusal="I will not."),
    "messages": messages("I will not.", stop_reason="refusal"),
}

# Faults that end the game until a person fixes them.
FATAL: dict[str, Fault] = {
    **{str(code): partial(status, code=code) for code in (401, 403, 404)},
    "402 no credit": partial(status, code=402),
    "429 no credit": partial(status, code=429, kind="insufficient_quota"),
    "400 no credit": partial(status, code=400, kind="billing_error"),
}
# Faults that another attempt may overcome.
PASSING: dict[str, Fault] = {
    **{str(code): partial(status, code=code) for code in (408, 409, 429, 500, 503, 529)},
    **{
        f"429 after {wish}": partial(status, code=429, retry_after=wish)
        for wish in ("0", "3600", "soon", "-1", "nan")
    },
    "reset": reset,
    "cut": cut,
    "page": page,
    "broken": broken,
    "empty": partial(shaped, shapes={api: WHOLE[api] | EMPTY[api] for api in EMPTY}),
    "null": partial(shaped, shapes={api: WHOLE[api] | NULL[api] for api in NULL}),
}
# As above; each attempt takes its whole time limit.
SLOW: dict[str, Fault] = {"hang": hang, "drip": drip}
# Faults of the request itself: it is not repeated.
LOST: dict[str, Fault] = {str(code): partial(status, code=code) for code in (400, 413, 422)}
# Unusable answers: the model is told why and asked again.
UNUSABLE: dict[str, Fault] = {
    "length": partial(shaped, shapes=CUT),
    "refusal": partial(shaped, shapes=REFUSED),
    "illegal": partial(worded, words=illegal),
    "nan": partial(worded, words=with_reason("NaN")),
    "huge": partial(worded, words=with_reason(f'"{"x" * HUGE}"')),
    "braces": partial(worded, words=lambda body: '{"a":' * 2_000),
}
# Answers that look wrong but can be used.
USABLE: dict[str, Fault] = {
    "twice": partial(worded, words=twice),
    "surrogate": partial(worded, words=with_reason('"\\ud800 half a pair"')),
    "echo": echo,
    "nul": partial(worded, words=with_reason('"\\u0000\\u001b[2J"')),
}
FAULTS = FATAL | PASSING | SLOW | LOST | UNUSABLE | USABLE


@dataclass
class FaultApi(FakeApi):
    """A FakeApi whose requests number `first` (from 1) to `last` meet `fault`.

    `fault` is a name in FAULTS, "refused" or "gone". With "refused" no server listens until `sleep`
    was called `last` times or the address is `opened`. With "gone" none listens from request
    `first` on.
    """

    fault: str = ""
    first: int = 1
    last: int = 10**9
    naps: list[float] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        if self.fault == "refused":
            self._host, self._port = self._runner.addresses[0][:2]
            await next(iter(self._runner.sites)).stop()
        return self

    async def sleep(self, seconds: float) -> None:
        """Record how long the caller wanted to wait, without waiting."""
        self.naps.append(seconds)
        if self.fault == "refused" and len(self.naps) == self.last:
            await self.opened()

    async def opened(self) -> None:
        """Start listening at the refused address."""
        await web.TCPSite(self._runner, self._host, self._port).start()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.fault == "gone":
            if len(self.requests) + 2 == self.first:
                await next(iter(self._runner.sites)).stop()
            answer = await super()._answer(request)
            answer.force_close()
            return answer
        if self.fault not in FAULTS or not self.first <= len(self.requests) + 1 <= self.last:
            return await super()._answer(request)
        body = await request.json()
        self.requests.append(Asked(request.path, dict(request.headers), body))
        return await FAULTS[self.fault](request, body)
