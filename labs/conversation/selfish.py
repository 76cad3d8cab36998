"""The effect of selfish players on a conversation's shared score and on their own scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from engine.report.charts import Lines
from engine.report.statistics import Estimate, estimate_of, mean
from engine.report.tables import Table
from labs.conversation.studies import ByRandomPlayers
from labs.conversation.trials import StrategyNames, TrialResult, shared_estimate
from labs.study import Report, course_lines, table_of_rows

SELFISH = "selfish"

# The results of a strategy's tables, by level.
Row = Sequence[Sequence[TrialResult]]


class Selfish(ByRandomPlayers):
    """Ask how the shared score suffers when some players speak only of their favourites."""

    name = SELFISH
    condition = "selfish players"
    strategies: StrategyNames = Field(
        default=("foresight", "patient", "greedy"),
        description="what all others play, separated by commas",
    )

    def levels(self) -> tuple[int, ...]:
        """Return up to seven numbers of selfish players, from none to all, including 1."""
        return tuple(sorted({1, *super().levels()}))

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return the report by level, with the final scores of selfish players and of the rest."""
        rows = self.results_by_level(results)
        report = super().report(results)
        charts = report.charts
        mixed = [place for place, level in enumerate(self.levels()) if 0 < level < self.players]
        if mixed:
            charts = (*charts, self._gap_chart(rows, mixed))
        return replace(
            report,
            tables=(
                *report.tables,
                self._totals_table("Final score of a selfish player", rows, SELFISH),
                self._totals_table("Final score of each other", rows, None),
            ),
            charts=charts,
            findings=tuple(_finding(name, row) for name, row in rows.items()),
        )

    def _totals_table(
        self,
        heading: str,
        rows: Mapping[str, Row],
        whose: str | None,
    ) -> Table:
        """Return a table of the mean totals of strategy `whose` (if None, each row's strategy)."""
        totals = {}
        for name, row in rows.items():
            totals[name] = [_mean_total(part, whose or name) for part in row]
        return table_of_rows(heading, ("strategy", *map(str, self.levels())), totals)

    def _gap_chart(self, rows: Mapping[str, Row], mixed: Sequence[int]) -> Lines:
        """Return a chart of the selfish players' lead, at levels that also have other players."""
        gaps: dict[str, list[Estimate]] = {}
        for name, row in rows.items():
            # A row contains one part for each level.
            gaps[name] = [_gap_of(name, row[place]) for place in mixed]
        levels = self.levels()
        labels = ("A selfish player's gain over the others", self.condition, "final score")
        return course_lines(labels, [levels[place] for place in mixed], gaps)


def _gap_of(name: str, results: Sequence[TrialResult]) -> Estimate:
    """Return the mean lead of a selfish player over the other players, which play `name`."""
    totals = [result.totals for result in results]
    return estimate_of([total[SELFISH] - total[name] for total in totals])


def _finding(name: str, row: Row) -> str:
    """Return a sentence comparing tables of `name` with and without one selfish player."""
    none = row[0]
    selfish_table = row[min(1, len(row) - 1)]
    before = shared_estimate(none).mean
    after = shared_estimate(selfish_table).mean
    own_mean = _mean_total(selfish_table, SELFISH)
    others = _mean_total(none, name)
    return (
        f"{name}: one selfish player changes the shared score a turn from {before:.2f} to "
        f"{after:.2f}; its own final score is {own_mean:.2f}, and each had {others:.2f} without it."
    )


def _mean_total(results: Sequence[TrialResult], name: str) -> float | None:
    """Return the mean total of a strategy, or None if it had no seat at these tables."""
    if name not in results[0].totals:
        return None
    return mean([result.totals[name] for result in results])
