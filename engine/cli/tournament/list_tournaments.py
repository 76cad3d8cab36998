"""`tournament.py list`: the tournaments that there are, and how far each is."""

from argparse import Namespace
from typing import TYPE_CHECKING

from engine.cli.main import ExitCode, suggest_next
from engine.cli.parser import Parser, add_logs_dir, logs_dir_option

if TYPE_CHECKING:
    from engine.report.tables import Cell

ABOUT = "List the tournaments in the folder of logs."
EXAMPLES = """examples:
  uv run tournament.py list
  uv run tournament.py list --logs-dir /mnt/arena/logs
"""
COLUMNS = ("tournament", "game", "games", "status", "entrants", "cost", "first group")
# Of the first group so many are named.
NAMED = 3


def list_parser() -> Parser:
    """Return the command line of `list`."""
    parser = Parser("tournament.py list", ABOUT, EXAMPLES)
    parser.set_defaults(run=run_list)
    add_logs_dir(parser, "where tournaments are")
    return parser


def run_list(options: Namespace) -> ExitCode:
    """Print a line for each tournament."""
    from engine.report.tables import Table
    from engine.spending.costs import dollars
    from engine.tournaments.overview import tournaments_in
    from engine.views.terminal import Screen

    where = logs_dir_option(options.logs_dir)
    tournaments = tournaments_in(options.logs_dir)
    if not tournaments:
        print(f"There is no tournament in {options.logs_dir}.")
        return suggest_next(f"tournament.py play configs/cups/conversation.yaml --offline{where}")
    rows: list[tuple[Cell, ...]] = []
    for tournament in tournaments:
        first = ", ".join(tournament.first[:NAMED])
        more = len(tournament.first) - NAMED
        if more > 0:
            first += f" and {more} more"
        games, cost = f"{tournament.done} of {tournament.planned}", dollars(tournament.dollars)
        rows.append(
            (
                tournament.name,
                tournament.game,
                games,
                tournament.status,
                tournament.entrants,
                cost,
                first,
            )
        )
    Screen().show(Table("", COLUMNS, tuple(rows)))
    return suggest_next(f"tournament.py rate {tournaments[-1].name} --html{where}")
