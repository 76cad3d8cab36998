"""Play a suite's tasks with each of the models to measure, and show each model's points."""

import re
import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from dotenv import load_dotenv

from engine.cli.main import CommandFailed, ExitCode, at_first_interrupt, suggest_next
from engine.cli.parser import given_values, join_words, logs_dir_option, words_given
from engine.cli.tournament.import_logs import say_seldom
from engine.cli.tournament.measure import results_option
from engine.cli.tournament.pace import Pace, show_estimate
from engine.cli.tournament.play import play_all
from engine.cli.tournament.tables import print_parts
from engine.games import GAMES
from engine.ratings import fit
from engine.ratings.ladder import ladder_of
from engine.record.files import write_whole
from engine.runs.seating import read_players
from engine.spending.budget import BUDGETS
from engine.tournaments.ledger import LEDGER, read_ledger
from engine.tournaments.measure.files import write_game_pages, write_measured
from engine.tournaments.measure.measured import (
    GameFigures,
    Measured,
    TaskResult,
    measured_files,
    measured_folder,
    read_measured,
    task_figures,
    task_result,
)
from engine.tournaments.measure.references import PlacedLadder, References, placed_ladder
from engine.tournaments.measure.report import measured_parts, models_parts, suite_table
from engine.tournaments.measure.suite import DRAWS, PAIR_GAMES, Suite, read_suite, references_path
from engine.tournaments.run import TournamentRun
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.rate import versions
from engine.tournaments.table import check_seats
from engine.tournaments.terms import TournamentBudgets
from player import PlayerConfig
from protocol.suggest import did_you_mean, one_of

# How to resume a measurement after its budget is used up.
RAISE = "continue with a larger budget"


def measure_models(options: Namespace) -> ExitCode:
    """Measure the named models; raise ValueError if an option is invalid."""
    load_dotenv(Path(".env"))
    suite = read_suite(options.suite, with_references=not options.references)
    if options.list:
        return list_measured(suite, options)
    if options.references:
        return make_references(suite, options)
    if not options.models:
        raise ValueError(
            "expected models to measure, such as: uv run tournament.py measure scripted:greedy"
        )
    return _measure_chosen(suite, options)


def _measure_chosen(suite: Suite, options: Namespace) -> ExitCode:
    """Estimate the cost of each model named in the command, then measure the models."""
    chosen = {word: one_model(word) for word in options.models}
    tasks = tasks_of(suite, options)
    questions = {
        word: show_estimate(suite, word, model, tasks, quick=options.quick)
        for word, model in chosen.items()
    }
    if options.dry_run:
        words = [word for word in sys.argv[2:] if word != "--dry-run"]
        return suggest_next(join_words(["tournament.py", "measure", *words]))
    for model in chosen.values():
        if not model.computed:
            check_seats(suite.settings(next(iter(suite.tasks)), model), with_keys=True)
    measuring = Measuring(suite, options)
    measured = []
    for word, model in chosen.items():
        measuring.pace = Pace(questions[word])
        measured.append(measuring.model(word, model))
    suggest_next(*_commands_after_measuring(options, measured))
    return ExitCode.DONE if all(each.rated for each in measured) else ExitCode.FAILED


def _commands_after_measuring(options: Namespace, measured: Sequence[Measured]) -> Iterator[str]:
    first = measured[0]
    if len(measured) > 1 and options.task is None:
        names = join_words(options.models[:2])
        yield f"tournament.py compare {names}{results_option(options)}"
    folder = measured_folder(first.suite, first.model, options.logs_dir)
    for name in [task.name for task in first.tasks if task.games][:1]:
        yield f"logs.py --list{logs_dir_option(folder / name / 'games')}"


def shares_over(run: TournamentRun) -> tuple[float, float]:
    """Return the shares of a task's games that were over before this run and that are over now."""
    games = run.settings.games
    return run.over_before / games, len(run.rows) / games


def one_model(word: str) -> PlayerConfig:
    """Return the seat that a word names; raise ValueError if it names several seats or a person."""
    models = read_players(word)
    if len(models) > 1 or models[0].kind.asks == "person":
        raise ValueError(f"expected models or scripts separated by spaces: got {word!r}")
    return models[0]


def tasks_of(suite: Suite, options: Namespace) -> list[str]:
    """Return the tasks to play; raise ValueError if any of them is unknown."""
    if options.task is None:
        return [*suite.tasks]
    return [one_of(name, suite.tasks, "task") for name in dict.fromkeys(options.task)]


class Measuring:
    """Measures models with one suite; `spent` is the current model's spending so far."""

    def __init__(self, suite: Suite, options: Namespace) -> None:
        self.suite = suite
        self.options = options
        self.spent = defaultdict[str, float](float)
        self.pace = Pace({})

    def model(self, word: str, model: PlayerConfig) -> Measured:
        """Play a model's tasks, print its points, write its files, and return the results."""
        self.spent.clear()
        folder = self.folder(word)
        tasks = tasks_of(self.suite, self.options)
        results = tuple(self.task(name, model, folder / name) for name in tasks)
        if model.computed and all(result.missing for result in results):
            known = [name for game in GAMES.values() for name in game.strategies]
            near = "" if model.model in known else did_you_mean(model.model, known)
            near = near or " see uv run tournament.py measure --list"
            raise ValueError(f"{word} can play none of these tasks: {results[0].missing};{near}")
        measured = self._measured(word, results)
        print_parts(measured_parts(self.suite, measured))
        self._write(measured, folder)
        return measured

    def _write(self, measured: Measured, folder: Path) -> None:
        if self.options.html:
            write_game_pages(measured, folder)
        if self.options.task is None:
            written = write_measured(self.suite, measured, self.command(measured.model), folder)
            print(f"Written into {folder}: {', '.join(path.name for path in written)}")
        else:
            print("Reports cover the whole suite: leave out --task to write them.")

    def _measured(self, word: str, results: tuple[TaskResult, ...]) -> Measured:
        return Measured(
            suite=self.suite.name,
            frozen=bool(self.suite.frozen),
            suite_sha256=self.suite.sha256,
            model=word,
            quick=self.options.quick,
            versions=versions(),
            tasks=results,
        )

    def folder(self, word: str) -> Path:
        """Return the folder of a measured model."""
        return measured_folder(self.suite.name, word, self.options.logs_dir)

    def task(self, name: str, model: PlayerConfig, folder: Path) -> TaskResult:
        """Play or resume one task, and return its points."""
        lacked = self.suite.missing_extra(name)
        if lacked:
            return TaskResult(name, f"it needs the extra {lacked}")
        options, budgets = self.options, self.budgets_left()
        try:
            settings = self.suite.settings(
                name, model, quick=options.quick, wordings=options.wordings, budgets=budgets
            )
        except ValueError as error:
            if not model.computed:
                raise
            # The list of other scripts in the message is of no use here.
            return TaskResult(name, re.split("[:;] ", str(error))[0])
        self.refuse_fewer(settings, folder)
        return task_result(self.suite, name, self.games(settings, folder))

    def refuse_fewer(self, settings: TournamentSettings, folder: Path) -> None:
        """Raise ValueError if --quick is used for a task that was begun without --quick."""
        if self.options.quick and (folder / LEDGER).exists():
            _, state = read_ledger(folder / LEDGER)
            if state.header and state.settings.games > settings.games:
                raise ValueError(f"all games of {settings.name} have begun: leave out --quick")

    def budgets_left(self) -> TournamentBudgets:
        """Return the remaining budget; raise CommandFailed if it is used up."""
        left = given_values(self.options, TournamentBudgets.model_fields)
        for key in left:
            left[key] -= self.spent[key]
            if left[key] <= 0:
                raise CommandFailed(f"{key} is used up; {self.resume_by(RAISE)}", ExitCode.STOPPED)
        return TournamentBudgets.model_validate(left)

    def games(self, settings: TournamentSettings, folder: Path) -> tuple[GameFigures, ...]:
        """Return the figures of all games of a task, played now or earlier."""
        return task_figures(self.play(settings, folder), self.suite.tasks[settings.name])

    def play(self, settings: TournamentSettings, folder: Path) -> TournamentRun:
        """Play or resume a tournament; if games remain, raise CommandFailed with the next step."""
        tell = say_seldom()

        def watch(run: TournamentRun) -> None:
            done = f"{len(run.rows)} of {settings.games} games of {settings.name}"
            if run.meter.calls:
                left = self.pace.left(settings.name, *shares_over(run))
                done += f", {run.meter.calls:,} calls{left}"
            tell(done)

        run = TournamentRun(settings, folder, watch=watch)
        with at_first_interrupt(run.interrupt, partial(print, file=sys.stderr)):
            play_all(run)
        self.count(run)
        self.pace.end_task(settings.name, *shares_over(run))
        self.refuse_unfinished(run)
        return run

    def mean_values(self, name: str, script: str) -> tuple[float, ...]:
        """Return a script's mean value in each game of a task, over DRAWS random streams."""
        player = one_model(f"scripted:{script}")
        runs = []
        for draws in range(DRAWS):
            folder = self.folder(f"references-{script}-{draws}") / name
            seat = player.model_copy(update={"draws": draws})
            games = self.games(self.suite.settings(name, seat, draws=draws), folder)
            runs.append([game.value for game in games])
        return tuple(map(fmean, zip(*runs, strict=True)))

    def place_ladder(self, name: str) -> PlacedLadder:
        """Play a task's ladder rungs against each other, and return them with Elo ratings."""
        run = self.play(self.suite.ladder_settings(name), self.folder("references") / name)
        fitted = fit(run.results, prior_sd=None)
        return placed_ladder(ladder_of(fitted, self.suite.tasks[name].floor), PAIR_GAMES)

    def count(self, run: TournamentRun) -> None:
        """Add a task's spending, in this run and in earlier runs, to the current model's."""
        meter = run.meter
        # In the order of BUDGETS.
        spent = (meter.cost or 0, meter.tokens, meter.calls, run.seconds)
        for key, amount in zip(BUDGETS, spent, strict=True):
            self.spent[key] += amount

    def refuse_unfinished(self, run: TournamentRun) -> None:
        """Raise CommandFailed, which says how to resume, unless all games of a task are over."""
        if run.interrupted:
            raise CommandFailed(f"interrupted; {self.resume_by('continue')}", ExitCode.INTERRUPTED)
        if run.stopped:
            raise CommandFailed(f"{run.stopped}; {self.resume_by(RAISE)}", ExitCode.STOPPED)
        failed = [done.reason for done in run.state.done.values() if done.status == "failed"]
        if run.broken or failed:
            why = (run.broken or failed[-1]).rstrip(".")
            raise CommandFailed(f"{why}; {self.resume_by('fix this, then continue')}")

    def resume_by(self, step: str) -> str:
        """Return a sentence with the `step` and the command that resume the measurement."""
        return f"nothing is lost; {step}: uv run {self.command(*self.options.models)}"

    def command(self, *models: str) -> str:
        """Return the command that begins or resumes measuring these models."""
        options = self.options
        given = ["quick", "wordings", "task"] if options.wordings > 1 else ["quick", "task"]
        words = ["tournament.py", "measure", *models, *words_given(options, *given)]
        return join_words(words) + results_option(options)


def list_measured(suite: Suite, options: Namespace) -> ExitCode:
    """Print the tasks of a suite, and the models measured with it."""
    files = measured_files(options.logs_dir)
    mine = [read_measured(path) for path in files if path.parent.parent.name == suite.name]
    print_parts([suite_table(suite), *models_parts(suite, mine)])
    return suggest_next("tournament.py measure scripted:greedy" + results_option(options))


def make_references(suite: Suite, options: Namespace) -> ExitCode:
    """Play a draft suite's reference scripts, and write the results; raise ValueError if frozen."""
    if suite.frozen:
        raise ValueError(f"{suite.name} is frozen: expected a draft, with frozen: false")
    references = References()
    measuring = Measuring(suite, options)
    for name, task in suite.tasks.items():
        if task.ladder:
            references.ladders[name] = measuring.place_ladder(name)
            continue
        references.scripts[name] = {
            script: measuring.mean_values(name, script) for script in task.scripts
        }
    path = references_path(suite.name)
    write_whole(path, references.model_dump_json(indent=1) + "\n")
    print(f"Written: {path}")
    return suggest_next("tournament.py measure scripted:random" + results_option(options))
