"""uvicorn's protocols, with a deadline for request heads and a limit on connections.

By itself, uvicorn waits forever for the end of a request head, or for a client that does not read
its response. It also accepts any number of silent connections.
"""

import asyncio
import json
import socket
import sys
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from engine.server.guard import NO_STORE, SAFE_HEADERS

# Bytes the system may buffer per client. With more, clients that do not read are noticed later.
UNREAD_BYTES = 128 << 10
FULL = "all connections are taken: try again in a few seconds"


class Unread(asyncio.Protocol):
    """Cuts off clients that read nothing for thirty seconds."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    reading: asyncio.TimerHandle | None = None
    unread_seconds: ClassVar[float] = 30.0

    def pause_writing(self) -> None:
        """Start the timer, because the client reads more slowly than the server writes."""
        super().pause_writing()
        self._look_again()

    def resume_writing(self) -> None:
        """Stop the timer, because the client has read most of the data."""
        if self.reading is not None:
            self.reading.cancel()
        super().resume_writing()

    def _look_again(self) -> None:
        left = self.transport.get_write_buffer_size()
        self.reading = self.loop.call_later(self.unread_seconds, self._check_reading, left)

    def _check_reading(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if self.transport.is_closing() and not left:
            return
        if left < before:
            self._look_again()
        else:
            self.transport.abort()


class Deadline(Unread, H11Protocol):
    """Closes connections that do not send a complete request head within ten seconds.

    If there are too many connections, the one that has waited longest for a head is closed, so
    silent connections never block genuine requests.
    """

    timer: asyncio.TimerHandle | None = None
    head_seconds: ClassVar[float] = 10.0
    most_connections: ClassVar[int] = 1000

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the request head; over the limit, close a waiting connection or this one."""
        super().connection_made(transport)
        # Shared by the whole server: connections waiting for a head, in order of arrival.
        self.waiting: dict[Deadline, None] = self.app_state.setdefault("waiting", {})
        connected = transport.get_extra_info("socket")
        if connected is not None:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
        if len(self.connections) > self.most_connections:
            if not self.waiting:
                transport.write(whole_answer(503, FULL, (b"retry-after", b"5")))
                transport.close()
                return
            # Close the connection that has waited longest.
            next(iter(self.waiting)).give_up()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process more data; a head that arrives slowly gets no extra time."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self.timer is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a head."""
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next head; until it arrives, a new connection may replace this one."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.waiting[self] = None

    def give_up(self) -> None:
        """Close the connection at once; it has no pending request."""
        self._stop_waiting()
        self.connections.discard(self)
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Reject an invalid head with the status that h11 suggests, such as 431 if too long."""
        status = getattr(sys.exception(), "error_status_hint", 400)
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            detail = f"expected an HTTP/1.1 request with a head of at most 16 KiB: {msg}"
            self.transport.write(whole_answer(status, detail))
        self.transport.close()

    def _wait(self) -> None:
        self.waiting[self] = None
        self.timer = self.loop.call_later(self.head_seconds, self.give_up)

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class PatientSocket(Unread, WebSocketsSansIOProtocol):
    """A WebSocket that is closed when the client stops reading."""

    def handle_connect(self, event: Request) -> None:
        """Open a WebSocket, or reject an invalid handshake like any other invalid request."""
        refused = self.conn.accept(event)
        if refused.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            super().handle_connect(event)
            return
        self.handshake_complete = True
        self.close_sent = True
        detail = "expected a WebSocket handshake, version 13: see /api/openapi.json"
        self.transport.write(whole_answer(refused.status_code, detail))
        self.transport.close()

    async def send(self, message: Any) -> None:
        """Send a message; mark a rejection as complete, so that uvicorn does not log a failure."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True


def whole_answer(status: int, detail: str, *more: tuple[bytes, bytes]) -> bytes:
    """Return the bytes of an error response that bypasses the app and closes the connection."""
    body = json.dumps({"detail": detail}).encode()
    headers = [
        *SAFE_HEADERS,
        NO_STORE,
        *more,
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    lines = [name + b": " + value for name, value in headers]
    begin = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()
    return b"\r\n".join([begin, *lines, b"", body])
