"""How long seats were waited for: once for questions asked at once, and never less than nothing."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.history import History, history_from_json
from engine.record.journal import Stopwatch
from engine.round import RoundContext
from engine.runs.replay import Replay
from player import Attempt, Player, PlayerConfig, Reply, Tape, Turn
from tests.support.fake_api import FakeApi
from tests.support.fault_api import FaultApi
from tests.support.tables import NOON, config_for
from tests.support.turns import turn
from tests.test_every_game import journal_of

DILEMMA = ("dilemma", "compatible:m,compatible:m,scripted:tit_for_tat")


class Thinker(Player):
    """Takes the given seconds for the attempts at each question."""

    def __init__(self, player_id: str, *questions: tuple[float, ...]) -> None:
        super().__init__(PlayerConfig(player_id=player_id, provider="human"))
        self.questions = iter(questions)

    async def decide(self, turn: Turn[Any], tape: Tape) -> Reply[Any]:
        attempts = tuple(Attempt("", seconds=seconds) for seconds in next(self.questions))
        return Reply(turn.fallback, attempts)


async def test_waiting_counts_once_for_questions_asked_at_once() -> None:
    """Ada is asked twice at once, 3.5 and 5 seconds, and then alone; Ben besides, at the first."""
    players: list[Player] = [Thinker("Ada", (2.0, 1.5), (5.0,), (2.25,)), Thinker("Ben", (4.0,))]
    history = History("game", 1, "game", 1, {})
    context: RoundContext[None] = RoundContext(
        1, False, players, ["Ada", "Ben"], [], logging.getLogger("arena"), history, ""
    )
    await context.ask_all([turn(), turn(), turn()._replace(player_id="Ben")])
    await context.ask(turn())
    assert history.usage["Ada"].seconds == 5 + 2.25
    assert history.usage["Ben"].seconds == 4.0
    assert (history.usage["Ada"].asks, history.usage["Ada"].attempts) == (3, 4)


def hours_back() -> Iterator[datetime]:
    """Yield times that go back an hour at each look."""
    now = NOON
    while True:
        yield now
        now -= timedelta(hours=1)


async def test_a_clock_that_jumps_back_gives_no_negative_seconds(tmp_path: Path) -> None:
    async with FakeApi() as api:
        config = config_for(
            *DILEMMA, tmp_path, at=api.url, clock=hours_back().__next__, limits={"max_time": 60}
        )
        history = await GameEngine(config).play()
    assert history.status == "finished"
    took = [attempt.seconds for event in history.events for attempt in event.attempts]
    assert took
    assert set(took) == {0.0}
    assert {used.seconds for used in history.usage.values()} == {0.0}


def test_a_stopwatch_runs_by_the_clock_that_is_injected() -> None:
    times = iter([NOON, NOON + timedelta(seconds=2.5), NOON - timedelta(days=1)])
    watch = Stopwatch(times.__next__)
    assert (watch.seconds(), watch.seconds()) == (2.5, 0.0)
    own = Stopwatch()
    assert own.seconds() <= own.seconds()


async def test_seconds_are_the_same_resumed_and_replayed(tmp_path: Path) -> None:
    """Each attempt takes some time, by the machine's own clock; the dilemma asks a seat at once."""
    async with FaultApi(fault="401", first=6) as api:
        first = config_for(*DILEMMA, tmp_path, at=api.url, settings={"max_rounds": 2})
        config = first.model_copy(update={"clock": ticking(NOON)})
        assert (await GameEngine(config).play()).status == "failed"
        api.fault = ""
        journal = tmp_path / "game.jsonl"
        config = first.model_copy(update={"clock": ticking(NOON)})
        history = await GameEngine.resume(journal, config).play()
    assert (await asyncio.to_thread(Replay(history).run)).to_json() == history.to_json()
    for player_id in ("Ada", "Ben"):
        used = history.usage[player_id]
        own = [event for event in history.events if event.player_id == player_id]
        took = sum(attempt.seconds for event in own for attempt in event.attempts)
        assert 0 < used.seconds < took


@pytest.mark.parametrize("game", ["conversation", "deliberations", "dilemma"])
async def test_events_keep_their_hours_however_often_the_game_is_resumed(
    game: str, tmp_path: Path
) -> None:
    """Cut behind any line: what happened before keeps its hour, live, replayed and in the log."""
    async with FakeApi() as api:
        first = config_for(game, "compatible:m,scripted:random,compatible:m", tmp_path, at=api.url)
        config = first.model_copy(update={"clock": ticking(NOON)})
        lines = (await journal_of(config, tmp_path)).splitlines(keepends=True)
        hours = hours_in(history_from_json((tmp_path / "game.json").read_bytes()))
        assert len({*hours}) > 2
        for cut in (1, len(lines) // 3, len(lines) - 1):
            path = tmp_path / str(cut) / "game.jsonl"
            path.parent.mkdir()
            path.write_bytes(b"".join(lines[:cut]))
            shown = hours_in(await asyncio.to_thread(GameEngine.replay, path))
            assert shown == hours[: len(shown)]
            folder = {"clock": ticking(NOON + timedelta(days=1)), "logs_dir": path.parent}
            engine = GameEngine.resume(path, first.model_copy(update=folder))
            live: list[str] = []
            engine.subscribe(lambda event, live=live: live.append(event.timestamp))  # type: ignore[misc]
            log = hours_in(await engine.play())
            assert log == live == sorted(live)
            assert log[: len(shown)] == shown
            assert all(hour > hours[-1] for hour in log[len(shown) :] if hour not in shown)


def hours_in(history: History) -> list[str]:
    return [event.timestamp for event in history.events]


def ticking(begin: datetime) -> Any:
    """Return a clock that goes on by a second at each look."""
    steps = chain([0], repeat(1))
    now = begin

    def clock() -> datetime:
        nonlocal now
        now += timedelta(seconds=next(steps))
        return now

    return clock
