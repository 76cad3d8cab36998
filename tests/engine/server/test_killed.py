"""A server that is killed in mid-game: what was seen stays, the rest comes once, none is lost."""

import asyncio
import json
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from engine.history import history_from_json
from tests.support.fake_api import FakeApi, legal
from tests.support.paths import ROOT
from tests.support.web.real_server import TOKEN, table_of

pytestmark = pytest.mark.slow
CONFIG = table_of("conversation", "ollama:m,scripted:random", length=12)
CONFIG["limits"] = {"max_cost": 1}
STREAM = {"Accept": "text/event-stream"}


@dataclass
class Server:
    """serve.py in a process of its own, and a client that has its token."""

    process: Process
    client: aiohttp.ClientSession

    async def post(self, path: str, body: Any = None) -> Any:
        async with self.client.post(f"/api/games{path}", json=body or {}) as answer:
            text = await answer.text()
            assert answer.status < 300, text
            return json.loads(text) if text else None

    async def end(self, sign: signal.Signals) -> str:
        """Send a signal, and return what the server said on stderr when it was gone."""
        self.process.send_signal(sign)
        _, err = await asyncio.wait_for(self.process.communicate(), 30)
        return err.decode()


@dataclass
class Watcher:
    """One who watches a game, over however many connections, and keeps the last id."""

    name: str
    last: str = ""
    seen: list[tuple[int, str]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self, server: Server, until: int = 10**9) -> None:
        """Read events until their end, until there are so many, or until the server is gone."""
        headers = {**STREAM, "Last-Event-ID": self.last} if self.last else STREAM
        url = f"/api/games/{self.name}/events?as=*"
        async with server.client.get(url, headers=headers) as answer:
            assert answer.status == 200
            frame: dict[str, str] = {}
            async for line in answer.content:
                word, _, value = line.decode().rstrip("\n").partition(": ")
                frame[word] = value
                if not word:
                    self.take(frame)
                    frame = {}
                if len(self.seen) >= until:
                    return

    def take(self, frame: dict[str, str]) -> None:
        assert frame.get("event") != "reset"
        if frame.get("event") == "event":
            self.began.set()
            self.last = frame["id"]
            data = json.loads(frame["data"])
            self.seen.append((data["index"], data["content"]))
        if frame.get("event") == "end":
            self.ends.append(json.loads(frame["data"])["status"])


@asynccontextmanager
async def served(folder: Path, api: FakeApi) -> AsyncIterator[Server]:
    words = ["serve.py", "--port", "0", "--no-open", f"--logs-dir={folder}"]
    own = {"OLLAMA_HOST": api.url, "ARENA_TOKEN": TOKEN}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, cwd=ROOT, env={**os.environ, **own}, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
        port = re.findall(r":(\d+)/", line)
        assert port, line
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port[0]}", headers=headers) as client:
            yield Server(process, client)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def begin(server: Server) -> str:
    begun = await server.post("", {"config": CONFIG})
    name: str = begun["games"][0]["name"]
    return name


async def test_killed_and_resumed_a_watcher_has_every_event_once_and_the_same(
    tmp_path: Path,
) -> None:
    async with FakeApi(delay=0.02) as api:
        async with served(tmp_path, api) as server:
            whole = Watcher(await begin(server))
            await whole.watch(server)
            assert whole.ends == ["finished"]
            asked = len(api.requests)
            watcher = Watcher(await begin(server))
            await watcher.watch(server, 1)
            await server.end(signal.SIGKILL)
        for count in (9, 10**9):
            async with served(tmp_path, api) as server:
                await server.post(f"/{watcher.name}/resume")
                await watcher.watch(server, count)
                await server.end(signal.SIGKILL)
    assert watcher.seen == whole.seen
    assert watcher.ends == ["finished"]
    history = history_from_json((tmp_path / f"{watcher.name}.json").read_bytes())
    assert [(event.index, event.content) for event in history.events] == watcher.seen
    # What was recorded is never asked again: at most the call under way at each kill.
    assert len(api.requests) - asked <= asked + 2


async def test_ctrl_c_in_mid_game_ends_streams_and_says_how_it_goes_on(tmp_path: Path) -> None:
    async with FakeApi(delay=0.05) as api:
        async with served(tmp_path, api) as server:
            names = [await begin(server) for _ in range(7)]
            watchers = [Watcher(name) for name in names]
            watching = [asyncio.create_task(one.watch(server)) for one in watchers]
            await asyncio.gather(*(one.began.wait() for one in watchers))
            err = await server.end(signal.SIGINT)
            await asyncio.gather(*watching)
        assert server.process.returncode == 5
        assert {end for one in watchers for end in one.ends} == {"interrupted"}
        told = re.findall(r"uv run example\.py --resume (\w+) --logs-dir", err)
        assert len(told) == 5
        assert {*told} < {*names}
        assert "and so on, 2 more" in err
        async with served(tmp_path, api) as server:
            await server.post(f"/{names[0]}/resume")
            await watchers[0].watch(server)
            assert watchers[0].ends == ["interrupted", "finished"]
            indices = [index for index, _ in watchers[0].seen]
            assert indices == [*range(len(indices))]


async def test_a_second_ctrl_c_ends_it_now(tmp_path: Path) -> None:
    called = asyncio.Event()

    def hear(body: dict[str, Any]) -> str:
        called.set()
        return legal(body)

    async with FakeApi(hear, delay=600) as api, served(tmp_path, api) as server:
        watcher = Watcher(await begin(server))
        watching = asyncio.create_task(watcher.watch(server))
        await called.wait()
        server.process.send_signal(signal.SIGINT)
        # The streams end when the first has been heard.
        await watching
        assert watcher.ends == ["interrupted"]
        await server.end(signal.SIGINT)
        assert server.process.returncode == 5
        assert (tmp_path / f"{watcher.name}.jsonl").exists()
