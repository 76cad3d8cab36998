"""Play any game, live in the terminal; go on with one that was interrupted: `uv run example.py --help`."""

import argparse
import os
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from dotenv import load_dotenv
from pydantic import BaseModel, TypeAdapter, ValidationError
from rich.console import Console as Screen
from rich.status import Status

from engine.config import GameEngineConfig, Limits, read_config
from engine.engine import GameEngine
from engine.game import Game
from engine.games import GAMES
from engine.history import Event, History, log_name
from engine.journal import Journal
from engine.seating import default_players, neutral, read_players
from engine.views.terminal import Live
from nearest import explain, one_of
from player import Console, PlayerConfig

SHOWN_GAME = "conversation"
OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 5
EXAMPLES = """examples:
  uv run example.py                                            two models and three scripts hold a conversation
  uv run example.py --offline --seed 7                         scripts only, the same game every time
  uv run example.py --players openai:gpt-5.4-mini,scripted:greedy,human
  uv run example.py --config configs/small_talk.yaml --length 40
  uv run example.py --resume gameplay_20260101_120000_ab12     go on where a game was interrupted
  uv run example.py --offline --json > events.jsonl            every event as a line of JSON
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Play one game as `argv` says and return the exit code: 0 done, 1 failed, 2 bad input, 5 interrupted."""
    load_dotenv(Path(".env"))
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        base = base_config(words)
        game = GAMES[one_of(str(base["game"]["name"]), GAMES, "game")]
        options = read_options(parser_for(game), words)
        engine = seated(options, base, game)
    except ValidationError as error:
        return complain(explain(error, known_settings()))
    except ValueError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}", FAILED)
    return play(engine, options)


def base_config(words: Sequence[str]) -> dict[str, Any]:
    """Return the config that the options change: that of --resume, of --config, or one with only a game's name."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--config", type=Path)
    early.add_argument("--resume")
    early.add_argument("--logs-dir", type=Path, default=Path("logs"))
    options, _ = early.parse_known_args(words)
    base: dict[str, Any] = {}
    if options.resume is not None:
        base = Journal.load(journal_path(options)).header["made_from"]["config"]
    if options.config is not None:
        base = read_config(options.config)
    if words and not words[0].startswith("-"):
        base = base | {"game": words[0]}
    named = base.get("game", SHOWN_GAME)
    return base | {"game": {"name": SHOWN_GAME, **named} if isinstance(named, dict) else {"name": named}}


def parser_for(game: type[Game[Any]]) -> argparse.ArgumentParser:
    """Return the command line of `game`: the common options, and one for each of its settings."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("game", nargs="?", help=f"{', '.join(GAMES)} (default: {SHOWN_GAME})")
    parser.add_argument("--config", type=Path, metavar="FILE", help="a game as YAML, such as those in configs/")
    parser.add_argument("--players", metavar="LIST", help="PROVIDER[:MODEL], scripted:STRATEGY or human, by commas")
    parser.add_argument("--seed", type=int, help="fixes every draw (default: a new one, which is printed)")
    parser.add_argument("--offline", action="store_true", help="scripted players only")
    parser.add_argument("--resume", metavar="NAME", help="go on with an interrupted game")
    parser.add_argument("--allow-changed", action="store_true", help="resume though settings or prompts changed")
    parser.add_argument("--json", action="store_true", help="events as JSON lines on stdout, all else on stderr")
    parser.add_argument("--logs-dir", type=Path, default=Path("logs"), metavar="DIR", help="(default: logs)")
    settings = parser.add_argument_group(f"settings of {game.name}")
    for name, field in game.model_fields.items():
        flag = f"--{name.replace('_', '-')}"
        if field.annotation is bool:
            settings.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=field.description)
        else:
            settings.add_argument(flag, type=setting, metavar="VALUE", help=f"{field.description} ({field.default})")
    return parser


def setting(text: str) -> Any:
    """Return the value that a word on the command line stands for: a number, a list, or itself."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def read_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Return the options; ValueError names the nearest right one for an option that does not exist."""
    options, unknown = parser.parse_known_args(words)
    flags = [flag for action in parser._actions for flag in action.option_strings]
    for word in unknown:
        one_of(word.partition("=")[0], [flag for flag in flags if flag.startswith("--")], "option")
    return options


def seated(options: argparse.Namespace, base: dict[str, Any], game: type[Game[Any]]) -> GameEngine:
    """Return the engine that the options ask for: everything checked, nobody asked yet."""
    chosen = {name: value for name in game.model_fields if (value := getattr(options, name)) is not None}
    said: dict[str, Any] = {"game": base["game"] | chosen} if chosen else {}
    if options.seed is not None:
        said["seed"] = options.seed
    if options.players is not None or options.offline:
        said["player_configs"] = players_for(options, game)
    if options.resume is not None:
        changed = neutral(GameEngineConfig.model_validate(base | said)) if said or options.config else None
        return GameEngine.resume(
            journal_path(options), changed, allow_changed=options.allow_changed, console=seat_console()
        )
    fresh = {"seed": random.SystemRandom().randrange(10_000), "logs_dir": options.logs_dir}
    if "player_configs" not in base | said:
        said["player_configs"] = players_for(options, game)
    return GameEngine(neutral(GameEngineConfig.model_validate(fresh | base | said)), console=seat_console())


def players_for(options: argparse.Namespace, game: type[Game[Any]]) -> list[PlayerConfig]:
    """Return the players that --players lists, else the default table."""
    if options.players is None:
        return default_players(list(game.strategies), os.environ, offline=options.offline)
    players = read_players(options.players)
    asked = [player.player_id for player in players if player.provider != "scripted"]
    if options.offline and asked:
        raise ValueError(
            f"--offline seats scripted players only: {', '.join(asked)} would be asked; drop one of the two"
        )
    return players


def play(engine: GameEngine, options: argparse.Namespace) -> int:
    """Play the game before the watcher's eyes and return the exit code."""
    screen = Screen(stderr=options.json)
    humans = [player.player_id for player in engine.config.player_configs if player.provider == "human"]
    live = Live(screen, engine.history, as_player=humans[0] if humans else None)
    screen.print(f"seed {engine.config.seed} (the same draws again with --seed {engine.config.seed})", highlight=False)
    try:
        with live, nullcontext() if humans else waiting(engine, screen) as status:
            engine.watch = partial(watch, write_event if options.json else live.event, status, engine.history)
            history = engine.run()
    except KeyboardInterrupt:
        command = f"uv run example.py --resume {engine.history.game_id}"
        screen.print(f"\nInterrupted; nothing is lost. Go on with: {command}", soft_wrap=True)
        sys.stdout.flush()
        # A person's seat may still wait for a line in its thread, which a normal exit would wait for too.
        os._exit(INTERRUPTED)
    return close(history, live, screen, options)


def waiting(engine: GameEngine, screen: Screen) -> Status:
    """Return what shows, on a terminal, that models are thinking."""
    models = [player.player_id for player in engine.config.player_configs if player.provider != "scripted"]
    return screen.status(f"{' and '.join(models) or 'The scripts'} think ...")


def watch(show: Callable[[Event], None], status: Status | None, history: History, event: Event) -> None:
    """Show an event, and how far the game is."""
    show(event)
    if status is not None:
        who = str(status.status).rpartition(": ")[2]
        status.update(f"after round {len(history.rounds)}: {who}")


def close(history: History, live: Live, screen: Screen, options: argparse.Namespace) -> int:
    """Show how the game ended and which commands come next."""
    name = history.game_id
    if history.outcome is None:
        return complain(f"{history.reason}; mend it, then go on with: uv run example.py --resume {name}", FAILED)
    if options.json:
        print(TypeAdapter(dict[str, Any]).dump_json({"outcome": asdict(history.outcome), "log": name}).decode())
    live.closing()
    screen.print(f"Log: {options.logs_dir / name}.json. Next:", highlight=False, soft_wrap=True)
    for command in (
        f"logs.py --filename {name} --terminal --include-prompts",
        f"logs.py --filename {name} --pdf",
        f"example.py {history.game} --seed {history.seed + 1}",
    ):
        screen.print(f"  uv run {command}", highlight=False, soft_wrap=True)
    return OK


def write_event(event: Event) -> None:
    """Write one event as a line of JSON to stdout."""
    print(TypeAdapter(Event).dump_json(event).decode(), flush=True)


def seat_console() -> Console:
    """Return the terminal of a person's seat; the live view already shows what that person may see."""
    return Console(news=False)


def journal_path(options: argparse.Namespace) -> Path:
    """Return the journal that --resume names; ValueError if there is no such unfinished game."""
    path: Path = options.logs_dir / f"{log_name(options.resume)}.jsonl"
    if path.with_suffix(".json").exists():
        raise ValueError(f"{path.stem} is finished: see it with uv run logs.py --filename {path.stem} --terminal")
    unfinished = [journal.stem for journal in options.logs_dir.glob("*.jsonl")]
    one_of(path.stem, unfinished, "unfinished game")
    return path


def known_settings() -> list[str]:
    """Return every name that may stand in a config."""
    models: list[type[BaseModel]] = [GameEngineConfig, PlayerConfig, Limits, *GAMES.values()]
    return [name for model in models for name in model.model_fields]


def complain(sentence: str, code: int = USAGE) -> int:
    """Say what is wrong on stderr and return the exit code."""
    print(f"example.py: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
