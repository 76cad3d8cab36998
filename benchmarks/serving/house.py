"""A real server in a process of its own, in which a benchmark may also call functions."""

import asyncio
import multiprocessing
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

SPAWN = multiprocessing.get_context("spawn")
PROBE = 0.01
PAGE = os.sysconf("SC_PAGE_SIZE")
START_SECONDS = 60


class Inside:
    """What functions that are called in the server's process work with."""

    def __init__(self, hall: Any, loop: asyncio.AbstractEventLoop, server: Any) -> None:
        self.hall = hall
        self.loop = loop
        self.server = server
        self.delays: list[float] = []

    def wait_for(self, work: Any) -> Any:
        """Return what a coroutine returns in the web's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def probe(self) -> None:
        """Note again and again how many ms the web's loop is late."""
        while True:
            before = self.loop.time()
            await asyncio.sleep(PROBE)
            self.delays.append((self.loop.time() - before - PROBE) * 1000)


class House:
    """A context manager: the server runs while the block does."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.options = options

    def __enter__(self) -> Self:
        self.pipe, there = SPAWN.Pipe()
        self.process = SPAWN.Process(
            target=run_house, args=(there, self.folder, self.options), daemon=True
        )
        self.process.start()
        if not self.pipe.poll(START_SECONDS):
            raise SystemExit("the server does not start")
        self.port, self.token = self.pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join(30)
        if self.process.is_alive():
            self.process.kill()

    @property
    def origin(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def link(self) -> str:
        """The link that makes a browser the host's."""
        return f"{self.origin}/#/?token={self.token}"

    def call(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return what `function(inside, *values)` returns in the server's process."""
        self.pipe.send((function, values))
        found = self.pipe.recv()
        if isinstance(found, Exception):
            raise found
        return found

    def get(self, path: str) -> tuple[int, bytes]:
        """Return status and body of what the host asks for."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def head(self, path: str, more: str = "Accept: text/event-stream\r\n") -> bytes:
        """Return the head of a request by the host, for a stream unless `more` says otherwise."""
        host = f"Host: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
        return f"GET {path} HTTP/1.1\r\n{host}{more}\r\n".encode()


def run_house(pipe: Connection, folder: Path, options: dict[str, Any]) -> None:
    """Serve until the process is ended."""
    import uvicorn

    from engine.cli.main import rare_garbage_collection
    from engine.server.app import create_app, server_config
    from engine.server.hall import Hall
    from engine.server.settings import ServerSettings

    async def serve() -> None:
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        port = listener.getsockname()[1]
        settings = replace(ServerSettings(logs_dir=folder), port=port, **options)
        hall = Hall(settings)
        server = uvicorn.Server(server_config(create_app(hall), settings))
        inside = Inside(hall, asyncio.get_running_loop(), server)

        def obey() -> None:
            while not server.started:
                time.sleep(0.01)
            pipe.send((port, settings.token))
            while True:
                function, values = pipe.recv()
                try:
                    pipe.send(function(inside, *values))
                except Exception as error:
                    pipe.send(error)

        threading.Thread(target=obey, daemon=True).start()
        await server.serve(sockets=[listener])

    with rare_garbage_collection():
        asyncio.run(serve())


def processor(_: Inside) -> float:
    """Return the seconds of processor time of the server's process."""
    return time.process_time()


def memory(_: Inside) -> int:
    """Return the bytes that the server's process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def watchers(inside: Inside) -> int:
    """Return how many follow a game."""
    return int(inside.hall.watchers)


def connections(inside: Inside) -> int:
    """Return how many connections are open."""
    return len(inside.server.server_state.connections)


def playing(inside: Inside) -> int:
    """Return how many games are played."""
    return len(inside.hall.playing)


def begin_probe(inside: Inside) -> None:
    """Begin to note how late the web's loop is."""
    asyncio.run_coroutine_threadsafe(inside.probe(), inside.loop)


def late(inside: Inside) -> list[float]:
    """Return how many ms the loop was late each time since this was asked last."""
    found, inside.delays = inside.delays, []
    return found


def stage(inside: Inside) -> str:
    """Begin a game that waits for a person, so that it stays live, and return its name."""
    from engine.config import GameEngineConfig
    from engine.runs.seating import read_players

    seats = read_players("Ada=human,Ben=scripted:tit_for_tat")
    config = GameEngineConfig(player_configs=seats, game={"name": "dilemma", "max_rounds": 1})
    return str(inside.wait_for(inside.hall.begin(config, answer_within=None)))


def post(inside: Inside, name: str, count: int, pause: float, words: str = "") -> None:
    """Let a live game tell `count` events, one each `pause` seconds, with the time in each."""
    from engine.history import Event

    game = inside.hall.games[name]
    seen = tuple(game.engine.config.player_ids)
    first = max(game.feed.size, getattr(game, "posted", 1000))
    due = time.perf_counter()
    for index in range(first, first + count):
        due += pause
        time.sleep(max(0.0, due - time.perf_counter()))
        event = Event(
            index, "speech", "Speech", "player Ada", "Ada", "", seen, {}, "2026-01-01T12:00:00"
        )
        event.content = f"@{time.time():.6f} {words or 'some words that somebody said ' * 10}"
        game.feed.post(event, 1)
    game.posted = first + count


def told(inside: Inside, name: str) -> int:
    """Return how many events a live game has told."""
    return int(inside.hall.games[name].feed.size)


def begin_models(inside: Inside, address: str, count: int, length: int) -> list[str]:
    """Begin conversations of one model each, all at `address`, and return their names."""
    from engine.config import GameEngineConfig
    from engine.runs.seating import read_players

    kwargs = {"base_url": f"{address}/v1", "concurrency": 10_000}
    players = [one.model_copy(update={"client_kwargs": kwargs}) for one in read_players("ollama:m")]
    names = []
    for seed in range(count):
        game = {"name": "conversation", "length": length}
        config = GameEngineConfig(player_configs=players, game=game, seed=seed)
        names.append(str(inside.wait_for(inside.hall.begin(config))))
    return names


def calls(inside: Inside) -> int:
    """Return how many calls of models there were."""
    return int(inside.hall.meter.calls)


def processor_of_threads(_: Inside) -> dict[str, float]:
    """Return the seconds of processor time of each thread that runs Python, by name."""
    found = {}
    for thread in threading.enumerate():
        told = Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rpartition(")")[2]
        user, system = told.split()[11:13]
        found[thread.name] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return found
