"""`tournament.py export`: write a tournament or an import as a data set to publish."""

from argparse import Namespace
from pathlib import Path

from engine.cli.logs.export import add_data_options, write_data_set
from engine.cli.main import ExitCode
from engine.cli.parser import Parser, add_logs_dir

ABOUT = "Write a data set: games, seats, events and votes, with a card; or training data."
EXAMPLES = """examples:
  uv run tournament.py export conversation-cup --to data/conversation-cup
  uv run tournament.py export conversation-cup --to data/cup --parquet --license cc-by-4.0
  uv run tournament.py export conversation-cup --to data/cup --no-text
  uv run tournament.py export conversation-cup --to data/cup --format chat --min-place 1
  uv run tournament.py rate data/cup/seats.jsonl.gz                    the same ratings again
"""


def add_export_options(parser: Parser) -> None:
    """Add the options of `export`."""
    parser.add_argument("name", metavar="NAME|FOLDER", help="a tournament or its folder")
    parser.add_argument("--to", type=Path, required=True, metavar="DIR", help="output folder")
    add_data_options(parser)
    add_logs_dir(parser, "where the tournament is")


def run_export(options: Namespace) -> ExitCode:
    """Write the requested data set, and print its contents."""
    from engine.exchange.dataset.contents import shelf_of

    return write_data_set(shelf_of(options.name, options.logs_dir), options)
