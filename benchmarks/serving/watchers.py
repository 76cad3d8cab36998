"""Those who watch, in a process of their own: they share no core time with the server's loop."""

import asyncio
import re
import resource
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

from benchmarks.serving.house import SPAWN, House

EVENT = b"\nevent: event\n"
STAMP = re.compile(rb'"content":"@([0-9.]{10,})')
TIME = re.compile(rb'"timestamp":"([^"]+)"')
AT_ONCE = 50


class Watcher(asyncio.Protocol):
    """One stream of server-sent events: how many events came, and how many ms after their time."""

    def __init__(self, crowd: "Crowd", head: bytes) -> None:
        self.crowd = crowd
        self.head = head
        self.events = 0
        self.welcome = False
        self.tail = b""

    def connection_made(self, transport: Any) -> None:
        """Ask for the stream."""
        self.transport = transport
        transport.write(self.head)

    def data_received(self, data: bytes) -> None:
        """Count what came."""
        now = time.time()
        self.welcome = True
        joined = self.tail + data
        self.events += joined.count(EVENT) - self.tail.count(EVENT)
        self.tail = joined[-len(EVENT) + 1 :]
        if self.crowd.timing:
            for stamp in STAMP.findall(data):
                self.crowd.latencies.append((now - float(stamp)) * 1000)
            if self.crowd.timing == "log":
                for told in TIME.findall(data):
                    self.crowd.arrivals.append((told.decode(), now))

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that it is over."""
        del exc
        self.crowd.ended += 1


class Crowd:
    """All watchers of the process."""

    def __init__(self) -> None:
        self.watchers: list[Watcher] = []
        self.latencies: list[float] = []
        self.arrivals: list[tuple[str, float]] = []
        self.timing = ""
        self.ended = 0

    async def open(self, port: int, heads: Sequence[bytes]) -> int:
        """Connect one watcher a head, and wait until each was welcomed."""
        loop = asyncio.get_running_loop()
        for place, head in enumerate(heads):
            watcher = Watcher(self, head)
            await loop.create_connection(lambda one=watcher: one, "127.0.0.1", port)  # type: ignore[misc]
            self.watchers.append(watcher)
            if place % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0.05)
        await until_so(lambda: all(watcher.welcome for watcher in self.watchers), 60)
        return len(self.watchers)

    async def heard(self, events: int, patience: float) -> tuple[int, float]:
        """Wait until every watcher has so many events; return the sum, and when it was reached."""
        await until_so(lambda: all(one.events >= events for one in self.watchers), patience)
        return sum(watcher.events for watcher in self.watchers), time.time()

    async def begin(self, timing: str) -> None:
        """Count from nought; `timing` is "", "stamp" (in the words) or "log" (the event's time)."""
        self.timing = timing
        self.latencies = []
        self.arrivals = []
        for watcher in self.watchers:
            watcher.events = 0

    async def timed(self) -> tuple[list[float], list[tuple[str, float]]]:
        """Return latencies in ms, and times of events with those of their arrival."""
        return self.latencies, self.arrivals

    async def over(self, patience: float) -> int:
        """Wait until all streams ended; return how many did."""
        await until_so(lambda: self.ended >= len(self.watchers), patience)
        return self.ended

    async def shut(self) -> None:
        """Close all."""
        for watcher in self.watchers:
            watcher.transport.abort()
        self.watchers = []
        self.ended = 0


async def until_so(what: Callable[[], bool], patience: float) -> None:
    """Look again and again until something is so, or for `patience` seconds."""
    until = time.monotonic() + patience
    for _ in iter(lambda: what() or time.monotonic() > until, True):
        await asyncio.sleep(0.005)


class Watchers:
    """A context manager for the process; `ask` calls a method of its Crowd."""

    def __enter__(self) -> Self:
        self.pipe, there = SPAWN.Pipe()
        self.process = SPAWN.Process(target=run_watchers, args=(there,), daemon=True)
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()

    def ask(self, method: str, *values: Any) -> Any:
        """Return what a method of the Crowd returns."""
        self.pipe.send((method, values))
        return self.pipe.recv()

    def watch(self, house: House, name: str, count: int, view: str = "*") -> None:
        """Let so many watch one game."""
        head = house.head(f"/api/games/{name}/events?as={view}")
        self.ask("open", house.port, [head] * count)


def run_watchers(pipe: Connection) -> None:
    """Do what is asked for until the process is ended."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    async def obey() -> None:
        loop = asyncio.get_running_loop()
        crowd = Crowd()
        while True:
            method, values = await loop.run_in_executor(None, pipe.recv)
            pipe.send(await getattr(crowd, method)(*values))

    asyncio.run(obey())
