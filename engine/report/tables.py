"""Tables and facts as plain values: what is to be shown, and never how; `engine/views/` shows them."""

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

    def texts(self) -> list[list[str]]:
        """Return the rows as text; the numbers of a column all have as many decimals as one of them needs, up to 3."""
        columns = [
            _column_texts([row[place] for row in self.rows]) for place in range(len(self.columns))
        ]
        return [[column[row] for column in columns] for row in range(len(self.rows))]


@dataclass(frozen=True, slots=True)
class Sentence:
    """How the game ended, or where it stands."""

    text: str


Part = Facts | Table | Sentence


def _column_texts(cells: list[Cell]) -> list[str]:
    numbers = [cell for cell in cells if cell is not None and not isinstance(cell, str)]
    decimals = max(
        (len(f"{number:.3f}".rstrip("0").partition(".")[2]) for number in numbers), default=0
    )
    return [
        "" if cell is None else cell if isinstance(cell, str) else f"{cell:.{decimals}f}"
        for cell in cells
    ]
