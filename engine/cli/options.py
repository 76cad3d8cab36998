"""The options of `example.py`: which game a person asks for, and the config that they make."""

import os
import random
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.cli.parser import HELP, LOGS, Parser, add_plain, flag_of, lone_words
from engine.cli.settings import add_listing, add_setting, add_settings, meanings_of
from engine.config import GameEngineConfig, read_config, recorded_config
from engine.game import Game
from engine.games import GAMES, read_game
from engine.record.journal import Journal
from engine.runs.batch import CONCURRENCY
from engine.runs.replay import finished_log, unfinished_journal
from engine.runs.seating import neutral, players_for
from engine.spending.budget import BUDGETS, Limits
from providers import PROVIDERS

PROGRAM = "example.py"
ABOUT = "Play a game in the terminal: a new one, many at once, or one from the logs again."
SHOWN_GAME = "conversation"
WAYS = ("resume", "replay", "fork", "games")
LOOKS = ("dry_run", "check")
SEEDS = 10_000
MOST_GAMES = 100_000
UNITS = {"max_cost": "DOLLARS", "max_time": "SECONDS"}
PLAYERS = "by commas: PROVIDER[:MODEL[@ADDRESS]], scripted:STRATEGY, trained:FILE (guest), human"
SEED = "fixes every draw (default: a new one, which is printed)"
EXAMPLES = """examples:
  uv run example.py                                   two models and three scripts converse
  uv run example.py --offline --seed 7                scripts only, the same game every time
  uv run example.py --players openai:gpt-5.4-mini,scripted:greedy,human
  uv run example.py --players ollama:llama3.2,scripted:greedy
  uv run example.py --players compatible:MODEL@http://127.0.0.1:4000/v1,scripted:greedy
  uv run example.py --config configs/small_talk.yaml --length 40
  uv run example.py guest --players openai,scripted:beam
  uv run example.py --offline --json > events.jsonl   every event as a line of JSON
  uv run example.py --offline --games 20 --concurrency 8
before a game costs anything:
  uv run example.py --players anthropic,openai --dry-run       what it costs at most, with no call
  uv run example.py --players anthropic,openai --check         one tiny call each: do keys hold?
  uv run example.py --players anthropic,openai --max-cost 0.5  stop when half a dollar is spent
from the logs:
  uv run example.py --resume gameplay_20260101_120000_ab12cd34   go on where a game was interrupted
  uv run example.py --replay gameplay_20260101_120000_ab12cd34   the same game again, with no call
  uv run example.py --fork gameplay_20260101_120000_ab12cd34 --at 40 --players Ada=scripted:greedy
"""


@dataclass(frozen=True)
class Request:
    """The options, the game, and the config that they change, as plain data (`base`)."""

    options: Namespace
    base: dict[str, Any]
    game: type[Game[Any]]


def read_request(words: Sequence[str]) -> Request:
    """Return what `words` ask for; ValueError says what is wrong with them."""
    early, rest = shared_options().read_known(words)
    base = base_config(early, rest)
    game = GAMES[base["game"]["name"]]
    options = game_options(game, words)
    options.logs_dir = logs_folder(options.logs_dir, base)
    return Request(options, base, game)


def game_options(game: type[Game[Any]], words: Sequence[str]) -> Namespace:
    """Return the options of `game`; ValueError says what is wrong with them, such as two ways."""
    parser = game_parser(game, listing=bool(HELP.intersection(words)))
    options = parser.read(words)
    if options.word is not None and options.word.partition(":")[0] != game.name:
        raise ValueError(f"expected the game's name as the first word: got {options.word!r} later")
    ways = [flag_of(way) for way in WAYS if getattr(options, way) is not None]
    looks = [flag_of(look) for look in LOOKS if getattr(options, look)]
    looks_at_log = looks and ways not in ([], ["--games"])
    if len(ways) > 1 or len(looks) > 1 or looks_at_log:
        raise ValueError(f"expected only one of {' and '.join([*ways, *looks])}")
    return options


def game_parser(game: type[Game[Any]], *, listing: bool) -> Parser:
    """Return the command line of one game; with `listing` its help lists games and players."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES, parents=[shared_options()])
    # Not "game": that is a setting of games that play those of a library.
    parser.add_argument(
        "word", metavar="game", nargs="?", help=f"{', '.join(GAMES)} (default: {SHOWN_GAME})"
    )
    if listing:
        add_listing(parser, "games", meanings_of(GAMES))
    add_settings(parser.add_argument_group(f"settings of {game.name}"), game)
    if listing:
        heading = f"scripted players of {game.name}, as --players scripted:STRATEGY"
        add_listing(parser, heading, meanings_of(game.strategies))
        if game.aliases:
            add_listing(parser, "other names of these players", game.aliases)
        add_provider_listing(parser)
    return parser


def add_provider_listing(parser: Parser) -> None:
    """Add to the help what each provider needs."""
    meanings = {}
    for name, provider in PROVIDERS.items():
        key = f"key in {provider.key_variable}" if provider.key_variable else "needs no key"
        key += "" if provider.needs_key else " if any"
        model = f"; model {provider.default_model} by default" if provider.default_model else ""
        meanings[name] = f"{key}{model}"
    add_listing(parser, "providers of models, as --players PROVIDER:MODEL", meanings)


def shared_options() -> Parser:
    """Return the options that all games share."""
    parser = Parser(PROGRAM, ABOUT, add_help=False)
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="a game as YAML, such as those in configs/",
    )
    parser.add_argument("--players", metavar="LIST", help=PLAYERS)
    parser.add_argument("--seed", type=int, metavar="N", help=SEED)
    parser.add_argument("--offline", action="store_true", help="scripted players only")
    parser.add_argument(
        "--json", action="store_true", help="events as JSON lines on stdout, all else on stderr"
    )
    add_plain(parser)
    parser.add_argument(
        "--logs-dir", type=Path, metavar="DIR", help=f"where logs are kept (default: {LOGS})"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show calls, tokens and cost at most; make no call"
    )
    parser.add_argument(
        "--check", action="store_true", help="ask each client once, in few tokens, and play nothing"
    )
    parser.add_argument(
        "--list-games", action="store_true", help="list what games such as openspiel can play"
    )
    add_log_options(parser)
    add_batch_options(parser)
    add_budgets(parser)
    return parser


def add_log_options(parser: Parser) -> None:
    """Add the options that begin from a game in the logs."""
    parser.add_argument("--resume", metavar="NAME", help="go on with an interrupted game")
    parser.add_argument(
        "--allow-changed", action="store_true", help="resume though settings or prompts changed"
    )
    parser.add_argument(
        "--replay", metavar="NAME", help="show a finished game again, without any call"
    )
    parser.add_argument(
        "--fork", metavar="NAME", help="go on from an event of a finished game with other --players"
    )
    parser.add_argument(
        "--at", type=int, metavar="EVENT", help="the last event that --fork keeps, by its index"
    )


def add_batch_options(parser: Parser) -> None:
    """Add the options of many games."""
    parser.add_argument(
        "--games",
        type=game_count,
        metavar="N",
        help=f"play N games, at most {MOST_GAMES}; "
        "with P players game k, from 0, is deal k // P in rotation k %% P",
    )
    parser.add_argument(
        "--no-rotate",
        dest="rotate",
        action="store_false",
        help="let everybody keep their seat, each of the --games with a deal of its own",
    )
    parser.add_argument(
        "--include-void",
        action="store_true",
        help="let --games average void games too, in which a seat answered too little",
    )
    parser.add_argument(
        "--concurrency",
        type=int,
        default=CONCURRENCY,
        metavar="N",
        help=f"games at a time (default: {CONCURRENCY})",
    )


def game_count(word: str) -> int:
    """Return how many games a word asks for; ArgumentTypeError for what no machine can hold."""
    try:
        count = int(word)
    except ValueError:
        count = MOST_GAMES + 1
    if count > MOST_GAMES:
        raise ArgumentTypeError(f"expected a whole number up to {MOST_GAMES}: got {word:.40}")
    return count


def add_budgets(parser: Parser) -> None:
    """Add the options that bound what a game may spend."""
    group = parser.add_argument_group(
        "budgets, for all games together: the game stops cleanly and can be resumed"
    )
    for name in BUDGETS:
        add_setting(group, name, Limits.model_fields[name], UNITS.get(name, ""))


def logs_folder(named: Path | None, base: Mapping[str, Any]) -> Path | None:
    """Return the folder of logs: the one `named`, the config's (None: keep nothing), or logs/."""
    if named is not None:
        return named
    if "logs_dir" not in base:
        return LOGS
    folder = base["logs_dir"]
    if folder and not isinstance(folder, str):
        raise ValueError(f"expected logs_dir to be the name of a folder: got {folder!r:.60}")
    return Path(folder) if folder else None


def base_config(options: Namespace, rest: Sequence[str]) -> dict[str, Any]:
    """Return the config that the options change; `rest` are the words that name game and settings.

    It is that of --resume, of a log, of --config, or only a game's name.
    """
    recorded = config_in_logs(options)
    base = recorded
    if options.config is not None:
        base = {"seed": recorded["seed"]} if recorded else {}
        base |= read_config(options.config)
    asked = asked_game(rest)
    game = base.get("game", {})
    settings = dict(game) if isinstance(game, dict) else {"name": game}
    if not settings:
        return base | {"game": asked or {"name": SHOWN_GAME}}
    settings |= read_game(str(settings.get("name", SHOWN_GAME)))
    if not asked or asked.items() <= settings.items():
        return base | {"game": settings}
    if recorded:
        log = options.resume or options.replay or options.fork
        raise ValueError(f"expected {asked['name']}: {log} is a game of {settings['name']}")
    if asked["name"] == settings["name"]:
        return base | {"game": settings | asked}
    return base | {"game": asked}


def asked_game(words: Sequence[str]) -> dict[str, Any]:
    """Return the game that `words` name, as `read_game` does; empty if they name none."""
    alone = lone_words(words)
    names = {word.partition(":")[0] for word in words}
    if not alone and not GAMES.keys().isdisjoint(names):
        # A game's name is behind an option: its own, unless the option takes no value.
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


def config_in_logs(options: Namespace) -> dict[str, Any]:
    """Return the config of the game that the options take from the logs; empty for a new one."""
    folder = options.logs_dir or LOGS
    finished = options.replay or options.fork
    if finished is not None:
        return finished_log(folder, finished).config
    if options.resume is not None:
        journal = unfinished_journal(folder, options.resume)
        return recorded_config(Journal.load(journal).header)
    return {}


def build_config(request: Request) -> GameEngineConfig:
    """Return the config that a person asks for, all of it checked, or raise ValueError."""
    options, base = request.options, request.base
    settings = base["game"] | given_values(options, request.game.model_fields)
    recorded = base.get("limits") or {}
    if not isinstance(recorded, dict):
        raise ValueError(f"expected limits to be a mapping such as asks: 3: got {recorded!r:.60}")
    limits = recorded | given_values(options, BUDGETS)
    values = {"seed": random.SystemRandom().randrange(SEEDS)} | base
    values |= {"game": settings, "limits": limits, "logs_dir": options.logs_dir}
    if options.seed is not None:
        values["seed"] = options.seed
    if options.players is not None or options.offline or "player_configs" not in base:
        scripts, called = table_for(request.game, settings)
        values["player_configs"] = players_for(
            options.players, scripts, os.environ, offline=options.offline, called=called
        )
    config = GameEngineConfig.model_validate(values)
    people = [player.player_id for player in config.player_configs if player.kind.asks == "person"]
    if len(people) > 1:
        raise ValueError(
            f"expected one person at this terminal, where all see the same: got {', '.join(people)}"
        )
    # Many games draw for each deal anew who is called what.
    many = getattr(options, "games", None) is not None
    return config if many else neutral(config)


def table_for(
    game: type[Game[Any]], settings: Mapping[str, Any]
) -> tuple[list[str], tuple[str, ...]]:
    """Return the scripted players that can play under `settings`, and the names these ask for.

    If the settings are wrong, which the config says, it is all players and no names.
    """
    own = {name: value for name, value in settings.items() if name != "name"}
    try:
        chosen = game.model_validate(own)
    except ValidationError:
        return [*game.strategies], ()
    return [name for name in game.strategies if not chosen.refuses(name)], chosen.seats()


def given_values(options: Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of the options that were given, by name."""
    values = {name: getattr(options, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}
