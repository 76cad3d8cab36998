"""docs/server.md is true: each of its lines runs as it stands, against a server of its own."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.paths import ROOT
from tests.support.web.started import ask, started

PAGE = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
(PYTHON,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ADA = {"player_id": "Ada", "provider": "scripted", "model": "greedy"}
PATIENCE = 30.0
# What each block answers, in the page's order.
EXPECTED = (
    r'"games":\{"conversation":.*"strategies":.*"configs":',
    r'"Ben":\{"calls":[1-9].*"cost":0\.0.*"events":[1-9]',
    r'^\{"games":\[\{"name":.*"seats":\{"Ben":"http://127\.0\.0\.1:\d+/#/seat/.*"Ben":"http',
    r'"players":\["Ada","Cy"\].*"status":"finished".*"next":null',
    r'"status":"finished".*"outcome":\{.*"usage":.*"may":.*"watch":',
    r'^\{"events":\[\{"index":4,.*\{"index":5,.*"next":"?\w',
    r'^retry: 1000\n\nevent: hello\n.*\nid: public:4\nevent: event\n.*end\ndata: .*"finished"',
    r'^\{"prompt":.*"index":3\}$',
    r'^\{"question":\{"number":1,.*"choices":\[.*"state":"here"\}$',
    r'^\{"answered":1\}$',
    r"^$",
    r"^$",
    r'^\{"name":"gameplay_\w+"\}$',
    r'^\{"name":"gameplay_\w+"\}$',
    r'^\{"name":"gameplay_\w+","seats":\{\}\}$',
    r'"game": "conversation".*"checksum":',
    r"^$",
    r'^\{"fair":true,"void":"","difference":""\}',
    r'^\{"by":"player","rows":\[\{"key":"\w+","games":[1-9]',
    r'^\{"suites":\[\]\}$',
    r'^\{"status":"ok"\}$',
    r"# TYPE arena_games gauge\narena_games \d+\n",
    r'^\{"openapi":"3\.1',
)
FILES = {
    "game.html": b"<!doctype html>",
    "game.pdf": b"%PDF-",
    "game.csv": b"index,round,kind",
    "game.typ": b"//",
    "score.svg": b"<?xml",
}


@dataclass(frozen=True)
class Arena:
    """The server that the lines are tried on."""

    link: str

    def ask(self, path: str, body: Any = None) -> Any:
        return ask(self.link, path, body)

    def begin(self, *players: dict[str, str]) -> tuple[str, dict[str, str]]:
        """Begin a game; return its name and the links of its seats."""
        game = {"name": "conversation", "length": 6}
        config = {"game": game, "seed": 7, "player_configs": [ADA, *players]}
        (begun,) = self.ask("/api/games", {"config": config})["games"]
        return begun["name"], begun["seats"]

    def wait(self, name: str, *, until: Callable[[Any], bool]) -> None:
        latest = time.monotonic() + PATIENCE
        while not until(self.ask(f"/api/games/{name}")):
            assert time.monotonic() < latest
            time.sleep(0.02)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with started(tmp_path_factory.mktemp("logs")) as (_, link):
        yield Arena(link)


@pytest.fixture(scope="module")
def finished(arena: Arena) -> str:
    name, _ = arena.begin({"player_id": "Cy", "provider": "scripted", "model": "patient"})
    arena.wait(name, until=lambda game: game["status"] == "finished")
    return name


def waiting(arena: Arena) -> tuple[str, str]:
    """Return the name of a game that waits for Ben's first answer, and the key of that seat."""
    name, seats = arena.begin({"player_id": "Ben", "provider": "human"})
    arena.wait(name, until=lambda game: game["events"] > 1)
    return name, seats["Ben"].partition("?key=")[2]


def game_for(block: str, arena: Arena, finished: str) -> dict[str, str]:
    """Return the name of a game that is where a block needs it, and the key of its seat."""
    if not re.search("/(seats|revoke|stop|resume)", block):
        return {"NAME": finished}
    name, key = waiting(arena)
    if "/resume" in block:
        arena.ask(f"/api/games/{name}/stop", {})
        arena.wait(name, until=lambda game: game["status"] == "unfinished")
    return {"NAME": name, "KEY": key}


def run(command: list[str], folder: Path, arena: Arena, names: dict[str, str]) -> str:
    address, _, token = arena.link.partition("/#/?token=")
    environment = {**os.environ, "ARENA": address, "TOKEN": token, **names}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_the_picture_is_of_a_whole_page_and_light() -> None:
    picture = ROOT / "docs" / "pictures" / "page.png"
    # An empty page has 19 KB.
    assert 30_000 < picture.stat().st_size <= 150_000
    with Image.open(picture) as shown:
        darkest, _ = shown.convert("L").crop((0, 0, 9, 9)).getextrema()
    assert isinstance(darkest, int)
    assert darkest > 200


@pytest.mark.parametrize(("block", "expected"), [*zip(BLOCKS, EXPECTED, strict=True)], ids=count())
def test_lines_run(block: str, expected: str, arena: Arena, finished: str, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        reason = "no curl on this machine: apt-get install curl"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    names = game_for(block, arena, finished)
    shown = run(["bash", "-ec", block], tmp_path, arena, names)
    assert re.search(expected, shown, re.DOTALL), shown[:2000]
    for file, beginning in FILES.items():
        if file in block:
            assert (tmp_path / file).read_bytes().startswith(beginning)


def test_the_stream_comes_as_messages_too(arena: Arena, finished: str, tmp_path: Path) -> None:
    shown = run([sys.executable, "-c", PYTHON], tmp_path, arena, {"NAME": finished}).splitlines()
    kinds = [line.split()[0] for line in shown]
    assert (kinds[0], kinds[-1]) == ("hello", "end")
    assert kinds.count("event") == 6
