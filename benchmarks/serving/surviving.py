"""Streams that are cut, and servers that are killed: no event lost, told twice, or another."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.newcomer import ROOT
from benchmarks.serving.figures import SHORT, Figure, say
from benchmarks.serving.games import serve_models
from benchmarks.serving.house import SPAWN, House, post, stage, told

CUTS = 1000
WATCHERS = 20
# By effort: short, usual, full.
KILLS = (3, 10, 100)
TOKEN = "a-token-of-enough-letters"  # noqa: S105 - of this benchmark alone
CONFIG = {
    "game": {"name": "conversation", "length": 40},
    "seed": 7,
    "player_configs": [
        {"player_id": "Ada", "provider": "ollama", "model": "m"},
        {"player_id": "Ben", "provider": "scripted", "model": "random"},
    ],
}
Seen = list[tuple[int, str]]


def cuts(effort: int) -> Iterator[Figure]:
    """Cut streams of a live game after a few events each, and go on with the last id."""
    count = CUTS // 5 if effort == SHORT else CUTS
    say(f"{count} cut streams ...")
    each = count // WATCHERS
    with tempfile.TemporaryDirectory() as folder, House(Path(folder)) as house:
        name = house.call(stage)
        seen: list[Seen] = [[] for _ in range(WATCHERS)]
        path = f"/api/games/{name}/events?as=*"

        def watch(own: Seen, chance: random.Random) -> None:
            for _ in range(each):
                read_events(house.port, house.token, path, own, chance.randint(1, 5))

        threads = [
            threading.Thread(target=watch, args=(own, random.Random(place)), daemon=True)
            for place, own in enumerate(seen)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            house.call(post, name, 20, 0.01)
        every = house.call(told, name)
        page: Seen = []
        while len(page) < every:
            after = page[-1][0] if page else -1
            _, body = house.get(f"/api/games/{name}/events?as=*&after={after}&limit=1000")
            page += [(one["index"], one["content"]) for one in json.loads(body)["events"]]
    bad = [str(own[-3:]) for own in seen if own != page[: len(own)]]
    heard = sum(map(len, seen))
    yield Figure.none_of(f"{each * WATCHERS:,} cut streams: watchers with another story", bad, 20)
    yield Figure("  events they were told", f"{heard:,}")


def read_events(port: int, token: str, path: str, seen: Seen, most: int) -> str:
    """Add at most so many events behind the last of `seen`; return what the last frame was."""
    lines = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    if seen:
        lines += f"Last-Event-ID: {seen[-1][0]}\r\n"
    kind = ""
    with socket.create_connection(("127.0.0.1", port), 60) as client, client.makefile("rb") as told:
        head = f"GET {path} HTTP/1.0\r\n{lines}Accept: text/event-stream\r\n\r\n"
        client.sendall(head.encode())
        fields: dict[str, str] = {}
        for line in told:
            name, _, value = line.decode().rstrip("\r\n").partition(": ")
            if name:
                fields[name] = value
                continue
            kind = fields.get("event", kind)
            if kind == "event" and "data" in fields:
                seen.append((int(fields["id"]), json.loads(fields["data"])["content"]))
                most -= 1
            fields = {}
            if most == 0 or kind == "end":
                break
    return kind


class Mortal:
    """serve.py in a process of its own, at the same port each time."""

    def __init__(self, folder: Path, models: str) -> None:
        self.folder = folder
        self.models = models
        self.port = 0

    def start(self) -> None:
        """Start it, and wait until it is there."""
        words = [sys.executable, "serve.py", "--port", str(self.port), "--no-open"]
        own = {"OLLAMA_HOST": self.models, "ARENA_TOKEN": TOKEN}
        self.process = subprocess.Popen(
            [*words, f"--logs-dir={self.folder}"],
            cwd=ROOT,
            env={**os.environ, **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(re.findall(r":(\d+)/", self.process.stdout.readline())[0])

    def post(self, path: str, body: Any = None) -> Any:
        """Return what a POST is answered."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection.request("POST", f"/api/games{path}", json.dumps(body or {}), headers)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        if "detail" in answer:
            raise SystemExit(answer["detail"])
        return answer

    def kill(self) -> None:
        """Kill it with signal 9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def kills(effort: int) -> Iterator[Figure]:
    """Kill the server in mid-game again and again; one watcher goes on behind its last event."""
    count = KILLS[effort]
    here, there = SPAWN.Pipe()
    models = SPAWN.Process(target=serve_models, args=(there, 0.02), daemon=True)
    models.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield from killed(Mortal(Path(folder), here.recv()), count)
    finally:
        models.terminate()
        models.join()


def killed(mortal: Mortal, count: int) -> Iterator[Figure]:
    """Watch games until so many kills came, and compare what was seen with their logs."""
    chance = random.Random(7)
    bad: list[str] = []
    died = games = events = 0
    while died < count:
        mortal.start()
        name = mortal.post("", {"config": CONFIG})["games"][0]["name"]
        path = f"/api/games/{name}/events?as=*"
        seen: Seen = []
        games += 1
        while read_events(mortal.port, TOKEN, path, seen, chance.randint(1, 30)) != "end":
            time.sleep(chance.random() * 0.05)
            mortal.kill()
            died += 1
            if died % 10 == 0:
                say(f"{died} kills of {count} ...")
            mortal.start()
            with suppress(SystemExit):  # it was over already
                mortal.post(f"/{name}/resume")
        mortal.kill()
        log = json.loads((mortal.folder / f"{name}.json").read_text(encoding="utf-8"))
        whole = [(one["index"], one["content"]) for part in log["rounds"] for one in part["events"]]
        events += len(whole)
        if seen != whole:
            bad.append(f"{name}: {seen[-3:]} of {len(seen)}, in the log {len(whole)}")
    yield Figure.none_of(
        f"killed (-9) {died} times in {games} games: games not as told", bad, games
    )
    yield Figure("  events that their watcher was told", f"{events:,}")
