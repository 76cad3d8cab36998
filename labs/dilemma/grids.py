"""Studies of the dilemma over a grid: how noise or game length changes which agents do well."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import ClassVar

from pydantic import Field, field_validator

from engine.games.dilemma.results import mean_payoffs
from engine.games.dilemma.rules import check_flip_params
from engine.games.dilemma.tournament import RoundRobin
from engine.report.charts import Lines
from labs.dilemma.repetitions import Spread, spreads_of
from labs.dilemma.studies import MonitorTerms, RoundRobins, Wholes
from labs.study import Numbers, Report, course_lines, course_tables, leader_in_words

# The maximum number of agents in a chart.
FEW = 8


class Grid(RoundRobins):
    """Round robins at several levels of the option `varied`, on an `even` or logarithmic scale."""

    condition: ClassVar[str]
    varied: ClassVar[str]
    even: ClassVar[bool] = True

    @abstractmethod
    def levels(self) -> tuple[float, ...]:
        """Return the values of the condition."""

    def tasks(self) -> Sequence[MonitorTerms]:
        """Return the terms of each repetition at each level."""
        tasks = []
        for level in self.levels():
            tasks += self.model_copy(update={self.varied: level}).terms()
        return tasks

    def report(self, results: Sequence[RoundRobin]) -> Report:
        """Return, for each level, all agents' points per move and the leader."""
        courses = self.courses_of(results)
        findings = []
        for place, level in enumerate(self.levels()):
            sentence = self.leader_sentence({name: courses[name][place] for name in courses})
            findings.append(f"{self.condition} {level:g}: {sentence}.")

        columns = ("agent", *(f"{level:g}" for level in self.levels()))
        means, deviations = course_tables(("Points a move", "Deviations"), columns, courses)
        chart = self.chart_of_leaders(courses)
        return Report(
            f"{chart.title}: {len(courses)} agents, {self.repetitions} repetitions",
            tables=(means,),
            charts=(chart,),
            findings=tuple(findings),
            sheets=(deviations,),
        )

    def leader_sentence(self, spreads: Mapping[str, Spread]) -> str:
        """Return a sentence on the leading agent and its lead, with errors over the repetitions."""
        points = {}
        for name, (mean, deviation) in spreads.items():
            points[name] = mean, deviation / sqrt(self.repetitions)
        return leader_in_words(points, self.repetitions, 3)

    def chart_of_leaders(self, courses: Mapping[str, Sequence[Spread]]) -> Lines:
        """Return a chart of up to FEW agents: those that lead at a level, then the best."""
        leaders = []
        for place, _ in enumerate(self.levels()):
            leaders.append(max(courses, key=lambda name: courses[name][place].mean))
        shown = list(dict.fromkeys([*leaders, *courses]))[:FEW]
        return course_lines(
            (f"Points a move by {self.condition}", self.condition, "points a move"),
            self.levels(),
            {name: courses[name] for name in shown},
            log_x=not self.even,
        )

    def courses_of(self, results: Sequence[RoundRobin]) -> dict[str, list[Spread]]:
        """Return each agent's points per move at each level, best overall first."""
        spreads = []
        for begin in range(0, len(results), self.repetitions):
            repeated = results[begin : begin + self.repetitions]
            spreads.append(spreads_of([mean_payoffs(played.games) for played in repeated]))
        courses = {name: [level[name] for level in spreads] for name in self.agents}
        totals = {name: sum(spread.mean for spread in course) for name, course in courses.items()}
        return {name: courses[name] for name in sorted(courses, key=lambda name: -totals[name])}


class Noise(Grid):
    """Ask which agents keep their points when moves are flipped by chance."""

    name = "noise"
    condition = "chance of a flip"
    varied = "flip"
    flips: Numbers = Field(
        default=(0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5),
        description="the chances, separated by commas",
    )

    @field_validator("flips")
    @classmethod
    def _check_chances(cls, flips: tuple[float, ...]) -> tuple[float, ...]:
        for flip in flips:
            check_flip_params((flip, 0))
        return flips

    def levels(self) -> tuple[float, ...]:
        """Return the chances of a flip."""
        return self.flips


class GameLength(Grid):
    """Ask which agents do well in short games, and which in long games."""

    name = "length"
    condition = "moves of a game"
    varied = "moves"
    even = False
    lengths: Wholes = Field(
        default=(3, 6, 15, 30, 60, 150, 300, 600),
        description="moves of a game, separated by commas",
    )

    @field_validator("lengths")
    @classmethod
    def _check_lengths(cls, lengths: tuple[int, ...]) -> tuple[int, ...]:
        if not lengths or min(lengths) < 1:
            raise ValueError(f"expected lengths to be at least 1: got {lengths or 'none'}")
        return lengths

    def levels(self) -> tuple[float, ...]:
        """Return the lengths."""
        return self.lengths
