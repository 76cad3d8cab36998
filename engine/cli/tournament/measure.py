"""`tournament.py measure`: how good models are beside fixed scripts, on deals that all share."""

import re
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.main import (
    CommandFailed,
    ExitCode,
    at_first_interrupt,
    rare_garbage_collection,
    suggest_next,
)
from engine.cli.parser import (
    Parser,
    add_budgets,
    add_logs_dir,
    join_words,
    logs_dir_option,
    words_given,
)

if TYPE_CHECKING:
    from engine.tournaments.measure.measured import GameFigures, References, TaskResult
    from engine.tournaments.measure.suite import Suite
    from engine.tournaments.run import TournamentRun
    from engine.tournaments.settings import TournamentSettings
    from engine.tournaments.terms import TournamentBudgets
    from player import PlayerConfig

USUAL_SUITE = "arena-1"
# In the order in which a meter has them.
BUDGETS = ("max_cost", "max_tokens", "max_calls", "max_time")
ABOUT = "Measure models beside fixed scripts, on the same deals for all."
EXAMPLES = """examples:
  uv run tournament.py measure scripted:greedy            no model, no call
  uv run tournament.py measure local --quick              the embedded model, half of the games
  uv run tournament.py measure openai:gpt-5.4-mini --dry-run        what it takes, with no call
  uv run tournament.py measure openai:gpt-5.4-mini --max-cost 1     stop when a dollar is spent
  uv run tournament.py measure --list                     suites, tasks, and what was measured
Nothing is lost and nothing is paid for twice: after Ctrl-C, a crash or a used-up budget the same
command goes on.
"""


def measure_parser() -> Parser:
    """Return the command line of `measure`."""
    parser = Parser("tournament.py measure", ABOUT, EXAMPLES)
    parser.set_defaults(run=run_measure)
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help="PROVIDER[:MODEL[@ADDRESS]] or scripted:STRATEGY"
    )
    parser.add_argument(
        "--suite", default=USUAL_SUITE, metavar="NAME", help=f"the suite (default: {USUAL_SUITE})"
    )
    parser.add_argument(
        "--task",
        action="append",
        metavar="NAME",
        help="a task alone, which gives no arena score; may be given several times",
    )
    parser.add_argument(
        "--quick", action="store_true", help="half of the games: intervals 1.7 times as wide"
    )
    parser.add_argument("--list", action="store_true", help="list suites, tasks and results")
    parser.add_argument(
        "--dry-run", action="store_true", help="show questions, tokens and dollars; make no call"
    )
    parser.add_argument(
        "--references", action="store_true", help="make the results of the suite's own scripts"
    )
    add_logs_dir(parser, "where the folder measure/ is")
    add_budgets(parser, "budgets of each model, for all tasks together")
    return parser


def run_measure(options: Namespace) -> ExitCode:
    """Measure what the options ask for; ValueError says what is wrong with them."""
    from dotenv import load_dotenv

    from engine.tournaments.measure.measured import read_references
    from engine.tournaments.measure.suite import read_suite

    load_dotenv(Path(".env"))
    suite = read_suite(options.suite)
    if options.list:
        return list_measured(suite, options.logs_dir)
    if options.references:
        return make_references(suite, options)
    if not options.models:
        raise ValueError(
            "expected models to measure, such as: uv run tournament.py measure scripted:greedy"
        )
    references = read_references(suite)
    chosen = {word: one_model(word) for word in options.models}
    for word, model in chosen.items():
        show_estimate(suite, word, model, options)
    if options.dry_run:
        words = [word for word in sys.argv[2:] if word != "--dry-run"]
        return suggest_next(join_words(["tournament.py", "measure", *words]))
    for model in chosen.values():
        check_keys(suite, model)
    measuring = Measuring(suite, references, options)
    for word, model in chosen.items():
        measuring.model(word, model)
    first = measured_folder(suite.name, options.models[0], options.logs_dir)
    commands = [f"logs.py --list --logs-dir {first / next(iter(suite.tasks)) / 'games'}"]
    if len(chosen) > 1:
        names = join_words(options.models[:2])
        commands.insert(0, f"tournament.py compare {names}{logs_dir_option(options.logs_dir)}")
    return suggest_next(*commands)


def one_model(word: str) -> "PlayerConfig":
    """Return the seat that a word names; ValueError if it names several, or a person."""
    from engine.runs.seating import read_players

    models = read_players(word)
    if len(models) > 1 or models[0].kind.asks == "person":
        raise ValueError(f"expected one model or script, with spaces between two: got {word!r}")
    return models[0]


def check_keys(suite: "Suite", model: "PlayerConfig") -> None:
    """Raise ValueError if a model cannot be asked, for want of a key or a library."""
    from engine.tournaments.table import check_seats

    if not model.computed:
        check_seats(suite.settings(next(iter(suite.tasks)), model), with_keys=True)


def measured_folder(suite: str, model: str, logs_dir: Path) -> Path:
    """Return the folder of a measured model, which is named by its words."""
    name = re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.")
    return logs_dir / "measure" / suite / name


def tasks_of(suite: "Suite", options: Namespace) -> list[str]:
    """Return the tasks that are played; ValueError for an unknown one."""
    if options.task is None:
        return [*suite.tasks]
    from protocol.suggest import one_of

    return [one_of(name, suite.tasks, "task") for name in dict.fromkeys(options.task)]


def show_estimate(suite: "Suite", word: str, model: "PlayerConfig", options: Namespace) -> None:
    """Say on stderr what measuring a model takes at most; nothing is said of a script."""
    from engine.spending.costs import dollars
    from player import ASKS

    if model.computed:
        return
    bound, games = suite.bound(model, tasks_of(suite, options), quick=options.quick)
    tokens = bound.prompt_tokens + bound.completion_tokens
    print(
        f"{word}: {bound.calls // ASKS:,} questions in {games} games; at most {bound.calls:,} "
        f"calls, {tokens:,} tokens and {dollars(bound.cost)}, likely {dollars(bound.likely)}.",
        file=sys.stderr,
    )


class Measuring:
    """A suite with its references and the options, and what the models' tasks have spent so far."""

    def __init__(self, suite: "Suite", references: "References", options: Namespace) -> None:
        self.suite = suite
        self.references = references
        self.options = options
        self.spent: dict[str, float] = {}

    def model(self, word: str, model: "PlayerConfig") -> None:
        """Play a model's tasks, print its points, and write `measure.json`."""
        from engine.cli.tournament.tables import print_parts
        from engine.tournaments.measure.measured import Measured, write_measured
        from engine.tournaments.measure.report import measured_parts

        self.spent = {}
        folder = measured_folder(self.suite.name, word, self.options.logs_dir)
        tasks = tasks_of(self.suite, self.options)
        results = tuple(self.task(name, model, folder / name) for name in tasks)
        if model.computed and all(result.missing for result in results):
            raise ValueError(f"{word} can play none of these tasks: {results[0].missing}")
        found = Measured(
            suite=self.suite.name,
            frozen=self.suite.frozen,
            suite_sha256=self.suite.sha256(self.references),
            model=word,
            quick=self.options.quick,
            tasks=results,
        )
        print_parts(measured_parts(self.suite, found))
        if self.options.task is None:
            print(f"Written: {write_measured(found, folder)}")

    def task(self, name: str, model: "PlayerConfig", folder: Path) -> "TaskResult":
        """Play one task, or go on with it, and return its points."""
        from engine.tournaments.measure.measured import TaskResult, task_result

        lacked = self.suite.missing_extra(name)
        if lacked:
            return TaskResult(name, f"it needs the extra {lacked}")
        quick, budgets = self.options.quick, self.budgets_left()
        try:
            settings = self.suite.settings(name, model, quick=quick, budgets=budgets)
        except ValueError as error:
            if not model.computed:
                raise
            return TaskResult(name, str(error))
        self.refuse_fewer(settings, folder)
        games = self.games(settings, folder)
        return task_result(name, self.suite.tasks[name], games, self.references[name])

    def refuse_fewer(self, settings: "TournamentSettings", folder: Path) -> None:
        """Raise ValueError if a quick look is asked for where all games are begun."""
        from engine.tournaments.ledger import LEDGER, read_ledger

        if self.options.quick and (folder / LEDGER).exists():
            _, state = read_ledger(folder / LEDGER)
            if state.header and state.settings.games > settings.games:
                raise ValueError(f"{settings.name} has all its games begun: leave out --quick")

    def budgets_left(self) -> "TournamentBudgets":
        """Return what may still be spent; CommandFailed if a budget is used up."""
        from engine.tournaments.terms import TournamentBudgets

        left: dict[str, float] = {}
        for key in TournamentBudgets.model_fields:
            most = getattr(self.options, key)
            if most is not None:
                left[key] = most - self.spent.get(key, 0)
                if left[key] <= 0:
                    raise CommandFailed(f"{key} is used up; {self.go_on}", ExitCode.STOPPED)
        return TournamentBudgets.model_validate(left)

    def games(self, settings: "TournamentSettings", folder: Path) -> "tuple[GameFigures, ...]":
        """Return the figures of all games of a task, played now or before.

        CommandFailed where they could not all be played, with how to go on.
        """
        from engine.cli.tournament.import_logs import progress_report
        from engine.cli.tournament.play import play_all
        from engine.tournaments.measure.measured import task_figures
        from engine.tournaments.run import TournamentRun

        report = progress_report(f"games of {settings.name}")

        def watch(run: TournamentRun) -> None:
            report(len(run.rows), settings.games)

        run = TournamentRun(settings, folder, watch=watch)
        say = partial(print, file=sys.stderr)
        with rare_garbage_collection(), at_first_interrupt(run.interrupt, say):
            play_all(run)
        self.count(run)
        self.refuse_unfinished(run)
        return task_figures(run, self.suite.tasks[settings.name])

    def count(self, run: "TournamentRun") -> None:
        """Count what a task spent, in this run and before."""
        meter = run.meter
        spent = (meter.cost or 0, meter.tokens, meter.calls, run.seconds)
        for key, amount in zip(BUDGETS, spent, strict=True):
            self.spent[key] = self.spent.get(key, 0) + amount

    def refuse_unfinished(self, run: "TournamentRun") -> None:
        """Raise CommandFailed if a task's games are not all over, with how they go on."""
        if run.interrupted:
            raise CommandFailed(f"interrupted; {self.go_on}", ExitCode.INTERRUPTED)
        if run.stopped:
            raise CommandFailed(f"{run.stopped}; {self.go_on}", ExitCode.STOPPED)
        failed = [done.reason for done in run.state.done.values() if done.status == "failed"]
        if run.broken or failed:
            why = (run.broken or failed[-1]).rstrip(".")
            raise CommandFailed(f"{why}; when that is mended, {self.go_on}")

    @property
    def go_on(self) -> str:
        """How a measurement goes on, in words."""
        options = self.options
        words = ["tournament.py", "measure", *options.models]
        words += words_given(options, "quick")
        for name in options.task or ():
            words += ["--task", name]
        if options.suite != USUAL_SUITE:
            words += ["--suite", options.suite]
        command = join_words(words) + logs_dir_option(options.logs_dir)
        return f"nothing is lost; go on, with a larger budget if it is used up: uv run {command}"


def list_measured(suite: "Suite", logs_dir: Path) -> ExitCode:
    """Print the tasks of a suite, and the models measured in it."""
    from engine.cli.tournament.tables import print_parts
    from engine.tournaments.measure.measured import FILE, read_measured
    from engine.tournaments.measure.report import models_table, suite_table

    files = sorted((logs_dir / "measure" / suite.name).glob(f"*/{FILE}"))
    found = [read_measured(path) for path in files]
    print_parts([suite_table(suite), *([models_table(found)] if found else [])])
    return suggest_next("tournament.py measure scripted:greedy")


def make_references(suite: "Suite", options: Namespace) -> ExitCode:
    """Play every script that a suite's points rest on, and write what they came to."""
    import json

    from engine.record.files import write_whole
    from engine.tournaments.measure.suite import SUITES

    found: dict[str, dict[str, list[float]]] = {}
    measuring = Measuring(suite, {}, options)
    for name, task in suite.tasks.items():
        found[name] = {}
        for script in task.references:
            player = one_model(f"scripted:{script}")
            folder = measured_folder(suite.name, f"references-{script}", options.logs_dir) / name
            games = measuring.games(suite.settings(name, player), folder)
            found[name][script] = [game.value for game in games]
    path = SUITES / f"{suite.name}.json"
    write_whole(path, json.dumps(found, indent=1) + "\n")
    print(f"Written: {path}")
    return suggest_next("tournament.py measure scripted:random")
