"""A deterministic model server, and child processes that die or whose disk fails.

A child is forked from a process that has imported everything and runs no event loop, so each of the
hundreds of games in the survival campaign starts fast.
"""

import asyncio
import errno
import json
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from multiprocessing.connection import Connection
from typing import Any
from urllib.request import urlopen

from aiohttp import web

from tests.support.fake_api import FakeApi, schema_in

KILLS = ("before", "middle", "after")
FAULTS = ("full", "error", "short")
CALLS = ("write", "fsync", "replace", "unlink")
BROKEN = 70


def steady(body: dict[str, Any]) -> str | web.Response:
    """Answer depending only on the question: mostly legally, sometimes not, or with an error."""
    number = int.from_bytes(
        blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=6).digest()
    )
    if number % 13 == 0:
        return web.json_response({"error": {"message": "too long"}}, status=413)
    if number % 11 == 0:
        return "I would rather not say."
    said = {
        name: f["enum"][number % len(f["enum"])] if "enum" in f else f"word {number}"
        for name, f in schema_in(body)["properties"].items()
    }
    return json.dumps(said)


class SteadyApi(FakeApi):
    """Always answers a question alike; /taken returns the questions so far and clears them."""

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.path != "/taken":
            return await super()._answer(request)
        asked = [
            blake2b(json.dumps(one.body, sort_keys=True).encode()).hexdigest()[:16]
            for one in self.requests
        ]
        self.requests.clear()
        return web.json_response(asked)


def serve_steadily(pipe: Connection) -> None:
    async def run() -> None:
        async with SteadyApi(reply=steady) as api:
            pipe.send(api.url)
            await asyncio.Event().wait()

    asyncio.run(run())


@contextmanager
def steady_server() -> Iterator[str]:
    """Run the model server in another process and yield its address."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve_steadily, args=(there,), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()


def taken(url: str) -> list[str]:
    """Return the hashes of the questions since the last call, and clear them on the server."""
    with urlopen(f"{url}/taken", data=b"{}") as answer:
        asked: list[str] = json.load(answer)
        return asked


def in_child(work: Callable[[], int]) -> int:
    """Run `work` in a fork of this process; return its exit code, -N if signal N killed it."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = BROKEN
    try:
        code = work()
    except BaseException:
        traceback.print_exc()
    os._exit(code)


@dataclass
class Saboteur:
    """Disturbs one of this process's system calls (CALLS): number `at` from 0, as `how` says.

    If `at` is the name of a call, the first call of that name is disturbed; if it is bytes, the
    first write of these bytes. If it is below 0, calls are only counted.

    "before", "middle" and "after" kill the process at that point of the call. "full" writes half
    and lets every later write fail for lack of space, "error" fails once, "short" writes half and
    returns that count.
    """

    at: int | str | bytes = -1
    how: str = ""
    seen: list[str] = field(default_factory=list)
    struck: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self) -> None:
        """Replace the system calls of this process for the rest of its life."""
        for name in CALLS:
            setattr(os, name, self._watching(name, getattr(os, name)))

    def _watching(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **more: Any) -> Any:
            with self.lock:
                here = self.at in {name, len(self.seen)}
                if isinstance(self.at, bytes) and name == "write":
                    here = self.at in args[1]
                now = here and not self.struck
                full = self.struck and self.how == "full"
                self.struck |= now
                self.seen.append(name)
            if now:
                return self._strike(name, call, args, more)
            if full and name == "write":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*args, **more)

        return watched

    def _strike(
        self, name: str, call: Callable[..., Any], args: tuple[Any, ...], more: dict[str, Any]
    ) -> Any:
        half = (args[0], args[1][: len(args[1]) // 2]) if name == "write" else ()
        if self.how in FAULTS and not half:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self.how == "error":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self.how in {"full", "short"}:
            return call(*half)
        if self.how == "middle" and half:
            call(*half)
        if self.how == "after":
            call(*args, **more)
        os.kill(os.getpid(), signal.SIGKILL)
        return None
