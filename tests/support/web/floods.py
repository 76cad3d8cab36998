"""Many clients that hold connections open: some drip, some are silent, some never read."""

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import TypeVar

from tests.support.web.real_server import Served

T = TypeVar("T")


def connect(served: Served, *, room: int = 0) -> socket.socket:
    """Return a connection; with `room` the system keeps only so many bytes unread."""
    client = socket.socket()
    if room:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    client.settimeout(5)
    client.connect(("127.0.0.1", served.settings.port))
    return client


def open_stream(
    served: Served, path: str, headers: Mapping[str, str] | None = None, *, room: int = 0
) -> socket.socket:
    """Ask for a stream, by the host unless `headers` say otherwise; return where it comes."""
    lines = {"Host": served.host, "Accept": "text/event-stream", **(headers or served.bearer)}
    told = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    client = connect(served, room=room)
    client.sendall(f"GET {path} HTTP/1.0\r\n{told}\r\n".encode())
    return client


def drip(served: Served, count: int, *, patience: float, pause: float = 0.1) -> int:
    """Send a header line now and then on many connections; return how many are closed in time.

    `patience` and `pause` are in seconds.
    """
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(served)) for _ in range(count)]
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\n")
        left = [*clients]
        until = time.monotonic() + patience
        while left and time.monotonic() < until:
            time.sleep(pause)
            left = [client for client in left if not is_closed(client, b"X: y\r\n")]
        return count - len(left)


def is_closed(client: socket.socket, sent: bytes = b"") -> bool:
    client.setblocking(False)
    try:
        if sent:
            client.sendall(sent)
        return client.recv(1 << 16) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def crowd(served: Served, count: int) -> int:
    """Open many silent connections at once; return how many the server kept."""
    # A whole exchange: by then the server has seen all earlier connections.
    kept, _ = crowd_and_ask(served, count, lambda: served.get("/api/health", bare=True).status)
    return kept


def crowd_and_ask(served: Served, count: int, ask: Callable[[], T]) -> tuple[int, T]:
    """Open many silent connections, ask something; return how many were kept, and the answer."""
    with ExitStack() as stack:
        clients = []
        for _ in range(count):
            with suppress(OSError):
                clients.append(stack.enter_context(connect(served)))
        answer = ask()
        return sum(not is_closed(client) for client in clients), answer
