"""The events of a game: a page of them, or live."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response, WebSocket
from starlette.datastructures import QueryParams

from engine.server.keys import Caller
from engine.server.web.desk import Asking, AtDesk, Desk, GameName, caller_of, whole_number
from engine.server.web.rights import VIEW_ABOUT, allowed_view, seats_of
from engine.server.web.streams import KIND, Stream, Subscription, stream_messages

router = APIRouter()
MOST_EVENTS = 1000
LARGEST = 10**9
AsView = Annotated[str | None, Query(alias="as", description=VIEW_ABOUT, examples=["Ada"])]


@router.get(
    "/games/{name}/events",
    summary="Events, a page of them or live",
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
    after: Annotated[str | None, Query(description="the index behind which to begin")] = None,
    limit: Annotated[str | None, Query(description="how many at most, up to 1000")] = None,
) -> Response:
    """Return events behind the index `after` as a view has them.

    With `Accept: text/event-stream` they come live, with frames hello, event, question, status
    and end; the id of an event's frame is its index in the log.
    """
    if KIND in request.headers.get("accept", ""):
        last = request.headers.get("last-event-id")
        return Stream(await subscription_of(request.query_params, last, name, caller, desk))
    history = await desk.history(name)
    seen = allowed_view(caller, name, history, view)
    feed = await desk.hall.feed(name)
    begin = whole_number(after, "after", -1, LARGEST, -1)
    most = whole_number(limit, "limit", MOST_EVENTS, MOST_EVENTS, 1)
    frames = feed.page(seen, begin, most)
    following = str(frames[-1].id) if len(frames) == most else "null"
    listed = ",".join([frame.data for frame in frames])
    return Response(f'{{"events":[{listed}],"next":{following}}}', media_type="application/json")


@router.websocket("/games/{name}/stream")
async def watch_messages(socket: WebSocket, name: GameName, desk: AtDesk) -> None:
    """Send the same frames as the stream of events, each as {type, id?, data}."""
    caller = caller_of(socket)
    subscription = await subscription_of(socket.query_params, None, name, caller, desk)
    await stream_messages(socket, subscription)


async def subscription_of(
    query: QueryParams, last: str | None, name: str, caller: Caller, desk: Desk
) -> Subscription:
    """Return what a caller asks to follow; Refusal if it may not, or cannot be."""
    after = whole_number(last or query.get("after"), "after", -1, LARGEST, -1)
    history = await desk.history(name)
    view = allowed_view(caller, name, history, query.get("as"))
    with desk.refuse_errors():
        async with desk.refuse_unknown(name):
            feed = await desk.hall.feed(name)
    has_seat = view in seats_of(caller, name)
    if has_seat:
        seat = desk.hall.seats(name).get(view)
        if seat is not None:
            seat.rejoin()
    return Subscription(feed, view, after, has_seat, desk.places, caller.label)
