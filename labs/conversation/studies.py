"""Studies of conversations by length, players, random players and setting, and of patterns."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from engine.report.charts import Bars, Heat
from engine.report.statistics import Estimate, mean
from labs.conversation.patterns import Patterns
from labs.conversation.selfplay import Setting
from labs.conversation.substitution import SETTINGS
from labs.conversation.trials import (
    COMPARED,
    Games,
    Settings,
    StrategyNames,
    Trial,
    TrialResult,
    WholeNumbers,
    in_parts,
    play_trial,
    setting_name,
    shared_estimate,
    trials_of,
)
from labs.study import (
    MOST,
    Count,
    Report,
    Study,
    course_lines,
    course_tables,
    leader_in_words,
    table_of_rows,
)

SCORE = "shared score a turn"


class Conversations(Study[Trial, TrialResult]):
    """A study of conversations played by each strategy."""

    strategies: StrategyNames = COMPARED

    work: ClassVar = staticmethod(play_trial)


class TrialStudy(Conversations):
    """A study of conversations that share all terms except those under study."""

    players: Count = Field(default=10, description="players (P)")
    bank_size: int = Field(default=20, ge=0, le=MOST, description="items of each player (B)")
    subjects: int = Field(default=20, ge=2, le=MOST, description="subjects (S)")
    length: Count = Field(default=50, description="maximum number of turns (L)")
    games: Games = 50

    def trials(self, seats: tuple[str, ...], *, length: int | None = None) -> list[Trial]:
        """Return conversations of these seats, one for each seed."""
        turns = self.length if length is None else length
        setting = Setting(len(seats), self.bank_size, self.subjects, turns)
        return trials_of(seats, setting, self.games, self.seed)

    @property
    def terms(self) -> str:
        """The terms of the study as text."""
        return (
            f"{self.players} players, {self.bank_size} items each, {self.subjects} subjects, "
            f"{self.length} turns"
        )


class ByLevel(TrialStudy):
    """A study of how one condition changes the shared score of each strategy."""

    condition: ClassVar[str]

    @abstractmethod
    def levels(self) -> tuple[int, ...]:
        """Return the values of the condition."""

    @abstractmethod
    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return the conversations of a strategy at one level."""

    def tasks(self) -> Sequence[Trial]:
        """Return all conversations: by strategy, then by level."""
        tasks = []
        for name in self.strategies:
            for level in self.levels():
                tasks += self.trials_at(level, name)
        return tasks

    def results_by_level(
        self, results: Sequence[TrialResult]
    ) -> dict[str, Sequence[Sequence[TrialResult]]]:
        """Return the results of the tasks by strategy, then by level."""
        rows = in_parts(in_parts(results, self.games), len(self.levels()))
        return dict(zip(self.strategies, rows, strict=True))

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return the mean shared score per turn and its error, by strategy and level."""
        courses = {}
        for name, row in self.results_by_level(results).items():
            courses[name] = [*map(shared_estimate, row)]
        title = f"Shared score a turn by {self.condition}"
        columns = ("strategy", *map(str, self.levels()))
        means, errors = course_tables((title, "Standard errors"), columns, courses)
        return Report(
            f"{title}: {self.terms}, {self.games} games each",
            tables=(means,),
            charts=(course_lines((title, self.condition, SCORE), self.levels(), courses),),
            findings=tuple(self.leader_sentences(courses)),
            sheets=(errors,),
        )

    def leader_sentences(self, courses: Mapping[str, Sequence[Estimate]]) -> Iterator[str]:
        """Yield a sentence about the leading strategy at each level."""
        for place, level in enumerate(self.levels()):
            scores = {name: course[place] for name, course in courses.items()}
            yield f"{self.condition} {level}: {leader_in_words(scores, self.games)}."


class ByLength(ByLevel):
    """Ask how the length of a conversation changes its quality."""

    name = "length"
    condition = "length"
    lengths: WholeNumbers = Field(
        default=(10, 20, 50, 100, 200), description="turns, separated by commas"
    )

    def levels(self) -> tuple[int, ...]:
        """Return the lengths."""
        return self.lengths

    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return conversations of length `level`."""
        return self.trials((strategy,) * self.players, length=level)


class ByPlayers(ByLevel):
    """Ask how the number of players changes the quality of a conversation."""

    name = "players"
    condition = "players"
    counts: WholeNumbers = Field(
        default=(1, 2, 3, 5, 8, 10, 15), description="numbers of players, separated by commas"
    )

    def levels(self) -> tuple[int, ...]:
        """Return the numbers of players."""
        return self.counts

    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return conversations of `level` players."""
        return self.trials((strategy,) * level)


class ByRandomPlayers(ByLevel):
    """Ask how random players affect the quality of a conversation."""

    name = "random"
    condition = "random players"

    def levels(self) -> tuple[int, ...]:
        """Return up to six numbers of random players, from 0 to all players."""
        return tuple(sorted({round(self.players * share / 5) for share in range(6)}))

    def trials_at(self, level: int, strategy: str) -> list[Trial]:
        """Return conversations in which `level` seats play the strategy `self.name`."""
        others = (strategy,) * (self.players - level)
        return self.trials(others + (self.name,) * level)


class Emergent(TrialStudy):
    """Ask which patterns emerge: runs of a subject, domination, pauses and repeats."""

    name = "patterns"

    def tasks(self) -> Sequence[Trial]:
        """Return all conversations, by strategy."""
        tasks = []
        for name in self.strategies:
            tasks += self.trials((name,) * self.players)
        return tasks

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return the mean of each pattern, by strategy."""
        rows = self.mean_patterns(results)
        fields = [field.replace("_", " ") for field in Patterns._fields]
        columns = ("strategy", "shared", *fields)
        runs = {name: row[columns.index("longest run") - 1] for name, row in rows.items()}
        pauses = [row[columns.index("pauses") - 1] for row in rows.values()]
        longest = max(runs, key=runs.__getitem__)
        return Report(
            f"Patterns: {self.terms}, {self.games} games each",
            tables=(table_of_rows("Patterns", columns, rows),),
            charts=(
                Bars("Longest run of a subject", "turns", self.strategies, [*runs.values()]),
                Bars("Share of pauses", "share of turns", self.strategies, pauses),
            ),
            findings=(
                f"The longest runs of one subject are those of {longest}: "
                f"{runs[longest]:.1f} turns.",
            ),
        )

    def mean_patterns(self, results: Sequence[TrialResult]) -> dict[str, list[float]]:
        """Return the mean shared score per turn and the mean of each pattern, by strategy."""
        rows = {}
        for name, part in zip(self.strategies, in_parts(results, self.games), strict=True):
            patterns = zip(*[result.patterns for result in part], strict=True)
            rows[name] = [shared_estimate(part).mean, *map(mean, patterns)]
        return rows


class SelfPlay(Conversations):
    """Ask how well each strategy does in self-play, by setting."""

    name = "selfplay"
    settings: Settings = Field(
        default=SETTINGS[:6],
        min_length=1,
        description="P/B/S/L of each setting, separated by commas",
    )
    games: Games = 50

    def tasks(self) -> Sequence[Trial]:
        """Return all conversations: by setting, then by strategy."""
        tasks = []
        for setting in self.settings:
            for name in self.strategies:
                seats = (name,) * setting.players
                tasks += trials_of(seats, setting, self.games, self.seed)
        return tasks

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return the mean shared score per turn and its error, by setting and strategy."""
        estimates = [*map(shared_estimate, in_parts(results, self.games))]
        rows = in_parts(estimates, len(self.strategies))
        title = "Shared score a turn in self-play"
        columns = ("setting", *self.strategies)
        courses = dict(zip(map(setting_name, self.settings), rows, strict=True))
        cells = [[estimate.mean for estimate in row] for row in courses.values()]
        return Report(
            f"{title}, by players/bank/subjects/length: {self.games} conversations each",
            tables=tuple(course_tables((title, "Standard errors"), columns, courses)),
            charts=(Heat(title, [*courses], self.strategies, cells, SCORE),),
            findings=tuple(self.leader_sentences(courses)),
        )

    def leader_sentences(self, courses: Mapping[str, Sequence[Estimate]]) -> Iterator[str]:
        """Yield a sentence about the leading strategy in each setting."""
        for name, course in courses.items():
            scores = dict(zip(self.strategies, course, strict=True))
            yield f"{name}: {leader_in_words(scores, self.games)}."
