"""Review the games that are kept in logs/: show one, export it, list them all."""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.parser import LOGS, Parser, elsewhere

# Whatever is slow to import comes after the options are read: --help and a typing error are
# answered at once.
if TYPE_CHECKING:
    from engine.game import Game
    from engine.history import History

OK, FAILED, USAGE = 0, 1, 2
WAYS = ("terminal", "typst", "pdf", "charts", "csv", "json", "check")
EXAMPLES = """examples:
  uv run logs.py --list                                                the newest first
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal --include-prompts --include-reasoning
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal --as Ada
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal --explain
  uv run logs.py --filename gameplay_20260101_120000_ab12 --pdf
  uv run logs.py --filename gameplay_20260101_120000_ab12 --charts
  uv run logs.py --filename gameplay_20260101_120000_ab12 --csv
  uv run logs.py --filename gameplay_20260101_120000_ab12 --check
  uv run logs.py --filename gameplay_20260101_120000_ab12 --json | jq .outcome
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what `argv` says and return the exit code: 0 done, 1 failed, 2 bad input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = read_options(argv)
        following = review(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the output (`| head`) has enough; nothing more may be written there, at exit
        # neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except ValueError as error:
        return complain(str(error), USAGE)
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}", FAILED)
    except RuntimeError as error:
        return complain(str(error), FAILED)
    print(f"Next: uv run {following}", file=sys.stderr)
    return OK


def parser() -> Parser:
    """Return the command line."""
    made = Parser("logs.py", __doc__, EXAMPLES)
    made.add_argument("--filename", metavar="NAME", help="a game, by the name that --list shows")
    made.add_argument("--terminal", action="store_true", help="print the game")
    made.add_argument("--typst", action="store_true", help="write NAME.typ, a Typst document")
    made.add_argument("--pdf", action="store_true", help="write NAME.typ and NAME.pdf")
    made.add_argument(
        "--csv", action="store_true", help="write NAME.csv, an event a row; --list prints its own"
    )
    made.add_argument(
        "--json", action="store_true", help="print the log as JSON, and all else on stderr"
    )
    made.add_argument("--include-prompts", action="store_true", help="show what players were asked")
    made.add_argument("--include-reasoning", action="store_true", help="show how models reasoned")
    made.add_argument(
        "--as", dest="as_player", metavar="PLAYER", help="show only what this player saw"
    )
    made.add_argument(
        "--explain", action="store_true", help="show the game's own numbers behind each event"
    )
    made.add_argument(
        "--charts", action="store_true", help="draw the game's pictures into the folder NAME"
    )
    made.add_argument(
        "--check", action="store_true", help="prove, rule by rule, that the game kept its rules"
    )
    made.add_argument("--list", action="store_true", help="list all games")
    made.add_argument("--schema", action="store_true", help="print the JSON Schema of a log")
    made.add_argument(
        "--logs-dir", type=Path, default=LOGS, metavar="DIR", help=f"(default: {LOGS})"
    )
    return made


def read_options(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; ValueError says which are missing or unknown, and the nearest that is right."""
    options = parser().read(sys.argv[1:] if argv is None else argv)
    if options.list or options.schema:
        return options
    if options.filename is None:
        raise ValueError("expected --filename NAME; the names are shown by uv run logs.py --list")
    if not any(getattr(options, way) for way in WAYS):
        ways = f"{', '.join(f'--{way}' for way in WAYS[:-1])} or --{WAYS[-1]}"
        raise ValueError(
            f"expected one of {ways} too, as in: uv run logs.py --filename {options.filename} --terminal"
        )
    return options


def review(options: argparse.Namespace) -> str:
    """Do what is asked and return the command to try next."""
    if options.schema:
        from engine.games import GAMES
        from engine.history import log_schema

        schema = log_schema({name: game.payloads for name, game in GAMES.items()})
        print(json.dumps(schema, indent=1))
        return "logs.py --list"
    if options.list:
        return list_logs(options.logs_dir, as_csv=options.csv)
    from engine.record.files import log_name
    from protocol.suggest import one_of

    name = log_name(options.filename)
    history, whole = read_log(options.logs_dir, name)
    if options.as_player is not None:
        one_of(options.as_player, [seat.player_id for seat in history.players], "player")
    if options.check:
        return check(history, name, options)
    put_out(history, name, options)
    if not whole:
        print(f"{name} has no final log: this is what its journal tells so far.", file=sys.stderr)
        return f"example.py --resume {name}{elsewhere(options.logs_dir)}"
    return next_view(name, options)


def read_log(folder: Path, name: str) -> "tuple[History, bool]":
    """Return the game `name` and whether that is its final log; without one its journal is replayed, with no call."""
    log, journal = folder / f"{name}.json", folder / f"{name}.jsonl"
    if log.is_file():
        from engine.history import history_from_json

        try:
            return history_from_json(log.read_bytes()), True
        except ValueError as error:
            raise ValueError(f"{log}: {error}") from None
    if journal.is_file():
        return replayed(journal), False
    from engine.runs.catalogue import log_files
    from protocol.suggest import did_you_mean

    near = did_you_mean(name, [path.stem for path in log_files(folder)])
    raise ValueError(
        f"there is no game {name!r} in {folder}:{near} see uv run logs.py --list{elsewhere(folder)}"
    )


def replayed(journal: Path) -> "History":
    """Return what the journal of a running or dead game tells; ValueError if it is none."""
    from pydantic import ValidationError

    from engine.engine import GameEngine
    from protocol.suggest import explain

    try:
        return GameEngine.replay(journal)
    except ValidationError as error:
        raise ValueError(f"{journal}: {explain(error, ())}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"expected {journal} to be the journal of a game: {error!r}") from None


def put_out(history: "History", name: str, options: argparse.Namespace) -> None:
    """Show and write the game in all the ways that are asked for."""
    shown = {
        key: getattr(options, key) for key in ("include_prompts", "include_reasoning", "as_player")
    }
    read = (options.terminal or options.typst or options.pdf) and not options.as_player
    told = told_by_game(history, options) if read else {}
    if options.terminal:
        from engine.views.terminal import Screen, print_history

        print_history(history, Screen(stderr=options.json), **shown, **told)
    if options.typst or options.pdf:
        from engine.views.typst import document

        write_document(document(history, **shown, **told), name, options)
    if options.charts:
        draw_charts(history, name, options)
    if options.csv:
        from engine.views.event_csv import events_csv

        write_beside(events_csv(history, **shown), name, ".csv", options)
    if options.json:
        from engine.views.perspective import seen_by

        print((seen_by(history, options.as_player) if options.as_player else history).to_json())


def told_by_game(history: "History", options: argparse.Namespace) -> dict[str, Any]:
    """Return what the game itself has to tell beside its events; nothing if it is none of ours."""
    from engine.games import GAMES

    if history.game not in GAMES:
        return {}
    game = GAMES[history.game]
    return {"report": [*game.report(history)], "explain": game.explain if options.explain else None}


def draw_charts(history: "History", name: str, options: argparse.Namespace) -> None:
    """Draw the game's pictures, and tell where they are; ValueError if it has none."""
    from engine.games import GAMES
    from protocol.suggest import one_of

    charts = GAMES[one_of(history.game, GAMES, "game")].charts(history)
    if not charts:
        raise ValueError(
            f"{name}, a game of {history.game}, has nothing to draw: see it with --terminal"
        )
    from engine.views.plots import save_chart

    for stem, chart in charts.items():
        for path in save_chart(chart, options.logs_dir / name / stem):
            print(f"Written: {path}", file=sys.stderr if options.json else sys.stdout)


def write_document(text: str, name: str, options: argparse.Namespace) -> None:
    """Write the document beside the log, as --typst or --pdf asks, and tell where."""
    from engine.views.typst import compile_pdf

    source = write_beside(text, name, ".typ", options)
    if options.pdf:
        compile_pdf(source, source.with_suffix(".pdf"))
        tell_written(source.with_suffix(".pdf"), options)


def write_beside(text: str, name: str, suffix: str, options: argparse.Namespace) -> Path:
    """Write a file beside the log, named for whose eyes it has, tell where, and return its path."""
    from engine.record.files import write_whole

    eyes = re.sub(r"[^\w-]", "_", f"_as_{options.as_player}") if options.as_player else ""
    path: Path = options.logs_dir / f"{name}{eyes}{suffix}"
    write_whole(path, text)
    tell_written(path, options)
    return path


def tell_written(path: Path, options: argparse.Namespace) -> None:
    """Tell where a file was written."""
    print(f"Written: {path}", file=sys.stderr if options.json else sys.stdout)


def list_logs(folder: Path, *, as_csv: bool = False) -> str:
    """Print a table of all games in `folder`, the newest first, and return the command to try next."""
    from engine.report.csv import csv_text
    from engine.runs.catalogue import UNREADABLE, catalogue
    from engine.views.terminal import Screen, grid_of, safe_text

    table = catalogue(folder)
    if as_csv:
        print(csv_text(table.columns, table.rows), end="")
    elif table.rows:
        Screen().print(grid_of(table, safe_text))
    names = [row[0] for row in table.rows if row[-2] != UNREADABLE]
    if not names:
        print(f"There is no game in {folder} yet.")
        return "example.py --offline"
    return f"logs.py --filename {names[0]} --terminal{elsewhere(folder)}"


def check(history: "History", name: str, options: argparse.Namespace) -> str:
    """Print what each rule of the game's checker says of the log, and return the command to try next.

    ValueError if the log cannot be checked, RuntimeError if it breaks a rule.
    """
    from engine.games import GAMES
    from protocol.suggest import one_of

    game = GAMES[one_of(history.game, GAMES, "game")]
    if not game.checks:
        raise ValueError(
            f"{history.game} has no rules checker; those that have one are {', '.join(checked(GAMES))}"
        )
    if history.status != "finished" or history.game_version != game.version:
        raise ValueError(
            f"expected a finished game of version {game.version} of {history.game}: "
            f"{name} is {history.status}, of version {history.game_version}"
        )
    found = game.check(history)
    for rule, breaches in found.items():
        print("\n  ".join([f"{'broken' if breaches else 'holds '}  {rule}", *breaches]))
    broken = sum(map(bool, found.values()))
    if broken:
        raise RuntimeError(f"{name} breaks {broken} of {len(found)} rules")
    print(f"{name} keeps all {len(found)} rules.")
    return next_view(name, options)


def checked(games: "Mapping[str, type[Game[Any]]]") -> list[str]:
    """Return the names of the games that have a rules checker."""
    return [name for name, game in games.items() if game.checks]


def next_view(name: str, options: argparse.Namespace) -> str:
    """Return the command that shows what was not asked for yet."""
    log = f"logs.py --filename {name}{elsewhere(options.logs_dir)}"
    if not options.terminal:
        return f"{log} --terminal"
    if not options.include_reasoning:
        return f"{log} --terminal --include-prompts --include-reasoning"
    return f"{log} --pdf" if not options.pdf else "logs.py --list"


def complain(sentence: str, code: int) -> int:
    """Say on stderr what is wrong and return the exit code."""
    print(f"logs.py: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
