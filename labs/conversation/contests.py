"""The study that finds the best strategy in conversations, by substitution."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import BeforeValidator, Field, field_validator

from engine.games.conversation.strategies import STRATEGIES
from engine.report.charts import Heat
from engine.report.statistics import estimate_of, mean
from engine.report.tables import Table
from labs.conversation.selfplay import Setting
from labs.conversation.substitution import (
    SETTINGS,
    Seating,
    Substitution,
    compare_by_substitution,
    seatings,
    shared_change,
)
from labs.conversation.trials import (
    SEEDS,
    Settings,
    StrategyNames,
    Trial,
    play_trial,
    setting_name,
)
from labs.study import (
    Count,
    Report,
    Study,
    error_text,
    leader_in_words,
    split_values,
    spread_bars,
    table_of_rows,
)

HALF = "half"


def read_randoms(value: object) -> object:
    """Return the numbers of random seats from text such as "0,2,half", or from a single number."""
    values = split_values(value)
    return tuple(map(str, values)) if isinstance(values, tuple) else values


Randoms = Annotated[tuple[str, ...], BeforeValidator(read_randoms)]


# Each conversation's shared score and first seat's total, by subject and company (see `Seating`).
Scores: TypeAlias = dict[tuple[str, str], list[tuple[float, float]]]
# Shared scores in self-play, by setting or number of random seats, then by strategy.
SelfPlay: TypeAlias = dict[str, dict[str, list[float]]]


class Fixture(NamedTuple):
    """One conversation of a tournament: its number of random seats, its seating, and its trial."""

    randoms: str
    seating: Seating
    trial: Trial


class Tournament(Study[Fixture, tuple[float, float]]):
    """Ask which strategy is best: in self-play, as one seat among others, and in a mix of all."""

    name = "tournament"
    strategies: StrategyNames = tuple(STRATEGIES)
    settings: Settings = Field(
        default=SETTINGS,
        description="P/B/S/L of each setting, separated by commas (default: sixteen)",
    )
    randoms: Randoms = Field(
        default=("0", "1", "2", HALF),
        description="random seats, numbers or half, separated by commas",
    )
    games: Count = Field(
        default=3, description="conversations of each table, on the same seeds for all"
    )

    @field_validator("randoms")
    @classmethod
    def _check_randoms(cls, randoms: tuple[str, ...]) -> tuple[str, ...]:
        for number in randoms:
            if number != HALF and not number.isdigit():
                raise ValueError(f"expected randoms to be numbers or {HALF!r}: got {number!r}")
        return randoms

    def tasks(self) -> Sequence[Fixture]:
        """Return all conversations, leaving out tables with only random seats."""
        fixtures = []
        for setting in self.settings:
            for randoms in self.randoms:
                for game in range(self.games):
                    fixtures += self._fixtures(setting, randoms, game)
        if not fixtures:
            raise ValueError(
                f"expected randoms to leave a seat at some table: got {', '.join(self.randoms)}"
            )
        return fixtures

    def _fixtures(self, setting: Setting, randoms: str, game: int) -> list[Fixture]:
        players = setting.players
        many = players // 2 if randoms == HALF else min(players, int(randoms))
        fixtures = []
        for seating in seatings(self.strategies, players, many, game):
            trial = Trial(seating.seats, setting, self.seed * SEEDS + game)
            fixtures.append(Fixture(randoms, seating, trial))
        return fixtures

    @staticmethod
    def work(task: Fixture) -> tuple[float, float]:
        """Play a conversation; return the shared score per turn and the first seat's total."""
        result = play_trial(task.trial)
        return result.shared, result.first

    def report(self, results: Sequence[tuple[float, float]]) -> Report:
        """Return the standings, self-play scores by random seats and by setting, and all swaps."""
        scores, by_randoms, by_setting = group_results(self.tasks(), results)
        rows = compare_by_substitution(self.strategies, scores)
        ranked = [row.name for row in rows]
        swaps = _swaps(scores, ranked)
        pairs = table_of_rows("One seat among others", ("strategy", *ranked), swaps)
        alone = {row.name: row.self_play for row in rows}
        label = "shared score a turn, the row among the column"
        return Report(
            f"{len(self.strategies)} strategies by substitution: "
            f"{len(self.settings)} settings, {len(results)} conversations",
            tables=(_standings(rows), _randoms_table(ranked, by_randoms)),
            charts=(
                spread_bars("Self-play", "shared score a turn", alone),
                Heat("What one seat changes", [*swaps], [*swaps], [*swaps.values()], label),
            ),
            findings=_sentences(rows, len(self.settings) * self.games),
            sheets=(_settings_table(ranked, by_setting), pairs),
        )


def group_results(
    fixtures: Sequence[Fixture], results: Sequence[tuple[float, float]]
) -> tuple[Scores, SelfPlay, SelfPlay]:
    """Return the results in three groupings, each in the order of the fixtures.

    The first contains all results, by subject and company. The other two contain the shared scores
    in self-play: by random seats and strategy, and by setting, random seats and strategy.
    """
    scores: Scores = {}
    by_randoms: SelfPlay = {}
    by_setting: SelfPlay = {}
    for fixture, result in zip(fixtures, results, strict=True):
        subject, company, _ = fixture.seating
        scores.setdefault((subject, company), []).append(result)
        if company:
            continue
        setting = f"{setting_name(fixture.trial.setting)}, {fixture.randoms}"
        for alone, column in ((by_randoms, f"{fixture.randoms} random"), (by_setting, setting)):
            alone.setdefault(column, {}).setdefault(subject, []).append(result[0])
    return scores, by_randoms, by_setting


def _swaps(scores: Scores, ranked: Sequence[str]) -> dict[str, list[float | None]]:
    """Return how one seat of each strategy changes the score at each other strategy's tables.

    The change at a strategy's own tables is None.
    """
    swaps: dict[str, list[float | None]] = {}
    for name in ranked:
        swaps[name] = []
        for rival in ranked:
            change = None
            if name != rival:
                change = shared_change(scores[name, rival], scores[rival, ""]).mean
            swaps[name].append(change)
    return swaps


def _standings(rows: Sequence[Substitution]) -> Table:
    columns = ("strategy", "alone", "±", "all", "±", "own", "±", "worst", "loss", "±")
    cells: dict[str, list[float]] = {}
    for name, alone, shared, own_gain, worst, ring in rows:
        cells[name] = [*alone, *shared, *own_gain, worst, *ring]
    return table_of_rows("Standings", columns, cells)


def _randoms_table(ranked: Sequence[str], by_randoms: SelfPlay) -> Table:
    means = {}
    for name in ranked:
        means[name] = [mean(alone[name]) for alone in by_randoms.values()]
    return table_of_rows("Self-play by random seats", ("strategy", *by_randoms), means)


def _settings_table(ranked: Sequence[str], by_setting: SelfPlay) -> Table:
    columns = ["setting"]
    for name in ranked:
        columns += [name, f"± {name}"]
    rows: dict[str, list[float]] = {setting: [] for setting in by_setting}
    for setting, alone in by_setting.items():
        for name in ranked:
            rows[setting] += estimate_of(alone[name])
    return table_of_rows("Self-play by setting", columns, rows)


def _sentences(rows: Sequence[Substitution], conversations: int) -> tuple[str, ...]:
    leader = leader_in_words({row.name: row.self_play for row in rows}, conversations, 3)
    shared = rows[0].shared
    return (
        f"In self-play {leader}.",
        f"One seat of {rows[0].name} changes {shared.mean:+.3f} ({error_text(shared.error, 3)}) "
        "at the tables of others.",
        "Alone: shared score a turn in self-play; all, own: what one seat changes elsewhere;",
        "loss: what a mixed table loses without it.",
    )
