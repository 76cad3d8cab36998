"""The options of `example.py`, which determine the game and its config."""

import os
import random
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.cli.parser import (
    HELP,
    LOGS,
    Parser,
    add_listing,
    flag_of,
    given_values,
    lone_words,
    meanings_of,
    words_given,
)
from engine.cli.play_parser import (
    SHOWN_GAME,
    SHOWN_LENGTH,
    add_provider_listing,
    shared_options,
    words_parser,
)
from engine.cli.settings import add_settings
from engine.config import GameEngineConfig, read_config, recorded_config
from engine.game import Game
from engine.games import GAMES, read_game
from engine.record.journal import Journal
from engine.runs.catalogue import find_game
from engine.runs.replay import finished_log, unfinished_journal
from engine.runs.seating import neutral, players_for
from engine.spending.budget import BUDGETS

# The kind of logged game that each option names.
LOGGED = {"resume": "unfinished game", "replay": "finished game", "fork": "finished game"}
WAYS = (*LOGGED, "games")
LOOKS = ("dry_run", "check")
SEEDS = 10_000
GameClass = type[Game[Any]]


@dataclass(frozen=True)
class Request:
    """The options, the game, and the plain config to which the options are applied (`base`)."""

    options: Namespace
    base: dict[str, Any]
    game: GameClass


def read_request(words: Sequence[str]) -> Request:
    """Return the request in `words`; raise ValueError if they are invalid."""
    early, rest = shared_options().read_known(words)
    names = logged_names(early)
    vars(early).update(names)
    base = base_config(early, rest)
    game = GAMES[base["game"]["name"]]
    options = game_options(game, words)
    vars(options).update(names)
    options.logs_dir = logs_folder(options.logs_dir, base)
    return Request(options, base, game)


def game_options(game: GameClass, words: Sequence[str]) -> Namespace:
    """Return the options of `game`; raise ValueError if they are invalid or conflict."""
    options = game_parser(game, listing=bool(HELP.intersection(words))).read(words)
    if options.word is not None and options.word.partition(":")[0] != game.name:
        raise ValueError(f"expected the game's name as the first word: got {options.word!r} later")
    _refuse_two_ways(options)
    return options


def _refuse_two_ways(options: Namespace) -> None:
    ways = [*map(flag_of, given_values(options, WAYS))]
    looks = words_given(options, *LOOKS)
    looks_at_log = looks and ways not in ([], ["--games"])
    if len(ways) > 1 or len(looks) > 1 or looks_at_log:
        raise ValueError(f"expected only one of {' and '.join([*ways, *looks])}")


def game_parser(game: GameClass, *, listing: bool) -> Parser:
    """Return the argument parser of one game; with `listing`, its help lists games and players."""
    parser = words_parser(listing=listing)
    add_settings(parser.add_argument_group(f"settings of {game.name}"), game)
    if listing:
        heading = f"scripted players of {game.name}, as --players scripted:STRATEGY"
        add_listing(parser, heading, meanings_of(game.strategies))
        if game.aliases:
            add_listing(parser, "other names of these players", game.aliases)
        add_provider_listing(parser)
    return parser


def logs_folder(named: Path | None, base: Mapping[str, Any]) -> Path | None:
    """Return the logs folder: `named`, else the config's, else logs/; None means no logs."""
    if named is not None:
        return named
    if "logs_dir" not in base:
        return LOGS
    folder = base["logs_dir"]
    if folder and not isinstance(folder, str):
        raise ValueError(f"expected logs_dir to be the name of a folder: got {folder!r:.60}")
    return Path(folder) if folder else None


def base_config(options: Namespace, rest: Sequence[str]) -> dict[str, Any]:
    """Return the config to which the options are applied; `rest` may name the game."""
    recorded = config_in_logs(options)
    base = recorded
    if options.config is not None:
        base = {"seed": recorded["seed"]} if recorded else {}
        base |= read_config(options.config)
    asked = asked_game(rest)
    game = base.get("game", {})
    settings = dict(game) if isinstance(game, dict) else {"name": game}
    if not settings:
        return base | {"game": asked or {"name": SHOWN_GAME, "length": SHOWN_LENGTH}}
    settings |= read_game(str(settings.get("name", SHOWN_GAME)))
    if recorded and not asked.items() <= settings.items():
        log = options.resume or options.replay or options.fork
        raise ValueError(f"expected {asked['name']}: {log} is a game of {settings['name']}")
    is_other = asked and asked["name"] != settings["name"]
    return base | {"game": asked if is_other else settings | asked}


def asked_game(words: Sequence[str]) -> dict[str, Any]:
    """Return the game named in `words`, as read by `read_game`, or {} if no game is named."""
    alone = lone_words(words)
    names = {word.partition(":")[0] for word in words}
    if not alone and not GAMES.keys().isdisjoint(names):
        # A game's name after an option is the option's value, unless the option takes none.
        alone = lone_words(words, game_switches())
    return read_game(alone[0]) if alone else {}


def game_switches() -> set[str]:
    """Return the options of all games that take no value, such as --voice and --no-voice."""
    names = [
        name
        for game in GAMES.values()
        for name, field in game.model_fields.items()
        if field.annotation is bool
    ]
    return {*map(flag_of, names), *(flag_of(f"no_{name}") for name in names)}


def logged_names(options: Namespace) -> dict[str, str]:
    """Return the full name of the logged game for each option in LOGGED that is given."""
    folder = options.logs_dir or LOGS
    words = given_values(options, LOGGED)
    return {way: find_game(folder, word, LOGGED[way]) for way, word in words.items()}


def config_in_logs(options: Namespace) -> dict[str, Any]:
    """Return the config of the logged game that the options name, or {} for a new game."""
    folder = options.logs_dir or LOGS
    finished = options.replay or options.fork
    if finished is not None:
        return finished_log(folder, finished).config
    if options.resume is not None:
        return recorded_config(Journal.load(unfinished_journal(folder, options.resume)).header)
    return {}


def build_config(request: Request) -> GameEngineConfig:
    """Return the requested config; raise ValueError if it is invalid."""
    options, base = request.options, request.base
    settings = base["game"] | given_values(options, request.game.model_fields)
    limits = _recorded_limits(base) | given_values(options, BUDGETS)
    values = {"seed": random.SystemRandom().randrange(SEEDS)} | base
    values |= {"game": settings, "limits": limits, "logs_dir": options.logs_dir}
    values |= given_values(options, ["seed"])
    if options.players is not None or options.offline or "player_configs" not in base:
        scripts, called = table_for(request.game, settings)
        values["player_configs"] = players_for(
            options.players, scripts, os.environ, offline=options.offline, called=called
        )
    config = GameEngineConfig.model_validate(values)
    people = [player.player_id for player in config.player_configs if player.kind.asks == "person"]
    if len(people) > 1:
        raise ValueError(
            "expected at most one person at this terminal, because all would share the screen: "
            f"got {', '.join(people)}"
        )
    # In a batch, each deal draws new anonymous names.
    many = getattr(options, "games", None) is not None
    return config if many else neutral(config)


def _recorded_limits(base: Mapping[str, Any]) -> dict[str, Any]:
    limits = base.get("limits") or {}
    if not isinstance(limits, dict):
        raise ValueError(f"expected limits to be a mapping such as asks: 3: got {limits!r:.60}")
    return limits


def table_for(game: GameClass, settings: Mapping[str, Any]) -> tuple[list[str], tuple[str, ...]]:
    """Return the scripts that can play with these settings, and the required seat names.

    For invalid settings, which are reported later, return all scripts and no names.
    """
    game_settings = {name: value for name, value in settings.items() if name != "name"}
    try:
        chosen = game.model_validate(game_settings)
    except ValidationError:
        return [*game.strategies], ()
    return [name for name in game.strategies if not chosen.refuses(name)], chosen.seats()
