"""Which strategy is best in conversations, by substitution; and how the weights of the best were learned."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, NamedTuple, TypeAlias

from pydantic import BeforeValidator, Field, field_validator

from engine.games.conversation.strategies import STRATEGIES
from engine.games.conversation.strategies.foresight.weights import (
    WEIGHTS,
    Learned,
    learned,
    weights_for,
)
from engine.labs.conversation.selfplay import Setting
from engine.labs.conversation.studies import Names, Scene, hold
from engine.labs.conversation.substitution import (
    SETTINGS,
    Seating,
    Standing,
    change_of,
    seatings,
    standings,
)
from engine.labs.conversation.training import Trained, learn_weights, weights_text
from engine.labs.study import Report, Study, split_values
from engine.report.charts import Bars, Heat
from engine.report.tables import Cell, Table
from protocol.suggest import one_of

HALF = "half"
Rows: TypeAlias = tuple[tuple[Cell, ...], ...]


def settings_of(value: object) -> object:
    """Return settings as they are told on a command line, "5/10/20/20,10/10/20/50"."""
    told = split_values(value)
    if not isinstance(told, tuple):
        return told
    return tuple(setting_of(one) if isinstance(one, str) else Setting(*one) for one in told)


def setting_of(text: str) -> Setting:
    """Return P, B, S and L of "10/10/20/50"; ValueError if it is not that."""
    numbers = text.split("/")
    if len(numbers) != 4 or not all(number.isdigit() for number in numbers):
        raise ValueError(f"expected settings as P/B/S/L, for example 10/10/20/50: got {text!r}")
    return Setting(*map(int, numbers))


def randoms_of(value: object) -> object:
    """Return numbers of random seats as they are told on a command line, "0,2,half" or one alone."""
    told = split_values(value)
    return tuple(map(str, told)) if isinstance(told, tuple) else told


Settings = Annotated[tuple[Setting, ...], BeforeValidator(settings_of)]
Randoms = Annotated[tuple[str, ...], BeforeValidator(randoms_of)]


class Fixture(NamedTuple):
    """One conversation of a tournament: its column (settings and random seats), what it shows, and its scene."""

    setting: Setting
    randoms: str
    seating: Seating
    scene: Scene


class Tournament(Study[Fixture, tuple[float, float]]):
    """Ask which strategy is best: alone, as one seat among others, and by what a mixed table loses without it."""

    name: ClassVar[str] = "tournament"
    strategies: Names = Field(
        default=tuple(STRATEGIES), description="strategies by name, with commas"
    )
    settings: Settings = Field(
        default=SETTINGS, description="P/B/S/L of each setting, with commas (sixteen)"
    )
    randoms: Randoms = Field(
        default=("0", "1", "2", HALF), description="random seats, numbers or half, with commas"
    )
    games: int = Field(
        default=3, ge=1, description="conversations of each table, on the same seeds for all"
    )

    @field_validator("strategies")
    @classmethod
    def _check_strategies(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one_of(name, STRATEGIES, "strategy") for name in names))

    @field_validator("randoms")
    @classmethod
    def _check_randoms(cls, randoms: tuple[str, ...]) -> tuple[str, ...]:
        for number in randoms:
            if number != HALF and not str(number).isdigit():
                raise ValueError(f"expected randoms to be numbers or {HALF!r}: got {number!r}")
        return randoms

    def tasks(self) -> Sequence[Fixture]:
        """Return all conversations; settings where nobody is left beside the random seats have none."""
        fixtures = [
            Fixture(
                setting,
                randoms,
                seating,
                Scene(seating.seats, *setting[1:], self.seed * 1_000_000 + game),
            )
            for setting in self.settings
            for randoms in self.randoms
            for game in range(self.games)
            for seating in seatings(
                self.strategies, setting.players, random_seats(randoms, setting.players), game
            )
        ]
        if not fixtures:
            raise ValueError(
                f"expected randoms to leave a seat at some table: got {', '.join(self.randoms)}"
            )
        return fixtures

    @staticmethod
    def work(task: Fixture) -> tuple[float, float]:
        """Hold a conversation; return the shared score a turn, and the total of the first seat."""
        held = hold(task.scene)
        return held.shared, held.totals[
            task.scene.seats[0]
        ] if task.seating.company else held.shared

    def report(self, results: Sequence[tuple[float, float]]) -> Report:
        """Return the standings, self-play by number of random seats and by setting, and each pair."""
        names = self.strategies
        groups, alone = grouped(self.tasks(), results)
        rows = standings(names, groups)
        ranked = [row.name for row in rows]
        columns = [column for subject, column in alone if subject == names[0]]
        wide = {
            column: [
                change_of(alone[name, column], [0.0] * len(alone[name, column])) for name in ranked
            ]
            for column in columns
        }
        few = [column for column in columns if column.endswith(" random")]
        swaps = [
            [
                None
                if name == other
                else change_of(shared(groups[name, other]), shared(groups[other, ""])).mean
                for other in ranked
            ]
            for name in ranked
        ]
        best = rows[0]
        return Report(
            f"{len(names)} strategies by substitution: {len(self.settings)} settings, {len(results)} conversations",
            (
                standings_table(rows),
                Table(
                    "Self-play by random seats",
                    ("strategy", *few),
                    tuple(
                        (name, *[wide[column][place].mean for column in few])
                        for place, name in enumerate(ranked)
                    ),
                ),
            ),
            (
                Bars(
                    "Self-play",
                    "shared score a turn",
                    ranked,
                    [row.self_play.mean for row in rows],
                    [row.self_play.error for row in rows],
                ),
                Heat(
                    "What one seat changes",
                    ranked,
                    ranked,
                    swaps,
                    "shared score a turn, the row among the column",
                ),
            ),
            (
                f"{best.name} leads in self-play with {best.self_play.mean:.3f} (± {best.self_play.error:.3f}).",
                f"One seat of it changes {best.shared.mean:+.3f} (± {best.shared.error:.3f}) at the tables of others.",
                "Alone: shared score a turn in self-play; all, own: what one seat changes elsewhere;",
                "loss: what a mixed table loses without it.",
            ),
            (
                Table(
                    "Self-play by setting",
                    ("setting", *[word for name in ranked for word in (name, f"± {name}")]),
                    tuple(
                        (column, *[x for change in wide[column] for x in change])
                        for column in columns
                        if column not in few
                    ),
                ),
                Table(
                    "One seat among others",
                    ("strategy", *ranked),
                    tuple((name, *row) for name, row in zip(ranked, swaps, strict=True)),
                ),
            ),
        )


def grouped(
    fixtures: Sequence[Fixture], results: Sequence[tuple[float, float]]
) -> tuple[dict[tuple[str, str], list[tuple[float, float]]], dict[tuple[str, str], list[float]]]:
    """Return the results by strategy and company, and the shared scores of self-play by strategy and column."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    alone: dict[tuple[str, str], list[float]] = {}
    for fixture, result in zip(fixtures, results, strict=True):
        subject, company, _ = fixture.seating
        groups.setdefault((subject, company), []).append(result)
        if not company:
            setting = "/".join(map(str, fixture.setting))
            for column in (f"{fixture.randoms} random", f"{setting}, {fixture.randoms}"):
                alone.setdefault((subject, column), []).append(result[0])
    return groups, alone


def standings_table(rows: Sequence[Standing]) -> Table:
    """Return the standings as a table."""
    columns = ("strategy", "alone", "±", "all", "±", "own", "±", "worst", "loss", "±")
    cells = tuple(
        (row.name, *row.self_play, *row.shared, *row.own, row.worst, *row.ring) for row in rows
    )
    return Table("Standings", columns, cells)


def shared(results: Sequence[tuple[float, float]]) -> list[float]:
    """Return the shared scores."""
    return [result[0] for result in results]


def random_seats(randoms: str, players: int) -> int:
    """Return how many of the seats talk at random."""
    return players // 2 if randoms == HALF else min(players, int(randoms))


class Lesson(NamedTuple):
    """What to train: weights for one setting or, without one, for all, and what to begin with."""

    setting: Setting | None
    start: tuple[float, ...]
    generations: int
    seed: int


class Train(Study[Lesson, Trained]):
    """Learn the weights of foresight, by an evolution strategy over conversations of its own kind."""

    name: ClassVar[str] = "train"
    settings: Settings = Field(
        default=tuple(Setting(*known) for known in learned().by_setting),
        description="P/B/S/L of each setting, with commas",
    )
    afresh: bool = Field(
        default=False,
        description="begin with weights set by hand, not with those in the repository",
    )
    generations: int = Field(default=90, ge=1, description="generations: 90 take minutes a setting")
    write: bool = Field(
        default=False, description="put the weights into the file that foresight reads"
    )

    def tasks(self) -> Sequence[Lesson]:
        """Return the lessons: one for all settings, and one for each."""
        known = {None: learned().for_all} | {
            setting: weights_for(*setting) for setting in self.settings
        }
        return [
            Lesson(
                setting, learned().by_hand if self.afresh else weights, self.generations, self.seed
            )
            for setting, weights in known.items()
        ]

    @staticmethod
    def work(task: Lesson) -> Trained:
        """Learn the weights of one lesson."""
        return learn_weights(
            task.setting, generations=task.generations, seed=task.seed, start=task.start
        )

    def report(self, results: Sequence[Trained]) -> Report:
        """Return what was reached in self-play on fresh deals, and the weights."""
        names = [
            "all" if one.setting is None else "/".join(map(str, one.setting)) for one in results
        ]
        rows: Rows = tuple(
            (name, one.mean, one.error) for name, one in zip(names, results, strict=True)
        )
        weights: Rows = tuple(
            (name, *one.weights) for name, one in zip(names, results, strict=True)
        )
        if self.write:
            write_weights(results)
        return Report(
            f"Weights of foresight after {self.generations} generations",
            (
                Table(
                    "Shared score a turn in self-play, on fresh deals",
                    ("setting", "mean", "±"),
                    rows,
                ),
            ),
            (
                Bars(
                    "Self-play on fresh deals",
                    "shared score a turn",
                    names,
                    [one.mean for one in results],
                    [one.error for one in results],
                ),
            ),
            (
                f"{WEIGHTS.name} has these weights now."
                if self.write
                else f"`--write` puts these weights into {WEIGHTS.name}.",
            ),
            (Table("Weights", ("setting", *map(str, range(len(results[0].weights)))), weights),),
        )


def write_weights(results: Sequence[Trained]) -> None:
    """Put the weights into the file that `foresight` reads, beside those of other settings."""
    by_hand, for_all, by_setting = learned()
    found = dict(by_setting)
    for one in results:
        if one.setting is None:
            for_all = one.weights
        else:
            found[*one.setting] = one.weights
    WEIGHTS.write_text(weights_text(Learned(by_hand, for_all, found)), encoding="utf-8")
