"""`talks.py`: hold a discussion in which game theory decides who speaks and with which move."""

import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dotenv import load_dotenv

from engine.cli.main import CommandFailed, ExitCode, at_first_interrupt, complain, end_process
from engine.cli.options import Request, build_config
from engine.cli.parser import (
    Parser,
    add_budgets,
    add_listing,
    add_logs_dir,
    add_plain,
    join_words,
    logs_dir_option,
    meanings_of,
    show_commands,
)
from engine.cli.play_parser import SEED, add_provider_listing
from engine.cli.resume import how_to_resume, refuse_void
from engine.cli.settings import add_settings
from engine.cli.talks.stage import Stage
from engine.config import GameEngineConfig, gather_talk, known_settings, read_config
from engine.engine import GameEngine
from engine.games.talks.game import TalksGame
from engine.games.talks.settings import LONGEST, read_topic
from engine.history import Event, History
from engine.record.files import read_regular
from engine.record.journal import JournalError
from engine.runs.seating import read_players
from engine.runs.talks.keeper import keep_sessions
from engine.runs.talks.store import StoreError
from engine.views.foot import Foot, WaitingLine, last_line
from engine.views.perspective import history_in
from engine.views.screen import Screen, safe_text
from player import Console
from protocol.suggest import did_you_mean

PROGRAM = "talks.py"
THINK = "The participants think ..."
ABOUT = "Hold a discussion: game theory decides who speaks, with which move, and when it is over."
ENDINGS = {
    "failed": ExitCode.FAILED,
    "stopped": ExitCode.STOPPED,
    "running": ExitCode.INTERRUPTED,
}
PAIR = 2
PIPED = "-"
# Far more than a topic of 500 characters needs in any encoding with any line endings.
MOST_BYTES = 20_000
LONGEST_PACE = 60
VIEWS = ("--charts", "--terminal --explain", "--pdf")
EXAMPLES = """examples:
  uv run talks.py "What is love?" --depth 1                     two participants, on models
  uv run talks.py "Ethics of AI" --depth 3 --participants 5     five of the default cast
  uv run talks.py "What is love?" --offline --explain --seed 7  scripts, with every number
  uv run talks.py "What is love?" --offline --pace 3            scripts, slowly, to watch them live
  uv run talks.py --config configs/academic_panel.yaml          a panel of your own
  uv run talks.py --config configs/town_hall.yaml               a panel with a host
  uv run talks.py --topic-file question.txt --host              a topic from a file
  uv run talks.py "What is love?" --players ollama:gpt-oss:120b,ollama:gpt-oss:120b
  uv run talks.py "What is love?" --players local,human         you take part
"""


def talk_from(words: Sequence[str]) -> ExitCode:
    """Hold the discussion that `words` describe; raise ValueError for invalid options."""
    load_dotenv(Path(".env"))
    options = read_talk_options(words)
    stage = _stage_of(options)
    engine = stage.engine
    stage.show_opening()
    try:
        hold_shown(engine, stage, options)
    except (JournalError, StoreError) as error:
        raise CommandFailed(str(error)) from None
    except KeyboardInterrupt:
        end_process(report_unfinished_talk(engine.history, options))
    stage.show_report()
    if engine.history.status != "finished":
        code = report_unfinished_talk(engine.history, options)
        if stage.people_here:
            end_process(code)
        return code
    report_held(engine.history, stage.screen, options)
    refuse_void(engine.history, options.logs_dir)
    return ExitCode.DONE


def _stage_of(options: Namespace) -> Stage:
    screen = Screen()
    foot = Foot(screen)
    console = Console(foot.read, foot.write, news=False)
    engine = GameEngine(talk_config(options), console=console)
    stage = Stage(foot, screen, engine, explaining=options.explain)
    if not options.plain:
        game, history = engine.config.game, engine.history
        foot.look = lambda: game.glance(history_in(history, stage.view))
    return stage


def read_talk_options(words: Sequence[str]) -> Namespace:
    """Return the options; raise ValueError if they are invalid."""
    options = talk_parser().read(words)
    if options.question is not None and options.topic is not None:
        raise ValueError(
            f"expected one topic: got {options.question!r} and --topic {options.topic!r}"
        )
    if options.topic is None:
        options.topic = options.question
    if options.topic_file is not None:
        if options.topic is not None:
            raise ValueError(f"expected one topic: got {options.topic!r} and --topic-file")
        options.topic = topic_in(options.topic_file)
    return options


def topic_in(name: str) -> str:
    """Return the topic in a text file ("-" for stdin) as one line.

    Raises ValueError if the topic is empty or too long.
    """
    where = "standard input" if name == PIPED else name
    text = text_in(name, where)
    try:
        return read_topic(text)
    except ValueError:
        size = len(" ".join(text.split()))
        length = f"{size} characters" if size else "nothing"
        expected = f"expected {where} to contain a topic of 1 to {LONGEST} characters"
        raise ValueError(f"{expected}: got {length}") from None


def text_in(name: str, where: str) -> str:
    """Return the text of the file `name`, which errors call `where`."""
    try:
        return bytes_of(name).decode("utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"expected a file with a topic: there is no {name}") from None
    except UnicodeDecodeError:
        raise ValueError(f"expected {where} to be text in UTF-8: it is not") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"expected {where} to be a file with a topic: {reason}") from None


def bytes_of(name: str) -> bytes:
    """Return the bytes of a file or stdin; raise OSError if the file is unreadable or too large."""
    if name == PIPED:
        return sys.stdin.buffer.read(MOST_BYTES)
    return read_regular(Path(name), MOST_BYTES)


def talk_parser() -> Parser:
    """Return the argument parser of `talks.py`."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES)
    parser.add_argument(
        "question",
        nargs="?",
        metavar="TOPIC",
        help="the topic of the discussion, the same as --topic",
    )
    parser.add_value("--config", "FILE", "a discussion as YAML, such as those in configs/", Path)
    parser.add_value("--players", "LIST", "who answers: PROVIDER[:MODEL], scripted:HABIT or human")
    parser.add_flag("--offline", "scripted participants only")
    parser.add_number("--seed", SEED)
    parser.add_flag("--explain", "show every turn's urgencies, payoffs and criteria")
    add_plain(parser)
    parser.add_argument(
        "--pace",
        type=pace,
        default=0.0,
        metavar="SECONDS",
        help="seconds to wait before each turn, so that you can follow scripted talks",
    )
    add_logs_dir(parser, "where logs are kept")
    settings = parser.add_argument_group("settings")
    # A discussion has no default topic here.
    settings.add_argument("--topic", metavar="TEXT", help="the topic")
    settings.add_argument(
        "--topic-file", metavar="FILE", help="a text file with the topic (- for stdin)"
    )
    add_settings(settings, TalksGame)
    add_budgets(parser)
    habits = meanings_of(TalksGame.strategies)
    add_listing(parser, "scripted participants, as --players scripted:HABIT", habits)
    add_provider_listing(parser)
    return parser


def pace(word: str) -> float:
    """Return the number of seconds to wait; raise ArgumentTypeError if it is out of range."""
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_PACE:
        raise ArgumentTypeError(f"expected 0 to {LONGEST_PACE} seconds: got {word:.40}")
    return seconds


def talk_config(options: Namespace) -> GameEngineConfig:
    """Return the requested config, fully checked."""
    base = _base_config(options)
    settings = base.setdefault("game", {"name": TalksGame.name})
    if not isinstance(settings, dict) or settings.get("name") != TalksGame.name:
        raise ValueError(
            "expected a config of talks: that file is one for uv run example.py --config "
            f"{join_words([str(options.config)])}"
        )
    if options.topic is None and "topic" not in settings:
        raise ValueError(f"expected a topic, such as {_topic_example(options)}")
    choose_participants(settings, options)
    return build_config(Request(options, base, TalksGame))


def _topic_example(options: Namespace) -> str:
    example = 'uv run talks.py "What is love?"'
    if isinstance(options.host, str):
        example += f"; {options.host!r} behind --host is the host's name, write the topic first"
    return example


def _base_config(options: Namespace) -> dict[str, Any]:
    base = {} if options.config is None else read_config(options.config)
    if options.topic is not None and "game" not in base:
        # With the topic given, everything else in the file may be a setting of the talk.
        base = gather_talk(base | {"topic": options.topic})
    for name in base.keys() - GameEngineConfig.model_fields.keys():
        near = did_you_mean(str(name), known_settings()) or " it is no setting of a talk"
        raise ValueError(f"unknown setting {name!r}:{near}")
    return base


def choose_participants(settings: dict[str, Any], options: Namespace) -> None:
    """Put the participants into `settings`: by default, one for each given player, or else two."""
    people = settings.get("participants")
    if people is None and options.participants is None:
        host = settings.get("host") if options.host is None else options.host
        settings["participants"] = participants_for(options.players, leads=bool(host))
    elif isinstance(people, list) and isinstance(options.participants, int):
        settings["participants"] = _first_people(people, options.participants)
        options.participants = None


def _first_people(people: list[Any], number: int) -> list[Any]:
    most = len(people)
    if not PAIR <= number <= most:
        raise ValueError(
            f"expected --participants to be {PAIR} to {most}, the number in the "
            f"config: got {number}"
        )
    return people[:number]


def participants_for(players: str | None, *, leads: bool) -> int | list[Any]:
    """Return how many of the default cast take part, or [] if `players` names the participants.

    If `leads`, the last player is the host and is not counted.
    """
    if players is None:
        return PAIR
    if "=" in players:
        return []
    count = len(read_players(players)) - leads
    if leads and count < PAIR:
        raise ValueError(
            f"expected {PAIR + 1} players or more, the last one for the host: got {count + 1}"
        )
    return count


def hold_shown(engine: GameEngine, stage: Stage, options: Namespace) -> None:
    """Hold a discussion and show each of its turns."""

    def rest(event: Event) -> None:
        # This leaves time to read the last turn before the next one begins.
        if event.kind == "selection":
            time.sleep(options.pace)

    has_models = not all(player.computed for player in engine.config.player_configs)
    # A person types where the spinner would appear.
    spins = has_models and not stage.people_here
    with (
        at_first_interrupt(engine.interrupt, stage.screen.print),
        keep_sessions([engine], options.logs_dir),
        last_line(stage.foot, THINK, spins=spins) as status,
        WaitingLine(engine.waits, THINK if has_models else "", status, stage.show_line),
    ):
        engine.subscribe(stage.show_event)
        engine.subscribe(rest)
        engine.run()


def report_held(history: History, screen: Screen, options: Namespace) -> None:
    """Print where a discussion's log is, and how to view it."""
    log = f"logs.py --filename {history.game_id}{logs_dir_option(options.logs_dir)}"
    screen.print()
    screen.print(safe_text(f"Log: {options.logs_dir / history.game_id}.json"), soft_wrap=True)
    show_commands("Next:", [f"{log} {view}" for view in VIEWS], screen.file)


def report_unfinished_talk(history: History, options: Namespace) -> ExitCode:
    """Print why a discussion is unfinished, and how to resume it."""
    why = f"{history.reason}." if history.reason else "interrupted, but nothing is lost."
    sentence = f"{why} {how_to_resume(history, options.logs_dir)}"
    return complain(PROGRAM, sentence, ENDINGS[history.status])
