"""Test the arena in OpenEnv as users run it: the generic client against the arena's app."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openenv.core import GenericEnvClient

SESSIONS = 6
QUICK = {"max_rounds": 1, "game_length": [2, 2], "flip_params": [0.0, 0.0]}
GAMES = ("conversation", "deliberations", "dilemma", "guest", "openspiel", "talks", "textarena")
Play = Callable[[dict[str, Any]], str]
# A game's reward, everything seen, and the number of answers.
Episode = tuple[float, list[str], int]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the app on a free local port, with its maximum number of sessions."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    output = tmp_path_factory.mktemp("door") / "told.txt"
    kept = {name: value for name, value in os.environ.items() if name != "ARENA_URL"}
    environ = {**kept, "ARENA_SESSIONS": str(SESSIONS)}
    command = [str(Path(sys.executable).with_name("arena-openenv")), "--port", str(port)]
    with output.open("w") as file:
        served = subprocess.Popen(command, env=environ, stdout=file, stderr=file)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/health", served, output)
        yield address
    finally:
        served.send_signal(signal.SIGINT)
        served.wait(60)


def wait_for(address: str, served: subprocess.Popen, told: Path) -> None:
    """Wait until a server responds; the first import of OpenEnv may take minutes."""
    for _ in range(3000):
        assert served.poll() is None, told.read_text()
        try:
            urllib.request.urlopen(address, timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(told.read_text())


def always(move: str) -> Play:
    """Return a player that makes the same choice whenever it is legal."""

    def play(field: dict[str, Any]) -> str:
        legal = field["choices"]
        return move if move in legal else legal[0]

    return play


async def episode(address: str, play: Play, **options: Any) -> Episode:
    """Play a game to its end."""
    events: list[str] = []
    async with GenericEnvClient(base_url=address, message_timeout_s=120) as seat:
        result = await seat.reset(**options)
        steps = 0
        while not result.done:
            assert result.reward == 0
            events += result.observation["events"]
            values = {field["name"]: play(field) for field in result.observation["fields"]}
            result = await seat.step({"values": values})
            assert result.observation["refused"] == ""
            steps += 1
        assert (await seat.state())["step_count"] == steps
    return result.reward, events + result.observation["events"], steps


def test_a_defector_beats_cooperators_and_a_cooperator_loses_to_defectors(door: str) -> None:
    async def play_both() -> list[Episode]:
        cooperators = episode(
            door, always("D"), seed=7, settings=QUICK, rivals=["cooperator", "cooperator"]
        )
        defectors = episode(
            door, always("C"), seed=7, settings=QUICK, rivals=["defector", "defector"], place=2
        )
        return await asyncio.gather(cooperators, defectors)

    (won, seen, answers), (lost, _, _) = asyncio.run(play_both())
    assert (won, lost) == (1.0, 0.0)
    # Two games of two blocks, with one question per block.
    assert answers == 4
    # Six moves of 5 points against each of two rivals, as reported to the seat.
    assert "Ada 60" in seen[1]


def test_many_sessions_play_at_once_and_the_same_seed_is_the_same_game(door: str) -> None:
    async def play_all() -> list[Episode]:
        games = [
            episode(
                door,
                lambda field: field["choices"][-1],
                seed=7 + number % 2,
                game="conversation",
                settings={"length": 8},
                rivals=["greedy", "random"],
            )
            for number in range(SESSIONS)
        ]
        return await asyncio.gather(*games)

    ends = asyncio.run(play_all())
    assert ends[0::2] == [ends[0]] * (SESSIONS // 2)
    assert ends[1::2] == [ends[1]] * (SESSIONS // 2)
    assert ends[0] != ends[1]
    assert all(0 <= reward <= 1 for reward, _, _ in ends)


def test_an_illegal_answer_is_refused_and_the_question_stays(door: str) -> None:
    async def try_both() -> None:
        async with GenericEnvClient(base_url=door) as seat:
            asked = await seat.reset(seed=7, settings=QUICK, rivals=["tit_for_tat"])
            refused = await seat.step({"values": {"first": "X", "second": "C", "third": "C"}})
            assert "X" in refused.observation["refused"]
            assert refused.observation["question"] == asked.observation["question"]
            assert not refused.done
            for wrong in (["C"], "C", 7, None, {"first": ["C"]}, {"first": True}, {"first": 1.5}):
                odd = await seat.step({"values": wrong})
                assert odd.observation["refused"].startswith("expected ")
                assert odd.observation["question"] == asked.observation["question"]
            nothing = await seat.step({})
            assert "expected values to be an object" in nothing.observation["refused"]
            # A choice may be named by its number.
            taken = await seat.step({"values": {"first": 1, "second": "C", "third": "C"}})
            assert taken.observation["refused"] == ""
            # A new game in the same session leaves the seat in the old one.
            again = await seat.reset(seed=7, settings=QUICK, rivals=["tit_for_tat"])
            assert again.observation["question"] == asked.observation["question"]

    asyncio.run(try_both())


@pytest.mark.parametrize("game", GAMES)
def test_every_game_starts_by_its_defaults(door: str, game: str) -> None:
    async def begin() -> None:
        async with GenericEnvClient(base_url=door, message_timeout_s=120) as seat:
            asked = await seat.reset(seed=7, game=game)
            assert asked.observation["fields"] or asked.done

    asyncio.run(begin())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"game": "chess_boxing"}, "chess_boxing"),
        ({"rivals": ["nobody"]}, "nobody"),
        ({"place": 9}, "place from 0 to 3"),
    ],
    ids=["no such game", "no such strategy", "no such place"],
)
def test_a_door_that_cannot_open_says_why(door: str, options: dict[str, Any], told: str) -> None:
    async def begin() -> None:
        async with GenericEnvClient(base_url=door) as seat:
            await seat.reset(**options)

    with pytest.raises(RuntimeError, match=told):
        asyncio.run(begin())


def test_the_example_of_this_doors_readme_runs(
    door: str, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = Path(__file__).with_name("README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    code = code.replace("http://127.0.0.1:8000", door)
    exec(compile(code, "README.md", "exec"), {})
    reward, summary = capsys.readouterr().out.split(" ", 1)
    assert 0 <= float(reward) <= 1
    assert "wins" in summary or "win " in summary
