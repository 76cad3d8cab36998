"""One game of a tournament: begun, gone on with, or read, and never paid for twice."""

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import history_from_json
from engine.record.journal import utc_now
from engine.spending.budget import Limits, Meter
from engine.tournaments.play_game import Done, play_draw
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import config_of
from tests.support.fake_api import FakeApi
from tests.support.narrowing import not_none
from tests.support.tables import own_games
from tests.support.tournaments.cups import short_cup

KEYS = {
    "game_id", "block", "game", "seat", "entrant", "place", "score", "payoff", "asks", "fallbacks",
    "illegal", "retried", "outlived", "lot", "provider", "words", "cost", "tokens", "void",
    "wording",
}  # fmt: skip


def first_draw(settings: TournamentSettings) -> Draw:
    return next(settings.draw())


async def play(settings: TournamentSettings, folder: Path, limits: Limits | None = None) -> Done:
    meter = Meter(limits or Limits(), utc_now)
    factory = ClientFactory()
    try:
        return await play_draw(settings, first_draw(settings), folder, factory=factory, whole=meter)
    finally:
        await factory.aclose()


@pytest.mark.parametrize("game", [name for name in own_games() if GAMES[name].targets])
async def test_a_game_of_scripts_gives_a_row_a_seat(game: str, tmp_path: Path) -> None:
    settings = short_cup(game)
    done = await play(settings, tmp_path)
    assert (done.status, done.calls, done.cost) == ("finished", 0, 0.0)
    log = tmp_path / "games" / "cup_000000.json"
    assert done.sha256 == sha256(log.read_bytes()).hexdigest()
    assert [row["entrant"] for row in done.rows] == list(first_draw(settings).seats)
    outcome = not_none(history_from_json(log.read_bytes()).outcome)
    for seat, row in enumerate(done.rows, 1):
        assert row.keys() == KEYS
        assert row["seat"] == seat
        assert row["place"] == outcome.placements[f"Player {seat}"]
        assert row["payoff"] == (row["score"] if "points" in GAMES[game].targets else None)


@pytest.mark.parametrize(
    ("game", "more"),
    [("deliberations", {"seed": 8}), ("deliberations", {"table": 4}), ("guest", {})],
)
async def test_a_log_of_another_draw_is_no_game_of_this_one(
    game: str, more: dict[str, Any], tmp_path: Path
) -> None:
    await play(short_cup(), tmp_path)
    told = r"cup_000000\.json is the log of another game, .*: move it away"
    with pytest.raises(ValueError, match=told):
        await play(short_cup(game, **more), tmp_path)


async def test_a_game_whose_log_is_there_is_only_read(tmp_path: Path) -> None:
    settings = short_cup()
    first = await play(settings, tmp_path)
    log = tmp_path / "games" / "cup_000000.json"
    before = log.stat().st_mtime_ns
    # A process that was killed just after it wrote the log leaves its journal too.
    log.with_suffix(".jsonl").write_text("{}\n")
    assert await play(settings, tmp_path) == first
    assert log.stat().st_mtime_ns == before
    assert [path.name for path in log.parent.iterdir()] == [log.name]


async def test_a_journal_without_a_whole_line_begins_again(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "cup_000000.jsonl").write_text('{"sum": "12')
    assert (await play(short_cup(), tmp_path)).status == "finished"


async def test_a_stopped_game_goes_on_and_no_call_is_made_again(tmp_path: Path) -> None:
    async with FakeApi() as api:
        settings = short_cup(models=4, at=api.url)
        stopped = await play(settings, tmp_path, Limits(max_calls=4))
        assert (stopped.status, stopped.calls, stopped.sha256) == ("stopped", 4, "")
        assert "the budget of 4 calls is used up" in stopped.reason
        done = await play(settings, tmp_path)
        assert done.status == "finished"
        assert done.calls == len(api.requests)
        assert sum(row["tokens"] for row in done.rows) == done.tokens == 120 * done.calls


async def test_a_whole_meter_counts_nothing_that_its_maker_has_counted(tmp_path: Path) -> None:
    async with FakeApi() as api:
        settings = short_cup(models=4, at=api.url)
        await play(settings, tmp_path, Limits(max_calls=4))
        whole = Meter(Limits(), utc_now)
        factory = ClientFactory()
        draw = first_draw(settings)
        done = await play_draw(settings, draw, tmp_path, factory=factory, whole=whole)
        await factory.aclose()
        assert whole.calls == done.calls - 4
        assert whole.tokens == 120 * whole.calls


async def test_a_game_in_which_one_seat_alone_answered_is_void(tmp_path: Path) -> None:
    async with FakeApi(reply=lambda body: "I will not.") as api:
        done = await play(short_cup(models=3, at=api.url), tmp_path)
        assert done.status == "void"
        assert "answered 0 of" in done.reason


async def test_a_game_that_another_process_goes_on_playing_is_waited_for(tmp_path: Path) -> None:
    """Here the other one is an engine of this process, which has the journal locked."""
    settings = short_cup()
    other = GameEngine(config_of(settings, first_draw(settings), tmp_path))
    other.record()
    asyncio.get_running_loop().call_later(0.3, not_none(other.journal).close)
    assert (await play(settings, tmp_path)).status == "finished"
