"""Studies of the dilemma over a grid: how noise and the length of games change who does well."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from engine.games.dilemma.results import mean_payoffs
from engine.games.dilemma.rules import check_flip_params
from engine.games.dilemma.tournament import RoundRobin
from engine.report.charts import Lines
from engine.report.tables import Cell, Table
from labs.dilemma.repetitions import Spread, spreads_of
from labs.dilemma.studies import Dilemma, MonitorTerms, Numbers, Series, Wholes, play_round
from labs.study import Report

# The most agents that a chart shows.
FEW = 8


class Grid(Dilemma[RoundRobin]):
    """A study that repeats the round robin along one condition.

    It is drawn on an `even` or a logarithmic scale.
    """

    condition: ClassVar[str]
    even: ClassVar[bool] = True

    @staticmethod
    def work(task: MonitorTerms) -> RoundRobin:
        """Play everybody against everybody once."""
        return play_round(task)

    @abstractmethod
    def levels(self) -> tuple[float, ...]:
        """Return the values of the condition."""

    def report(self, results: Sequence[RoundRobin]) -> Report:
        """Return points a move of all at each level, and who leads there."""
        means, deviations = self.points_by_level(results)
        leaders = leaders_of(means)
        title = f"Points a move by {self.condition}"
        columns = ("agent", *(f"{level:g}" for level in self.levels()))
        return Report(
            f"{title}: {len(means)} agents, {self.repetitions} repetitions",
            tables=(level_table("Points a move", columns, means),),
            charts=(self.points_lines(title, leaders, means, deviations),),
            findings=tuple(self.leader_sentences(leaders, means)),
            sheets=(level_table("Deviations", columns, deviations),),
        )

    def points_by_level(self, results: Sequence[RoundRobin]) -> tuple[Series, Series]:
        """Return means and deviations of points a move by agent, the best over all levels first."""
        spreads = self.spreads_by_level(results)
        means = {}
        for name in self.agents:
            means[name] = [level[name].mean for level in spreads]

        ordered = {}
        deviations = {}
        for name in sorted(self.agents, key=lambda name: -sum(means[name])):
            ordered[name] = means[name]
            deviations[name] = [level[name].deviation for level in spreads]
        return ordered, deviations

    def points_lines(
        self,
        title: str,
        leaders: Sequence[str],
        means: Series,
        deviations: Series,
    ) -> Lines:
        """Return the chart of a few agents: those that lead somewhere, then the best over all."""
        shown = list(dict.fromkeys([*leaders, *means]))[:FEW]
        return Lines(
            title,
            self.condition,
            "points a move",
            self.levels(),
            {name: means[name] for name in shown},
            {name: deviations[name] for name in shown},
            log_x=not self.even,
        )

    def leader_sentences(self, leaders: Sequence[str], means: Series) -> Iterator[str]:
        """Yield who leads at each level, and with how many points a move."""
        for place, level in enumerate(self.levels()):
            leader = leaders[place]
            points = means[leader][place]
            yield f"{self.condition} {level:g}: {leader} leads with {points:.3f}."

    def spreads_by_level(self, results: Sequence[RoundRobin]) -> list[dict[str, Spread]]:
        """Return everyone's points a move at each level; a level's repetitions come together."""
        spreads = []
        for begin in range(0, len(results), self.repetitions):
            repeated = results[begin : begin + self.repetitions]
            payoffs = [mean_payoffs(one.games) for one in repeated]
            spreads.append(spreads_of(payoffs))
        return spreads


def leaders_of(means: Series) -> list[str]:
    """Return the agent with the highest mean at each level."""
    names = [*means]
    leaders = []
    for level in zip(*means.values(), strict=True):
        highest = level.index(max(level))
        leaders.append(names[highest])
    return leaders


def level_table(heading: str, columns: tuple[str, ...], values: Series) -> Table:
    """Return a table with a row for each agent and a column for each level."""
    rows: list[tuple[Cell, ...]] = []
    for name, own in values.items():
        rows.append((name, *own))
    return Table(heading, columns, tuple(rows))


class Noise(Grid):
    """Ask who keeps its points when moves are flipped by chance."""

    name: ClassVar[str] = "noise"
    condition: ClassVar[str] = "chance of a flip"
    flips: Numbers = Field(
        default=(0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5), description="the chances, with commas"
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

    def tasks(self) -> Sequence[MonitorTerms]:
        """Return the terms of each repetition at each chance of a flip."""
        tasks = []
        for flip in self.flips:
            tasks += self.terms(flip=flip)
        return tasks


class GameLength(Grid):
    """Ask who does well in short games, and who in long ones."""

    name: ClassVar[str] = "length"
    condition: ClassVar[str] = "moves of a game"
    even: ClassVar[bool] = False
    lengths: Wholes = Field(
        default=(3, 6, 15, 30, 60, 150, 300, 600), description="moves of a game, with commas"
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

    def tasks(self) -> Sequence[MonitorTerms]:
        """Return the terms of each repetition at each length."""
        tasks = []
        for moves in self.lengths:
            tasks += self.terms(moves=moves)
        return tasks
