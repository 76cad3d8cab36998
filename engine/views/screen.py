"""Print texts and tables safely in the terminal, with rich.

Players' texts are only printed as `rich.text.Text`, so they are never read as markup, and none of
their control characters reaches the terminal.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Self

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.style import StyleType
from rich.table import Table as Grid
from rich.text import Text

from engine.report.tables import Table
from protocol.text import clean, list_names

LONGEST_WORD = 40
GAP = 2
# The maximum number of omitted columns named below a table.
NAMED = 5


class Screen(Console):
    """A terminal for plain text, in which brackets and colour names are never read as markup.

    It raises an error if the pipe is closed (`| head`), so that the command can end. A printing
    thread holds `turn` until all its text is written, so the output of two threads never mixes.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        self.turn = threading.RLock()
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def __enter__(self) -> Self:
        self.turn.acquire()
        super().__enter__()
        return self

    def __exit__(self, *fault: Any) -> None:
        try:
            super().__exit__(*fault)
        finally:
            self.turn.release()

    def show(self, table: Table) -> None:
        """Print a table, leaving out the columns that do not fit."""
        self.print(grid_of(table, self.width))

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError instead of exiting."""
        raise BrokenPipeError


def safe_text(text: str, style: StyleType = "") -> Text:
    """Return `text` literally, without markup or control characters."""
    return Text(str(clean(text)), style)


def grid_of(
    table: Table,
    width: int,
    player: Callable[[str], Text] = safe_text,
    hidden: Sequence[str] = (),
) -> Grid:
    """Return `table` as a rich grid; a caption names the columns that do not fit `width`.

    `player` formats a player's id. `hidden` lists the columns that the caller has already left out.
    """
    texts = table.texts()
    numeric = table.numeric()
    columns = [*zip(table.columns, *texts, strict=True)]
    # The first column and numeric columns are as wide as their texts.
    whole = [is_number or not place for place, is_number in enumerate(numeric)]
    needed = [_needed_width(*column) for column in zip(columns, whole, strict=True)]
    shown = shown_places(table, needed, width)
    longest = [max(map(cell_len, column)) for column in columns]
    widths = share_width({place: (needed[place], longest[place]) for place in shown}, width)
    grid = _empty_grid(table.columns, widths, numeric, whole)
    writers = [player if name == "player" else safe_text for name in table.columns]
    for row in texts:
        grid.add_row(*[writers[place](row[place]) for place in shown])
    left_out = [name for place, name in enumerate(table.columns) if place not in shown]
    _add_caption(grid, [*left_out, *hidden])
    return grid


def _empty_grid(
    columns: Sequence[str],
    widths: Mapping[int, int],
    numeric: Sequence[bool],
    whole: Sequence[bool],
) -> Grid:
    """Return a grid without rows; `widths` maps each shown column's position to its width."""
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place, width in widths.items():
        grid.add_column(
            safe_text(columns[place], "dim"),
            justify="right" if numeric[place] else "left",
            overflow="fold",
            no_wrap=whole[place],
            width=width,
        )
    return grid


def shown_places(table: Table, needed: Sequence[int], width: int) -> list[int]:
    """Return the positions of the columns to show; columns in `last_to_go` are dropped last."""
    places = range(len(needed))
    order = sorted(places, key=lambda place: place and table.columns[place] not in table.last_to_go)
    # The last column needs no gap after it.
    ends = accumulate(needed[place] + GAP for place in order)
    fitting = sum(end <= width + GAP for end in ends)
    # The first column is always shown.
    return sorted(order[: max(1, fitting)])


def share_width(columns: Mapping[int, tuple[int, int]], width: int) -> dict[int, int]:
    """Return each column's width, between its minimum and maximum; narrow columns grow first.

    (Left to itself, rich would cut the last column if no other column could shrink.)
    """
    widths = {place: least for place, (least, _) in columns.items()}
    spare = width - sum(widths.values()) - GAP * (len(widths) - 1)
    for _ in range(spare):
        growing = [place for place, (_, most) in columns.items() if widths[place] < most]
        if not growing:
            break
        widths[min(growing, key=widths.__getitem__)] += 1
    return widths


def _needed_width(texts: Sequence[str], whole: bool) -> int:
    """Return the width of a column's longest text if `whole`, otherwise of its longest word."""
    parts = texts if whole else [part for text in texts for part in text.split()]
    return min(max(map(cell_len, parts), default=0), LONGEST_WORD)


def _add_caption(grid: Grid, left_out: Sequence[str]) -> None:
    """Name the omitted columns, if any, in a caption below the table."""
    if left_out:
        grid.caption = safe_text(
            f"without {list_names(left_out, NAMED)}: the terminal is too narrow", "dim"
        )
        grid.caption_justify = "left"
