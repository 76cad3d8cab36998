"""Studies of the game guest: how well policies moderate, from waiting to the best known policy."""

from collections.abc import Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, field_validator

from engine.games.guest.policies import POLICIES
from engine.games.guest.scoring import Marks
from engine.games.guest.session import Frame, frame_of
from engine.games.guest.strategies import load_policy
from engine.report.charts import Chart, Scatter
from engine.report.statistics import Estimate
from engine.report.tables import Cell, Table, TableRow
from labs.guest.comparison import (
    EpisodeResult,
    Row,
    measure,
    policy_table,
    start_of,
)
from labs.study import (
    Count,
    Names,
    Numbers,
    Report,
    Study,
    course_lines,
    leader_in_words,
    spread_bars,
)
from protocol.suggest import one_of

TRAINED = "trained:"
COLUMNS = ("policy", "reward", "± se", "score", "± se", "1 - gini", "± se", "stops", "± se")


class Episode(NamedTuple):
    """One episode from one start; `policy` is a policy's name or trained:PATH."""

    policy: str
    frame: Frame
    energy_imbalance: float
    seed: int


class Policies(Study[Episode, EpisodeResult]):
    """Ask how well each policy moderates, from the same starts, at several imbalance factors."""

    name = "policies"

    policies: Names = Field(
        default=tuple(POLICIES),
        description="policies by name, or trained:PATH, separated by commas",
    )
    imbalance_factors: Numbers = Field(
        default=(0.0, 0.2, 0.6), description="how much agent 2 is favoured, separated by commas"
    )
    episodes: Count = Field(default=20, description="number of starts, with consecutive seeds")
    max_steps: Count = Field(default=600, description="steps of an episode")
    every: Count = Field(default=1, description="steps per decision")
    energy_imbalance: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="skew of the energies at the start",
    )

    @field_validator("policies")
    @classmethod
    def _check_policies(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        # The two reference policies of the score always play.
        known = [*Marks._fields]
        for name in names:
            known.append(name if path_of(name) else one_of(name, POLICIES, "policy"))
        return tuple(dict.fromkeys(known))

    @field_validator("imbalance_factors")
    @classmethod
    def _check_factors(cls, factors: tuple[float, ...]) -> tuple[float, ...]:
        if not factors or len(set(factors)) < len(factors):
            raise ValueError(f"expected imbalance factors from 0 to 1, each once: got {[*factors]}")
        return factors

    def tasks(self) -> Sequence[Episode]:
        """Return an episode for each factor, policy and start; all policies use the same starts."""
        for name in self.policies:
            if path := path_of(name):
                # A file that does not load is rejected here, before anything is played.
                load_policy(path)
        seeds = range(self.seed, self.seed + self.episodes)
        episodes = []
        for factor, name, seed in product(self.imbalance_factors, self.policies, seeds):
            terms = {"max_steps": self.max_steps, "every": self.every, "imbalance_factor": factor}
            episodes.append(Episode(name, frame_of(terms), self.energy_imbalance, seed))
        return episodes

    @staticmethod
    def work(task: Episode) -> EpisodeResult:
        """Play one episode."""
        path = path_of(task.policy)
        policy = load_policy(path) if path else POLICIES[task.policy]
        start = start_of(task.seed, task.energy_imbalance)
        return measure(policy, start, task.frame, task.seed)

    def report(self, results: Sequence[EpisodeResult]) -> Report:
        """Rank the policies at each factor; ± is a standard error."""
        ranked = self.rank(results)
        starts = f"the same {self.episodes} starts"
        tables = []
        for factor, rows in ranked.items():
            cells = tuple(map(row_cells, rows))
            tables.append(Table(f"At imbalance factor {factor:g}", COLUMNS, cells))
        return Report(
            title=f"{len(self.policies)} policies on {starts}, {self.max_steps} steps each",
            tables=tuple(tables),
            charts=draw_policies(ranked),
            findings=tuple(self.describe_ranks(*each) for each in ranked.items()),
        )

    def describe_ranks(self, factor: float, rows: Sequence[Row]) -> str:
        """Return a sentence on the leaders by reward and by equality at one factor."""
        reward = leader_in_words({row.policy: row.reward for row in rows}, self.episodes, 1)
        equality = leader_in_words({row.policy: row.equality for row in rows}, self.episodes, 3)
        return f"At {factor:g}, by reward {reward}; by equality {equality}."

    def rank(self, results: Sequence[EpisodeResult]) -> dict[float, list[Row]]:
        """Return the rows of each factor, best policy first."""
        played = iter(results)
        ranked = {}
        for factor in self.imbalance_factors:
            episodes = {}
            for name in short_names(self.policies):
                episodes[name] = [*islice(played, self.episodes)]
            ranked[factor] = policy_table(episodes)
        return ranked


def path_of(policy: str) -> str:
    """Return the path in trained:PATH, or "" for a policy known by name."""
    return policy.removeprefix(TRAINED) if policy.startswith(TRAINED) else ""


def short_names(policies: Sequence[str]) -> Sequence[str]:
    """Return the policies' names; shorten paths to their last two parts if all stay distinct."""
    short = []
    for policy in policies:
        last_parts = "/".join(Path(path_of(policy)).parts[-2:])
        short.append(last_parts or policy)
    return short if len(set(short)) == len(short) else policies


def row_cells(row: Row) -> TableRow:
    """Return a row as table cells, with each figure followed by its standard error."""
    cells: list[Cell] = [row.policy]
    for figure in (row.reward, row.score, row.equality, row.stops):
        digits = 1 if figure.mean >= 10 else 3
        cells += [round(figure.mean, digits), round(figure.error, digits)]
    return tuple(cells)


def draw_policies(ranked: Mapping[float, Sequence[Row]]) -> tuple[Chart, ...]:
    """Return charts of scores at each factor, equality against stops, and rewards by factor."""
    charts: list[Chart] = []
    for factor, rows in ranked.items():
        title = f"Score of the Guest at imbalance factor {factor:g}"
        scores = {row.policy: row.score for row in rows}
        charts.append(spread_bars(title, "score: 0 waiting, 1 the beam search", scores))
    charts.append(draw_stops(*next(iter(ranked.items()))))
    if len(ranked) > 1:
        charts.append(_reward_lines(ranked))
    return tuple(charts)


def _reward_lines(ranked: Mapping[float, Sequence[Row]]) -> Chart:
    factors = sorted(ranked)
    rewards: dict[str, list[Estimate]] = {row.policy: [] for row in next(iter(ranked.values()))}
    for factor in factors:
        for row in ranked[factor]:
            rewards[row.policy].append(row.reward)
    labels = ("Reward by imbalance factor", "imbalance factor", "reward of an episode")
    return course_lines(labels, factors, rewards)


def draw_stops(factor: float, rows: Sequence[Row]) -> Scatter:
    """Return a chart of equality against stops at one factor, with a point for each policy."""
    points = {row.policy: (row.stops.mean, row.equality.mean) for row in rows}
    return Scatter(
        title=f"Figures beyond the reward at imbalance factor {factor:g}",
        x_label="stops in an episode",
        y_label="equality: mean of 1 - gini",
        points=points,
    )
