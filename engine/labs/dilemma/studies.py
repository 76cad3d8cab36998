"""Studies of the prisoner's dilemma: who does well against everybody, and how noise and length change that."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.monitor import monitor
from engine.games.dilemma.results import final_places, mean_payoffs, pair_cooperation
from engine.games.dilemma.rules import check_flip_params
from engine.games.dilemma.tournament import RoundRobin, Tournament, check_terms
from engine.labs.dilemma.repetitions import (
    payoff_spreads,
    repetition_seeds,
    spread,
    spread_of,
    standings,
)
from engine.labs.study import Report, Result, Study, listed
from engine.report.charts import Bars, Heat, Lines
from engine.report.tables import Table
from protocol.suggest import one_of

Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
Numbers = Annotated[tuple[float, ...], BeforeValidator(listed)]
Wholes = Annotated[tuple[int, ...], BeforeValidator(listed)]
FEW = 8


class Terms(NamedTuple):
    """What one round robin or tournament is played on."""

    agents: tuple[str, ...]
    low: int
    high: int
    flip_params: tuple[float, float]
    block: int
    seed: int


class Dilemma(Study[Terms, Result]):
    """Some agents, and the terms on which they meet."""

    agents: Names = Field(default=tuple(AGENTS), description="agents by name, with commas")
    repetitions: int = Field(
        default=10, ge=1, description="how often everything is played, each time with new draws"
    )
    moves: int = Field(default=200, ge=1, description="moves of each side in a game")
    flip: float = Field(default=0.0, description="chance that a move is flipped")
    decay: float = Field(default=0.0, description="what that chance loses with every move")
    block: Literal[1, 3] = Field(default=3, description="moves of a turn")

    @field_validator("agents")
    @classmethod
    def _check_agents(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < max(2, len(names)):
            raise ValueError(
                f"expected at least two agents, each once: got {', '.join(names) or 'none'}"
            )
        return tuple(one_of(name, AGENTS, "agent") for name in names)

    @model_validator(mode="after")
    def _check_flips(self) -> Self:
        check_flip_params((self.flip, self.decay))
        return self

    def tasks(self) -> Sequence[Terms]:
        """Return the terms of each repetition."""
        return self.terms()

    def terms(self, *, moves: int | None = None, flip: float | None = None) -> list[Terms]:
        """Return the terms of each repetition, with another length or another chance of a flip if they are given."""
        length = self.moves if moves is None else moves
        flips = (self.flip if flip is None else flip, self.decay)
        seeds = repetition_seeds(self.seed, self.repetitions)
        return [Terms(self.agents, length, length, flips, self.block, seed) for seed in seeds]


def play_round(terms: Terms) -> RoundRobin:
    """Play everybody against everybody once."""
    length, agents = (terms.low, terms.high), terms.agents
    played = monitor(
        terms.flip_params,
        length,
        agents,
        seed=terms.seed,
        max_rounds=1,
        unit="moves",
        block=terms.block,
    )
    return played.rounds[0]


class Ranks(Dilemma[RoundRobin]):
    """Ask who does best against everybody, with intervals, and who gets what from whom."""

    name: ClassVar[str] = "ranks"

    @staticmethod
    def work(task: Terms) -> RoundRobin:
        """Play everybody against everybody once."""
        return play_round(task)

    def report(self, results: Sequence[RoundRobin]) -> Report:
        """Rank all by points a move; the interval of a rank holds 95 % of resamples of the repetitions (Efron 1979)."""
        rows = standings(results, seed=self.seed)
        names = [row.name for row in rows]
        spreads = payoff_spreads(results)
        payoffs = square(names, {pair: spread.mean for pair, spread in spreads.items()})
        deviations = square(names, {pair: spread.deviation for pair, spread in spreads.items()})
        cooperation = square(
            names, pair_cooperation([game for one in results for game in one.games])
        )
        columns = ("agent", "rank", "from", "to", "points", "± sd", "C share", "wins", "faults")
        best = rows[0]
        return Report(
            f"Ranks of {len(names)} agents: everybody against everybody, {self.moves} moves, {self.repetitions} times",
            (Table("Standings", columns, tuple((*row,) for row in rows)),),
            (
                Bars(
                    "Points a move",
                    "",
                    names,
                    [row.points for row in rows],
                    [row.deviation for row in rows],
                ),
                Heat(
                    "Points a move of each against each",
                    names,
                    names,
                    payoffs,
                    "points a move of the row",
                ),
                Heat(
                    "Cooperation of each against each",
                    names,
                    names,
                    cooperation,
                    "share of C of the row",
                ),
            ),
            (
                f"{best.name} leads with {best.points:.3f} points a move, its rank between {best.low} and {best.high}.",
            ),
            (
                matrix("Payoffs", names, payoffs),
                matrix("Deviations of payoffs", names, deviations),
                matrix("Cooperation", names, cooperation),
            ),
        )


class Grid(Dilemma[RoundRobin]):
    """A study that repeats the round robin along one condition, drawn on an `even` or a logarithmic scale."""

    condition: ClassVar[str]
    even: ClassVar[bool] = True

    @staticmethod
    def work(task: Terms) -> RoundRobin:
        """Play everybody against everybody once."""
        return play_round(task)

    @abstractmethod
    def levels(self) -> tuple[float, ...]:
        """Return the values of the condition."""

    def report(self, results: Sequence[RoundRobin]) -> Report:
        """Return points a move of all at each level, and who leads there."""
        levels, many = self.levels(), self.repetitions
        spreads = [
            spread_of([mean_payoffs(one.games) for one in results[begin : begin + many]])
            for begin in range(0, len(results), many)
        ]
        names = sorted(self.agents, key=lambda name: -sum(level[name].mean for level in spreads))
        means = {name: [level[name].mean for level in spreads] for name in names}
        deviations = {name: [level[name].deviation for level in spreads] for name in names}
        leaders = [max(names, key=lambda name: level[name].mean) for level in spreads]
        shown = list(dict.fromkeys([*leaders, *names]))[:FEW]
        columns = ("agent", *(f"{level:g}" for level in levels))
        return Report(
            f"Points a move by {self.condition}: {len(names)} agents, {many} repetitions",
            (Table("Points a move", columns, tuple((name, *means[name]) for name in names)),),
            (
                Lines(
                    f"Points a move by {self.condition}",
                    self.condition,
                    "points a move",
                    levels,
                    {name: means[name] for name in shown},
                    {name: deviations[name] for name in shown},
                    log_x=not self.even,
                ),
            ),
            tuple(
                f"{self.condition} {level:g}: {leader} leads with {means[leader][place]:.3f}."
                for place, (level, leader) in enumerate(zip(levels, leaders, strict=True))
            ),
            (Table("Deviations", columns, tuple((name, *deviations[name]) for name in names)),),
        )


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

    def tasks(self) -> Sequence[Terms]:
        """Return the terms of each repetition at each chance of a flip."""
        return [terms for flip in self.flips for terms in self.terms(flip=flip)]


class Length(Grid):
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

    def tasks(self) -> Sequence[Terms]:
        """Return the terms of each repetition at each length."""
        return [terms for moves in self.lengths for terms in self.terms(moves=moves)]


class Elimination(Dilemma[Tournament]):
    """Ask who is left when the lowest of every round are dropped: whole tournaments, several times."""

    name: ClassVar[str] = "elimination"
    flip: float = Field(default=0.25, description="chance that a move is flipped")
    decay: float = Field(default=0.1, description="what that chance loses with every move")
    game_length: Wholes = Field(
        default=(10, 50), description="least and most turns of a game, the same a round"
    )
    moves: int = 0

    @field_validator("game_length")
    @classmethod
    def _check_length(cls, length: tuple[int, ...]) -> tuple[int, ...]:
        check_terms((*length,), "turns", None)  # type: ignore[arg-type]  # it says so if there are not two
        return length

    def tasks(self) -> Sequence[Terms]:
        """Return the terms of each tournament."""
        low, high = self.game_length
        return [terms._replace(low=low, high=high) for terms in self.terms()]

    @staticmethod
    def work(task: Terms) -> Tournament:
        """Play a tournament to its end; only its results are kept, without the moves."""
        flips, length = task.flip_params, (task.low, task.high)
        played = monitor(flips, length, task.agents, seed=task.seed, block=task.block)
        return replace(played, rounds=tuple(replace(one, games=()) for one in played.rounds))

    def report(self, results: Sequence[Tournament]) -> Report:
        """Count wins and places; the rounds of the first tournament are told one by one."""
        places = {name: [final_places(one)[name] for one in results] for name in self.agents}
        wins = {name: sum(name in one.winners for one in results) for name in self.agents}
        faults = {name: sum(one.faults[name] for one in results) for name in self.agents}
        names = sorted(self.agents, key=lambda name: spread(places[name]).mean)
        rows = [(name, wins[name], *spread(places[name]), faults[name]) for name in names]
        rounds = [(one.index, one.moves, *one.table[0], one.why) for one in results[0].rounds]
        return Report(
            f"{len(results)} tournaments of {len(names)} agents, in which the lowest of each round are dropped",
            (
                Table("Places", ("agent", "won", "mean place", "deviation", "faults"), tuple(rows)),
                Table(
                    "Rounds of the first tournament",
                    ("round", "moves", "leader", "points", "then"),
                    tuple(rounds),
                ),
            ),
            (
                Bars(
                    "Mean place (1 is best)",
                    "",
                    names,
                    [row[2] for row in rows],
                    [row[3] for row in rows],
                ),
            ),
            (
                f"{names[0]} has the best mean place, {rows[0][2]:.2f}.",
                f"{max(names, key=wins.__getitem__)} won most often, {max(wins.values())} times.",
            ),
        )


def square(
    names: Sequence[str], cells: Mapping[tuple[str, str], float]
) -> list[list[float | None]]:
    """Return cells by pairs of names as rows; nobody meets itself."""
    return [[cells.get((own, other)) for other in names] for own in names]


def matrix(heading: str, names: Sequence[str], cells: Sequence[Sequence[float | None]]) -> Table:
    """Return rows and columns of the same names as a table."""
    return Table(
        heading,
        ("agent", *names),
        tuple((own, *row) for own, row in zip(names, cells, strict=True)),
    )
