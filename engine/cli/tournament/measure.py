"""`tournament.py measure`: compare models with fixed scripts on shared deals."""

from argparse import Namespace

from engine.cli.parser import Parser, add_budgets, add_logs_dir, join_words, logs_dir_option
from engine.tournaments.measure import USUAL_SUITE

ABOUT = "Measure models against fixed scripts, on the same deals for all."
EXAMPLES = """examples:
  uv run tournament.py measure scripted:greedy            no model, no call
  uv run tournament.py measure local --quick              the embedded model, half of the games
  uv run tournament.py measure openai:gpt-5.4-mini --dry-run        what it takes, with no call
  uv run tournament.py measure openai:gpt-5.4-mini --max-cost 1     stop when a dollar is spent
  uv run tournament.py measure --list                     suites, tasks, and what was measured
Nothing is lost and nothing is paid for twice: after Ctrl-C, a crash or a used-up budget the same
command goes on.
"""


def add_measure_options(parser: Parser) -> None:
    """Add the options of `measure`."""
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help="PROVIDER[:MODEL[@ADDRESS]] or scripted:STRATEGY"
    )
    add_suite(parser)
    parser.add_argument(
        "--task",
        action="append",
        metavar="NAME",
        help="a single task, which gives no arena score; may be repeated",
    )
    parser.add_flag("--quick", "half of the games: intervals 1.7 times as wide")
    parser.add_argument(
        "--wordings",
        type=int,
        default=1,
        metavar="N",
        help="deal N wordings of the rules over the games; intervals include their differences",
    )
    parser.add_flag("--html", "write each game as a page, linked from the report")
    parser.add_flag("--list", "list suites, tasks and results")
    parser.add_flag("--dry-run", "show questions, tokens and dollars; make no call")
    parser.add_flag("--references", "compute the results of the suite's own scripts")
    add_logs_dir(parser, "where the folder measure/ is")
    add_budgets(parser, "budgets of each model, for all tasks together")


def add_suite(parser: Parser) -> None:
    """Add the option for the suite."""
    parser.add_value("--suite", "NAME", "the suite", default=USUAL_SUITE)


def results_option(options: Namespace) -> str:
    """Return the options for the suite and the logs, with a leading space; "" by default."""
    suite = "" if options.suite == USUAL_SUITE else f" --suite {join_words([options.suite])}"
    return suite + logs_dir_option(options.logs_dir)
