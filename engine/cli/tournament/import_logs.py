"""`tournament.py import`: convert other programs' logs into games, and into rows to rate."""

import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.main import CommandFailed, ExitCode, suggest_next
from engine.cli.parser import LOGS, Parser, join_words

if TYPE_CHECKING:
    from engine.exchange.game import Format, Skips
    from engine.exchange.intake import Intake

ABOUT = "Read foreign logs as games that can be shown, and rows that can be rated."
EXAMPLES = """examples:
  uv run tournament.py import elimination_game DOWNLOADS/logs      a folder, one log per game
  uv run tournament.py import pairs battles.csv --to logs/battles
  uv run tournament.py import elimination_game logs --maker r1=deepseek --maker v3=deepseek
  uv run tournament.py rate logs/elimination_game/rows.jsonl       what the games say
  uv run logs.py --list --logs-dir logs/elimination_game/games     the games themselves
"""
MOST_SHOWN = 60
# Seconds between progress reports.
PATIENCE = 2.0


def add_import_options(parser: Parser) -> None:
    """Add the options of `import`."""
    from engine.exchange.intake import FORMATS, format_named

    formats = [f"{name} ({format_named(name).about})" for name in FORMATS]
    parser.add_argument("format", metavar="FORMAT", help=", ".join(formats))
    parser.add_argument("path", type=Path, metavar="PATH", help="a file, or a folder of files")
    parser.add_value("--to", "DIR", f"a new folder (default: {LOGS}/FORMAT)", Path)
    parser.add_argument(
        "--maker",
        action="append",
        default=[],
        metavar="PREFIX=PROVIDER",
        help="the maker of the models whose names begin with this prefix",
    )


def run_import(options: Namespace) -> ExitCode:
    """Import the named files; raise CommandFailed if any game in them is unreadable."""
    from engine.exchange.intake import format_named, import_files
    from engine.exchange.makers import read_makers

    source = format_named(options.format)
    makers = read_makers(options.maker)
    folder = options.to or LOGS / options.format
    intake = import_files(source, options.path, folder, makers, progress_report())
    show_intake(source, intake)
    show_skips(intake.reading.skips)
    if intake.games:
        suggest_next(*steps_after(source, folder))
    refuse_losses(intake)
    return ExitCode.DONE


def refuse_losses(intake: "Intake") -> None:
    """Raise CommandFailed if games could not be read."""
    lost = intake.reading.skips.count
    if lost and not intake.games:
        raise CommandFailed(f"none of {lost} games could be read, as named above")
    if lost:
        games = intake.games + intake.again + lost
        raise CommandFailed(
            f"{lost} of {games} games could not be read and are left out, as named above; "
            "all others are imported"
        )


def progress_report(what: str = "files") -> Callable[[int, int], None]:
    """Return a function that prints progress to stderr at most once every two seconds."""
    say = say_seldom()
    return lambda done, total: say(f"{done} of {total} {what}")


def say_seldom() -> Callable[[str], None]:
    """Return a function that prints to stderr, at most every two seconds and without repeats."""
    printed_at = time.monotonic()
    last = ""

    def say(line: str) -> None:
        nonlocal printed_at, last
        if line != last and time.monotonic() - printed_at >= PATIENCE:
            printed_at, last = time.monotonic(), line
            print(line, file=sys.stderr, flush=True)

    return say


def show_intake(source: "Format", intake: "Intake") -> None:
    """Print the results of the imported games, and which games and log entries were left out."""
    show_entrants(intake)
    print(f"{intake.games} games, {intake.seats} seats of {len(intake.entrants)} entrants.")
    for sentence in source.sentences(intake.figures):
        print(sentence)
    for fault, count in _faulty_games(intake).items():
        if count:
            print(f"{count} games {fault}: they are counted but not rated.")
    if intake.again:
        print(f"{intake.again} files contain the same game as another file: each game counts once.")
    if intake.reading.unknown:
        print(f"Unknown and ignored: {listed_counts(intake.reading.unknown)}.")


def _faulty_games(intake: "Intake") -> dict[str, int]:
    faults = {f"are {status}": count for status, count in sorted(intake.unrated.items())}
    return faults | {"seat an entrant twice": intake.twins, "have one seat": intake.lone}


def show_entrants(intake: "Intake") -> None:
    """Print the results of the top entrants."""
    from engine.exchange.intake import COLUMNS
    from engine.report.tables import Table
    from engine.views.screen import Screen

    standing = intake.table()
    if standing:
        Screen().show(Table("", COLUMNS, standing[:MOST_SHOWN]))
    more = len(standing) - MOST_SHOWN
    if more > 0:
        print(f"and {more} more entrants, in entrants.csv")


def listed_counts(counts: Counter[str]) -> str:
    """Return names with their counts on one line, most frequent first."""
    from protocol.text import one_line

    often = counts.most_common(MOST_SHOWN)
    named = ", ".join(f"{one_line(name)[:100]} ({count})" for name, count in often)
    more = len(counts) - len(often)
    return f"{named} and {more} more" if more else named


def show_skips(skips: "Skips") -> None:
    """Print to stderr the first games that could not be read, and the number of others."""
    from protocol.text import clean

    for where, why in skips.first:
        words = str(clean(f"{where}: {why}", 400)).split()
        print(f"skipped: {' '.join(words)}", file=sys.stderr)
    more = skips.count - len(skips.first)
    if more:
        print(f"and {more} more", file=sys.stderr)


def steps_after(source: "Format", folder: Path) -> list[str]:
    """Return the next commands to try."""
    from engine.exchange.intake import GAMES_FOLDER, ROWS

    commands = [join_words(["tournament.py", "rate", str(folder / ROWS)])]
    if source.histories:
        games = str(folder / GAMES_FOLDER)
        commands.append(join_words(["logs.py", "--list", "--logs-dir", games]))
        commands.append(join_words(["logs.py", "last", "--check", "--logs-dir", games]))
    return commands
