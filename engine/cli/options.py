"""The command line of `example.py`: what a person asks for, read into one config."""

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.cli.parser import LOGS, Parser, add_settings, flag_of, setting
from engine.config import GameEngineConfig, read_config, recorded_config
from engine.game import Game
from engine.games import GAMES
from engine.record.journal import Journal
from engine.runs.batch import CONCURRENCY
from engine.runs.replay import finished_log, unfinished_journal
from engine.runs.seating import neutral, players_for
from engine.spending.budget import BUDGETS, Limits
from protocol.suggest import one_of

SHOWN_GAME = "conversation"
WAYS = ("resume", "replay", "fork", "games")
LOOKS = ("dry_run", "check")
EXAMPLES = """examples:
  uv run example.py                                            two models and three scripts hold a conversation
  uv run example.py --offline --seed 7                         scripts only, the same game every time
  uv run example.py --players openai:gpt-5.4-mini,scripted:greedy,human
  uv run example.py --config configs/small_talk.yaml --length 40
  uv run example.py guest --players openai,scripted:beam       one decision a round, as the Guest of a conversation
  uv run example.py --resume gameplay_20260101_120000_ab12     go on where a game was interrupted
  uv run example.py --offline --json > events.jsonl            every event as a line of JSON
  uv run example.py --players anthropic,openai --dry-run       what that may cost at most, without any call
  uv run example.py --players anthropic,openai --check         do keys, models and settings hold? one tiny call each
  uv run example.py --players anthropic,openai --max-cost 0.5  stops cleanly when half a dollar is spent
  uv run example.py --offline --games 20 --concurrency 8       many games, their seeds counted up
  uv run example.py --replay gameplay_20260101_120000_ab12     the same game again, without any call
  uv run example.py --fork gameplay_20260101_120000_ab12 --at 40 --players Ada=scripted:greedy
"""


PLAYERS = "by commas: PROVIDER[:MODEL], scripted:STRATEGY, trained:FILE (guest), human"


def read_options(
    words: Sequence[str], about: str | None
) -> tuple[argparse.Namespace, dict[str, Any], type[Game[Any]]]:
    """Return the options, the config that they change as plain data, and the game; ValueError says what is wrong."""
    every = common(Parser("example.py", about, add_help=False))
    for known in GAMES.values():
        add_settings(every, known)
    early = every.read([word for word in words if word not in {"-h", "--help"}])
    base = base_config(early)
    game = GAMES[base["game"]["name"]]
    parser = common(Parser("example.py", about, EXAMPLES))
    add_settings(parser.add_argument_group(f"settings of {game.name}"), game)
    options = parser.read(words)
    ways = [f"--{way}" for way in WAYS if getattr(options, way) is not None]
    before = [f"--{look.replace('_', '-')}" for look in LOOKS if getattr(options, look)]
    if len(ways) > 1 or len(before) > 1 or (before and ways not in ([], ["--games"])):
        raise ValueError(f"expected only one of {' and '.join([*ways, *before])}")
    options.logs_dir = options.logs_dir or (
        Path(base["logs_dir"]) if base.get("logs_dir") else None
    )
    if options.logs_dir is None and "logs_dir" not in base:
        options.logs_dir = LOGS
    return options, base, game


def common(parser: Parser) -> Parser:
    """Add the options of all games to `parser` and return it."""
    parser.add_argument("game", nargs="?", help=f"{', '.join(GAMES)} (default: {SHOWN_GAME})")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a game as YAML, such as those in configs/"
    )
    parser.add_argument("--players", metavar="LIST", help=PLAYERS)
    parser.add_argument(
        "--seed", type=int, help="fixes every draw (default: a new one, which is printed)"
    )
    parser.add_argument("--offline", action="store_true", help="scripted players only")
    parser.add_argument("--resume", metavar="NAME", help="go on with an interrupted game")
    parser.add_argument(
        "--allow-changed", action="store_true", help="resume though settings or prompts changed"
    )
    parser.add_argument(
        "--json", action="store_true", help="events as JSON lines on stdout, all else on stderr"
    )
    parser.add_argument("--logs-dir", type=Path, metavar="DIR", help=f"(default: {LOGS})")
    parser.add_argument(
        "--replay", metavar="NAME", help="show a finished game again, without any call"
    )
    parser.add_argument(
        "--fork", metavar="NAME", help="go on from an event of a finished game with other --players"
    )
    parser.add_argument(
        "--at", type=int, metavar="EVENT", help="the last event that --fork keeps, by its index"
    )
    parser.add_argument(
        "--games", type=int, metavar="N", help="play N games, their seeds counted up"
    )
    parser.add_argument(
        "--concurrency", type=int, default=CONCURRENCY, help=f"games at a time ({CONCURRENCY})"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="tell calls, tokens and cost at most; make no call"
    )
    parser.add_argument(
        "--check", action="store_true", help="ask each client once, in few tokens, and play nothing"
    )
    add_budgets(parser)
    return parser


def add_budgets(parser: Parser) -> None:
    """Add the options that bound what a game may spend."""
    budgets = parser.add_argument_group(
        "budgets, for all games together: the game stops cleanly, to be resumed"
    )
    for name in BUDGETS:
        told = Limits.model_fields[name].description
        budgets.add_argument(flag_of(name), type=setting, metavar="VALUE", help=told)


def base_config(options: argparse.Namespace) -> dict[str, Any]:
    """Return the config that the options change: of --resume, a log, --config, or only a game's name."""
    folder, recorded = options.logs_dir or LOGS, {}
    if options.resume is not None:
        recorded = recorded_config(Journal.load(unfinished_journal(folder, options.resume)).header)
    if (name := options.replay or options.fork) is not None:
        recorded = finished_log(folder, name).config
    base = recorded
    if options.config is not None:
        base = {"seed": recorded["seed"]} if recorded else {}
        base |= read_config(options.config)
    named = base.get("game", options.game or SHOWN_GAME)
    settings = dict(named) if isinstance(named, dict) else {"name": named}
    settings["name"] = one_of(str(settings.get("name", SHOWN_GAME)), GAMES, "game")
    if options.game is not None and one_of(options.game, GAMES, "game") != settings["name"]:
        if recorded:
            raise ValueError(
                f"expected {options.game}: {options.resume or name} is a game of {settings['name']}"
            )
        settings = {"name": options.game}
    return base | {"game": settings}


def configured(
    options: argparse.Namespace,
    base: dict[str, Any],
    game: type[Game[Any]],
    environ: Mapping[str, str],
) -> GameEngineConfig:
    """Return the config that the options ask for: everything in it checked."""
    chosen = {
        name: value
        for name in game.model_fields
        if (value := getattr(options, name, None)) is not None
    }
    said: dict[str, Any] = {
        "game": base["game"] | chosen,
        "limits": (base.get("limits") or {}) | budgets(options),
    }
    if options.seed is not None:
        said["seed"] = options.seed
    if options.players is not None or options.offline or "player_configs" not in base:
        called = called_by(game, said["game"])
        said["player_configs"] = players_for(
            options.players, list(game.strategies), environ, offline=options.offline, called=called
        )
    drawn = {"seed": random.SystemRandom().randrange(10_000)}
    config = GameEngineConfig.model_validate(drawn | base | said | {"logs_dir": options.logs_dir})
    people = [player.player_id for player in config.player_configs if player.kind.asks == "person"]
    if len(people) > 1:
        raise ValueError(
            f"expected one person at this terminal, where all see the same: got {', '.join(people)}"
        )
    return neutral(config)


def called_by(game: type[Game[Any]], settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the players that settings call for, none if they are no good: the config says where."""
    try:
        return game.model_validate(
            {name: value for name, value in settings.items() if name != "name"}
        ).seats()
    except ValidationError:
        return ()


def budgets(options: argparse.Namespace) -> dict[str, Any]:
    """Return the budgets that the options name."""
    return {name: value for name in BUDGETS if (value := getattr(options, name)) is not None}
