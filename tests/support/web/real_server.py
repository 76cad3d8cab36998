"""The server under test: a real uvicorn on a free port, in a thread of this process."""

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from engine.runs.seating import read_players
from engine.server import guard
from engine.server.app import create_app, server_config
from engine.server.deadline import Deadline
from engine.server.hall import Hall
from engine.server.keys import Keys
from engine.server.settings import ServerSettings

PATIENCE = 30.0
# The host's token, for tests that write it into an address.
TOKEN = "a-token-of-enough-letters"
# A key that lies about where the server runs: no answer, frame or line of a log may hold it.
CANARY_KEY = "sk-canary-of-the-server-0123456789"
CANARY_NAMES = ("GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY")


def config_of(*seats: Any, **more: Any) -> dict[str, Any]:
    """Return a dilemma of one round with these seats; `more` replaces parts of the config."""
    return {"game": {"name": "dilemma", "max_rounds": 1}, "player_configs": [*seats], **more}


def seats_of(players: str) -> list[dict[str, Any]]:
    """Return seats as JSON, written as behind --players."""
    fields = {"player_id", "provider", "model"}
    return [seat.model_dump(include=fields) for seat in read_players(players)]


def table_of(game: str, players: str, /, **settings: Any) -> dict[str, Any]:
    """Return the config of a game between such players."""
    return config_of(*seats_of(players), game={"name": game, **settings}, seed=7)


# A game of a person and a script.
SEATED = config_of(*seats_of("human,scripted:tit_for_tat"))


class Lines(logging.Handler):
    """Stores what is logged while a server runs."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@dataclass(frozen=True)
class Served:
    """A running server, and ways to send it requests."""

    settings: ServerSettings
    hall: Hall
    server: uvicorn.Server

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.settings.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.settings.token}"}

    def key_of(self, game: str, player_id: str = "", watch: Any = "public") -> dict[str, str]:
        """Return the header that shows the key of a seat, or one that only watches."""
        keys = Keys(self.settings)
        key = keys.seat_key(game, player_id) if player_id else keys.watch_key(game, watch)
        return {"Authorization": f"Bearer {key}"}

    def ask(
        self, method: str, path: str, body: Any = None, headers: Any = None, *, bare: bool = False
    ) -> "Answered":
        """Send one request, by the host unless `bare`, and return the whole answer."""
        sent = {} if bare else {**self.bearer}
        sent |= headers or {}
        if isinstance(body, dict | list | str):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = HTTPConnection("127.0.0.1", self.settings.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            found = Answered(answer.status, dict(answer.getheaders()), answer.read())
            assert CANARY_KEY.encode() not in found.body
            assert CANARY_KEY not in str(found.sent)
            return found
        finally:
            connection.close()

    def get(self, path: str, **more: Any) -> "Answered":
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> "Answered":
        return self.ask("POST", path, {} if body is None else body, **more)

    def until(self, path: str, is_due: Callable[["Answered"], Any], **more: Any) -> "Answered":
        """Ask again until the answer is as expected."""
        latest = time.monotonic() + PATIENCE
        while not is_due(answer := self.get(path, **more)):
            assert time.monotonic() < latest, answer.body
            time.sleep(0.02)
        return answer

    def wait_for(self, name: str, status: str = "finished") -> Any:
        """Return what a game says of itself as soon as it has this status."""
        return self.until(f"/api/games/{name}", lambda one: one.json["status"] == status).json

    def cookie_for(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the header with the cookie of a session that these headers open."""
        sent = self.post("/api/session", headers={"Origin": self.origin, **headers}, bare=True)
        return {"Cookie": sent.headers["set-cookie"].partition(";")[0]}

    def question(self, path: str, key: Mapping[str, str]) -> Any:
        """Return the open question of a seat as soon as there is one."""
        answer = self.until(path, lambda one: one.json.get("question"), headers=key, bare=True)
        return answer.json["question"]

    def begin(self, config: Any) -> Any:
        """Begin a game; return its name and the links to its seats."""
        answer = self.post("/api/games", {"config": config})
        assert answer.status == 201, answer.body
        return answer.json["games"][0]

    def raw(self, sent: bytes, *, patience: float = 2.0) -> bytes:
        """Send bytes as they are; return what comes until the server closes, or stays silent."""
        with socket.create_connection(("127.0.0.1", self.settings.port), PATIENCE) as client:
            with suppress(OSError):
                client.sendall(sent)
            return read_all(client, patience)


@dataclass(frozen=True)
class Answered:
    """A whole answer; header names are in lower case."""

    status: int
    sent: dict[str, str]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.sent.items()}

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def detail(self) -> str:
        return str(self.json["detail"])


def read_all(client: socket.socket, patience: float) -> bytes:
    """Return what a socket gives until its end, or until nothing comes for `patience` seconds."""
    client.settimeout(patience)
    got = b""
    with suppress(OSError):
        while part := client.recv(1 << 16):
            got += part
    assert CANARY_KEY.encode() not in got
    return got


@contextmanager
def serving(
    logs_dir: Path, protocol: type[Deadline] = Deadline, *, posts: int = 1_000_000, **options: Any
) -> Iterator[Served]:
    """Serve the games of a folder while the block runs; `options` are those of ServerSettings.

    Every caller may make so many `posts` per second.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    settings = replace(ServerSettings(logs_dir=logs_dir), port=listener.getsockname()[1], **options)
    hall = Hall(settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "POSTS_A_SECOND", posts)
        config = server_config(create_app(hall), settings)
        config.http = protocol
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        logged = Lines()
        try:
            thread.start()
            until = time.monotonic() + PATIENCE
            while not server.started:
                assert thread.is_alive(), "the server ended at its start"
                assert time.monotonic() < until, "the server does not start"
                time.sleep(0.01)
            logging.getLogger().addHandler(logged)
            for name in CANARY_NAMES:
                patch.setenv(name, CANARY_KEY)
            yield Served(settings, hall, server)
        finally:
            logging.getLogger().removeHandler(logged)
            assert CANARY_KEY not in "".join(logged.lines)
            server.should_exit = True
            thread.join(2 * PATIENCE)
            assert not thread.is_alive(), "the server does not end"
