"""Turns a scheduled game into the config of its engine, with seats and names."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.runs.dry_run import Rehearsal
from engine.spending.budget import Limits, check_prices, seat_of
from engine.tournaments.schedule.balanced import Balanced
from engine.tournaments.schedule.draw import Draw, game_id_of
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.terms import MOST_GAMES


def entrants_of(settings: TournamentSettings, draw: Draw) -> dict[str, str]:
    """Return the entrant behind each player id, in seat order."""
    if settings.names == "own":
        return {name: name for name in draw.seats}
    return {f"Player {seat}": name for seat, name in enumerate(draw.seats, 1)}


def config_of(settings: TournamentSettings, draw: Draw, folder: Path | None) -> GameEngineConfig:
    """Return the config of a scheduled game; its log goes to games/ in `folder`, if given."""
    sitting = entrants_of(settings, draw)
    game = {**settings.game, **settings.schedule.chosen.settings_of(draw)}
    if "anonymous" in game:
        anonymous = settings.names == "anonymous"
        game |= {"anonymous": anonymous, "names": sitting if anonymous else {}}
    return GameEngineConfig(
        player_configs=[
            settings.entrants[name].model_copy(update={"player_id": player_id})
            for player_id, name in sitting.items()
        ],
        logs_dir=None if folder is None else folder / "games",
        game=game,
        wording=draw.wording,
        seed=draw.seed,
        game_id=game_id_of(settings, draw.number),
    )


def check_seats(settings: TournamentSettings, *, with_keys: bool = False) -> None:
    """Raise ValueError for a bad policy, client or price and, if `with_keys`, for a missing key."""
    check_entrant_prices(settings, settings.budgets.limits)
    factory = ClientFactory()
    for draw in first_tables(settings):
        config = config_of(settings, draw, None)
        if with_keys:
            GameEngine(config, factory=factory)
        else:
            Rehearsal(config, factory, None)


def check_entrant_prices(settings: TournamentSettings, limits: Limits) -> None:
    """Raise ValueError for a budget in dollars if an entrant's price is unknown."""
    asked = [entrant for entrant in settings.entrants.values() if entrant.kind.asks == "model"]
    check_prices(limits, {entrant.player_id: seat_of(entrant) for entrant in asked})


def first_tables(settings: TournamentSettings) -> Iterator[Draw]:
    """Yield balanced tables that seat each entrant once, or a schedule's own tables."""
    chosen = settings.schedule.chosen
    if not chosen.compares:
        yield from islice(settings.draw(), chosen.kinds)
        return
    endless = settings.model_copy(update={"games": MOST_GAMES})
    tables = -(-len(settings.entrants) // settings.table)
    yield from islice(Balanced().draw(endless), tables)
