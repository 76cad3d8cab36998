"""Refusals: error responses whose one sentence is sent as `{"detail": ...}`."""

import json
from collections.abc import Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

UNFINISHED = frozenset({400, 408, 413, 431, 505})


class Refusal(Exception):  # noqa: N818 - most are no fault of the server
    """A refused request: status, one-sentence reason, and extra headers and fields."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        **fields: object,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}
        self.fields = fields

    def response(self) -> Response:
        """Return the response, which closes the connection if the body was not read."""
        headers = dict(self.headers)
        if self.status in UNFINISHED:
            headers["connection"] = "close"
        body = json.dumps({"detail": self.detail, **self.fields}, ensure_ascii=False)
        return Response(body, self.status, headers, "application/json")


async def refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request or a WebSocket handshake with a refusal."""
    response = refusal.response()
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
    else:
        await response(scope, receive, send)
