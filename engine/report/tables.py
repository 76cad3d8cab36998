"""Tables and facts as plain values: what to show; `engine/views/` decides how it looks."""

from dataclasses import dataclass

Cell = str | float | None


@dataclass(frozen=True, slots=True)
class Title:
    """Which game this is, and facts about it: pairs of a label and its value."""

    text: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts under a heading: pairs of a label and its value."""

    heading: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; the cells under "player" are player ids, None is an empty cell."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def numeric(self, column: int) -> bool:
        """Return whether the column at place `column` holds numbers."""
        return not any(isinstance(row[column], str) for row in self.rows)

    def without_empty(self, column: str) -> "Table":
        """Return the table without the columns called `column` in which no row has anything."""
        kept = []
        for place, name in enumerate(self.columns):
            if name != column or any(row[place] is not None for row in self.rows):
                kept.append(place)
        rows = []
        for row in self.rows:
            rows.append(tuple(row[place] for place in kept))
        columns = tuple(self.columns[place] for place in kept)
        return Table(self.heading, columns, tuple(rows))

    def texts(self) -> list[list[str]]:
        """Return the rows as text.

        All numbers of a column have as many decimals as one of them needs, up to 3.
        """
        columns = []
        for place in range(len(self.columns)):
            cells = [row[place] for row in self.rows]
            columns.append(_column_texts(cells))
        return [list(row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True)
class Sentence:
    """How a game ended, or how far it is; a `grave` one says what nobody may overlook."""

    text: str
    grave: bool = False


Part = Facts | Table | Sentence


def _column_texts(cells: list[Cell]) -> list[str]:
    decimals = max(map(_decimals_of, cells), default=0)
    texts = []
    for cell in cells:
        if cell is None:
            texts.append("")
        elif isinstance(cell, str):
            texts.append(cell)
        else:
            texts.append(f"{cell:.{decimals}f}")
    return texts


def _decimals_of(cell: Cell) -> int:
    if cell is None or isinstance(cell, str):
        return 0
    fraction = f"{cell:.3f}".rstrip("0").partition(".")[2]
    return len(fraction)
