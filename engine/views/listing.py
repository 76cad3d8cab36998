"""A table as a list in a terminal: each row on one line, with long texts cut."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.table import Table as Grid

from engine.report.tables import Table
from engine.views.screen import GAP, Screen, grid_of, safe_text, shown_places
from protocol.text import cut_at_word, one_line

# The minimum width of a text column, next to optional columns and without them.
ROOMY, TIGHT = 24, 12


def print_list(table: Table) -> None:
    """Print a table to the terminal as a list."""
    screen = Screen()
    screen.print(list_of(table, screen.width))


def list_of(table: Table, width: int) -> Grid:
    """Return `table` as a rich grid, one line per row; only the first column keeps long texts.

    Columns outside `last_to_go` are dropped first; columns in it are cut before they are dropped.
    """
    texts = [[row[0], *map(one_line, row[1:])] for row in table.texts()]
    longest = [max(map(cell_len, column)) for column in zip(table.columns, *texts, strict=True)]
    kept = [0, *(place for place, name in enumerate(table.columns) if name in table.last_to_go)]
    needed = _at_least(longest, ROOMY)
    shown = shown_places(table, needed, width)
    if not {*kept} <= {*shown}:
        needed = _at_least(longest, TIGHT)
        shown = [place for place in shown_places(table, needed, width) if place in kept]
    widths = _widened(needed, longest, shown, width)
    rows = tuple(tuple(cut_to(row[place], widths[place]) for place in shown) for row in texts)
    columns = tuple(table.columns[place] for place in shown)
    hidden = [name for name in table.columns if name not in columns]
    return grid_of(Table(table.heading, columns, rows), width, safe_text, hidden)


def _at_least(longest: Sequence[int], least: int) -> list[int]:
    """Return the minimum width of each column."""
    return [longest[0], *(min(width, least) for width in longest[1:])]


def _widened(
    needed: Sequence[int], longest: Sequence[int], shown: Sequence[int], width: int
) -> list[int]:
    """Return column widths that divide the remaining width among the shown columns."""
    widths = [*needed]
    spare = max(0, width + GAP - sum(needed[place] + GAP for place in shown))
    for done, place in enumerate(sorted(shown, key=longest.__getitem__)):
        more = min(longest[place] - needed[place], spare // (len(shown) - done))
        widths[place] += more
        spare -= more
    return widths


def cut_to(text: str, width: int) -> str:
    """Return a text in at most `width` cells, cut between words if it is longer.

    >>> cut_to("Ada wins, 1 to 0.816", 14), cut_to("Ada wins", 8), cut_to("\u5929\u5929\u5929", 5)
    ('Ada wins, 1…', 'Ada wins', '\u5929\u5929…')
    """
    cut, limit = text, width
    while cell_len(cut) > width:
        cut = cut_at_word(text, limit)
        limit -= 1
    return cut
