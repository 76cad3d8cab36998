"""Review the games that are kept in logs/: show one, export it, list them all."""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

# Whatever is slow to import comes after the options are read: --help and a typing error are answered at once.
if TYPE_CHECKING:
    from engine.history import History
    from engine.views.tables import Cell

OK, FAILED, USAGE = 0, 1, 2
COLUMNS = ("name", "game", "players", "rounds", "status", "best")
UNREADABLE = "unreadable"
EXAMPLES = """examples:
  uv run logs.py --list                                                the newest first
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal --include-prompts --include-reasoning
  uv run logs.py --filename gameplay_20260101_120000_ab12 --terminal --as Ada
  uv run logs.py --filename gameplay_20260101_120000_ab12 --pdf
  uv run logs.py --filename gameplay_20260101_120000_ab12 --json | jq .outcome
"""


class Parser(argparse.ArgumentParser):
    """A command line that leaves it to `main` to say what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Raise ValueError."""
        raise ValueError(f"{message}; see uv run logs.py --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Do what `argv` says and return the exit code: 0 done, 1 failed, 2 bad input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = read_options(argv)
        following = review(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the output (`| head`) has enough; nothing more may be written there, at exit neither.
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
    made = Parser(
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--filename", metavar="NAME", help="a game, by the name that --list shows")
    made.add_argument("--terminal", action="store_true", help="print the game")
    made.add_argument("--typst", action="store_true", help="write NAME.typ, a Typst document")
    made.add_argument("--pdf", action="store_true", help="write NAME.typ and NAME.pdf")
    made.add_argument("--json", action="store_true", help="print the log as JSON, and all else on stderr")
    made.add_argument("--include-prompts", action="store_true", help="show what players were asked")
    made.add_argument("--include-reasoning", action="store_true", help="show how models reasoned")
    made.add_argument("--as", dest="as_player", metavar="PLAYER", help="show only what this player saw")
    made.add_argument("--list", action="store_true", help="list all games")
    made.add_argument("--schema", action="store_true", help="print the JSON Schema of a log")
    made.add_argument("--logs-dir", type=Path, default=Path("logs"), metavar="DIR", help="(default: logs)")
    return made


def read_options(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; ValueError says which are missing or unknown, and the nearest that is right."""
    made = parser()
    options, unknown = made.parse_known_args(argv)
    if unknown:
        refuse(unknown[0], made)
    if options.list or options.schema:
        return options
    if options.filename is None:
        raise ValueError("expected --filename NAME; the names are shown by uv run logs.py --list")
    if not (options.terminal or options.typst or options.pdf or options.json):
        ways = "--terminal, --typst, --pdf or --json"
        raise ValueError(f"expected one of {ways} too, as in: uv run logs.py --filename {options.filename} --terminal")
    return options


def refuse(word: str, made: Parser) -> NoReturn:
    """Raise ValueError for a word that is no option, with what was probably meant."""
    if not word.startswith("-"):
        raise ValueError(
            f"expected an option: {word!r}; a game is shown by uv run logs.py --filename {word} --terminal"
        )
    from nearest import did_you_mean

    known = [flag for action in made._actions for flag in action.option_strings]
    raise ValueError(f"unknown option {word!r}:{did_you_mean(word.partition('=')[0], known)} see uv run logs.py --help")


def review(options: argparse.Namespace) -> str:
    """Do what is asked and return the command to try next."""
    if options.schema:
        from engine.history import adapter

        print(json.dumps(adapter().json_schema(), indent=1))
        return "logs.py --list"
    if options.list:
        return list_logs(options.logs_dir)
    from engine.history import log_name
    from nearest import one_of

    name = log_name(options.filename)
    history, whole = read_log(options.logs_dir, name)
    if options.as_player is not None:
        one_of(options.as_player, [seat.player_id for seat in history.players], "player")
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
    from nearest import did_you_mean

    near = did_you_mean(name, [path.stem for path in log_files(folder)])
    raise ValueError(f"there is no game {name!r} in {folder}:{near} see uv run logs.py --list{elsewhere(folder)}")


def replayed(journal: Path) -> "History":
    """Return what the journal of a running or dead game tells; ValueError if it is none."""
    from pydantic import ValidationError

    from engine.engine import GameEngine
    from nearest import explain

    try:
        return GameEngine.replay(journal)
    except ValidationError as error:
        raise ValueError(f"{journal}: {explain(error, ())}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"expected {journal} to be the journal of a game: {error!r}") from None


def put_out(history: "History", name: str, options: argparse.Namespace) -> None:
    """Show and write the game in all the ways that are asked for."""
    shown = {key: getattr(options, key) for key in ("include_prompts", "include_reasoning", "as_player")}
    if options.terminal:
        from engine.views.terminal import Screen, show

        show(history, Screen(stderr=options.json), **shown)
    if options.typst or options.pdf:
        from engine.views.typst import document

        write_document(document(history, **shown), name, options)
    if options.json:
        from engine.views.seen import seen_by

        print((seen_by(history, options.as_player) if options.as_player else history).to_json())


def write_document(text: str, name: str, options: argparse.Namespace) -> None:
    """Write the document beside the log, as --typst or --pdf asks, and tell where."""
    from engine.history import write_whole
    from engine.views.typst import compile_pdf

    eyes = re.sub(r"[^\w-]", "_", f"_as_{options.as_player}") if options.as_player else ""
    paths = [options.logs_dir / f"{name}{eyes}.typ"]
    write_whole(paths[0], text)
    if options.pdf:
        paths.append(paths[0].with_suffix(".pdf"))
        compile_pdf(*paths)
    for path in paths:
        print(f"Written: {path}", file=sys.stderr if options.json else sys.stdout)


def list_logs(folder: Path) -> str:
    """Print a table of all games in `folder`, the newest first, and return the command to try next."""
    from engine.views.tables import Table
    from engine.views.terminal import Screen, grid_of, plain

    rows = [row_of(path) for path in log_files(folder)]
    if rows:
        Screen().print(grid_of(Table("", COLUMNS, tuple(rows)), plain))
    names = [row[0] for row in rows if row[-2] != UNREADABLE]
    if not names:
        print(f"There is no game in {folder} yet.")
        return "example.py --offline"
    return f"logs.py --filename {names[0]} --terminal{elsewhere(folder)}"


def log_files(folder: Path) -> list[Path]:
    """Return the final logs in `folder`, and the journals of games that have none, the newest first."""
    if not folder.is_dir():
        raise ValueError(f"there is no folder {str(folder)!r}: name that of the games with --logs-dir")
    logs = [*folder.glob("*.json")]
    journals = [path for path in folder.glob("*.jsonl") if path.with_suffix(".json") not in logs]
    return sorted([*logs, *journals], key=modified, reverse=True)


def modified(path: Path) -> tuple[float, str]:
    """Return what files are sorted by: the time of the last change, then the name; a file may have gone by now."""
    try:
        return path.stat().st_mtime, path.name
    except FileNotFoundError:
        return 0.0, path.name


def row_of(path: Path) -> "tuple[Cell, ...]":
    """Return the game's row in the list; a file that is no game's is called unreadable."""
    try:
        return log_row(path) if path.suffix == ".json" else journal_row(path)
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return (path.name, None, None, None, UNREADABLE, None)


def log_row(path: Path) -> "tuple[Cell, ...]":
    """Return the row of a final log."""
    from engine.history import history_from_json

    history = history_from_json(path.read_bytes())
    places = history.outcome.placements if history.outcome is not None else {}
    best = ", ".join(player_id for player_id, place in places.items() if place == 1)
    return (path.stem, history.game, len(history.players), len(history.rounds), history.status, best)


def journal_row(path: Path) -> "tuple[Cell, ...]":
    """Return the row of a game that is being played, or was when its process ended."""
    from engine.journal import Journal

    journal = Journal.load(path)
    config = journal.header["made_from"]["config"]
    rounds = max((address[0] for address in journal.recorded), default=None)
    status = "failed" if journal.reason else "unfinished"
    return (path.stem, config["game"]["name"], len(config["player_configs"]), rounds, status, None)


def next_view(name: str, options: argparse.Namespace) -> str:
    """Return the command that shows what was not asked for yet."""
    log = f"logs.py --filename {name}{elsewhere(options.logs_dir)}"
    if not options.terminal:
        return f"{log} --terminal"
    if not options.include_reasoning:
        return f"{log} --terminal --include-prompts --include-reasoning"
    return f"{log} --pdf" if not options.pdf else "logs.py --list"


def elsewhere(folder: Path) -> str:
    """Return the option that names `folder`, nothing if it is the usual one."""
    return "" if folder == Path("logs") else f" --logs-dir {folder}"


def complain(sentence: str, code: int) -> int:
    """Say on stderr what is wrong and return the exit code."""
    print(f"logs.py: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
