"""Studies of populations that play the prisoner's dilemma: who takes over."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from pydantic import Field

from engine.games.dilemma.agents import AGENTS
from engine.labs.dilemma.evolution import Counts, moran, payoff_table, replicator
from engine.labs.dilemma.repetitions import spread
from engine.labs.dilemma.studies import Dilemma, Names, Terms
from engine.labs.study import Report, Result
from engine.report.charts import Bars, Stacks
from engine.report.tables import Table
from engine.rng import stream
from engine.statistics import share_error

CLASSICS = (
    "cooperator", "defector", "tit_for_tat", "tit_for_two_tats", "generous_tit_for_tat", "win_stay_lose_shift",
    "grudger", "bully", "gradual", "zd_extort_2", "random", "mirror",
)  # fmt: skip


class Population(Dilemma[Result]):
    """A study of a population of several kinds of agents."""

    agents: Names = Field(default=CLASSICS, description="agents by name, with commas")
    flip: float = Field(default=0.01, description="chance that a move is flipped")

    @staticmethod
    def payoffs(terms: Terms) -> list[list[float]]:
        """Return the points a move of each kind against each, its own kind too."""
        agents = [AGENTS[name] for name in terms.agents]
        return payoff_table(
            agents, terms.low, flip_params=terms.flip_params, block=terms.block, seed=terms.seed
        )


class Course(NamedTuple):
    """How a population changed: its counts at some steps, and how many steps it took."""

    steps: int
    counts: list[tuple[int, Counts]]


class Moran(Population[Course]):
    """Ask which kind takes over a small population, by births in proportion to points and by chance."""

    name: ClassVar[str] = "moran"
    repetitions: int = Field(
        default=100, ge=1, description="populations, each with draws of its own"
    )
    copies: int = Field(default=3, ge=1, description="individuals of each kind at the start")

    def tasks(self) -> Sequence[tuple[Terms, int]]:  # type: ignore[override]
        """Return the terms and the copies of each population."""
        return [(terms, self.copies) for terms in self.terms()]

    @staticmethod
    def work(task: tuple[Terms, int]) -> Course:  # type: ignore[override]
        """Let a population change until one kind is left."""
        terms, copies = task
        counts = (copies,) * len(terms.agents)
        course = moran(Population.payoffs(terms), counts, stream(terms.seed, "moran"))
        every = max(1, len(course) // 200)
        return Course(
            len(course) - 1, [*[*enumerate(course)][::every], (len(course) - 1, course[-1])]
        )

    def report(self, results: Sequence[Course]) -> Report:
        """Count which kind was left; by chance alone each would be in an equal share."""
        survivors = Counter(
            place for one in results for place, count in enumerate(one.counts[-1][1]) if count
        )
        names = sorted(self.agents, key=lambda name: -survivors[self.agents.index(name)])
        shares = {name: survivors[self.agents.index(name)] / len(results) for name in names}
        errors = {name: share_error(share, len(results)) for name, share in shares.items()}
        chance = 1 / len(names)
        first = results[0]
        size = sum(first.counts[0][1])
        course = {
            name: [counts[place] / size for _, counts in first.counts]
            for place, name in enumerate(self.agents)
        }
        steps = spread([one.steps for one in results])
        return Report(
            f"Moran process: {len(results)} populations of {self.copies} of each of {len(names)} kinds",
            (
                Table(
                    "Took over",
                    ("agent", "share", "standard error"),
                    tuple((n, shares[n], errors[n]) for n in names),
                ),
            ),
            (
                Bars(
                    "Share of populations taken over",
                    "share",
                    names,
                    [*shares.values()],
                    [*errors.values()],
                ),
                Stacks(
                    "The first population",
                    "step",
                    "share",
                    [step for step, _ in first.counts],
                    course,
                ),
            ),
            (
                f"{names[0]} took over {shares[names[0]]:.0%} of the populations; by chance it would be {chance:.0%}.",
                f"One kind was left after {steps.mean:.0f} steps (deviation {steps.deviation:.0f}).",
            ),
        )


class Replicator(Population[list[list[float]]]):
    """Ask which kinds are left in a very large population that grows with its points."""

    name: ClassVar[str] = "replicator"
    generations: int = Field(default=500, ge=1, description="generations")

    @staticmethod
    def work(task: Terms) -> list[list[float]]:
        """Return the points a move of each kind against each."""
        return Population.payoffs(task)

    def report(self, results: Sequence[list[list[float]]]) -> Report:
        """Start from equal shares, on payoffs averaged over the repetitions."""
        kinds = range(len(self.agents))
        payoffs = [[sum(one[i][j] for one in results) / len(results) for j in kinds] for i in kinds]
        course = replicator(payoffs, [1.0] * len(kinds), self.generations)
        last = dict(zip(self.agents, course[-1], strict=True))
        names = sorted(last, key=lambda name: -last[name])
        marks = [step for step in (10, 50, 100, 500, 1000) if step < self.generations]
        columns = ("agent", *(f"after {step}" for step in (*marks, self.generations)))
        rows: list[tuple[str | float, ...]] = [
            (name, *(course[step][self.agents.index(name)] for step in (*marks, self.generations)))
            for name in names
        ]
        shares = {name: [now[self.agents.index(name)] for now in course] for name in names}
        kept = ", ".join(name for name in names if last[name] > 0.01)
        return Report(
            f"Replicator dynamics of {len(names)} kinds over {self.generations} generations",
            (Table("Shares", columns, tuple(rows)),),
            (
                Stacks(
                    "Shares of a growing population",
                    "generation",
                    "share",
                    range(len(course)),
                    shares,
                ),
            ),
            (f"{names[0]} ends with {last[names[0]]:.1%}; over 1 % keep {kept}.",),
            (
                Table(
                    "Payoffs",
                    ("agent", *self.agents),
                    tuple((n, *row) for n, row in zip(self.agents, payoffs, strict=True)),
                ),
            ),
        )
