"""Games that the hall does not play: over, unreadable, or played by another process."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from aiohttp import web

from engine.history import history_from_json
from engine.server import shelf as shelf_module
from engine.server.seats import Conflict
from tests.support.fake_api import FakeApi
from tests.support.paths import ROOT
from tests.support.web.halls import config_of, end_of, events_in, open_hall, until, watch

PLAY = """
import sys
from pathlib import Path
from tests.support.tables import run_game
seats, more = "ollama:a,scripted:random", {"seed": 7, "settings": {"length": 6}}
run_game("conversation", seats, Path(sys.argv[1]), game_id="elsewhere", **more)
"""


async def test_names_that_no_game_has_are_said_to_be_unknown(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("no game")
    async with open_hall(tmp_path) as hall:
        for name in ("gameplay_1", "../secret", "secret.txt", "", ".", "..\\x", "-x", "a/b"):
            for ask in (hall.feed, hall.history, hall.stop, hall.resume):
                with pytest.raises(KeyError):
                    await ask(name)
            with pytest.raises(KeyError):
                await hall.fork(name, 0, [])
            with pytest.raises(KeyError):
                hall.seats(name)
            assert hall.status(name) is None


async def test_a_file_that_cannot_be_read_says_why_and_the_others_work(tmp_path: Path) -> None:
    async with open_hall(tmp_path) as hall:
        good = await hall.begin(config_of("scripted:greedy,scripted:random"))
        await watch(hall, good)
        (tmp_path / "bad.json").write_text('{"no": "log"}')
        (tmp_path / "torn.jsonl").write_text("not a journal\n")
        for name in ("bad", "torn"):
            with pytest.raises(ValueError, match=name) as refused:
                await hall.history(name)
            assert str(tmp_path) not in str(refused.value)
        assert (await hall.history(good)).status == "finished"


async def test_a_game_of_another_process_is_watched_but_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "PAUSE", 0.05)
    go_on = asyncio.Event()

    async def held(request: web.Request) -> web.StreamResponse:
        if len(api.requests) > 2:
            await go_on.wait()
        return await answer(request)

    api = FakeApi()
    answer = api._answer
    monkeypatch.setattr(api, "_answer", held)
    async with api, open_hall(tmp_path) as hall:
        command = [sys.executable, "-c", PLAY, str(tmp_path)]
        place = os.environ | {"OLLAMA_HOST": api.url}
        other = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=place)
        try:
            await until(lambda: len(api.requests) > 2)
            watching = asyncio.create_task(watch(hall, "elsewhere"))
            with pytest.raises(Conflict, match="by another process: you can watch it here"):
                await hall.stop("elsewhere")
            with pytest.raises(Conflict, match="by another process"):
                await hall.resume("elsewhere")
            assert hall.seats("elsewhere") == {}
            feed = await hall.feed("elsewhere")
            assert (feed.ended, len(feed.page("*", -1, 1))) == (False, 1)
            go_on.set()
            frames = await watching
        finally:
            if other.returncode is None:
                await asyncio.wait_for(other.wait(), 30)
    assert end_of(frames)["status"] == "finished"
    history = history_from_json((tmp_path / "elsewhere.json").read_bytes())
    assert [one["index"] for one in events_in(frames)] == [event.index for event in history.events]


async def test_memory_of_games_that_are_over_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "MOST_KEPT", 100_000)
    async with open_hall(tmp_path) as hall:
        configs = [config_of("scripted:greedy,scripted:random", seed=n) for n in range(20)]
        names = [await hall.begin(config) for config in configs]
        await until(lambda: not hall.games)
        first = await hall.history(names[0])
        assert await hall.history(names[0]) is first
        for name in names:
            await watch(hall, name)
            logs = [tmp_path / f"{kept}.json" for kept in hall.shelf.volumes]
            assert sum(log.stat().st_size for log in logs) <= 100_000
        assert 1 <= len(hall.shelf.volumes) < 20
        assert await hall.history(names[0]) is not first
