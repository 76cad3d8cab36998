"""`tournament.py plan`: show the games, dollars and hours needed for each gap; write plan.json."""

from argparse import Namespace
from pathlib import Path

from engine.cli.main import ExitCode, suggest_next
from engine.cli.parser import Parser, add_logs_dir, join_words, logs_dir_option

ABOUT = "Show how many games, dollars and hours it takes to detect a gap; no player is asked."
EXAMPLES = """examples:
  uv run tournament.py plan configs/cups/conversation.yaml   what its games show and cost
  uv run tournament.py plan cup.yaml --max-cost 20           the smallest gap that 20 dollars show
  uv run tournament.py plan cup.yaml --games 1000            what a thousand games show
Once some games are finished, the plan uses their cost and the precision of their ratings.
"""


def add_plan_options(parser: Parser) -> None:
    """Add the options of `plan`."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="the tournament as YAML, or a name in configs/cups/"
    )
    parser.add_value("--max-cost", "DOLLARS", "maximum cost of all games", float)
    parser.add_number("--games", "maximum number of games (default: the file's)")
    add_logs_dir(parser, "where to look for its finished games")


def run_plan(options: Namespace) -> ExitCode:
    """Show the plan; raise ValueError if the options or the file are invalid."""
    from engine.cli.tournament.import_logs import progress_report
    from engine.cli.tournament.tables import print_parts
    from engine.tournaments.plan.plan import make_plan, plan_parts
    from engine.tournaments.plan.promise import write_promise
    from engine.tournaments.settings import read_tournament

    check_plan_options(options)
    settings = read_tournament(options.file)
    folder = options.logs_dir / settings.name
    plan = make_plan(
        settings, folder, options.max_cost, options.games, progress_report("simulated tables")
    )
    print_parts(plan_parts(plan))
    if plan.affordable:
        print(write_promise(settings, plan.affordable, folder))
    return suggest_next(_command_to_play(options))


def _command_to_play(options: Namespace) -> str:
    words = ["tournament.py", "play", str(options.file)]
    if options.max_cost is not None:
        words += ["--max-cost", f"{options.max_cost:g}"]
    return join_words(words) + logs_dir_option(options.logs_dir)


def check_plan_options(options: Namespace) -> None:
    """Raise ValueError for an invalid budget or number of games."""
    from engine.tournaments.terms import MOST_GAMES

    if options.games is not None and not 1 <= options.games <= MOST_GAMES:
        raise ValueError(f"expected --games to be from 1 to {MOST_GAMES:,}: got {options.games}")
    if options.max_cost is not None and not options.max_cost > 0:
        raise ValueError(f"expected --max-cost to be dollars above 0: got {options.max_cost:g}")
