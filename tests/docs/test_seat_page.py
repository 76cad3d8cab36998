"""docs/take-a-seat.md is true: its player plays whole games, also when the server is killed."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.history import History, history_from_json
from tests.support.paths import ROOT
from tests.support.web.started import ask, started

PAGE = (ROOT / "docs" / "take-a-seat.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
TOKEN = "a-token-of-enough-letters"
SEATS = [
    {"player_id": "Ada", "provider": "human"},
    {"player_id": "Ben", "provider": "human"},
    {"player_id": "Cleo", "provider": "scripted", "model": "random"},
]
PATIENCE = 120.0
# So many events one player has seen when the server is killed: the game is in its middle.
SEEN = 12
INDEX = re.compile(r"^(\d+) ", re.MULTILINE)


def begin(link: str, game: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Begin a game of two programs and a script; return its name and the links of the seats."""
    config = {"game": game, "seed": 7, "player_configs": SEATS}
    (begun,) = ask(link, "/api/games", {"config": config})["games"]
    return begun["name"], begun["seats"]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "sit.py"
    path.write_text(CODE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Run a server while the module's tests do; yield the folder of its logs, and its link."""
    logs = tmp_path_factory.mktemp("house") / "logs"
    with started(logs, ARENA_TOKEN=TOKEN) as (_, link):
        yield logs, link


@contextmanager
def sitting(program: Path, link: str) -> Iterator["subprocess.Popen[str]"]:
    """Let the page's player play a seat in a process of its own."""
    command, pipe = [sys.executable, str(program), link], subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=10)


def check_log(folder: Path, name: str, shown: dict[str, str]) -> History:
    """Return a log with no fallback, of which players were shown each of their events once."""
    log = history_from_json((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert log.status == "finished"
    assert not any(event.fell_back for event in log.events)
    for player_id, out in shown.items():
        # A view counts its own events from 0.
        seen = range(len(list(log.seen_by(player_id))))
        assert [int(index) for index in INDEX.findall(out)] == [*seen]
    return log


def test_the_player_is_short() -> None:
    assert len([line for line in CODE.splitlines() if line.strip()]) <= 35


@pytest.mark.parametrize(
    "game",
    [
        {"name": "conversation", "length": 20},
        {"name": "deliberations"},
        {"name": "dilemma", "max_rounds": 3},
    ],
    ids=lambda game: game["name"],
)
def test_two_play_a_game(game: dict[str, Any], program: Path, house: tuple[Path, str]) -> None:
    logs, link = house
    name, seats = begin(link, game)
    with sitting(program, seats["Ada"]) as ada, sitting(program, seats["Ben"]) as ben:
        shown = {"Ada": ada.communicate(timeout=PATIENCE)}
        shown["Ben"] = ben.communicate(timeout=PATIENCE)
        assert (ada.returncode, ben.returncode) == (0, 0), shown
    log = check_log(logs, name, {player_id: out for player_id, (out, _) in shown.items()})
    assert min(log.usage[player_id].asks for player_id in shown) > 0


@pytest.mark.slow
def test_they_play_on_when_the_server_was_killed(program: Path, tmp_path: Path) -> None:
    """No event is lost or comes twice, and no answer is asked for twice."""
    logs = tmp_path / "logs"
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = str(found.getsockname()[1])
    with started(logs, "--port", port, ARENA_TOKEN=TOKEN) as (server, link):
        name, seats = begin(link, {"name": "conversation", "length": 40})
        with sitting(program, seats["Ada"]) as ada, sitting(program, seats["Ben"]) as ben:
            assert ada.stdout is not None
            before = "".join(ada.stdout.readline() for _ in range(SEEN))
            server.kill()
            server.wait()
            assert not (logs / f"{name}.json").exists(), "the game was over before the kill"
            with started(logs, "--port", port, ARENA_TOKEN=TOKEN) as (_, again):
                ask(again, f"/api/games/{name}/resume", {})
                out, cuts = ada.communicate(timeout=PATIENCE)
                seen = {"Ada": before + out, "Ben": ben.communicate(timeout=PATIENCE)[0]}
            assert (ada.returncode, ben.returncode) == (0, 0)
    assert cuts
    check_log(logs, name, seen)


def test_a_wrong_key_ends_the_player_with_a_reason(program: Path, house: tuple[Path, str]) -> None:
    _, link = house
    _, seats = begin(link, {"name": "conversation", "length": 2})
    with sitting(program, seats["Ada"].partition("?key=")[0] + "?key=wrong") as player:
        _, err = player.communicate(timeout=PATIENCE)
    assert player.returncode == 1
    assert '"detail"' in err
