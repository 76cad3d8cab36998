"""How strategies do among their own kind, from one setting of the conversation to another."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from engine.labs.conversation.contests import Settings
from engine.labs.conversation.studies import (
    COMPARED,
    Held,
    Names,
    Scene,
    hold,
)
from engine.labs.conversation.substitution import SETTINGS
from engine.labs.study import Report, Study
from engine.report.charts import Heat
from engine.report.tables import Table
from engine.statistics import mean, standard_error


class SelfPlay(Study[Scene, Held]):
    """Ask how tables of one strategy do, from one setting to another."""

    name: ClassVar[str] = "selfplay"
    strategies: Names = Field(default=COMPARED, description="strategies by name, with commas")
    settings: Settings = Field(
        default=SETTINGS[:6], min_length=1, description="P/B/S/L of each setting, with commas"
    )
    games: int = Field(
        default=50, ge=1, description="conversations of each kind, on the same seeds for all"
    )

    def tasks(self) -> Sequence[Scene]:
        """Return all conversations: by setting, then by strategy."""
        first = self.seed * 1_000_000
        return [
            Scene((name,) * players, bank_size, subjects, length, first + game)
            for players, bank_size, subjects, length in self.settings
            for name in self.strategies
            for game in range(self.games)
        ]

    @staticmethod
    def work(task: Scene) -> Held:
        """Hold a conversation and measure it."""
        return hold(task)

    def report(self, results: Sequence[Held]) -> Report:
        """Return mean and standard error of the shared score a turn of each strategy in each setting."""
        names, many = self.strategies, self.games
        scores = [
            [held.shared for held in results[begin : begin + many]]
            for begin in range(0, len(results), many)
        ]
        rows = [scores[begin : begin + len(names)] for begin in range(0, len(scores), len(names))]
        settings = ["/".join(map(str, setting)) for setting in self.settings]
        means = [[*map(mean, row)] for row in rows]
        title = "Shared score a turn in self-play"
        tables = [
            Table(
                heading,
                ("setting", *names),
                tuple((name, *own) for name, own in zip(settings, cells, strict=True)),
            )
            for heading, cells in (
                (title, means),
                ("Standard errors", [[*map(standard_error, row)] for row in rows]),
            )
        ]
        return Report(
            f"{title}, by players/bank/subjects/length: {many} conversations each",
            tuple(tables),
            (Heat(title, settings, names, means, "shared score a turn"),),
            tuple(
                f"{setting}: {name} leads with {best:.2f}."
                for setting, (best, name) in zip(
                    settings, (max(zip(own, names, strict=True)) for own in means), strict=True
                )
            ),
        )
