"""Tournaments of scripts, for tests."""

from pathlib import Path
from typing import Any

import yaml

from engine.games import GAMES
from engine.tournaments.settings import TournamentSettings


def cup_of(
    entrants: int, table: int, games: int, seated: dict[str, Any] | None = None, **more: Any
) -> TournamentSettings:
    """Return a tournament in the conversation, of as many greedy entrants, or of those `seated`."""
    seats: dict[str, Any] = {}
    greedy = {"provider": "scripted", "model": "greedy"}
    for number in range(entrants):
        seats[f"e{number:02}"] = greedy | {"character_prompt": f"You are number {number}."}
    settings: dict[str, Any] = {
        "name": "cup",
        "game": {"name": "conversation", "length": 4},
        "table": table,
        "entrants": seated or seats,
        "games": games,
    }
    return TournamentSettings.model_validate(settings | more)


def scripts(*names: str) -> dict[str, dict[str, Any]]:
    """Return strategies as entrants, each under its own name."""
    return {name: {"provider": "scripted", "model": name} for name in names}


def write_cup(folder: Path, settings: TournamentSettings | dict[str, Any]) -> Path:
    path = folder / "cup.yaml"
    told = settings if isinstance(settings, dict) else settings.public()
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    return path


LENGTHS: dict[str, dict[str, Any]] = {
    "conversation": {"length": 4},
    "dilemma": {"game_length": [3, 3], "max_rounds": 1},
    "guest": {"max_steps": 12},
}


def short_cup(
    game: str = "deliberations", *, models: int = 0, at: str = "", **more: Any
) -> TournamentSettings:
    """Return a tournament of the game's first four strategies, at tables of three.

    The first `models` of them are models instead, at the model server whose address is `at`.
    """
    entrants = scripts(*[*GAMES[game].strategies][:4])
    for entrant in [*entrants.values()][:models]:
        entrant |= {"provider": "compatible", "client_kwargs": {"base_url": f"{at}/v1"}}
    settings = {
        "name": "cup",
        "game": {"name": game, **LENGTHS.get(game, {})},
        "table": 3,
        "entrants": entrants,
        "games": 6,
        "seed": 7,
    }
    return TournamentSettings.model_validate(settings | more)
