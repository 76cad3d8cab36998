"""Check, rehearse and begin games for callers over the network."""

import asyncio
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from engine.config import MOST_SEED, GameEngineConfig
from engine.history import Seat
from engine.runs.dry_run import Bound
from engine.runs.seating import neutral
from engine.server.web.admission import admit, check_ready, costs_nothing, rehearse_within
from engine.server.web.desk import Desk
from engine.server.web.refusal import Refusal
from player import PlayerConfig
from protocol.answer import Plain
from protocol.seats import seat_kind

# The number of possible seeds: too many for players to find their game's hidden seed by trial.
SEEDS = 2**48


class GameOpening(NamedTuple):
    """A game that may begin: its config, bounds by player, and the maximum number of events."""

    config: GameEngineConfig
    bounds: Mapping[str, Bound]
    events: int


async def open_config(
    plain: Mapping[str, Any], games: int, desk: Desk, *, is_ready: bool = True
) -> GameOpening:
    """Check a config from the web and rehearse its game; raise ValueError if it is not allowed.

    If `is_ready`, every model's key must be set, and a game that costs nothing is not rehearsed.
    Otherwise, the caller needs only the bounds.
    """
    # Reading a game may import a library or try out its parameters.
    config = await asyncio.to_thread(admit, plain, desk.settings)
    if "seed" not in plain:
        config = config.model_copy(update={"seed": secrets.randbelow(SEEDS)})
    elif config.seed + games > MOST_SEED:
        raise ValueError(f"expected a seed that keeps the last game's below {MOST_SEED}")
    if is_ready:
        check_ready(config.player_configs)
        if costs_nothing(config.player_configs):
            return GameOpening(config, {}, 0)
    async with desk.rehearsals:
        bounds, events = await asyncio.to_thread(rehearse_within, config, games)
    return GameOpening(config, bounds, events)


async def begin_all(
    config: GameEngineConfig, games: int, desk: Desk, site: str = ""
) -> Mapping[str, GameEngineConfig]:
    """Begin games with consecutive seeds, and return their configs by name.

    If a later game cannot begin, a Refusal lists the games that have begun.
    """
    begun: dict[str, GameEngineConfig] = {}
    for number in range(games):
        game_config = neutral(config.model_copy(update={"seed": config.seed + number}))
        try:
            name = await desk.hall.begin(game_config)
        except (ValueError, OSError) as error:
            if not begun:
                raise
            # The links of the games under way are not shown anywhere else.
            raise Refusal(
                409,
                f"{len(begun)} of {games} games began: {desk.without_paths(str(error))}",
                games=links_to(begun, site, desk),
            ) from None
        desk.look_again()
        begun[name] = game_config
    return begun


def links_to(begun: Mapping[str, GameEngineConfig], site: str, desk: Desk) -> list[Plain]:
    """Return each game's name and the links to the seats that people play, as JSON."""
    return [
        {"name": name, "seats": seat_links(name, config.player_configs, site, desk)}
        for name, config in begun.items()
    ]


def seat_links(
    name: str, players: Iterable[PlayerConfig | Seat], site: str, desk: Desk
) -> dict[str, str]:
    """Return the link to each seat that a person plays, by player."""
    return {
        player_id: desk.keys.seat_link(site, name, player_id) for player_id in people_in(players)
    }


def people_in(players: Iterable[PlayerConfig | Seat]) -> list[str]:
    """Return the ids of the players that are people."""
    return [seat.player_id for seat in players if seat_kind(seat.provider).asks == "person"]
