"""The events of a game: page by page, or live by server-sent events or WebSocket."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response, WebSocket
from starlette.datastructures import QueryParams
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engine.server.frames import StreamFrame, cursor_of
from engine.server.keys import Caller
from engine.server.web.desk import Asking, AtDesk, Desk, GameName, caller_of, whole_number
from engine.server.web.refusal import Refusal
from engine.server.web.rights import AsView, allowed_view, seats_of

router = APIRouter()
MOST_EVENTS = 1000
LARGEST = 10**9
RETRY = b"retry: 1000\n\n"
SILENCE = b": \n\n"
PIECE = 32 << 10
KIND = "text/event-stream"
NORMAL = 1000
Batches = AsyncIterator[Sequence[StreamFrame]]


async def event_bytes(batches: Batches) -> AsyncIterator[memoryview]:
    """Yield frames as server-sent events; release each chunk when the next one is requested."""
    yield memoryview(RETRY)
    async for frames in batches:
        for piece in pieces_of(frames):
            # Starlette keeps the last chunk in memory for as long as the watcher waits.
            with memoryview(piece) as view:
                yield view
            del piece


def pieces_of(frames: Sequence[StreamFrame]) -> Iterator[bytes]:
    """Yield frames in pieces of at most PIECE bytes, which limits the unsent data per client."""
    if len(frames) == 1 and len(frames[0].sse) <= PIECE:
        # The usual case: all viewers share the same bytes.
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


def number_behind(cursor: str | None, view: str) -> int | None:
    """Return the event number in a cursor (-1 if missing), or None if it is for another view."""
    named, separator, number = (cursor or "-1").rpartition(":")
    place = whole_number(number, "after", -1, LARGEST, -1)
    is_own = not separator or cursor_of(view, place) == f"{named}:{number}"
    return place if is_own else None


class Stream(StreamingResponse):
    """A stream of server-sent events, which occupies a viewer slot until it ends."""

    def __init__(self, batches: Batches, place: AbstractContextManager[None]) -> None:
        super().__init__(event_bytes(batches), media_type=KIND)
        self.place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the frames until the game ends or the watcher leaves."""
        with self.place:
            await super().__call__(scope, receive, send)


async def _send(socket: WebSocket, batches: Batches) -> None:
    async for frames in batches:
        for frame in frames:
            await socket.send_text(frame.message)
    await socket.close(NORMAL)


async def _hear(socket: WebSocket) -> None:
    """Wait until the client leaves, ignoring its messages."""
    with suppress(KeyError):  # the message is not text
        async for _ in socket.iter_text():
            pass


@router.get(
    "/games/{name}/events",
    summary="Events, one page or live",
    responses={
        200: {
            "content": {
                "application/json": {"example": {"events": [], "next": None}},
                KIND: {"example": 'retry: 1000\n\nevent: hello\ndata: {"game":"dilemma"}\n\n'},
            }
        }
    },
)
async def list_events(
    request: Request,
    name: GameName,
    caller: Asking,
    desk: AtDesk,
    *,
    view: AsView = None,
    after: Annotated[
        str | None,
        Query(description="return the events after this one: its number in the view, or `next`"),
    ] = None,
    limit: Annotated[str | None, Query(description="maximum number of events, up to 1000")] = None,
) -> Response:
    """Return a view's events after event number `after`.

    With `Accept: text/event-stream`, stream them live as hello, event, question, status and
    end frames. An event frame's id, like `next`, contains the view and the number, such as Ada:17.
    """
    if KIND in request.headers.get("accept", ""):
        last = request.headers.get("last-event-id")
        return Stream(*await subscription_of(request.query_params, last, name, caller, desk))
    history = await desk.history(name)
    seen = allowed_view(caller, name, history, view)
    feed = await desk.hall.feed(name)
    begin = number_behind(after, seen)
    if begin is None:
        raise Refusal(409, f"the cursor {after!r:.80} belongs to another view: leave out after=")
    most = whole_number(limit, "limit", MOST_EVENTS, MOST_EVENTS, 1)
    page = _page_in_json(feed.page(seen, begin, most), most)
    return Response(page, media_type="application/json")


def _page_in_json(frames: Sequence[StreamFrame], most: int) -> str:
    following = f'"{frames[-1].id}"' if len(frames) == most else "null"
    listed = ",".join([frame.data for frame in frames])
    return f'{{"events":[{listed}],"next":{following}}}'


@router.websocket("/games/{name}/stream")
async def watch_messages(socket: WebSocket, name: GameName, desk: AtDesk) -> None:
    """Send the frames of the event stream, each as {type, id?, data}."""
    caller = caller_of(socket)
    batches, place = await subscription_of(socket.query_params, None, name, caller, desk)
    with place:
        await socket.accept()
        sending = asyncio.create_task(_send(socket, batches))
        leaving = asyncio.create_task(_hear(socket))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)


async def subscription_of(
    query: QueryParams, last: str | None, name: str, caller: Caller, desk: Desk
) -> tuple[Batches, AbstractContextManager[None]]:
    """Return the frames that a caller requests, and the viewer slot that they occupy.

    Raises Refusal if the game or the view is missing or forbidden.
    """
    history = await desk.history(name)
    view = allowed_view(caller, name, history, query.get("as"))
    after = number_behind(last or query.get("after"), view)
    async with desk.refuse_unknown(name):
        feed = await desk.hall.feed(name)
    has_seat = view in seats_of(caller, name)
    if has_seat and view in desk.hall.seats(name):
        desk.hall.seats(name)[view].rejoin()
    # A cursor of another view leads to a reset.
    batches = feed.follow(view, LARGEST if after is None else after, seat=has_seat)
    return batches, desk.places.place(caller.label)
