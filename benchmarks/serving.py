"""Run serve.py, a model server and watchers, each in its own process."""

import asyncio
import multiprocessing
import re
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import psutil

from engine.server.settings import ServerSettings
from tests.support.fake_api import FakeApi
from tests.support.web.real_server import CANARY_KEY, CANARY_NAMES, Served
from tests.support.web.started import started

SPAWN = multiprocessing.get_context("spawn")
TOKEN = "a-token-of-enough-letters"  # noqa: S105 - used only by these benchmarks
EVENT = b"\nevent: event\n"
TIME = re.compile(rb'"timestamp":"([^"]+)"')
AT_ONCE = 50
MODEL = {"player_id": "Ada", "provider": "ollama", "model": "m"}
# Up to 16 calls to this model run at once; an Ollama server answers one at a time.
HOSTED = {"player_id": "Ada", "provider": "openai", "model": "gpt-5.4-mini"}
SCRIPT = {"player_id": "Ben", "provider": "scripted", "model": "random"}


class Server:
    """A context manager that runs serve.py; when entered again, it reuses the same port."""

    def __init__(self, folder: Path, models: str = "") -> None:
        self.folder = folder
        keys = dict.fromkeys((*CANARY_NAMES, "OPENAI_API_KEY"), CANARY_KEY)
        self.environ = {**keys, "ARENA_TOKEN": TOKEN}
        self.environ |= {"OLLAMA_HOST": models, "OPENAI_BASE_URL": f"{models}/v1"} if models else {}
        self.port = 0

    def __enter__(self) -> Self:
        self.running = started(self.folder, "--port", str(self.port), **self.environ)
        self.process, link = self.running.__enter__()
        self.port = int(re.findall(r":(\d+)/", link)[0])
        self.usage = psutil.Process(self.process.pid)
        settings = replace(ServerSettings(logs_dir=self.folder), port=self.port, token=TOKEN)
        elsewhere: Any = None
        self.served = Served(settings, elsewhere, elsewhere)
        return self

    def __exit__(self, *_: object) -> None:
        self.running.__exit__(None, None, None)

    def processor(self) -> float:
        """Return the processor seconds that the server has used."""
        times = self.usage.cpu_times()
        return float(times.user + times.system)

    def memory(self) -> float:
        """Return the server's memory in MB."""
        return float(self.usage.memory_info().rss / 1e6)

    def connections(self) -> int:
        """Return the number of open connections to the server."""
        established = psutil.CONN_ESTABLISHED
        return sum(one.status == established for one in self.usage.net_connections("tcp"))

    def begin(self, length: int, *seats: dict[str, str], games: int = 1) -> list[str]:
        """Begin conversations and return their names."""
        game = {"name": "conversation", "length": length}
        config = {"game": game, "seed": 7, "player_configs": seats}
        answer = self.served.post("/api/games", {"config": config, "games": games})
        if answer.status != 201:
            raise SystemExit(answer.detail)
        return [each["name"] for each in answer.json["games"]]

    def head(self, name: str, more: str = "", version: str = "1.1") -> bytes:
        """Return the header of a request for a game's stream of events."""
        lines = f"Host: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {TOKEN}\r\n{more}"
        path = f"/api/games/{name}/events?as=*"
        return f"GET {path} HTTP/{version}\r\n{lines}Accept: text/event-stream\r\n\r\n".encode()


@contextmanager
def model_server(delay: float) -> Iterator[str]:
    """Run a model server in a separate process, and yield its address."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=serve_models, args=(there, delay), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()


def serve_models(pipe: Connection, delay: float) -> None:
    """Run a model server until the process ends."""

    async def run() -> None:
        async with FakeApi(delay=delay) as api:
            pipe.send(api.url)
            while True:
                await asyncio.sleep(1)
                # Recorded requests would fill the memory.
                api.requests.clear()

    asyncio.run(run())


class Watcher(asyncio.Protocol):
    """A client of one event stream that counts events and records their arrival times."""

    def __init__(self, crowd: "Crowd", head: bytes) -> None:
        self.crowd = crowd
        self.head = head
        self.welcome = False
        self.tail = b""

    def connection_made(self, transport: Any) -> None:
        """Request the stream."""
        transport.write(self.head)

    def data_received(self, data: bytes) -> None:
        """Count the events received."""
        now = time.time()
        self.welcome = True
        joined = self.tail + data
        self.crowd.events += joined.count(EVENT) - self.tail.count(EVENT)
        self.tail = joined[-len(EVENT) + 1 :]
        self.crowd.arrivals += [(at.decode(), now) for at in TIME.findall(data)]

    def connection_lost(self, exc: Exception | None) -> None:
        """Record that the stream has ended."""
        del exc
        self.crowd.ended += 1


class Crowd:
    """All watchers in the process."""

    def __init__(self) -> None:
        self.watchers: list[Watcher] = []
        self.arrivals: list[tuple[str, float]] = []
        self.events = self.ended = 0

    async def open(self, port: int, heads: Sequence[bytes]) -> None:
        """Connect one watcher per header, and wait until the server has greeted all of them."""
        loop = asyncio.get_running_loop()
        for place, head in enumerate(heads):
            watcher = Watcher(self, head)
            await loop.create_connection(lambda one=watcher: one, "127.0.0.1", port)  # type: ignore[misc]
            self.watchers.append(watcher)
            if place % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0.05)
        await until_so(lambda: all(watcher.welcome for watcher in self.watchers), 60)

    async def begin(self) -> None:
        """Reset the counts."""
        self.events, self.arrivals = 0, []

    async def count(self) -> tuple[int, list[tuple[str, float]]]:
        """Return the number of events, and each event's timestamp with its arrival time."""
        return self.events, self.arrivals

    async def over(self, patience: float) -> int:
        """Wait until all streams have ended; return how many have."""
        await until_so(lambda: self.ended >= len(self.watchers), patience)
        return self.ended


async def until_so(condition: Callable[[], bool], patience: float) -> None:
    """Wait until a condition holds, for at most `patience` seconds."""
    until = time.monotonic() + patience
    for _ in iter(lambda: condition() or time.monotonic() > until, True):
        await asyncio.sleep(0.005)


class Watchers:
    """A context manager for the watchers' process; `ask` calls a method of its Crowd."""

    def __enter__(self) -> Self:
        self.pipe, there = SPAWN.Pipe()
        self.process = SPAWN.Process(target=run_watchers, args=(there,), daemon=True)
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()

    def ask(self, method: str, *values: Any) -> Any:
        """Call a method of the Crowd and return its result."""
        self.pipe.send((method, values))
        return self.pipe.recv()


def run_watchers(pipe: Connection) -> None:
    """Call the Crowd's methods until the process ends."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    async def obey() -> None:
        loop = asyncio.get_running_loop()
        crowd = Crowd()
        while True:
            method, values = await loop.run_in_executor(None, pipe.recv)
            pipe.send(await getattr(crowd, method)(*values))

    asyncio.run(obey())
