"""A drawn game as the config of a game: who sits where under which name."""

import asyncio
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from engine.engine import GameEngine
from engine.spending.budget import Limits
from engine.tournaments.course.pool import Benches
from engine.tournaments.play_game import Done
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.sources.plain_logs import read_plain_logs
from engine.tournaments.table import check_seats, config_of, entrants_of
from tests.support.narrowing import not_none
from tests.support.tables import run_game
from tests.support.tournaments.cups import cup_of, scripts

SCRIPTS = scripts("loyal", "grudge", "random")
DRAW = Draw(12, "cup_000012", ("random", "loyal", "grudge"), 77, "balanced")


def island(names: str) -> TournamentSettings:
    return cup_of(3, 3, 20, seated=SCRIPTS, game={"name": "deliberations"}, names=names)


def test_anonymous_players_are_called_by_their_seats(tmp_path: Path) -> None:
    settings = island("anonymous")
    config = config_of(settings, DRAW, tmp_path)
    names = {"Player 1": "random", "Player 2": "loyal", "Player 3": "grudge"}
    assert entrants_of(settings, DRAW) == names
    assert config.player_ids == tuple(names)
    assert [player.model for player in config.player_configs] == ["random", "loyal", "grudge"]
    assert (config.game_id, config.seed) == ("cup_000012", 77)
    assert config.logs_dir == tmp_path / "games"
    assert config.limits == Limits()
    assert config.game.model_dump()["names"] == names


def test_a_folder_of_logs_numbers_seats_that_differ_in_settings_alone(tmp_path: Path) -> None:
    settings = cup_of(2, 2, 1)
    (draw,) = settings.draw()
    history = GameEngine(config_of(settings, draw, tmp_path)).run()
    for name in (history.game_id, "second", "third"):
        (tmp_path / "games" / f"{name}.jsonl").touch()
    source = read_plain_logs(tmp_path / "games")
    assert [*source.models] == ["scripted:greedy (1)", "scripted:greedy (2)"]
    assert source.counts.statuses == {"finished": 1, "running": 2}


def test_a_game_of_one_seat_is_left_out_of_a_folder_of_logs(tmp_path: Path) -> None:
    run_game("conversation", "scripted:greedy", tmp_path)
    source = read_plain_logs(tmp_path)
    assert (source.rows, source.counts.statuses) == ([], {"unrated": 1})
    assert source.counts.reasons == {"unrated": {"the game has one seat": 1}}


async def test_a_game_whose_process_was_killed_is_played_by_a_new_one(tmp_path: Path) -> None:
    settings = cup_of(2, 2, 1)
    (draw,) = settings.draw()

    async def refuse(draw: Draw) -> Done:
        raise AssertionError(draw)

    killed = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    assert isinstance(killed.submit(os._exit, 1).exception(), BrokenProcessPool)
    benches = Benches(settings, tmp_path, 1, refuse, executor=killed)
    assert (await benches.play(draw)).status == "finished"
    benches.close()


def test_players_may_keep_their_entrants_names() -> None:
    config = config_of(island("own"), DRAW, None)
    assert config.player_ids == DRAW.seats
    assert config.game.model_dump()["anonymous"] is False


@pytest.mark.parametrize(("game", "model"), [("dilemma", "defector"), ("guest", "leader")])
@pytest.mark.parametrize("table", [2, 5])
def test_any_table_of_any_game_can_be_played(game: str, model: str, table: int) -> None:
    seat = {"provider": "scripted", "model": model}
    seats = {f"e{number}": seat | {"character_prompt": f"{number}"} for number in range(table)}
    settings = cup_of(2, table, 1, seated=seats, game={"name": game})
    check_seats(settings)
    (draw,) = settings.draw()
    history = asyncio.run(GameEngine(config_of(settings, draw, None)).play())
    assert history.status == "finished"
    assert not history.void
    assert len(not_none(history.outcome).placements) == table
