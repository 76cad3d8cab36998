"""What selfish players do to a conversation: to the score that all share, and to their own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from engine.labs.conversation.studies import Held, Levels, Names, Scene
from engine.labs.study import Report
from engine.report.charts import Lines
from engine.report.tables import Table
from engine.statistics import mean, standard_error

SELFISH = "selfish"


class Selfish(Levels):
    """Ask how the shared score suffers when some players speak only of what they like themselves."""

    name: ClassVar[str] = SELFISH
    condition: ClassVar[str] = "selfish players"
    strategies: Names = Field(
        default=("foresight", "patient", "greedy"), description="what all others play, with commas"
    )

    def levels(self) -> tuple[int, ...]:
        """Return up to seven numbers of selfish players: none, one, and so on to all."""
        return tuple(
            sorted({min(1, self.players), *(round(self.players * share / 5) for share in range(6))})
        )

    def scenes_at(self, level: int, strategy: str) -> list[Scene]:
        """Return conversations in which so many seats are selfish."""
        return self.scenes((*(strategy,) * (self.players - level), *(SELFISH,) * level))

    def report(self, results: Sequence[Held]) -> Report:
        """Return what a study of levels shows, and the mean final scores of the selfish and of the others."""
        levels, names = self.levels(), self.strategies
        cells = [
            results[begin : begin + self.games] for begin in range(0, len(results), self.games)
        ]
        held = {
            name: cells[len(levels) * place :][: len(levels)] for place, name in enumerate(names)
        }
        columns = ("strategy", *map(str, levels))
        tables = [
            Table(
                heading,
                columns,
                tuple(
                    (name, *[total(cell, whose or name) for cell in row])
                    for name, row in held.items()
                ),
            )
            for heading, whose in (
                ("Final score of a selfish player", SELFISH),
                ("Final score of each other", ""),
            )
        ]
        mixed = [place for place, level in enumerate(levels) if 0 < level < self.players]
        gaps = {
            name: [
                [one.totals[SELFISH] - one.totals[name] for one in row[place]] for place in mixed
            ]
            for name, row in held.items()
        }
        chart = Lines(
            "What a selfish player has above the others",
            self.condition,
            "final score",
            [levels[place] for place in mixed],
            {name: [*map(mean, own)] for name, own in gaps.items()},
            {name: [*map(standard_error, own)] for name, own in gaps.items()},
        )
        report = super().report(results)
        return replace(
            report,
            tables=(*report.tables, *tables),
            charts=(*report.charts, chart) if mixed else report.charts,
            findings=tuple(told(name, row) for name, row in held.items()),
        )


def told(name: str, row: Sequence[Sequence[Held]]) -> str:
    """Return what the first selfish player does to a table of `name`, and what it has of that itself."""
    none, one = row[0], row[min(1, len(row) - 1)]
    shared = mean([held.shared for held in none]), mean([held.shared for held in one])
    return (
        f"{name}: one selfish player takes the shared score a turn from {shared[0]:.2f} to {shared[1]:.2f}; "
        f"its own final score is {total(one, SELFISH):.2f}, and each had {total(none, name):.2f} without it."
    )


def total(cell: Sequence[Held], name: str) -> float | None:
    """Return the mean total of a strategy over the conversations; None if it sat at none of the tables."""
    return mean([held.totals[name] for held in cell]) if name in cell[0].totals else None
