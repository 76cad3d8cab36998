"""Start the server, and shut it down in order: streams, then games, then connections."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from types import FrameType

from uvicorn import Config, Server

from engine.history import History
from engine.server.app import create_app, server_config
from engine.server.hall import Hall
from engine.server.settings import ServerSettings


class ArenaServer(Server):
    """A server that shuts down cleanly on Ctrl-C or SIGTERM, and immediately on a second signal."""

    def __init__(
        self,
        config: Config,
        hall: Hall,
        announce: Callable[[], None],
        end_now: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self.hall = hall
        self.announce = announce
        self.end_now = end_now
        self.web = asyncio.get_running_loop()

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        """Begin to shut down, and end the streams at once; the second signal ends the process."""
        if self.should_exit:
            self.end_now()
        self.should_exit = True
        self.web.call_soon_threadsafe(self.hall.finish)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving, then call `announce`."""
        await super().startup(sockets)
        self.announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, close the connections, and let the app close the hall."""
        self.hall.finish()
        await super().shutdown(sockets)


async def serve_games(
    settings: ServerSettings,
    listener: socket.socket,
    announce: Callable[[], None],
    end_now: Callable[[], None],
) -> Sequence[History]:
    """Serve until a signal arrives, and return the games left unfinished.

    `announce` is called once the server is reachable, and `end_now` on the second signal.
    """
    hall = Hall(settings)
    server = ArenaServer(server_config(create_app(hall), settings), hall, announce, end_now)
    await server.serve(sockets=[listener])
    return hall.left
