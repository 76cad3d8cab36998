"""Small tables for tests: a scripted game of any kind, and an engine that plays it in memory."""

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History
from engine.record.journal import utc_now
from engine.runs.seating import read_players
from player import PlayerConfig
from tests.support.fake_api import FakeApi, Reply, legal

# A library may change its rules, and with them the results of old logs.
OF_LIBRARIES = {"openspiel", "textarena"}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def config_for(
    game: str, players: str = "", logs_dir: Path | None = None, *, at: str = "", **more: Any
) -> GameEngineConfig:
    """Return a game with a stopped clock; by default its first strategies play it.

    `at` is the address of a model server for the seats of provider `compatible`.
    """
    chosen = more.pop("settings", {})
    if not players:
        scripts = scripts_of(game)[:4]
        seated = islice(cycle(scripts), len(called_by(game, chosen)) or len(scripts))
        players = ",".join(f"scripted:{name}" for name in seated)
    seats = players_at(at, players)
    settings = {"game": {"name": game, **chosen}, "game_id": "game", "clock": lambda: NOON}
    return GameEngineConfig(player_configs=seats, logs_dir=logs_dir, **(settings | more))


def called_by(game: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the seat names of a game; empty if it takes any number of players."""
    return GAMES[game].model_validate({**settings}).seats()


def players_at(at: str, players: str) -> list[PlayerConfig]:
    """Return seats; models of provider `compatible` are at this address."""
    kwargs = {"client_kwargs": {"base_url": f"{at}/v1"}}
    return [
        seat.model_copy(update=kwargs if seat.provider == "compatible" else {})
        for seat in read_players(players)
    ]


def with_first(config: GameEngineConfig, **changes: Any) -> GameEngineConfig:
    """Return a game whose first seat has these fields."""
    first, *others = config.player_configs
    return config.model_copy(update={"player_configs": [first.model_copy(update=changes), *others]})


def scripts_of(game: str) -> list[str]:
    """Return the scripted players that can play a game with its usual settings."""
    usual = GAMES[game]()
    return [name for name in usual.strategies if not usual.refuses(name)]


def own_games() -> list[str]:
    return sorted(set(GAMES) - OF_LIBRARIES)


def run_game(game: str, players: str = "", *where: Path, **more: Any) -> History:
    """Return a finished game of `config_for`."""
    return GameEngine(config_for(game, players, *where, **more)).run()


def play_into(folder: Path, *games: str) -> Path:
    """Play games into a folder under their own names, by the real clock; return the folder."""
    for game in games:
        run_game(game, "", folder, game_id=game, clock=utc_now)
    return folder


async def play_game(game: str, players: str = "", *where: Path, **more: Any) -> History:
    """Return a finished game of `config_for` from within a running event loop."""
    return await GameEngine(config_for(game, players, *where, **more)).play()


async def play_with_models(
    game: str, players: str, reply: Reply = legal, **more: Any
) -> tuple[History, FakeApi]:
    """Return a finished game whose models answer as `reply` does, and the server they asked."""
    async with FakeApi(reply=reply) as api:
        return await play_game(game, players, at=api.url, **more), api
