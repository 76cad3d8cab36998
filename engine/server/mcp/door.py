"""The running server's /mcp endpoint: streamable HTTP, behind the guard like all routes."""

import asyncio
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.types import Receive, Scope, Send

from engine.server.guard import AGENTS, MOST_BODY
from engine.server.web.desk import Desk, caller_of
from engine.server.web.refusal import Refusal

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from engine.server.keys import Caller
    from engine.server.mcp.tools import AgentServer

LACKED = "this server does not speak MCP: its host starts it with uv run --extra mcp serve.py"


class Door:
    """Serves /mcp statelessly; the first request imports the MCP package and starts its tasks."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._server: AgentServer | None = None
        self._opening = asyncio.Lock()
        self._closing = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["method"] != "POST":
            allowed = {"allow": "POST"}
            raise Refusal(
                405, f"{scope['method']} is not allowed at {AGENTS}: agents send POST", allowed
            )
        if find_spec("mcp") is None:
            raise Refusal(404, LACKED)
        server = await self._open()
        await server.session_manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End the MCP package's tasks."""
        self._closing.set()
        if self._running is not None:
            await self._running

    async def _open(self) -> "AgentServer":
        async with self._opening:
            if self._server is None:
                server = await asyncio.to_thread(web_server, self.desk)
                opened = asyncio.Event()
                self._running = asyncio.create_task(self._run(server, opened))
                await opened.wait()
                self._server = server
        return self._server

    async def _run(self, server: "AgentServer", opened: asyncio.Event) -> None:
        """Run the server's tasks until the door is closed."""
        async with server.session_manager.run():
            opened.set()
            await self._closing.wait()


def web_server(desk: Desk) -> "AgentServer":
    """Return the tool server for the web; its imports take most of a second."""
    from mcp.server.transport_security import TransportSecuritySettings

    from engine.server.mcp.tools import agent_server

    server = agent_server(desk, asking_on_the_web)
    # The guard has already checked the caller, the origin and the size.
    no_second_guard = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(
        stateless_http=True,
        max_request_body_size=MOST_BODY,
        transport_security=no_second_guard,
    )
    return server


def asking_on_the_web(context: "Context") -> "Caller":
    """Return the caller that the guard identified."""
    request = context.request_context.request
    assert request is not None
    return caller_of(request)
