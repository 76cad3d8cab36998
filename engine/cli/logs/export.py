"""Export games from any logs folder or a tournament as tables or training data."""

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.main import CommandFailed, ExitCode, suggest_next
from engine.cli.parser import Parser, add_logs_dir, join_words, logs_dir_option, words_given
from engine.cli.tournament.import_logs import progress_report
from protocol.suggest import one_of

if TYPE_CHECKING:
    from engine.exchange.dataset.chat import ChatFilter
    from engine.exchange.dataset.contents import ExportShelf
    from engine.exchange.dataset.tables import Contents, GameRecord

PROGRAM = "logs.py"
ABOUT = "Write games of the logs as a data set: tables of what happened, or models' decisions."
EXAMPLES = """examples:
  uv run logs.py --export data/games --all
  uv run logs.py --export data/games gameplay_20260101_120000_ab12cd34 --parquet
  uv run logs.py --export data/chat --all --format chat --min-place 1
  uv run logs.py --export data/chat --all --format chat --models "openai:*" --games dilemma,talks
"""
FORMATS = {
    "tables": "games, seats, events and votes, packed JSON lines each",
    "chat": "each model decision with its question, as one line of training data",
}
CHAT_ALONE = ("min_place", "models", "games")
TABLES_ALONE = ("parquet", "no_text")
# The id that data hubs use for an unlisted license.
OTHER = "other"
LICENSE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,40}")


def export_from(words: Sequence[str]) -> ExitCode:
    """Export the games named in `words`; raise ValueError if the options are invalid."""
    options = export_parser().read(words)
    if options.all == bool(options.names):
        raise ValueError(
            "expected the names of games, or --all for every game in the folder: "
            f"got {'both' if options.all else 'neither'}; uv run logs.py --list names them"
        )
    from engine.exchange.dataset.contents import logs_shelf

    paths = logs_named(options)
    return write_data_set(logs_shelf(paths, options.logs_dir.resolve().name), options)


def export_parser() -> Parser:
    """Return the argument parser of `logs.py --export`."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="games, by name or the beginning of a name"
    )
    parser.add_flag("--all", "every game in the folder")
    parser.add_argument(
        "--export", dest="to", type=Path, required=True, metavar="DIR", help="output folder"
    )
    add_data_options(parser)
    add_logs_dir(parser, "where logs are kept")
    return parser


def add_data_options(parser: Parser) -> None:
    """Add the options that select the games and the content to write."""
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in FORMATS.items())
    parser.add_argument("--format", default="tables", metavar="FORMAT", help=meanings)
    parser.add_value(
        "--license",
        "ID",
        "the license you publish it under, by its ID on data hubs (default: other)",
    )
    tables = parser.add_argument_group("of tables")
    tables.add_argument(
        "--parquet", action="store_true", help="write each table as Parquet too (extra: dataset)"
    )
    tables.add_argument(
        "--no-text", action="store_true", help="leave out what players said and thought"
    )
    chat = parser.add_argument_group("of training data")
    chat.add_argument(
        "--min-place", type=int, metavar="N", help="only seats that finished in place N or better"
    )
    chat.add_argument(
        "--models",
        metavar="LIST",
        help='only these, separated by commas, as in "openai:*,local:smollm2"',
    )
    chat.add_argument("--games", metavar="LIST", help="only these games, separated by commas")


def logs_named(options: Namespace) -> list[Path]:
    """Return the final logs of the requested games; raise ValueError if a game has none."""
    from engine.runs.catalogue import find_game, log_files

    files = {path.stem: path for path in log_files(options.logs_dir) if path.suffix == ".json"}
    if options.all:
        return sorted(files.values())
    paths = []
    for word in options.names:
        name = find_game(options.logs_dir, word)
        if name not in files:
            raise ValueError(
                f"expected games that are over: {name} has no final log; continue it with "
                f"uv run example.py --resume {name}{logs_dir_option(options.logs_dir)}"
            )
        paths.append(files[name])
    return sorted({*paths})


def write_data_set(shelf: "ExportShelf", options: Namespace) -> ExitCode:
    """Write a data set in the requested format, and print its contents."""
    from engine.tournaments.row_cache import LostLog

    refuse_games_folder(options)
    chosen = one_of(options.format, FORMATS, "format")
    names, other = (CHAT_ALONE, "chat") if chosen == "tables" else (TABLES_ALONE, "tables")
    words = words_given(options, *names)
    if words:
        raise ValueError(f"expected {words[0]} only with --format {other}: got {chosen}")
    license_name = str(options.license or shelf.license or OTHER)
    # Data hubs write license ids in lower case.
    license_id = license_name.lower()
    if not LICENSE.fullmatch(license_id):
        raise ValueError(
            f"expected the id of a license, such as cc-by-4.0: got {license_name!r}; set another "
            "with --license"
        )
    write = write_game_tables if chosen == "tables" else write_decisions
    try:
        return write(shelf, license_id, options)
    except LostLog as error:
        raise CommandFailed(str(error)) from None


def refuse_games_folder(options: Namespace) -> None:
    """Raise ValueError if the data set would be written into a folder of games."""
    from engine.exchange.intake import GAMES_FOLDER, ROWS
    from engine.tournaments.ledger import ledgers_in

    target: Path = options.to.resolve()
    places = [target, target.parent] if target.name == GAMES_FOLDER else [target]
    is_taken = any(ledgers_in(place) or (place / ROWS).exists() for place in places)
    if is_taken or target == options.logs_dir.resolve():
        raise ValueError(
            f"expected a separate folder for the data set: {options.to} contains games; choose "
            f"another, such as data/{target.name}"
        )


def write_game_tables(shelf: "ExportShelf", license_id: str, options: Namespace) -> ExitCode:
    """Write the tables, the data card and any rating terms; print what was written."""
    from engine.exchange.dataset.card import data_card
    from engine.exchange.dataset.tables import (
        HOW_TO_GET,
        remove_parquet,
        write_dataset,
        write_parquet,
    )
    from engine.record.files import write_whole
    from engine.tournaments.sources.row_files import TERMS

    records = with_progress(shelf.records, shelf.games)
    contents = write_dataset(records, options.to, text=not options.no_text)
    remove_parquet(options.to)
    has_duckdb = find_spec("duckdb") is not None
    if options.parquet and has_duckdb:
        write_parquet(options.to, contents)
    words = "left out" if options.no_text else "as they were said"
    facts = {**shelf.facts, "words": words, "license": license_id}
    write_whole(options.to / "README.md", data_card(shelf.title or shelf.name, contents, facts))
    if shelf.terms:
        write_whole(options.to / TERMS, shelf.terms)
    show_contents(contents, options.to)
    if options.parquet and not has_duckdb:
        print(f"No Parquet was written: it needs DuckDB, which {HOW_TO_GET} installs.")
    if contents.rows["seats"]:
        rows = options.to / "seats.jsonl.gz"
        return suggest_next(join_words(["tournament.py", "rate", str(rows)]))
    print("No seats: these games have no winner, are not over, or have an entrant in two seats.")
    return suggest_next("logs.py --list")


def write_decisions(shelf: "ExportShelf", license_id: str, options: Namespace) -> ExitCode:
    """Write models' decisions as training data, with a card."""
    from engine.exchange.dataset.chat import DECISIONS, chat_card, write_chat
    from engine.record.files import write_whole

    wanted = wanted_decisions(options)
    records = with_progress(shelf.records, shelf.games)
    histories = (record.history for record in records if record.history is not None)
    count = write_chat(histories, options.to, wanted)
    card = chat_card(shelf.title or shelf.name, count, wanted, license_id)
    write_whole(options.to / "README.md", card)
    print(
        f"{count.decisions:,} decisions of {count.games:,} games, {count.valid:,} of them valid; "
        f"{count.left_out:,} games have no matching decisions."
    )
    if not count.decisions:
        print("Only models' decisions are written: scripts and people have none.")
    print(f"Written: {options.to / DECISIONS} ({count.size:,} bytes)")
    print(f"Written: {options.to / 'README.md'}")
    return suggest_next("logs.py --list")


def wanted_decisions(options: Namespace) -> "ChatFilter":
    """Return a filter for the requested decisions; raise ValueError for a bad place or game."""
    from engine.exchange.dataset.chat import ChatFilter
    from engine.games import GAMES

    if options.min_place is not None and options.min_place < 1:
        raise ValueError(f"expected --min-place to be 1 or more: got {options.min_place}")
    models = split_list(options.models)
    games = split_list(options.games)
    for game in games:
        one_of(game, GAMES, "game")
    return ChatFilter(options.min_place, models, games)


def split_list(words: str | None) -> tuple[str, ...]:
    """Return the non-empty parts of a comma-separated list."""
    return tuple(filter(None, map(str.strip, (words or "").split(","))))


def with_progress(records: "Iterator[GameRecord]", games: int) -> "Iterator[GameRecord]":
    """Yield `records`, and report progress on stderr from time to time; `games` is the total."""
    report = progress_report()
    for number, record in enumerate(records, 1):
        yield record
        report(number, games)


def show_contents(contents: "Contents", folder: Path) -> None:
    """Print how many rows each table has, and how large the files are."""
    counted = ", ".join(f"{count} {table}" for table, count in contents.rows.items())
    print(f"{counted}.")
    statuses = ", ".join(f"{count} {status}" for status, count in contents.statuses.items())
    print(f"Games: {statuses}.")
    for file, size in contents.sizes.items():
        print(f"Written: {folder / file} ({size:,} bytes)")
    print(f"Written: {folder / 'README.md'}")
