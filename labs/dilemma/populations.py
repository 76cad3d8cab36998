"""Studies of populations that play the prisoner's dilemma: which kind takes over."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import ClassVar

from pydantic import Field

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.report import pair_table
from engine.ratings.intervals import beta_share
from engine.report.charts import Stacks
from engine.report.statistics import mean, share_error
from engine.report.tables import Table
from engine.rng import stream
from labs.dilemma.evolution import Counts, moran, payoff_table, replicator
from labs.dilemma.repetitions import spread_of
from labs.dilemma.studies import NAMED, Dilemma, MonitorTerms, Series
from labs.study import LEVEL, Count, Names, Report, Result, spread_bars, table_of_rows

# The course of a population: its counts at some steps, including the first and the last.
MoranCourse = Sequence[tuple[int, Counts]]
CLASSICS = (
    "cooperator",
    "defector",
    "tit_for_tat",
    "tit_for_two_tats",
    "generous_tit_for_tat",
    "win_stay_lose_shift",
    "grudger",
    "bully",
    "gradual",
    "zd_extort_2",
    "random",
    "mirror",
)


class Population(Dilemma[Result]):
    """A study of a population of several kinds of agents."""

    agents: Names = Field(default=CLASSICS, description=NAMED)
    flip: float = Field(default=0.01, description="chance that a move is flipped")

    @staticmethod
    def payoffs(terms: MonitorTerms) -> list[list[float]]:
        """Return the points per move of each kind against each kind, including itself."""
        return payoff_table(
            [AGENTS[name] for name in terms.agents],
            terms.length[0],
            flip_params=terms.flip_params,
            block=terms.block,
            seed=terms.seed,
        )


class Moran(Population[MoranCourse]):
    """Ask which kind takes over a small population with births by points and random deaths."""

    name = "moran"
    repetitions: Count = Field(
        default=100, description="number of populations, each with its own random draws"
    )
    copies: Count = Field(default=3, description="individuals of each kind at the start")

    def tasks(self) -> Sequence[tuple[MonitorTerms, int]]:  # type: ignore[override]
        """Return, for each population, its terms and its initial number of each kind."""
        return [(terms, self.copies) for terms in self.terms()]

    @staticmethod
    def work(task: tuple[MonitorTerms, int]) -> MoranCourse:  # type: ignore[override]
        """Run a population until only one kind is left, and return at most 400 of the steps."""
        terms, copies = task
        counts = (copies,) * len(terms.agents)
        course = moran(Population.payoffs(terms), counts, stream(terms.seed, "moran"))
        steps = [*enumerate(course)]
        return [*steps[:: max(1, len(steps) // 200)], steps[-1]]

    def report(self, results: Sequence[MoranCourse]) -> Report:
        """Report how often each kind took over; by chance alone, all would do so equally often."""
        taken = self.populations_taken(results)
        number = len(results)
        rows = {}
        for name, count in taken.items():
            share = count / number
            rows[name] = (share, share_error(share, number))
        return Report(
            f"Moran process: {number} populations of {self.copies} of each of {len(taken)} kinds",
            tables=(table_of_rows("Took over", ("agent", "share", "standard error"), rows),),
            charts=(
                spread_bars("Share of populations taken over", "share", rows),
                self.course_chart(results[0]),
            ),
            findings=(takeover_sentence(taken, number), duration_sentence(results)),
        )

    def populations_taken(self, results: Sequence[MoranCourse]) -> dict[str, int]:
        """Return the number of populations that each kind took over, largest first."""
        taken = dict.fromkeys(self.agents, 0)
        for result in results:
            _, last = result[-1]
            for name, count in zip(self.agents, last, strict=True):
                taken[name] += count == sum(last)
        return dict(sorted(taken.items(), key=lambda pair: -pair[1]))

    def course_chart(self, course: MoranCourse) -> Stacks:
        """Return a chart of each kind's share at each step of a population."""
        steps, populations = zip(*course, strict=True)
        size = sum(populations[0])
        shares = {}
        for place, name in enumerate(self.agents):
            shares[name] = [counts[place] / size for counts in populations]
        return Stacks("The first population", "step", "share", steps, shares)


class Replicator(Population[list[list[float]]]):
    """A very large population, in which each kind grows in proportion to its points."""

    name = "replicator"
    work: ClassVar = staticmethod(Population.payoffs)
    generations: Count = Field(default=500, description="generations")

    def report(self, results: Sequence[list[list[float]]]) -> Report:
        """Report how equal shares change over time, using the mean payoffs of the repetitions."""
        payoffs = mean_table(results)
        course = replicator(payoffs, [1.0] * len(self.agents), self.generations)
        shares = {}
        for place, name in enumerate(self.agents):
            shares[name] = [now[place] for now in course]
        names = sorted(shares, key=lambda name: -shares[name][-1])
        chart = Stacks(
            "Shares of a growing population",
            "generation",
            "share",
            range(len(course)),
            shares,
        )
        return Report(
            f"Replicator dynamics of {len(names)} kinds over {self.generations} generations",
            tables=(self.shares_table(names, shares),),
            charts=(chart,),
            findings=(survivor_sentence(names, shares),),
            sheets=(pair_table("Payoffs", "agent", self.agents, payoffs),),
        )

    def shares_table(self, names: Sequence[str], shares: Series) -> Table:
        """Return a table of the shares after some generations and after the last generation."""
        marks = [step for step in (10, 50, 100, 500, 1000) if step < self.generations]
        marks.append(self.generations)
        rows = {name: [shares[name][step] for step in marks] for name in names}
        columns = ("agent", *(f"after {step}" for step in marks))
        return table_of_rows("Shares", columns, rows)


def mean_table(tables: Sequence[list[list[float]]]) -> list[list[float]]:
    """Return the mean of each cell over tables of the same shape."""
    means = []
    for rows in zip(*tables, strict=True):
        means.append([mean(values) for values in zip(*rows, strict=True)])
    return means


def survivor_sentence(names: Sequence[str], shares: Series) -> str:
    """Return a sentence on the kinds left at the end; `names` lists the most frequent first."""
    best = names[0]
    kept = ", ".join(name for name in names if shares[name][-1] > 0.01)
    return f"{best} ends with {shares[best][-1]:.1%}; above 1 % are {kept}."


def duration_sentence(courses: Sequence[MoranCourse]) -> str:
    """Return a sentence on how many steps the populations took."""
    steps = spread_of([course[-1][0] for course in courses])
    deviation = "-" if isnan(steps.deviation) else f"{steps.deviation:.0f}"
    return f"A population took {steps.mean:.0f} steps (standard deviation {deviation})."


def takeover_sentence(taken: Mapping[str, int], populations: int) -> str:
    """Return a sentence on the kinds that took over more populations than expected by chance.

    `taken` lists the largest counts first. The exact binomial test is P(X >= k) = I_p(k, n - k + 1)
    with p = 1 / kinds, at 5 % over all kinds (Bonferroni).
    """
    chance = 1 / len(taken)
    often = []
    for name, count in taken.items():
        if count and beta_share(count, populations - count + 1, chance) <= LEVEL * chance:
            often.append(f"{name} ({count / populations:.0%})")
    usual = f"by chance a kind takes over {chance:.0%} of the populations"
    if not often:
        return f"No test shows a kind that takes over more than chance: {usual}."
    return f"{', '.join(often)} took over more than chance: {usual}."
