"""What a screen shows of a tournament while it is played."""

import io
from pathlib import Path

from rich.console import Console

from engine.tournaments.course.board import TournamentBoard
from engine.tournaments.run import PlayOptions, TournamentRun
from tests.support.fake_api import FakeApi
from tests.support.narrowing import instance
from tests.support.tournaments.cups import short_cup

NO = "I will not."


def console_of(*, terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=100, legacy_windows=False)


def told_on(console: Console) -> str:
    return " ".join(instance(console.file, io.StringIO).getvalue().split())


async def show(folder: Path, console: Console, **more: object) -> None:
    settings = short_cup("conversation", **more)  # type: ignore[arg-type]
    with TournamentBoard(console) as board:
        await TournamentRun(settings, folder, PlayOptions(), watch=board).play()


async def test_a_terminal_has_a_table_with_intervals(tmp_path: Path) -> None:
    console = console_of(terminal=True)
    await show(tmp_path, console, games=24, targets=["places"])
    told = told_on(console)
    assert "24 of 24 games done, 0 running" in told
    assert "ETA 0 s" in told
    for name in ("silent", "greedy", "random"):
        assert f"{name} 18/18" in told
    # Whoever never speaks is rated below the rest: the last row is its.
    assert told.rindex("silent 18/18") > told.rindex("greedy 18/18")


async def test_elsewhere_a_line_says_how_far_it_is(tmp_path: Path) -> None:
    console = console_of(terminal=False)
    await show(tmp_path, console, games=6)
    assert "6 of 6 games done, 0 running; ETA 0 s" in told_on(console)


async def test_an_entrant_that_fails_often_is_named_once(tmp_path: Path) -> None:
    async with FakeApi(reply=lambda body: NO) as api:
        console = console_of(terminal=False)
        await show(tmp_path, console, models=1, at=api.url, games=16)
    told = told_on(console)
    assert told.count("warning: silent failed in 100 % of its games") == 1
    assert "calls/s" in told
