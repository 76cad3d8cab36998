"""The choices that the "new game" form offers."""

import asyncio
from functools import cache

from fastapi import APIRouter

from engine import own_folder
from engine.config import gather_talk, read_config
from engine.games import GAMES
from engine.record.files import read_text
from engine.runs.seating import default_players
from engine.server.web.admission import OF_CLIENTS, is_hosted_by, variable_lacked
from engine.server.web.desk import AtDesk, HostAsking
from engine.spending.budget import Limits
from protocol.answer import Plain
from protocol.seats import SEATS
from providers import PROVIDERS

router = APIRouter()
CONFIGS = own_folder("configs")


@router.get("/offer", summary="Games, settings, strategies, providers and ready-made configs")
async def show_offer(_caller: HostAsking, desk: AtDesk) -> Plain:
    """Return the choices for a new game; providers without their API key are left out."""
    index = await desk.fresh_index()
    return {
        "games": games_offered(),
        "listed": await asyncio.to_thread(index.games),
        "limits": Limits.model_json_schema(),
        "providers": providers_ready(),
        "configs": configs_offered(),
        "client_kwargs": OF_CLIENTS,
        "files": desk.settings.allow_models,
        "max_cost": desk.settings.max_cost,
        "read_only": desk.settings.read_only,
    }


@cache
def games_offered() -> Plain:
    """Return each game's settings as JSON Schema, and its scripts with their descriptions.

    `refused` lists the scripts that cannot play with the default settings.
    """
    return {
        name: {
            "about": meaning_of(game),
            "settings": game.model_json_schema(),
            "basic": game.basic,
            "strategies": {
                name: meaning_of(strategy) for name, strategy in game.strategies.items()
            },
            "refused": [*filter(game.model_validate({}).refuses, game.strategies)],
            "aliases": dict(game.aliases),
        }
        for name, game in GAMES.items()
    }


def meaning_of(thing: object) -> str:
    """Return the first line of an object's docstring."""
    return (thing.__doc__ or "").partition("\n")[0]


def providers_ready() -> list[Plain]:
    """Return the kinds of seats, without providers whose key or address is missing."""
    providers = []
    for name, kind in SEATS.items():
        if variable_lacked(name):
            continue
        row = PROVIDERS.get(name)
        providers.append(
            {
                "name": name,
                "asks": kind.asks,
                "default_model": "" if row is None else row.default_model,
                "hosted": is_hosted_by(name),
            }
        )
    return providers


@cache
def configs_offered() -> list[Plain]:
    """Return the project's configs, sorted by name, each with the comment in its first line."""
    configs = []
    for path in sorted(CONFIGS.glob("*.yaml")):
        about = read_text(path).partition("\n")[0].removeprefix("#").strip()
        config = with_players(gather_talk(read_config(path)))
        configs.append({"name": path.stem, "about": about, "config": config})
    return configs


def with_players(config: Plain) -> Plain:
    """Return a config that lists its players, with only those client settings the web may set."""
    if "player_configs" in config:
        seats = [with_open_settings(seat) for seat in config["player_configs"]]
    else:
        seats = seats_of_talk(config["game"])
    return config | {"player_configs": seats}


def with_open_settings(seat: Plain) -> Plain:
    """Return a seat with only the client settings that the web may set."""
    shown = dict(seat)
    client_settings = shown.pop("client_kwargs", {})
    kept = {name: value for name, value in client_settings.items() if name in OF_CLIENTS}
    if kept:
        shown["client_kwargs"] = kept
    return shown


def seats_of_talk(chosen: Plain) -> list[Plain]:
    """Return the seats of a talk whose settings name its participants."""
    settings = dict(chosen)
    game = GAMES[settings.pop("name")]
    called = game.model_validate(settings).seats()
    seats = default_players([*game.strategies], {}, offline=False, called=called)
    return [seat.model_dump(exclude_defaults=True) | {"provider": seat.provider} for seat in seats]
