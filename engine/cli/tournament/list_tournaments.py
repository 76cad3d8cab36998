"""`tournament.py list`: list the tournaments with their progress."""

from argparse import Namespace

from engine.cli.main import ExitCode, suggest_next
from engine.cli.parser import Parser, add_logs_dir, logs_dir_option

ABOUT = "List the tournaments in the folder of logs."
EXAMPLES = """examples:
  uv run tournament.py list
  uv run tournament.py list --logs-dir /mnt/arena/logs
"""


def add_list_options(parser: Parser) -> None:
    """Add the options of `list`."""
    add_logs_dir(parser, "where tournaments are")


def run_list(options: Namespace) -> ExitCode:
    """Print a line for each tournament."""
    from engine.tournaments.overview import tournaments_table
    from engine.views.screen import Screen

    where = logs_dir_option(options.logs_dir)
    table = tournaments_table(options.logs_dir)
    if not table.rows:
        print(f"There is no tournament in {options.logs_dir}.")
        return suggest_next(f"tournament.py play configs/cups/conversation.yaml --offline{where}")
    Screen().show(table)
    return suggest_next(f"tournament.py rate {table.rows[-1][0]} --html{where}")
