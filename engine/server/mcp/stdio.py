"""MCP on standard input and output, for one agent with the rights of the host."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import NoReturn

from engine.history import History
from engine.server.hall import Hall
from engine.server.keys import Caller
from engine.server.mcp.tools import agent_server
from engine.server.settings import ServerSettings
from engine.server.web.desk import Desk


async def serve_agent(
    settings: ServerSettings, leave: Callable[[Sequence[History]], NoReturn]
) -> NoReturn:
    """Serve until stdin is closed or a signal arrives.

    Then call `leave` with the unfinished games; `leave` must end the process, because the thread
    that reads stdin may never return. Raises ValueError if the key-signing secret is damaged.
    """
    hall = Hall(settings)
    desk = Desk(hall)
    await hall.open()
    # The caller is the user who started this process.
    server = agent_server(desk, lambda _: Caller(host=True))
    serving = asyncio.create_task(server.run_stdio_async())
    stopping = asyncio.create_task(signal_heard())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    await hall.close()
    fault = serving.exception() if serving.done() else None
    if isinstance(fault, BaseExceptionGroup):
        _, fault = fault.split(OSError)
    # An OSError only means that the client left.
    if fault is not None and not isinstance(fault, OSError):
        raise fault
    leave(hall.left)


async def signal_heard() -> None:
    """Wait for Ctrl-C or SIGTERM."""
    loop = asyncio.get_running_loop()
    heard = asyncio.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(heard.set)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hear)
    await heard.wait()
