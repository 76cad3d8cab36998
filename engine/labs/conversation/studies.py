"""Studies of the conversation: what length, number of players and random players do to it, and its patterns."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from engine.games.conversation.playout import play_out
from engine.games.conversation.scoring import score
from engine.games.conversation.strategies import STRATEGIES
from engine.labs.conversation.patterns import Patterns, patterns
from engine.labs.study import Report, Study, split_values
from engine.report.charts import Bars, Lines
from engine.report.tables import Table
from engine.statistics import mean, standard_error
from protocol.suggest import one_of


def known(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of strategies, each once; ValueError names the nearest right one."""
    return tuple(dict.fromkeys(one_of(name, STRATEGIES, "strategy") for name in names))


Names = Annotated[
    tuple[str, ...], BeforeValidator(split_values), AfterValidator(known), Field(min_length=1)
]
Wholes = Annotated[tuple[int, ...], BeforeValidator(split_values), Field(min_length=1)]
COMPARED = ("foresight", "patient", "neighbourly", "greedy", "weave", "random")


class Scene(NamedTuple):
    """One conversation to be held: which strategy sits where, and its terms."""

    seats: tuple[str, ...]
    bank_size: int
    subjects: int
    length: int
    seed: int


class Held(NamedTuple):
    """What came of a conversation: the shared score a turn, the mean total of each strategy, and its patterns."""

    shared: float
    totals: dict[str, float]
    patterns: Patterns


def hold(scene: Scene) -> Held:
    """Hold a conversation and measure it."""
    players = {f"p{seat}": name for seat, name in enumerate(scene.seats)}
    strategies = {player_id: STRATEGIES[name] for player_id, name in players.items()}
    played = play_out(
        strategies,
        bank_size=scene.bank_size,
        subjects=scene.subjects,
        length=scene.length,
        seed=scene.seed,
    )
    result = score(played.conversation)
    totals = {
        name: mean([result.total[player_id] for player_id, own in players.items() if own == name])
        for name in dict.fromkeys(scene.seats)
    }
    return Held(result.shared / max(1, scene.length), totals, patterns(played.conversation))


class Talk(Study[Scene, Held]):
    """Conversations on common terms."""

    strategies: Names = Field(default=COMPARED, description="strategies by name, with commas")
    players: int = Field(default=10, ge=1, description="players (P)")
    bank_size: int = Field(default=20, ge=0, description="items of each player (B)")
    subjects: int = Field(default=20, ge=2, description="subjects (S)")
    length: int = Field(default=50, ge=1, description="turns at most (L)")
    games: int = Field(
        default=50, ge=1, description="conversations of each kind, on the same seeds for all"
    )

    @staticmethod
    def work(task: Scene) -> Held:
        """Hold a conversation and measure it."""
        return hold(task)

    def scenes(self, seats: Sequence[str], *, length: int | None = None) -> list[Scene]:
        """Return the conversations of these seats, one a seed."""
        turns = self.length if length is None else length
        first = self.seed * 1_000_000
        return [
            Scene((*seats,), self.bank_size, self.subjects, turns, first + number)
            for number in range(self.games)
        ]

    @property
    def terms(self) -> str:
        """The terms in words."""
        return f"{self.players} players, {self.bank_size} items each, {self.subjects} subjects, {self.length} turns"


class Levels(Talk):
    """A study of the shared score along one condition, for tables of each strategy."""

    condition: ClassVar[str]

    @abstractmethod
    def levels(self) -> tuple[int, ...]:
        """Return the values of the condition."""

    @abstractmethod
    def scenes_at(self, level: int, strategy: str) -> list[Scene]:
        """Return the conversations of a strategy's table at one level."""

    def tasks(self) -> Sequence[Scene]:
        """Return all conversations: by strategy, then by level."""
        return [
            scene
            for name in self.strategies
            for level in self.levels()
            for scene in self.scenes_at(level, name)
        ]

    def report(self, results: Sequence[Held]) -> Report:
        """Return mean and standard error of the shared score a turn of each strategy at each level."""
        levels, many = self.levels(), self.games
        parts = iter([results[begin : begin + many] for begin in range(0, len(results), many)])
        shared = {
            name: [[held.shared for held in next(parts)] for _ in levels]
            for name in self.strategies
        }
        means = {name: [mean(values) for values in own] for name, own in shared.items()}
        errors = {name: [standard_error(values) for values in own] for name, own in shared.items()}
        columns = ("strategy", *map(str, levels))
        title = f"Shared score a turn by {self.condition}"
        best = [max(means, key=lambda name: means[name][place]) for place in range(len(levels))]
        return Report(
            f"{title}: {self.terms}, {many} games each",
            (Table(title, columns, tuple((name, *own) for name, own in means.items())),),
            (Lines(title, self.condition, "shared score a turn", levels, means, errors),),
            tuple(
                f"{self.condition} {level}: {name} leads with {means[name][place]:.2f} (± {errors[name][place]:.2f})."
                for place, (level, name) in enumerate(zip(levels, best, strict=True))
            ),
            (
                Table(
                    "Standard errors", columns, tuple((name, *own) for name, own in errors.items())
                ),
            ),
        )


class Length(Levels):
    """Ask how the length of a conversation changes its quality."""

    name: ClassVar[str] = "length"
    condition: ClassVar[str] = "length"
    lengths: Wholes = Field(default=(10, 20, 50, 100, 200), description="turns, with commas")

    def levels(self) -> tuple[int, ...]:
        """Return the lengths."""
        return self.lengths

    def scenes_at(self, level: int, strategy: str) -> list[Scene]:
        """Return conversations of that length."""
        return self.scenes((strategy,) * self.players, length=level)


class Players(Levels):
    """Ask how the number of players changes the quality of a conversation."""

    name: ClassVar[str] = "players"
    condition: ClassVar[str] = "players"
    counts: Wholes = Field(
        default=(1, 2, 3, 5, 8, 10, 15), description="numbers of players, with commas"
    )

    def levels(self) -> tuple[int, ...]:
        """Return the numbers of players."""
        return self.counts

    def scenes_at(self, level: int, strategy: str) -> list[Scene]:
        """Return conversations of so many."""
        return self.scenes((strategy,) * level)


class Random(Levels):
    """Ask what random players do to the quality of a conversation."""

    name: ClassVar[str] = "random"
    condition: ClassVar[str] = "random players"

    def levels(self) -> tuple[int, ...]:
        """Return up to six numbers of random players, from none to all."""
        return tuple(sorted({round(self.players * share / 5) for share in range(6)}))

    def scenes_at(self, level: int, strategy: str) -> list[Scene]:
        """Return conversations in which so many seats are random."""
        return self.scenes((*(strategy,) * (self.players - level), *("random",) * level))


class Emergent(Talk):
    """Ask which patterns emerge: runs of a subject, domination, pauses and repeats."""

    name: ClassVar[str] = "patterns"

    def tasks(self) -> Sequence[Scene]:
        """Return all conversations, by strategy."""
        return [scene for name in self.strategies for scene in self.scenes((name,) * self.players)]

    def report(self, results: Sequence[Held]) -> Report:
        """Return the mean of each pattern at tables of each strategy."""
        parts = [
            results[place * self.games : (place + 1) * self.games]
            for place in range(len(self.strategies))
        ]
        means = {
            name: [
                mean([held.shared for held in own]),
                *map(mean, zip(*(held.patterns for held in own), strict=True)),
            ]
            for name, own in zip(self.strategies, parts, strict=True)
        }
        columns = ("strategy", "shared", *(field.replace("_", " ") for field in Patterns._fields))
        runs, pauses = ([own[place] for own in means.values()] for place in (1, 4))
        longest = max(means, key=lambda name: means[name][1])
        return Report(
            f"Patterns: {self.terms}, {self.games} games each",
            (Table("Patterns", columns, tuple((name, *own) for name, own in means.items())),),
            (
                Bars("Longest run of a subject", "turns", self.strategies, runs),
                Bars("Share of pauses", "share of turns", self.strategies, pauses),
            ),
            (
                f"The longest runs of one subject are those of {longest}: {means[longest][1]:.1f} turns.",
            ),
        )
