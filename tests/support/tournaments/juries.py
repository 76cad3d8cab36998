"""Finished tournaments of deliberations, whose finals a jury of tests judges again."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from client_factory import ClientFactory
from engine.games import GAMES
from engine.record.journal import utc_now
from engine.spending.budget import Limits, Meter
from engine.tournaments.ledger import Ledger
from engine.tournaments.play_game import play_draw
from engine.tournaments.settings import TournamentSettings
from player import Turn
from tests.support.fake_api import FakeApi

DELIBERATIONS = GAMES["deliberations"]


def take_first(turn: Turn[Any], rng: random.Random) -> BaseModel:
    """Vote for the first of a list, like a juror that ignores everything else."""
    said: dict[str, str] = {"text": "I am here."}
    if turn.kind == "vote":
        said = {"vote": turn.observation.options[0]}
    answer: BaseModel = turn.answer.model_validate(said)
    return answer


def island_cup(table: int, games: int, *scripts: str, **more: Any) -> TournamentSettings:
    """Return a tournament of deliberations between `scripts`; one may stand there several times."""
    entrants: dict[str, Any] = {}
    for number, script in enumerate(scripts):
        told = f"You are number {number}."
        seat = {"provider": "scripted", "model": script, "character_prompt": told}
        entrants[f"{script}-{number}"] = seat
    entrants |= more.pop("entrants", {})
    settings = {
        "name": "cup",
        "game": {"name": "deliberations"},
        "table": table,
        "entrants": entrants,
        "games": games,
        "seed": 3,
    }
    return TournamentSettings.model_validate(settings | more)


def model_cup(
    api: FakeApi, games: int = 6, scripts: Sequence[str] = (), **more: Any
) -> TournamentSettings:
    """Return a tournament of four at a table, models at a fake server and `scripts`.

    The models take the first of every list.
    """
    kwargs = {"base_url": f"{api.url}/v1"} | more.pop("kwargs", {})
    entrants = {}
    for number in range(4 - len(scripts)):
        entrants[f"m{number}"] = {
            "provider": "compatible",
            "model": f"model-{number}",
            "client_kwargs": kwargs,
        }
    return island_cup(4, games, *scripts, entrants=entrants, **more)


async def play_cup(settings: TournamentSettings, folder: Path, *, games: int | None = None) -> None:
    """Play all games of a tournament, or the first `games`, into `folder`, with its ledger."""
    folder.mkdir(parents=True, exist_ok=True)
    ledger = Ledger.open(folder / "ledger.jsonl")
    factory = ClientFactory()
    meter = Meter(Limits(), utc_now)
    try:
        await ledger.begin(settings)
        for draw in settings.draw():
            if draw.number >= (settings.games if games is None else games):
                break
            await ledger.draw([draw])
            await ledger.done(await play_draw(settings, draw, folder, factory=factory, whole=meter))
    finally:
        ledger.close()
        await factory.aclose()


def play_whole(settings: TournamentSettings, folder: Path, *, games: int | None = None) -> None:
    asyncio.run(play_cup(settings, folder, games=games))
