"""`logs.py`: show a logged game, export it, check it, or list all games."""

import io
import json
import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.main import CommandFailed, ExitCode, suggest_next
from engine.cli.parser import Parser, add_logs_dir, logs_dir_option
from engine.record.files import LAST, is_log_name, write_whole
from engine.views.exports import EXPORTS, Exporter

if TYPE_CHECKING:
    from engine.history import History
    from engine.views.perspective import Shown

PROGRAM = "logs.py"
LISTED = 100
ABOUT = "Review the games in logs/: show one, export it, check it, list them all."
# The actions for a game; each is a flag.
WAYS = {
    "terminal": "print the game",
    **{name: exporter.about for name, exporter in EXPORTS.items()},
    "json": "print the log as JSON, and everything else on stderr",
    "check": "check that the same rules and answers give the same log",
}
EXAMPLES = """examples:
  uv run logs.py                                          the newest game
  uv run logs.py --list                                   the games, the newest first
  uv run logs.py last --pdf
  uv run logs.py gameplay_20260101_12 --charts            by the beginning of its name
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --terminal
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --terminal --include-prompts
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --terminal --as Ada
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --terminal --explain
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --pdf
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --csv
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --check
  uv run logs.py --filename gameplay_20260101_120000_ab12cd34 --json | jq .outcome
  uv run logs.py --export data/games --all                  data sets: --export DIR --help
  uv run logs.py --batch gameplay_20260101_120000_ab12cd34  the table of many games, from their logs
"""


def review_from(words: Sequence[str]) -> ExitCode:
    """Show, check or export the logs that `words` name; raise ValueError for invalid options."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if any(word.partition("=")[0] == "--export" for word in words):
        from engine.cli.logs.export import export_from

        return export_from(words)
    return suggest_next(review(read_log_options(words)))


def read_log_options(words: Sequence[str]) -> Namespace:
    """Return the options; raise ValueError for an unknown option or more than one game."""
    options = log_parser().read(words)
    if options.list or options.schema or options.batch is not None:
        return options
    if options.filename is not None and options.game is not None:
        raise ValueError(
            f"expected one game: got {options.game!r} and --filename {options.filename!r}"
        )
    options.filename = options.filename or options.game or LAST
    options.terminal = options.terminal or not any(getattr(options, way) for way in WAYS)
    return options


def log_parser() -> Parser:
    """Return the argument parser of `logs.py`."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES)
    parser.add_argument(
        "game",
        nargs="?",
        metavar="GAME",
        help="a game, by the name that --list shows or its beginning; last, the newest, by default",
    )
    parser.add_flag("--list", f"list the newest {LISTED} games, with --csv all")
    parser.add_value("--filename", "NAME", "the same as GAME")
    parser.add_value("--batch", "NAME", "rebuild the table of --games from the logs, and show it")
    more = {
        "include-void": "include void games in the averages of --batch",
        "include-prompts": "show what players were asked",
        "include-reasoning": "show how models reasoned, and the reasons of all players",
        "explain": "show the game's own numbers behind each event",
        "schema": "print the JSON Schema of a log",
    }
    for name, meaning in (WAYS | more).items():
        parser.add_flag(f"--{name}", meaning)
    parser.add_argument(
        "--as", dest="as_player", metavar="PLAYER", help="show only what this player saw"
    )
    add_logs_dir(parser, "where logs are kept")
    return parser


def review(options: Namespace) -> str:
    """Carry out the requested actions, and return the command to try next."""
    if options.schema:
        from engine.games import GAMES
        from engine.history import log_schema

        payloads = {name: game.payloads for name, game in GAMES.items()}
        print(json.dumps(log_schema(payloads), indent=1))
        return "logs.py --list"
    if options.list:
        return list_logs(options.logs_dir, as_csv=options.csv)
    if options.batch is not None:
        from engine.cli.batch import show_batch

        return show_batch(options)
    from engine.runs.catalogue import find_game
    from protocol.suggest import one_of

    name = find_game(options.logs_dir, options.filename)
    history, is_whole = read_log(options.logs_dir, name)
    if options.as_player is not None:
        players = history.player_ids
        options.as_player = one_of(options.as_player, players, "player")
    if options.check:
        print_check(history, name)
    else:
        export_game(history, name, options)
    if not is_whole and not options.check:
        print(
            f"{name} has no final log: this is what its journal contains so far.", file=sys.stderr
        )
        return f"example.py --resume {name}{logs_dir_option(options.logs_dir)}"
    return next_view(name, options)


def read_log(folder: Path, name: str) -> "tuple[History, bool]":
    """Return the game `name`, and whether its log is final; raise ValueError if it is missing."""
    from engine.runs.catalogue import log_files, stored_game
    from protocol.suggest import did_you_mean

    game = stored_game(folder, name)
    if game is not None:
        return game
    near = did_you_mean(name, [path.stem for path in log_files(folder)])
    where = logs_dir_option(folder)
    raise ValueError(
        f"there is no game {name!r} in {folder}:{near} see uv run logs.py --list{where}"
    )


def export_game(history: "History", name: str, options: Namespace) -> None:
    """Show the game and write its exports, as the options request."""
    from engine.games import GAMES
    from engine.views.perspective import EVERYTHING, Shown, history_in

    shown = Shown(
        options.as_player or EVERYTHING,
        options.include_prompts,
        options.include_reasoning,
        GAMES.get(history.game),
        options.explain,
        lambda sentence: print(f"{PROGRAM}: {sentence}", file=sys.stderr),
    )
    if options.terminal:
        from engine.views.screen import Screen
        from engine.views.terminal import print_history

        print_history(history, Screen(stderr=options.json), shown)
    for way, exporter in EXPORTS.items():
        # The PDF export writes its Typst document too.
        if getattr(options, way) and not (way == "typst" and options.pdf):
            write_export(exporter, history, shown, name, options)
    if options.json:
        from engine.spending.validity import void_words

        # A journal does not contain the reason why a game is void.
        history.void = void_words(history)
        print(history_in(history, shown.view).to_json())


def write_export(
    exporter: Exporter, history: "History", shown: "Shown", name: str, options: Namespace
) -> None:
    """Write an export next to the log; in a player's view, the file names include the player."""
    stem = name + _viewer_in(exporter, shown)
    path: Path = options.logs_dir / name
    try:
        for suffix, content in exporter.files(history, shown):
            path = options.logs_dir / f"{stem}{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
            print(f"Written: {path}", file=sys.stderr if options.json else sys.stdout)
    except RuntimeError as error:
        raise CommandFailed(f"{path} cannot be compiled: {error}") from error


def _viewer_in(exporter: Exporter, shown: "Shown") -> str:
    # Pictures show no player's view, so their folder is not named after a player.
    if shown.player_id is None or not exporter.file:
        return ""
    return re.sub(r"[^\w-]", "_", f"_as_{shown.view}")


def list_logs(folder: Path, *, as_csv: bool) -> str:
    """Print the newest `LISTED` games in `folder`, or all games as CSV; return the next command."""
    from engine.report.csv import csv_text
    from engine.runs.catalogue import catalogue
    from engine.runs.game_row import UNREADABLE
    from engine.views.listing import print_list

    table = catalogue(folder, None if as_csv else LISTED)
    if as_csv:
        print(csv_text(table.columns, table.rows), end="")
    elif table.rows:
        print_list(table.without_empty("void"))
    if len(table.rows) == LISTED and not as_csv:
        everything = f"uv run logs.py --list --csv{logs_dir_option(folder)}"
        print(f"These are the newest {LISTED}. All of them: {everything}")
    for name, _, status, *_ in table.rows:
        if status != UNREADABLE and is_log_name(str(name)):
            return f"logs.py --filename {name} --terminal{logs_dir_option(folder)}"
    print(f"There is no game in {folder} yet.")
    return "example.py --offline"


def print_check(history: "History", name: str) -> None:
    """Print that a log agrees with its replay and, if its game is void, the reason.

    Raises CommandFailed with the first difference, and ValueError if the log cannot be checked.
    """
    from engine.exchange.voting.checks import check_any_log
    from engine.spending.validity import void_words

    difference = check_any_log(history)
    if difference:
        raise CommandFailed(f"{name}: {difference}")
    void = void_words(history)
    but = f", but is void: {void}" if void else ""
    print(f"{name} keeps its rules{but}.")


def next_view(name: str, options: Namespace) -> str:
    """Return a command for a view that has not been requested yet."""
    log = f"logs.py --filename {name}{logs_dir_option(options.logs_dir)}"
    if not options.terminal:
        return f"{log} --terminal"
    if not options.include_reasoning:
        return f"{log} --terminal --include-prompts --include-reasoning"
    return f"{log} --pdf" if not options.pdf else "logs.py --list"
