"""Figures: ratings on an axis, and a grid of pairwise results, as positions and charts.

Positions become inline SVG in `page.html`, whose security policy forbids style attributes.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from engine.ratings import PairGap, Rating
from engine.report.charts import Chart, Heat, Ranges
from engine.tournaments.standings.standings import Standings, TargetTable
from protocol.text import lines_of_name

# The approximate number of marks on an axis.
MARKS = 4
STEPS = (1, 2, 5, 10)
# The distances of a share from one half at which its colour deepens.
DEPTHS = (0.03, 0.12, 0.22, 0.35)
CELL = 42
# Cells have no numbers if there are more entrants than this.
ROOMY_CELLS = 24
SMALL_CELL = 16
HEADING = 26
# Pixels left of the first cell for numbers and for each letter, and the most letters per line.
MARGIN = 44
LETTER = 7
LONGEST_NAME = 26


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high`, with its marks."""

    low: float
    high: float
    marks: tuple[float, ...]

    def percent(self, value: float) -> float:
        """Return a value's position as a percentage of the axis, clipped to the axis's ends."""
        share = (self.inside(value) - self.low) / (self.high - self.low)
        return round(100 * share, 2)

    def inside(self, value: float) -> float:
        """Return a value, clipped to the ends of the axis."""
        return min(max(value, self.low), self.high)

    def ends(self, row: Rating) -> tuple[float, float]:
        """Return the ends of a rating's interval; without one, both are the rating itself."""
        if math.isnan(row.low):
            return self.inside(row.rating), self.inside(row.rating)
        low = self.low if row.open_end == "lower" else self.inside(row.low)
        high = self.high if row.open_end == "upper" else self.inside(row.high)
        return low, high


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A cell of the matrix: its position, colour class, numbers and title."""

    x: int
    y: int
    words: str
    kind: str = "none"
    share: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The pairwise results, with names (on one or two lines) at the side and numbers on top."""

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    cells: tuple[MatrixCell, ...]
    cell: int
    left: int
    roomy: bool

    @property
    def width(self) -> int:
        """The width in pixels."""
        return self.left + self.cell * len(self.names) + 1

    @property
    def height(self) -> int:
        """The height in pixels."""
        return HEADING + self.cell * len(self.names) + 1


def axis_of(rows: Sequence[Rating]) -> Axis:
    """Return an axis for all ratings and their intervals; very wide intervals are cut off."""
    ratings = [row.rating for row in rows]
    known = [row for row in rows if not math.isnan(row.low)]
    widths = [row.high - row.low for row in known]
    reach = max(ratings) - min(ratings) + (median(widths) if widths else 0.0)
    low = max(min(ratings) - reach, min([*ratings, *(row.low for row in known)]))
    high = min(max(ratings) + reach, max([*ratings, *(row.high for row in known)]))
    marks = marks_between(low, high)
    return Axis(marks[0], marks[-1], marks)


def marks_between(low: float, high: float) -> tuple[float, ...]:
    """Return about MARKS round numbers, at least two, that enclose `low` and `high`."""
    rough = (high - low or 1.0) / MARKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((step * power for step in STEPS if step * power >= rough), 10 * power)
    first = math.floor(low / step)
    last = max(math.ceil(high / step), first + 1)
    return tuple(round(step * place, 9) for place in range(first, last + 1))


def matrix_of(table: TargetTable) -> Matrix | None:
    """Return the matrix of a table, best entrant first; None if no two entrants met."""
    if not table.pairs:
        return None
    names = tuple(row.entrant for row in table.all_rows)
    roomy = len(names) <= ROOMY_CELLS
    size = CELL if roomy else SMALL_CELL
    labels = tuple(_label_of(name, roomy=roomy) for name in names)
    left = MARGIN + LETTER * max(len(line) for label in labels for line in label)
    starts = {name: size * place for place, name in enumerate(names)}
    cells = tuple(
        _cell_at(left + starts[pair.other], HEADING + starts[pair.entrant], pair)
        for pair in both_ways(table.pairs)
    )
    return Matrix(names, labels, cells, size, left, roomy)


def both_ways(pairs: Sequence[PairGap]) -> Iterator[PairGap]:
    """Yield each pair twice, once with each of its entrants first."""
    for pair in pairs:
        yield pair
        yield pair.mirrored()


def _label_of(name: str, *, roomy: bool) -> tuple[str, ...]:
    # Low cells have space for one line. Other cells have two lines, the second possibly empty.
    lines, most = (2, LONGEST_NAME) if roomy else (1, 2 * LONGEST_NAME)
    return tuple([*lines_of_name(name, most), ""][:lines])


def _cell_at(x: int, y: int, pair: PairGap) -> MatrixCell:
    if not pair.meetings:
        return MatrixCell(x, y, f"{pair.entrant} and {pair.other} never met")
    share = pair.wins / pair.meetings
    label = f"{pair.entrant} ahead of {pair.other}: {pair.wins:g} of {pair.meetings:g}"
    cell = MatrixCell(x, y, label, shade_of(share), f"{100 * share:.0f}")
    if pair.expected is None:
        return cell
    expected = f"{100 * (pair.expected / pair.meetings):.0f}"
    return replace(cell, words=f"{label}, expected {pair.expected:.1f}", expected=expected)


def shade_of(share: float) -> str:
    """Return the class of a share's colour: even, h (high) or l (low).

    The number after h or l grows with the distance from .5.

    >>> shade_of(0.5), shade_of(0.6), shade_of(0.04)
    ('even', 'h1', 'l4')
    """
    depth = bisect_left(DEPTHS, abs(share - 0.5))
    return f"{'h' if share > 0.5 else 'l'}{depth}" if depth else "even"


def pictures_of(standings: Standings) -> Iterator[tuple[str, Chart]]:
    """Yield file names and charts; a name includes the target, except for the first target."""
    for place, table in enumerate(standings.targets):
        ending = f"-{table.target}" if place else ""
        if table.all_rows:
            yield f"intervals{ending}", intervals_chart(table, standings)
        if table.pairs:
            yield f"matrix{ending}", matrix_chart(table)


def intervals_chart(table: TargetTable, standings: Standings) -> Ranges:
    """Return a chart of ratings and intervals, best first and entrants without a rating last."""
    axis = axis_of(table.rows or table.below)
    ranges = {}
    for row in table.all_rows:
        low, high = axis.ends(row)
        ranges[row.entrant] = low, axis.inside(row.rating), high
    for record in standings.unrated:
        ranges[f"{record.entrant}: not rated, {record.not_rated}"] = math.nan, math.nan, math.nan
    title = f"{standings.name}: {table.kind.heading.lower()}"
    label = f"{table.kind.scale.axis}, with 95 % intervals"
    return Ranges(title, label, [*ranges], [*ranges.values()])


def matrix_chart(table: TargetTable) -> Heat:
    """Return a chart of the share of meetings in which the row's entrant beat the column's."""
    names = [row.entrant for row in table.all_rows]
    shares = {}
    for pair in both_ways(table.pairs):
        if pair.meetings:
            shares[pair.entrant, pair.other] = pair.wins / pair.meetings
    cells = [[shares.get((name, other)) for other in names] for name in names]
    title = f"Who came out ahead, {table.kind.heading.lower()}"
    return Heat(title, names, names, cells, "share of meetings", centre=0.5)
