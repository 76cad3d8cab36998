"""The games that an agent may begin, and the config made from its request."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from engine.game import Game
from engine.games import GAMES, read_game
from engine.runs.seating import NAMES, default_players, read_players
from engine.server.mcp.results import Offered, OfferedGame
from engine.server.routes.offer import games_offered, providers_ready
from engine.server.web.admission import check_plain
from player import PlayerConfig
from protocol.answer import Plain
from protocol.suggest import explain

OWN_SEAT = NAMES[0]
SEPARATORS = ",=:"
HOW = (
    "begin(game, settings, players, seat, seed); list_games(game) returns all settings of one "
    "game, with their meanings and limits"
)


def offer(game: str) -> Offered:
    """Return all games in brief, or `game` in full; raise ValueError for an unknown name."""
    every = games_offered()
    names = [read_game(game)["name"]] if game else [*every]
    games = []
    for name in names:
        known = every[name]
        settings = known["settings"]["properties"]
        if not game:
            settings = {name: schema.get("default") for name, schema in settings.items()}
        games.append(OfferedGame.model_validate(known | {"name": name, "settings": settings}))
    return Offered(games=games, seats=seats_offered(), next=HOW)


def seats_offered() -> dict[str, str]:
    """Return each kind of player, as an entry of `players`, with its description."""
    seats = {
        "NAME=human": "a person or another agent, who gets a key; NAME is optional",
        "NAME=scripted:STRATEGY": "a script of that game: instant and free",
    }
    for row in providers_ready():
        if row["asks"] != "model":
            continue
        usual = row["default_model"]
        default = f", by default {usual}" if usual else ""
        price = "may cost dollars" if row["hosted"] else "costs nothing"
        seats[f"NAME={row['name']}:MODEL"] = f"a language model{default}; {price}"
    return seats


def plain_config(
    game: str,
    settings: Mapping[str, Any],
    players: Sequence[str],
    seat: str,
    seed: int | None,
) -> Plain:
    """Return the config that an agent requests; raise ValueError if it is invalid.

    If `players` is empty, scripts take the other seats. `seat` is the agent's own name, or "" if it
    does not play.
    """
    check_plain(dict(settings))
    chosen = {**settings, **read_game(game)}
    table = [player.model_dump(exclude_defaults=True) for player in table_of(chosen, players, seat)]
    config: Plain = {"game": chosen, "player_configs": table}
    if seed is not None:
        config["seed"] = seed
    return config


def table_of(
    chosen: Mapping[str, Any], players: Sequence[str], seat: str
) -> Sequence[PlayerConfig]:
    """Return the players at the table, including the agent's own `seat` unless it is ""."""
    game = game_of(chosen)
    called = game.seats()
    if seat == OWN_SEAT and called and seat not in called and not players:
        # OWN_SEAT is only a default, so the game's first name replaces it.
        seat = called[0]
    own_seat = own_seat_of(seat)
    if players:
        return table_asked(players, own_seat, called)
    strategies = [name for name in game.strategies if not game.refuses(name)]
    table = default_players(strategies, {}, offline=True, called=called)
    if own_seat is None:
        return table
    if called and own_seat.player_id not in called:
        raise ValueError(f"expected seat to be one of {', '.join(called)}: got {seat!r:.80}")
    others = [player for player in table if player.player_id != own_seat.player_id]
    return [own_seat, *others[: len(table) - 1]]


def game_of(chosen: Mapping[str, Any]) -> Game[Any]:
    """Return the game with these settings; raise ValueError explaining the first error."""
    settings = dict(chosen)
    game = GAMES[settings.pop("name")]
    try:
        return game.model_validate(settings)
    except ValidationError as error:
        # Suggest only names of this game's own settings.
        raise ValueError(explain(error, game.model_fields)) from None


def table_asked(
    players: Sequence[str], own: PlayerConfig | None, called: Sequence[str]
) -> Sequence[PlayerConfig]:
    """Return the listed players, preceded by the agent's own seat if it is not listed."""
    entries = [*players]
    if own is not None and not any(entry.startswith(f"{own.player_id}=") for entry in entries):
        entries.insert(0, f"{own.player_id}=human")
    table = read_players(",".join(entries), called)
    for player in table:
        if own is not None and player.player_id == own.player_id and player != own:
            raise ValueError(
                f"expected {own.player_id} to be your own seat: leave it out of players, or choose "
                "another name with seat"
            )
    return table


def own_seat_of(seat: str) -> PlayerConfig | None:
    """Return the agent's own seat, or None for ""; raise ValueError for an invalid name."""
    if not seat:
        return None
    if any(sign in seat for sign in SEPARATORS):
        raise ValueError(f"expected seat to be a name without {SEPARATORS}: got {seat!r:.80}")
    return PlayerConfig(player_id=seat, provider="human")
