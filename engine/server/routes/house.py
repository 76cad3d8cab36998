"""The server itself: health, metrics, key revocation and browser cookies."""

from collections import Counter
from collections.abc import Iterator

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict

from engine.server.guard import cookie_name
from engine.server.hall import kinds_in
from engine.server.keys import with_rights_of
from engine.server.web.desk import Asking, AtDesk, Desk, HostAsking

router = APIRouter()
KIND = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[str, str, str, float]
EXAMPLE = "# HELP arena_games Games being played now.\n# TYPE arena_games gauge\narena_games 2\n"


@router.get("/health", summary="Whether the server is running; needs no token")
async def tell_health() -> dict[str, str]:
    """Report that the server is running."""
    return {"status": "ok"}


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"example": EXAMPLE}}}},
)
async def show_metrics(_caller: HostAsking, desk: AtDesk) -> Response:
    """Return the server's metrics in the text format of Prometheus."""
    lines = []
    for name, kind, about, value in samples(desk):
        lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}", f"{name} {value:g}"]
    return Response("\n".join([*lines, ""]), media_type=KIND)


def samples(desk: Desk) -> Iterator[Sample]:
    """Yield the name, type, description and value of each metric."""
    hall = desk.hall
    kinds = Counter(hall.ended)
    for game in [*hall.games.values()]:
        kinds += kinds_in(game.engine.history)
    yield "arena_games", "gauge", "Games being played now.", len(hall.games)
    yield "arena_watchers", "gauge", "Streams open now.", hall.watchers
    yield "arena_events_total", "counter", "Events of the games played here.", kinds.total()
    yield "arena_faults_total", "counter", "Faults among those events.", kinds["fault"]
    yield "arena_calls_total", "counter", "Model calls.", hall.meter.calls
    yield "arena_tokens_total", "counter", "Tokens of those calls.", hall.meter.tokens
    cost = hall.meter.cost
    if cost is not None:
        yield "arena_dollars_total", "counter", "The cost of those calls.", cost
    about = "The longest delay of the web server's event loop in the last ten seconds."
    yield "arena_loop_delay_seconds", "gauge", about, max(desk.delays, default=0.0)


class RevokedKey(BaseModel):
    """A request to revoke a key, given as the key itself or as a link that contains it."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"key": "KEY"}]})

    key: str


@router.post("/revoke", status_code=204, summary="Revoke one key")
async def revoke_key(_caller: HostAsking, desk: AtDesk, wanted: RevokedKey) -> Response:
    """Revoke one key permanently; streams that it opened continue until they are closed."""
    with desk.refuse_errors():
        desk.keys.revoke(wanted.key.rpartition("key=")[2])
    return Response(status_code=204)


@router.post("/session", status_code=204, summary="Exchange a token or a key for a cookie")
async def begin_session(request: Request, caller: Asking, desk: AtDesk) -> Response:
    """Return a cookie that adds the rights of the token or key to those of the current cookie."""
    name = cookie_name(desk.settings)
    before = desk.keys.cookie(request.cookies.get(name, ""))
    response = Response(status_code=204)
    response.set_cookie(
        name,
        desk.keys.cookie_of(with_rights_of(caller, before)),
        httponly=True,
        samesite="strict",
        secure=request.headers.get("origin", "").startswith("https://"),
    )
    return response
