"""Studies of the guest: how well policies moderate, beside waiting and the best course known."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from pydantic import BeforeValidator, Field, field_validator

from engine.games.guest.policies import POLICIES
from engine.games.guest.session import Frame, frame_of
from engine.games.guest.strategies.trained import load_policy
from engine.labs.guest.comparison import MARKS, Played, Row, measure, policy_table, start_of
from engine.labs.study import Report, Study, split_values
from engine.report.charts import Bars, Chart, Lines, Scatter
from engine.report.tables import Cell, Table
from engine.statistics import Estimate
from protocol.suggest import one_of

Names = Annotated[tuple[str, ...], BeforeValidator(split_values)]
Factors = Annotated[tuple[float, ...], BeforeValidator(split_values)]
TRAINED = "trained:"
COLUMNS = ("policy", "reward", "± se", "score", "± se", "1 - gini", "± se", "stops", "± se")


class Episode(NamedTuple):
    """One policy, by name or as trained:PATH, on one start."""

    policy: str
    frame: Frame
    energy_imbalance: float
    seed: int


class Policies(Study[Episode, Played]):
    """Ask how well each policy moderates, on the same starts, at several imbalance factors."""

    name: ClassVar[str] = "policies"

    policies: Names = Field(
        default=tuple(POLICIES), description="policies by name, or trained:PATH, with commas"
    )
    imbalance_factors: Factors = Field(
        default=(0.0, 0.2, 0.6), description="how much agent 2 is favoured, with commas"
    )
    episodes: int = Field(default=20, ge=1, description="starts, their seeds counted up")
    max_steps: int = Field(default=600, ge=1, description="steps of an episode")
    every: int = Field(default=1, ge=1, description="steps that one decision is for")
    energy_imbalance: float = Field(
        default=0.0, ge=0, le=1, description="skew of the energies at the start"
    )

    @field_validator("policies")
    @classmethod
    def _check_policies(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        known = [name if path_of(name) else one_of(name, POLICIES, "policy") for name in names]
        # What a score is measured by is always there.
        return tuple(dict.fromkeys([*MARKS, *known]))

    @field_validator("imbalance_factors")
    @classmethod
    def _check_factors(cls, factors: tuple[float, ...]) -> tuple[float, ...]:
        if not factors or len(set(factors)) < len(factors):
            raise ValueError(f"expected imbalance factors from 0 to 1, each once: got {[*factors]}")
        return factors

    def tasks(self) -> Sequence[Episode]:
        """Return every policy on every start at every factor; all policies have the same starts."""
        for path in map(path_of, self.policies):
            # Before anything is played, and not in each process for itself.
            _ = path and load_policy(path)
        seeds = range(self.seed, self.seed + self.episodes)
        return [
            Episode(name, self.frame(factor), self.energy_imbalance, seed)
            for factor, name, seed in product(self.imbalance_factors, self.policies, seeds)
        ]

    def frame(self, factor: float) -> Frame:
        """Return how episodes at this factor are played."""
        return frame_of(
            {"max_steps": self.max_steps, "every": self.every, "imbalance_factor": factor}
        )

    @staticmethod
    def work(task: Episode) -> Played:
        """Play one episode."""
        path = path_of(task.policy)
        policy = load_policy(path) if path else POLICIES[task.policy]
        return measure(policy, start_of(task.seed, task.energy_imbalance), task.frame, task.seed)

    def report(self, results: Sequence[Played]) -> Report:
        """Rank the policies at each factor; ± is a standard error."""
        played, names = iter(results), labels(self.policies)
        ranked = {
            factor: policy_table(
                {name: [next(played) for _ in range(self.episodes)] for name in names}
            )
            for factor in self.imbalance_factors
        }
        return Report(
            f"{len(self.policies)} policies on the same {self.episodes} starts, {self.max_steps} steps each",
            tuple(
                Table(f"At imbalance factor {factor:g}", COLUMNS, cells(rows))
                for factor, rows in ranked.items()
            ),
            charts(ranked),
            tuple(finding(factor, rows) for factor, rows in ranked.items()),
        )


def path_of(policy: str) -> str:
    """Return the path in trained:PATH, nothing for a policy that is known by name."""
    return policy.removeprefix(TRAINED) if policy.startswith(TRAINED) else ""


def labels(policies: Sequence[str]) -> Sequence[str]:
    """Return the policies as a table has room for them: of a path the last two parts, where these still differ."""
    short = ["/".join(Path(path_of(policy)).parts[-2:]) or policy for policy in policies]
    return short if len(set(short)) == len(short) else policies


def cells(rows: Sequence[Row]) -> tuple[tuple[Cell, ...], ...]:
    """Return rows as a table's cells, each figure with its standard error behind it."""
    return tuple(
        (row.policy, *(cell for figure in row[1:] for cell in rounded(figure))) for row in rows
    )


def rounded(figure: Estimate) -> tuple[float, float]:
    """Return a mean and its error, of large ones less decimals."""
    digits = 1 if figure.mean >= 10 else 3
    return round(figure.mean, digits), round(figure.error, digits)


def charts(ranked: Mapping[float, Sequence[Row]]) -> tuple[Chart, ...]:
    """Return what is to be seen: scores at each factor, equality against stops, and rewards along the factors."""
    bars = [
        Bars(
            f"Score of the Guest at imbalance factor {factor:g}",
            "score: 0 waiting, 1 the beam search",
            [row.policy for row in rows],
            [row.score.mean for row in rows],
            [row.score.error for row in rows],
        )
        for factor, rows in ranked.items()
    ]
    factor, rows = next(iter(ranked.items()))
    points = {row.policy: (row.stops.mean, row.equality.mean) for row in rows}
    title = f"What the reward does not say at imbalance factor {factor:g}"
    scatter = Scatter(title, "stops in an episode", "equality: mean of 1 - gini", points)
    if len(ranked) == 1:
        return (*bars, scatter)
    means = {
        row.policy: [figure_at(ranked[at], row.policy).mean for at in sorted(ranked)]
        for row in rows
    }
    errors = {
        row.policy: [figure_at(ranked[at], row.policy).error for at in sorted(ranked)]
        for row in rows
    }
    lines = Lines(
        "Reward by imbalance factor",
        "imbalance factor",
        "reward of an episode",
        sorted(ranked),
        means,
        errors,
    )
    return (*bars, scatter, lines)


def figure_at(rows: Sequence[Row], policy: str) -> Estimate:
    """Return the reward of a policy."""
    return next(row.reward for row in rows if row.policy == policy)


def finding(factor: float, rows: Sequence[Row]) -> str:
    """Return what a table says in a sentence."""
    best, fairest = rows[0], max(rows, key=lambda row: row.equality.mean)
    return (
        f"At {factor:g} {best.policy} leads with a reward of {best.reward.mean:.1f} and {best.stops.mean:.0f} stops; "
        f"the most equal is {fairest.policy} with {fairest.equality.mean:.3f} and {fairest.stops.mean:.0f} stops."
    )
