"""Streams of one game: as server-sent events for the page, as a WebSocket for programs."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from engine.server.feed import Feed
from engine.server.frames import StreamFrame
from engine.server.web.limits import Places

RETRY = b"retry: 1000\n\n"
SILENCE = b": \n\n"
PIECE = 32 << 10
KIND = "text/event-stream"
NORMAL, TOO_LATE = 1000, 1012


@dataclass(frozen=True)
class Subscription:
    """What one caller follows, and in whose place."""

    feed: Feed
    view: str
    after: int
    seat: bool
    places: Places
    caller: str

    def follow(self) -> AsyncIterator[Sequence[StreamFrame]]:
        """Return the frames as they come."""
        return self.feed.follow(self.view, self.after, seat=self.seat)

    async def events(self) -> AsyncIterator[bytes]:
        """Yield the frames as server-sent events."""
        yield RETRY
        async for frames in self.follow():
            for piece in pieces_of(frames):
                yield piece


def pieces_of(frames: Sequence[StreamFrame]) -> Iterator[bytes]:
    """Yield frames in pieces of at most PIECE bytes: so much waits for one who does not read."""
    if len(frames) == 1 and len(frames[0].sse) <= PIECE:
        # Mostly so, and then all who watch share the same bytes.
        yield frames[0].sse
        return
    joined = bytearray()
    for frame in frames:
        if joined and len(joined) + len(frame.sse) > PIECE:
            yield bytes(joined)
            joined.clear()
        if len(frame.sse) <= PIECE:
            joined += frame.sse
            continue
        for begin in range(0, len(frame.sse), PIECE):
            yield frame.sse[begin : begin + PIECE]
    if joined or not frames:
        yield bytes(joined) or SILENCE


class Stream(StreamingResponse):
    """Server-sent events: one place is taken while they are sent."""

    def __init__(self, subscription: Subscription) -> None:
        super().__init__(subscription.events(), media_type=KIND)
        self.subscription = subscription

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the frames until the game ends or the watcher leaves."""
        with self.subscription.places.place(self.subscription.caller):
            await super().__call__(scope, receive, send)


async def stream_messages(socket: WebSocket, subscription: Subscription) -> None:
    """Send the frames as messages until the game ends or the watcher leaves."""
    with subscription.places.place(subscription.caller):
        await socket.accept()
        sending = asyncio.create_task(_send(socket, subscription))
        leaving = asyncio.create_task(_hear(socket))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)


async def _send(socket: WebSocket, subscription: Subscription) -> None:
    async for frames in subscription.follow():
        for frame in frames:
            await socket.send_text(frame.message)
    await socket.close(NORMAL)


async def _hear(socket: WebSocket) -> None:
    """Wait until the other side leaves; what it says is not asked for."""
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, KeyError):
        return
