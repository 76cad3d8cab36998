"""Studies of the prisoner's dilemma: which agents do well, and which survive elimination."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import agent_name
from engine.games.dilemma.monitor import monitor
from engine.games.dilemma.report import pair_heats, pair_rows, pair_table
from engine.games.dilemma.results import final_places, games_of, pair_cooperation
from engine.games.dilemma.rules import check_flip_params
from engine.games.dilemma.tournament import DilemmaTournament, RoundRobin, check_terms
from engine.report.charts import Heat
from engine.report.tables import Table
from labs.dilemma.repetitions import (
    RankedAgent,
    payoff_spreads,
    repetition_seeds,
    spread_of,
    standings,
)
from labs.study import (
    MOST,
    Count,
    Names,
    Report,
    Result,
    Study,
    rivals_in_words,
    split_values,
    spread_bars,
)
from protocol.suggest import one_of

Wholes = Annotated[tuple[Annotated[int, Field(le=MOST)], ...], BeforeValidator(split_values)]
STANDING_COLUMNS = (
    "agent",
    "rank",
    "from",
    "to",
    "points",
    "± sd",
    "C share",
    "wins",
    "faults",
)
Series = Mapping[str, Sequence[float]]
NAMED = "agents by name, ours or the source's, separated by commas"


class MonitorTerms(NamedTuple):
    """The terms of one round robin or tournament; `length` is in the unit of `monitor`."""

    agents: tuple[str, ...]
    length: tuple[int, int]
    flip_params: tuple[float, float]
    block: int
    seed: int


class Dilemma(Study[MonitorTerms, Result]):
    """A study of agents that play under the same terms."""

    agents: Names = Field(default=tuple(AGENTS), description=NAMED)
    repetitions: Count = Field(
        default=10, description="number of repetitions, each with new random draws"
    )
    moves: Count = Field(default=200, description="moves of each side in a game")
    flip: float = Field(default=0.0, description="chance that a move is flipped")
    decay: float = Field(default=0.0, description="how much that chance falls with every move")
    block: Literal[1, 3] = Field(default=3, description="moves of a turn")

    @field_validator("agents")
    @classmethod
    def _check_agents(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        agents = tuple(one_of(agent_name(name), AGENTS, "agent") for name in names)
        if len(set(agents)) < max(2, len(agents)):
            raise ValueError(
                f"expected at least two agents, each once: got {', '.join(agents) or 'none'}"
            )
        return agents

    @model_validator(mode="after")
    def _check_flips(self) -> Self:
        check_flip_params((self.flip, self.decay))
        return self

    def tasks(self) -> Sequence[MonitorTerms]:
        """Return the terms of each repetition."""
        return self.terms()

    def terms(self) -> list[MonitorTerms]:
        """Return the terms of each repetition."""
        length, flips = (self.moves, self.moves), (self.flip, self.decay)
        terms = MonitorTerms(self.agents, length, flips, self.block, seed=0)
        seeds = repetition_seeds(self.seed, self.repetitions)
        return [terms._replace(seed=seed) for seed in seeds]


class RoundRobins(Dilemma[RoundRobin]):
    """A study of round robins: each agent plays all others."""

    @staticmethod
    def work(task: MonitorTerms) -> RoundRobin:
        """Play one round robin."""
        played = monitor(
            task.flip_params,
            task.length,
            task.agents,
            seed=task.seed,
            max_rounds=1,
            unit="moves",
            block=task.block,
        )
        return played.rounds[0]


class Ranks(RoundRobins):
    """Ask which agent does best against all others; report rank intervals and pairs' points."""

    name = "ranks"

    def report(self, results: Sequence[RoundRobin]) -> Report:
        """Rank agents by points per move; rank intervals contain 95 % of bootstrap resamples."""
        rows = standings(results, seed=self.seed)
        title = (
            f"Ranks of {len(rows)} agents: all against all, "
            f"{self.moves} moves, {self.repetitions} times"
        )
        heats, sheets = pair_figures([row.name for row in rows], results)
        points = {row.name: (row.points, row.deviation) for row in rows}
        return Report(
            title,
            tables=(Table("Standings", STANDING_COLUMNS, tuple(rows)),),
            charts=(spread_bars("Points a move", "", points), *heats),
            findings=(best_rank_in_words(rows[0], self.repetitions),),
            sheets=sheets,
        )


def best_rank_in_words(best: RankedAgent, repetitions: int) -> str:
    """Return a sentence with the best agent's name, points and rank interval."""
    if repetitions < 2:
        return f"{best.name} has {best.points:.3f} points a move; nothing is compared."
    verb = "leads with" if best.high == 1 else "has"
    return (
        f"{best.name} {verb} {best.points:.3f} points a move, "
        f"its rank between {best.low} and {best.high}."
    )


def pair_figures(
    names: Sequence[str],
    results: Sequence[RoundRobin],
) -> tuple[tuple[Heat, ...], tuple[Table, ...]]:
    """Return charts and sheets of points and cooperation: each agent (row) against every other."""
    spreads = payoff_spreads(results).items()
    payoffs = pair_rows(names, {pair: spread.mean for pair, spread in spreads})
    deviations = pair_rows(names, {pair: spread.deviation for pair, spread in spreads})
    cooperation = pair_rows(names, pair_cooperation(games_of(results)))

    sheets = (
        pair_table("Payoffs", "agent", names, payoffs),
        pair_table("Deviations of payoffs", "agent", names, deviations),
        pair_table("Cooperation", "agent", names, cooperation),
    )
    return pair_heats(names, payoffs, cooperation), sheets


class Elimination(Dilemma[DilemmaTournament]):
    """Ask which agents survive several tournaments in which each round drops the lowest scorers."""

    name = "elimination"
    flip: float = Field(default=0.25, description="chance that a move is flipped")
    decay: float = Field(default=0.1, description="how much that chance falls with every move")
    game_length: Wholes = Field(
        default=(10, 50), description="minimum and maximum turns of a game, drawn once per round"
    )
    moves: int = 0

    @field_validator("game_length")
    @classmethod
    def _check_length(cls, length: tuple[int, ...]) -> tuple[int, ...]:
        check_terms((*length,), "turns", None)  # type: ignore[arg-type]  # rejected if not two
        return length

    def tasks(self) -> Sequence[MonitorTerms]:
        """Return the terms of each tournament."""
        low, high = self.game_length
        return [terms._replace(length=(low, high)) for terms in self.terms()]

    @staticmethod
    def work(task: MonitorTerms) -> DilemmaTournament:
        """Play a tournament to its end; return its results without the moves."""
        played = monitor(
            task.flip_params, task.length, task.agents, seed=task.seed, block=task.block
        )
        rounds = [replace(round_played, games=()) for round_played in played.rounds]
        return replace(played, rounds=tuple(rounds))

    def report(self, results: Sequence[DilemmaTournament]) -> Report:
        """Count wins and places, and list the rounds of the first tournament."""
        rows = [placed_agent(name, results) for name in self.agents]
        rows.sort(key=lambda row: row.mean_place)
        columns = ("agent", "won", "mean place", "deviation", "faults")
        places = Table("Places", columns, tuple(rows))
        spreads = {row.name: (row.mean_place, row.deviation) for row in rows}
        return Report(
            f"{len(results)} tournaments of {len(rows)} agents, "
            "in which the lowest of each round are dropped",
            tables=(places, rounds_table(results[0])),
            charts=(spread_bars("Mean place (1 is best)", "", spreads),),
            findings=winner_sentences(rows, len(results)),
        )


class PlacedAgent(NamedTuple):
    """An agent's wins, mean place (with deviation) and faults in several tournaments."""

    name: str
    won: int
    mean_place: float
    deviation: float
    faults: int


def winner_sentences(rows: Sequence[PlacedAgent], tournaments: int) -> tuple[str, str]:
    """Return sentences on the agents with the best mean place and with the most wins."""
    # The lowest place is the best.
    places = {row.name: (-row.mean_place, row.deviation / sqrt(tournaments)) for row in rows}
    winner = max(rows, key=lambda row: row.won)
    return (
        f"{rows[0].name} has the best mean place, {rows[0].mean_place:.2f}"
        f"{rivals_in_words(places, tournaments)}.",
        f"{winner.name} won most often, {winner.won} times.",
    )


def rounds_table(tournament: DilemmaTournament) -> Table:
    """Return a table of each round's length, leader, top score, and why agents were dropped."""
    rows = []
    for played in tournament.rounds:
        leader, points = played.table[0]
        rows.append((played.index, played.moves, leader, points, played.why))
    columns = ("round", "moves", "leader", "points", "then")
    return Table("Rounds of the first tournament", columns, tuple(rows))


def placed_agent(name: str, tournaments: Sequence[DilemmaTournament]) -> PlacedAgent:
    """Return the results of the agent `name` in all tournaments."""
    places = spread_of([final_places(tournament_played)[name] for tournament_played in tournaments])
    won = sum(name in tournament_played.winners for tournament_played in tournaments)
    faults = sum(tournament_played.faults[name] for tournament_played in tournaments)
    return PlacedAgent(name, won, *places, faults)
