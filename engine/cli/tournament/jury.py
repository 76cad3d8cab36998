"""`tournament.py jury`: ask the jurors of finished finals again, and show the results."""

import asyncio
import json
import sys
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.main import CommandFailed, ExitCode, at_first_interrupt, complain, suggest_next
from engine.cli.parser import (
    Parser,
    add_logs_dir,
    flag_of,
    given_values,
    join_words,
    logs_dir_option,
    words_given,
)

if TYPE_CHECKING:
    from engine.spending.budget import BudgetReached
    from labs.jury.jury import Jury

PROGRAM = "tournament.py"
ABOUT = "Ask the jurors of finished finals again: do order, names or noise decide?"
EXAMPLES = """changes, one at a time; the rest of the game stays the same:
  1 again   nothing: the juror's own noise
  2 order   the finalists are listed the other way round
  3 label   the finalists' names are swapped in the juror's whole prompt
  4 both    order and label at once
  5 placebo the same prompt in other words: the effect of any change of words
A juror whose prompt names a model or its maker is not asked 3 and 4: new names would hide no one.
A script makes the same random draws again, so it changes only if it reads the change.

examples:
  uv run tournament.py jury spring-cup --max-cost 5          all five, for five dollars at most
  uv run tournament.py jury spring-cup --permutations 2      noise and order alone
  uv run tournament.py jury spring-cup --offline             scripts alone; no model is asked
  uv run tournament.py jury spring-cup --config cup.yaml     secrets are in the file
The same command resumes: each answer is kept in logs/NAME/jury.jsonl before it is
used, and `tournament.py rate NAME --bias` reads it from there.
"""
MOST = 5


def add_jury_options(parser: Parser) -> None:
    """Add the options of `jury`."""
    parser.add_argument("name", metavar="NAME", help="a tournament of deliberations")
    parser.add_argument(
        "--permutations",
        type=read_permutations,
        default=MOST,
        metavar="N",
        help=f"the first N of the questions below, 1 to {MOST} (default: {MOST})",
    )
    parser.add_value(
        "--config",
        "FILE",
        "the tournament's YAML, for headers and secrets, which no ledger stores",
        Path,
    )
    parser.add_flag("--offline", "ask scripts only")
    parser.add_number("--concurrency", "finals at a time", 8)
    parser.add_flag("--json", "print the results as JSON")
    add_logs_dir(parser, "where the tournament is")
    budgets = parser.add_argument_group("budgets for this jury, including earlier runs")
    budgets.add_argument("--max-cost", type=float, metavar="DOLLARS")
    budgets.add_argument("--max-tokens", type=int, metavar="N")
    budgets.add_argument("--max-calls", type=int, metavar="N")
    budgets.add_argument("--max-time", type=float, metavar="SECONDS", help="of this run")


def read_permutations(word: str) -> int:
    """Return the number of permutations; raise ArgumentTypeError if it is out of range."""
    if word not in {str(number) for number in range(1, MOST + 1)}:
        raise ArgumentTypeError(f"expected 1 to {MOST} permutations: got {word:.40}")
    return int(word)


def run_jury(options: Namespace) -> ExitCode:
    """Put the unanswered questions to the jury, and show the results of all answers."""
    from engine.cli.tournament.tables import print_parts
    from labs.jury.findings import findings_of, findings_parts
    from labs.jury.record import read_jury

    jury = seat_jury(options)
    tell_beginning(jury, options)
    code = ask_jury(jury, options)
    findings = findings_of(read_jury(options.logs_dir / options.name))
    if options.json:
        print(json.dumps(findings.data(), indent=1))
    else:
        print_parts(findings_parts(findings))
    if code == ExitCode.DONE:
        tell_what_is_left(jury, options)
    return code


def seat_jury(options: Namespace) -> "Jury":
    """Return the tournament's jury.

    Raises ValueError for invalid options, and CommandFailed if no final is finished or the record
    of earlier answers cannot be opened.
    """
    from client_factory import ClientFactory
    from engine.record.journal import JournalError
    from engine.spending.budget import BUDGETS, Limits
    from engine.tournaments.gate import Gate
    from engine.tournaments.ledger import read_ledgers
    from labs.jury.cases import cases_in, whole_settings
    from labs.jury.final import CHANGES
    from labs.jury.jury import Jury
    from labs.jury.record import JuryRecord

    limits = Limits.model_validate(given_values(options, BUDGETS))
    folder = options.logs_dir / options.name
    state = read_ledgers(folder)
    settings = whole_settings(state, options.config, offline=options.offline)
    cases = cases_in(folder, state, settings)
    if not cases:
        raise CommandFailed(
            f"no game of {settings.name} is finished: uv run tournament.py list shows how to "
            "continue"
        )
    try:
        record = JuryRecord.open(folder, settings.name)
    except JournalError as error:
        raise CommandFailed(str(error)) from None
    try:
        return Jury(
            cases,
            record,
            changes=CHANGES[: options.permutations],
            limits=limits,
            concurrency=options.concurrency,
            offline=options.offline,
            factory=ClientFactory(gate=Gate(settings.rates).client),
        )
    except ValueError:
        record.journal.close()
        raise


def ask_jury(jury: "Jury", options: Namespace) -> ExitCode:
    """Put the questions to the jury and return the exit code; print errors to stderr."""
    from engine.record.files import DiskError
    from engine.record.journal import JournalError
    from engine.spending.budget import BudgetReached
    from engine.views.screen import Screen
    from providers import FatalError

    screen = Screen(stderr=True)
    try:
        with at_first_interrupt(jury.interrupt, screen.print), screen.status("") as status:
            jury.watch = lambda _: status.update(
                f"{len(jury.record.heard)} of {jury.questions} answered; {jury.meter.spent}"
            )
            asyncio.run(jury.ask())
    except BudgetReached as error:
        return complain(PROGRAM, how_to_go_on(error, options), ExitCode.STOPPED)
    except (FatalError, JournalError, DiskError) as error:
        again = f"fix that, then continue with: {command_to_go_on(options)}"
        return complain(PROGRAM, f"{error}; {again}", ExitCode.FAILED)
    if jury.interrupted:
        again = command_to_go_on(options)
        sentence = f"Interrupted, but nothing is lost. Continue with: {again}"
        return complain(PROGRAM, sentence, ExitCode.INTERRUPTED)
    return ExitCode.DONE


def tell_beginning(jury: "Jury", options: Namespace) -> None:
    """Print the number of finals, questions and earlier answers, and the likely total cost."""
    from labs.jury.cases import likely_cost

    kinds = ", ".join(change.name for change in jury.changes)
    sentence = (
        f"{options.name}: {len(jury.cases)} finals, {jury.questions} questions to their jurors "
        f"({kinds}); {len(jury.record.heard)} answered before"
    )
    cost = 0.0 if options.offline else likely_cost(jury.cases, len(jury.changes))
    if cost:
        sentence += f"; in all about ${cost:.2f}, based on the cost of these votes in their games"
    print(sentence, file=sys.stderr)


def how_to_go_on(error: "BudgetReached", options: Namespace) -> str:
    """Return why the jury stopped, with the command that resumes it with twice the budget."""
    from engine.spending.budget import BUDGETS

    sentence = f"{error}. Continue with: {command_to_go_on(options)}"
    for name, value in given_values(options, BUDGETS).items():
        sentence += f" {flag_of(name)} {2 * value or 1:.12g}"
    return sentence


def command_to_go_on(options: Namespace) -> str:
    """Return the command that resumes this jury, without its budgets."""
    given = ["permutations"] if options.permutations != MOST else []
    words = [PROGRAM, "jury", options.name, *words_given(options, *given, "config", "offline")]
    return f"uv run {join_words(words)}{logs_dir_option(options.logs_dir)}"


def tell_what_is_left(jury: "Jury", options: Namespace) -> None:
    """Print the number of questions left to ask, the cost of the calls, and the next command."""
    if jury.waiting:
        print(f"{jury.waiting} questions wait for models: leave out --offline", file=sys.stderr)
    if jury.meter.calls:
        print(f"In all: {jury.meter.spent}", file=sys.stderr)
    where = logs_dir_option(options.logs_dir)
    suggest_next(f"tournament.py rate {join_words([options.name])} --bias --html{where}")
