"""Tables and facts as plain values; `engine/views/` decides how they look."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan

Cell = str | float | None
TableRow = tuple[Cell, ...]
# Longer texts are wrapped.
WIDEST = 30
# Numbers with an optional sign or unit, and the placeholders for a missing number.
NUMBER = re.compile(r"[-?]?|(< ?|[-+]?)[$]?[.0-9][0-9,.]*( ?[%s])?")


@dataclass(frozen=True, slots=True)
class Title:
    """The game's title, and facts about it as pairs of label and value."""

    text: str
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts under a heading, as pairs of label and value."""

    heading: str
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and columns; cells under "player" are player ids, and None is an empty cell.

    If there is too little room, columns in `last_to_go` are dropped last.
    """

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    last_to_go: Sequence[str] = ()

    def numeric(self) -> list[bool]:
        """Return, for each column, whether it contains only numbers or placeholders for numbers."""
        numeric = []
        for name, *cells in zip(self.columns, *self.rows, strict=True):
            texts = [cell for cell in cells if isinstance(cell, str)]
            numeric.append(name != "player" and all(map(NUMBER.fullmatch, texts)))
        return numeric

    def without_empty(self, *columns: str) -> "Table":
        """Return the table without those of `columns` that are empty in every row."""
        kept = []
        for place, (name, *cells) in enumerate(zip(self.columns, *self.rows, strict=True)):
            if name not in columns or not {None, ""}.issuperset(cells):
                kept.append(place)
        return self._of(kept)

    def split(self, width: int) -> "list[Table]":
        """Return tables of at most `width` characters, with gaps of two characters between columns.

        Each table repeats the columns up to "player" or, without it, the first column. A table
        with a single further column may exceed `width`.
        """
        kept = self.columns.index("player") + 1 if "player" in self.columns else 1
        needed = self._widths()
        groups = [[*range(kept)]]
        used = sum(needed[:kept])
        for place in range(kept, len(self.columns)):
            used += needed[place]
            if used > width and len(groups[-1]) > kept:
                groups.append([*range(kept)])
                used = sum(needed[:kept]) + needed[place]
            groups[-1].append(place)
        return [self._of(places) for places in groups]

    def _widths(self) -> list[int]:
        columns = zip(self.columns, *self.texts(), strict=True)
        return [2 + min(max(map(len, texts)), WIDEST) for texts in columns]

    def _of(self, places: Sequence[int]) -> "Table":
        columns = tuple(self.columns[place] for place in places)
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return replace(self, columns=columns, rows=rows)

    def texts(self) -> list[list[str]]:
        """Return the rows as text.

        All numbers in a column have the same number of decimals, the most that any of them needs.
        The limit is 3 decimals, 2 if any number is at least 10, or 1 if any is at least 100.
        """
        columns = [_column_texts(cells) for cells in zip(*self.rows, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on its own, such as how a game ended; a `grave` sentence is highlighted."""

    text: str
    grave: bool = False


Part = Facts | Table | Sentence


def _column_texts(cells: Sequence[Cell]) -> list[str]:
    # nan means unknown, such as the error of one game.
    numbers = [cell for cell in cells if isinstance(cell, int | float) and not isnan(cell)]
    # The number of decimals that are useful next to the largest number.
    largest = max(map(abs, numbers), default=0)
    most = 1 if largest >= 100 else 2 if largest >= 10 else 3
    fractions = [f"{number:.{most}f}".rstrip("0").partition(".")[2] for number in numbers]
    decimals = max(map(len, fractions), default=0)
    return [_cell_text(cell, decimals) for cell in cells]


def _cell_text(cell: Cell, decimals: int) -> str:
    if cell is None or isinstance(cell, str):
        return cell or ""
    return "-" if isnan(cell) else f"{cell:.{decimals}f}"


@dataclass(frozen=True, slots=True)
class Dial:
    """A bar filled to `share` (0 to 1), with a line at `mark`; a `chosen` bar is highlighted."""

    label: str
    share: float
    words: str = ""
    mark: float | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Glance:
    """A game at one moment: one bar per player, labelled by id, and `measures` of the whole game.

    `news` are pairs of a short label and a sentence.
    """

    heading: str
    news: tuple[tuple[str, str], ...]
    players: tuple[Dial, ...]
    measures: tuple[Dial, ...] = ()
