"""Studies of the conversation: its length, its number of players, random players, its patterns."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from engine.report.charts import Bars, Lines
from engine.report.tables import Table
from engine.statistics import mean, standard_error
from labs.conversation.patterns import Patterns
from labs.conversation.trials import (
    COMPARED,
    SEEDS,
    StrategyNames,
    Trial,
    TrialResult,
    WholeNumbers,
    in_parts,
    play_trial,
    shared_scores,
)
from labs.study import MOST, Report, Study


class TrialStudy(Study[Trial, TrialResult]):
    """Conversations on common terms."""

    strategies: StrategyNames = Field(
        default=COMPARED, description="strategies by name, with commas"
    )
    players: int = Field(default=10, ge=1, le=MOST, description="players (P)")
    bank_size: int = Field(default=20, ge=0, le=MOST, description="items of each player (B)")
    subjects: int = Field(default=20, ge=2, le=MOST, description="subjects (S)")
    length: int = Field(default=50, ge=1, le=MOST, description="turns at most (L)")
    games: int = Field(
        default=50,
        ge=1,
        le=MOST,
        description="conversations of each kind, on the same seeds for all",
    )

    @staticmethod
    def work(task: Trial) -> TrialResult:
        """Play a conversation and measure it."""
        return play_trial(task)

    def trials(self, seats: Sequence[str], *, length: int | None = None) -> list[Trial]:
        """Return the conversations of these seats, one a seed."""
        turns = self.length if length is None else length
        trials = []
        for game in range(self.games):
            trial = Trial(
                tuple(seats),
                bank_size=self.bank_size,
                subjects=self.subjects,
                length=turns,
                seed=self.seed * SEEDS + game,
            )
            trials.append(trial)
        return trials

    @property
    def terms(self) -> str:
        """The terms in words."""
        return (
            f"{self.players} players, {self.bank_size} items each, {self.subjects} subjects, "
            f"{self.length} turns"
        )


class ByLevel(TrialStudy):
    """A study of the shared score along one condition, for tables of each strategy."""

    condition: ClassVar[str]

    @abstractmethod
    def levels(self) -> tuple[int, ...]:
        """Return the values of the condition."""

    @abstractmethod
    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return the conversations of a strategy's table at one level."""

    def tasks(self) -> Sequence[Trial]:
        """Return all conversations: by strategy, then by level."""
        tasks = []
        for name in self.strategies:
            for level in self.levels():
                tasks += self.trials_at(level, name)
        return tasks

    def results_by_level(
        self, results: Sequence[TrialResult]
    ) -> dict[str, list[Sequence[TrialResult]]]:
        """Return the results of the tasks by strategy, then by level."""
        rows = in_parts(in_parts(results, self.games), len(self.levels()))
        by_level = {}
        for name, row in zip(self.strategies, rows, strict=True):
            by_level[name] = [*row]
        return by_level

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return mean and standard error of the shared score a turn, by strategy and level."""
        means = {}
        errors = {}
        for name, row in self.results_by_level(results).items():
            scores = [*map(shared_scores, row)]
            means[name] = [*map(mean, scores)]
            errors[name] = [*map(standard_error, scores)]

        levels = self.levels()
        columns = ("strategy", *map(str, levels))
        title = f"Shared score a turn by {self.condition}"
        chart = Lines(
            title,
            self.condition,
            "shared score a turn",
            levels,
            means,
            errors,
        )
        return Report(
            f"{title}: {self.terms}, {self.games} games each",
            tables=(table_of_rows(title, columns, means, means.values()),),
            charts=(chart,),
            findings=tuple(self._leaders(means, errors)),
            sheets=(table_of_rows("Standard errors", columns, errors, errors.values()),),
        )

    def _leaders(
        self,
        means: Mapping[str, Sequence[float]],
        errors: Mapping[str, Sequence[float]],
    ) -> list[str]:
        """Return the best strategy at each level, in sentences."""
        sentences = []
        for place, level in enumerate(self.levels()):
            there = {name: row[place] for name, row in means.items()}
            best = max(there, key=there.__getitem__)
            score = there[best]
            error = errors[best][place]
            sentences.append(
                f"{self.condition} {level}: {best} leads with {score:.2f} (± {error:.2f})."
            )
        return sentences


class ByLength(ByLevel):
    """Ask how the length of a conversation changes its quality."""

    name: ClassVar[str] = "length"
    condition: ClassVar[str] = "length"
    lengths: WholeNumbers = Field(default=(10, 20, 50, 100, 200), description="turns, with commas")

    def levels(self) -> tuple[int, ...]:
        """Return the lengths."""
        return self.lengths

    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return conversations of that length."""
        return self.trials((strategy,) * self.players, length=level)


class ByPlayers(ByLevel):
    """Ask how the number of players changes the quality of a conversation."""

    name: ClassVar[str] = "players"
    condition: ClassVar[str] = "players"
    counts: WholeNumbers = Field(
        default=(1, 2, 3, 5, 8, 10, 15), description="numbers of players, with commas"
    )

    def levels(self) -> tuple[int, ...]:
        """Return the numbers of players."""
        return self.counts

    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return conversations of `level` players."""
        return self.trials((strategy,) * level)


class ByRandomPlayers(ByLevel):
    """Ask what random players do to the quality of a conversation."""

    name: ClassVar[str] = "random"
    condition: ClassVar[str] = "random players"

    def levels(self) -> tuple[int, ...]:
        """Return up to six numbers of random players, from none to all."""
        levels = set()
        for share in range(6):
            levels.add(round(self.players * share / 5))
        return tuple(sorted(levels))

    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return conversations with `level` random seats."""
        others = (strategy,) * (self.players - level)
        return self.trials(others + ("random",) * level)


class Emergent(TrialStudy):
    """Ask which patterns emerge: runs of a subject, domination, pauses and repeats."""

    name: ClassVar[str] = "patterns"

    def tasks(self) -> Sequence[Trial]:
        """Return all conversations, by strategy."""
        tasks = []
        for name in self.strategies:
            tasks += self.trials((name,) * self.players)
        return tasks

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return the mean of each pattern at tables of each strategy."""
        shared = {}
        patterns = {}
        for name, part in zip(self.strategies, in_parts(results, self.games), strict=True):
            shared[name] = mean(shared_scores(part))
            patterns[name] = mean_patterns(part)

        # By the places of `longest_run` and `pauses` in `Patterns`.
        runs = {name: means[0] for name, means in patterns.items()}
        pauses = [means[3] for means in patterns.values()]
        longest = max(runs, key=runs.__getitem__)
        return Report(
            f"Patterns: {self.terms}, {self.games} games each",
            tables=(_patterns_table(shared, patterns),),
            charts=(
                Bars("Longest run of a subject", "turns", self.strategies, [*runs.values()]),
                Bars("Share of pauses", "share of turns", self.strategies, pauses),
            ),
            findings=(
                f"The longest runs of one subject are those of {longest}: "
                f"{runs[longest]:.1f} turns.",
            ),
        )


def mean_patterns(results: Sequence[TrialResult]) -> list[float]:
    """Return the mean of each pattern, in the order of `Patterns`."""
    by_pattern = zip(*[result.patterns for result in results], strict=True)
    return [*map(mean, by_pattern)]


def _patterns_table(
    shared: Mapping[str, float],
    patterns: Mapping[str, Sequence[float]],
) -> Table:
    """Return shared scores and patterns by strategy."""
    fields = [field.replace("_", " ") for field in Patterns._fields]
    columns = ("strategy", "shared", *fields)
    rows = []
    for name, means in patterns.items():
        rows.append((shared[name], *means))
    return table_of_rows("Patterns", columns, patterns, rows)


def table_of_rows(
    heading: str,
    columns: Sequence[str],
    names: Iterable[str],
    rows: Iterable[Sequence[float | None]],
) -> Table:
    """Return a table of rows that begin with their names."""
    cells = []
    for name, row in zip(names, rows, strict=True):
        cells.append((name, *row))
    return Table(heading, tuple(columns), tuple(cells))
