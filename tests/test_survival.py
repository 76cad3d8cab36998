"""A game survives its process, its disk and its player: the short campaign, and example.py."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.history import history_from_json
from engine.record.journal import Journal
from tests.support.fake_api import FakeApi
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow
ROOM = 4000


def test_the_short_campaign_keeps_every_promise() -> None:
    command = [sys.executable, "benchmarks/survival.py", "--short", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(figures) == 8
    assert {figure["value"] for figure in figures} == {"0"}


def example(*words: str, folder: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    # -B: where room is short, half a file of bytecode would break every later import.
    command = [sys.executable, "-B", str(ROOT / "example.py"), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **more)


def test_a_full_disk_ends_a_game_with_a_sentence_and_it_goes_on_with_more_room(
    tmp_path: Path,
) -> None:
    """No file may grow beyond 4000 bytes: the journal of scripts fits, the final log does not."""

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, resource.RLIM_INFINITY))

    failed = example(
        "--offline", "--length", "9", "--seed", "3", folder=tmp_path, preexec_fn=little_room
    )
    (journal,) = (tmp_path / "logs").iterdir()
    assert failed.returncode == 1
    assert failed.stderr.startswith(
        f"example.py: logs/{journal.stem}.json cannot be written: File too large"
    )
    _, command = failed.stderr.splitlines()
    assert command == f"  uv run example.py --resume {journal.stem}"
    done = example("--resume", journal.stem, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "logs").iterdir()] == [f"{journal.stem}.json"]


@pytest.mark.parametrize("more", [(), ("--games", "2")])
def test_nobody_is_told_to_go_on_with_a_game_that_could_not_begin(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    """No file may hold a byte: the journal's first line fails, and the empty file is removed."""

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    failed = example("--offline", "--length", "3", *more, folder=tmp_path, preexec_fn=no_room)
    assert failed.returncode == 1
    assert "cannot be written: File too large" in " ".join((failed.stdout + failed.stderr).split())
    assert "--resume" not in failed.stdout + failed.stderr
    assert not [path for path in (tmp_path / "logs").rglob("*") if path.is_file()]


@pytest.mark.parametrize("where", ["logs", "logs/deep"])
def test_a_folder_that_cannot_be_made_is_told(where: str, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    failed = example("--offline", "--logs-dir", where, folder=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.startswith(f"example.py: {where} cannot be written: ")
    assert failed.stderr.count("\n") == 1


async def begun(api: FakeApi, folder: Path) -> asyncio.subprocess.Process:
    """Start a game of two models at `api` and return its process once both have been asked."""
    seat = {"provider": "compatible", "model": "m", "client_kwargs": {"base_url": f"{api.url}/v1"}}
    seats = [{"player_id": name, **seat} for name in ("Ada", "Ben")]
    config = {"player_configs": seats, "game": {"name": "conversation", "length": 3}, "seed": 1}
    (folder / "game.yaml").write_text(yaml.safe_dump(config))
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, str(ROOT / "example.py"), "--config", "game.yaml")
    game = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=pipe, stderr=pipe, env=dict(os.environ)
    )
    while len(api.requests) < 2 and game.returncode is None:  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.02)
    return game


async def go_on(journal: Path, folder: Path) -> None:
    resumed = await asyncio.to_thread(example, "--resume", journal.stem, folder=folder)
    assert resumed.returncode == 0, resumed.stderr
    assert history_from_json(journal.with_suffix(".json").read_bytes()).usage["Ada"].asks == 3


async def test_ctrl_c_once_lets_the_calls_under_way_finish(tmp_path: Path) -> None:
    async with FakeApi(delay=0.5) as api:
        game = await begun(api, tmp_path)
        game.send_signal(signal.SIGINT)
        shown, errors = await game.communicate()
        assert game.returncode == 5, errors
        (journal,) = (tmp_path / "logs").iterdir()
        assert f"uv run example.py --resume {journal.stem}" in " ".join(shown.decode().split())
        assert len(Journal.load(journal).recorded) == len(api.requests) >= 2
        api.delay = 0
        await go_on(journal, tmp_path)
        assert len(api.requests) == 6


async def test_ctrl_c_twice_stops_now(tmp_path: Path) -> None:
    """Two calls hang; each of them is made once more when the game goes on."""
    async with FakeApi(delay=600) as api:
        game = await begun(api, tmp_path)
        assert game.stdout is not None
        game.send_signal(signal.SIGINT)
        while b"Ctrl-C again stops now" not in (line := await game.stdout.readline()):
            assert line, "the process ended before its time"
        game.send_signal(signal.SIGINT)
        shown, errors = await game.communicate()
        assert game.returncode == 5, errors
        (journal,) = (tmp_path / "logs").iterdir()
        assert f"--resume {journal.stem}" in " ".join(shown.decode().split())
        assert not errors
        assert not Journal.load(journal).recorded
        api.delay = 0
        await go_on(journal, tmp_path)
        assert len(api.requests) == 2 + 6
