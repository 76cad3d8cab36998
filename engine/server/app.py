"""The web app: the API routes and the page's files, all behind the guard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route
from uvicorn import Config

from engine.config import known_settings
from engine.server.deadline import Deadline, PatientSocket
from engine.server.guard import AGENTS, MOST_BODY, MOST_HEAD, Guard
from engine.server.hall import Hall
from engine.server.mcp.door import Door
from engine.server.routes import costs, events, exports, game, games, house, measured, offer, seats
from engine.server.settings import ServerSettings
from engine.server.web.desk import Desk
from engine.server.web.page_files import PageFiles
from engine.server.web.refusal import Refusal
from protocol.answer import Plain
from protocol.suggest import explain

ABOUT = """Language models, scripts, trained policies and people play games by exact rules.

Send the token of the server's link, or a key of one game, as `Authorization: Bearer ...`. Every
error is `{"detail": "one sentence"}`. Live events arrive as server-sent events or
WebSocket messages."""
ROUTES = (house, games, game, events, exports, seats, offer, costs, measured)
SHUTDOWN_SECONDS = 5
# Fields of request bodies that are not settings of a config.
OWN_FIELDS = ("config", "games", "number", "values", "at", "players")
# The security scheme's name in the OpenAPI description.
SCHEME = "token"
# Seconds between two measurements of the web loop's delay.
PAUSE = 0.25


class Problem(BaseModel):
    """An error; `detail` states the problem, the allowed values, and the next step."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"detail": "there is no game 'x': see the list"}]}
    )

    detail: str


MEANINGS = {
    400: "The request is incomplete or ambiguous",
    401: "No token, cookie or key, or an unknown one",
    403: "The caller is not allowed to do this",
    404: "There is no such game, player, event or picture",
    408: "The body did not arrive in time",
    409: "This is not possible right now",
    413: "The body is larger than 64 KiB",
    415: "A browser sent a body that is not JSON",
    421: "The server does not answer to this host name",
    422: "The request is invalid: why, and what is allowed",
    429: "Too many changes per second",
    431: "The head is larger than 16 KiB",
    500: "The server failed; its terminal shows why",
    503: "All places are taken: try again in a few seconds",
    505: "The request is not HTTP/1.1",
}
ERRORS: dict[int | str, Plain] = {
    status: {"model": Problem, "description": meaning} for status, meaning in MEANINGS.items()
}


class ArenaApp(FastAPI):
    """An app whose OpenAPI description says how to send a token."""

    def openapi(self) -> Plain:
        """Return the OpenAPI description, built on the first call."""
        described = super().openapi()
        parts = described.setdefault("components", {})
        about = "the token of the server's link, or a key of one game"
        parts["securitySchemes"] = {
            SCHEME: {"type": "http", "scheme": "bearer", "description": about}
        }
        described["security"] = [{SCHEME: []}]
        described["paths"]["/api/health"]["get"]["security"] = []
        return described


def create_app(hall: Hall) -> FastAPI:
    """Return the web app for `hall`; raise ValueError if the key-signing secret is damaged."""
    desk = Desk(hall)
    app = ArenaApp(
        title="The arena",
        description=ABOUT,
        version="1",
        openapi_url="/api/openapi.json",
        # These documentation pages would load scripts from other sites.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=open_hall,
        middleware=[Middleware(Guard, settings=desk.settings, keys=desk.keys)],
        exception_handlers={HTTPException: say_plainly, RequestValidationError: say_what_is_wrong},
    )
    app.state.desk = desk
    app.state.door = Door(desk)
    app.router.routes.append(Route(AGENTS, app.state.door))
    for module in ROUTES:
        app.include_router(module.router, prefix="/api", responses=ERRORS)
    app.router.default = PageFiles()
    return app


@asynccontextmanager
async def open_hall(app: FastAPI) -> AsyncIterator[None]:
    """Keep the hall open while the app runs, and measure the event loop's delays."""
    desk: Desk = app.state.desk
    await desk.hall.open()
    watching = asyncio.create_task(watch_loop(desk))
    try:
        yield
    finally:
        watching.cancel()
        await app.state.door.close()
        await desk.hall.close()


async def watch_loop(desk: Desk) -> None:
    """Keep recording in `desk.delays` how many seconds late the loop wakes from a short sleep."""
    loop = asyncio.get_running_loop()
    while True:
        before = loop.time()
        await asyncio.sleep(PAUSE)
        desk.delays.append(max(0.0, loop.time() - before - PAUSE))


def server_config(app: FastAPI, settings: ServerSettings) -> Config:
    """Return uvicorn's config for the app, with the guard's size limits and no access logs."""
    return Config(
        app,
        host=settings.host,
        port=settings.port,
        http=Deadline,
        ws=PatientSocket,
        loop="asyncio",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_per_message_deflate=False,
        ws_max_size=MOST_BODY,
        h11_max_incomplete_event_size=MOST_HEAD,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        backlog=1024,
    )


async def say_plainly(request: Request, error: Exception) -> Response:
    """Respond to a wrong method or an unreadable body with a one-sentence error."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        detail = f"{request.method} is not allowed at this address"
    else:
        detail = "expected valid JSON"
    return Refusal(error.status_code, f"{detail}: see /api/openapi.json", error.headers).response()


async def say_what_is_wrong(_request: Request, error: Exception) -> Response:
    """Return the error response for a request that fails the route's validation."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return Refusal(422, "expected a JSON body").response()
    place, *_ = first["loc"]
    fields = OWN_FIELDS if place == "body" else [str(first["loc"][-1])]
    return Refusal(422, explain(error, [*known_settings(), *fields])).response()
