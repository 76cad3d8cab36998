"""Print a game's blocks in the terminal with rich, during play and afterwards.

Log files are untrusted. Players' texts are only printed as `rich.text.Text`, so they are never read
as markup, and none of their control characters reaches the terminal.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Self

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.style import StyleType
from rich.table import Table as Grid
from rich.text import Text

from engine.history import Event, History, Seat
from engine.report.tables import Facts, Part, Sentence, Table, Title
from engine.views.blocks import (
    Aside,
    Block,
    EventLine,
    FaultLine,
    FramedText,
    RoundHeading,
    Walk,
    blocks,
    with_sign,
)
from engine.views.framing import closing_blocks, opening_blocks
from engine.views.perspective import EVERYTHING, WHOLE, OwnViews, Shown
from protocol.text import clean

COLOURS = (
    "cyan",
    "magenta",
    "green",
    "yellow",
    "blue",
    "red",
    "bright_cyan",
    "bright_magenta",
    "bright_green",
)
GUTTER = 4
NAME = 20
# The most lines of a text that only some players see, on a brief page.
BRIEF = 2
LONGEST_WORD = 40
GAP = 2
# The most asides per round on a brief page.
FEW = 15
# The most omitted columns that a table names.
NAMED = 5


def print_history(history: History, console: Console, shown: Shown = WHOLE) -> None:
    """Print a game; ValueError if the view is that of an unknown player."""
    page = Page(console, history.players)
    for block in blocks(history, shown):
        page.show(block)


class Screen(Console):
    """A terminal for plain text, in which brackets and colour names are never markup.

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
        """Print a table without the columns that do not fit."""
        self.print(grid_of(table, self.width))

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError instead of exiting."""
        raise BrokenPipeError


class Live:
    """Prints a game during play, or only what `as_player` sees, plus events of `kept` kinds."""

    def __init__(
        self,
        console: Console,
        history: History,
        as_player: str | None = None,
        kept: Collection[str] = (),
        game: OwnViews | None = None,
    ) -> None:
        self.history = history
        self.page = Page(console, history.players, brief=as_player is None, kept=kept)
        self.walk = Walk(history, Shown(as_player or EVERYTHING, game=game))

    def __enter__(self) -> "Live":
        shown = self.walk.shown
        hidden = "hidden while you play" if shown.player_id else ""
        seen = shown.part_of(self.history)
        self._show(opening_blocks(seen, shown.title_of(seen), hidden=hidden))
        return self

    def __exit__(self, *_: object) -> None:
        self._show(self.walk.rest())

    def event(self, event: Event) -> None:
        """Print `event`, the newest event of the history's last round."""
        self._show(self.walk.step(event, self.history.rounds[-1]))

    def closing(self, report: Iterable[Part] = ()) -> None:
        """Print the game's own report, its ending and the usage."""
        self._show(self.walk.rest())
        self._show(closing_blocks(replace(self.history, reason=""), report))

    def _show(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self.page.show(block)


class Page:
    """Prints blocks to a terminal in columns: round, player, text.

    A `brief` page leaves out setups, and asides except a few of the kinds in `kept`. It shows at
    most BRIEF lines of a text that only some players see.
    """

    def __init__(
        self,
        console: Console,
        players: Iterable[Seat] = (),
        *,
        brief: bool = False,
        kept: Collection[str] = (),
    ) -> None:
        self.console = console
        self.brief = brief
        self.kept = kept
        self.seats = {seat.player_id: place for place, seat in enumerate(players)}
        widest = max((cell_len(one_line(name)) for name in self.seats), default=0)
        self.name_width = min(widest, NAME)
        self.gutter = ""
        self.rows = 2

    def show(self, block: Block) -> None:
        """Print one block."""
        match block:
            case Title():
                self._facts(block.text, block.facts)
            case Facts(heading, facts):
                self.console.print()
                self._facts(heading, facts)
            case Table():
                self._table(block)
            case RoundHeading():
                self._round(block)
            case EventLine():
                self._line(block)
            case Aside():
                self._aside(block)
            case FaultLine():
                self._fault(block)
            case FramedText():
                self._framed(block)
            case Sentence(text, grave):
                style = "bold red" if grave else "bold"
                self.console.print()
                self.console.print(safe_text(text, style))

    def _framed(self, block: FramedText) -> None:
        name = self._name(block.player_id or "narrator")
        title = Text.assemble(name, " ", safe_text(block.what, "dim"))
        body = safe_text(block.text, "dim")
        panel = Panel(body, title=title, title_align="left", border_style="dim", box=box.ROUNDED)
        self.console.print(Padding(panel, (0, 0, 0, GUTTER + 1)))

    def _facts(self, heading: str, facts: Iterable[tuple[str, str]]) -> None:
        self.console.print(safe_text(heading, "bold"))
        grid = Grid.grid(padding=(0, 2))
        for label, value in facts:
            grid.add_row(safe_text(label, "dim"), safe_text(value))
        self.console.print(grid)

    def _table(self, table: Table) -> None:
        self.console.print()
        self.console.print(safe_text(table.heading, "bold"))
        self.console.print(grid_of(table, self.console.width, self._name))

    def _round(self, heading: RoundHeading) -> None:
        if self.rows > 1:
            self.console.print()
        self.gutter, self.rows = str(heading.index), 0
        if heading.note:
            self._row(None, safe_text(heading.note, "dim"))

    def _line(self, line: EventLine) -> None:
        if self.brief and line.kind == "setup":
            return
        body = self._with_figures(self._words(line), line)
        self._row(line.player_id, body, brief=bool(line.private_to))
        self.rows += 1

    def _words(self, line: EventLine) -> Text:
        """Return a line's text, preceded by its label and, if it is private, its readers."""
        marks = [line.label] if line.label else []
        if line.private_to == (line.player_id,):
            marks = marks or ["(private)"]
        elif line.private_to:
            marks.append(f"(seen only by {', '.join(line.private_to)})")
        lead = safe_text(" ".join(marks), "dim")

        body = safe_text(line.text, "italic" if line.player_id is None else "")
        if line.private_to:
            body.stylize("dim")
        if line.fell_back:
            body.append(" (the fallback)", "yellow")
        return Text.assemble(lead, ": " if marks else "", body)

    def _with_figures(self, body: Text, line: EventLine) -> Text:
        figures = []
        for name, value in line.changes:
            style = "green" if value > 0 else "red"
            figures.append(safe_text(f"{one_line(name)} {with_sign(value)}", style))
        if line.standing is not None:
            figures.append(safe_text(f"so far {line.standing:.2f}", "dim"))
        if not figures:
            return body
        behind = Text("  ").join(figures)
        width = body.cell_len + 2 + behind.cell_len
        fits = "\n" not in body.plain and width <= self._body_width
        return Text.assemble(body, "  " if fits else "\n", behind)

    def _aside(self, aside: Aside) -> None:
        if self.brief and not (aside.label in self.kept and len(aside.parts) <= FEW):
            return
        text = aside_in_words(aside, 2 * self._body_width)
        self._row(None, safe_text(text, "dim"))

    def _fault(self, fault: FaultLine) -> None:
        then = f"; {fault.then}" if fault.then else ""
        self._row(fault.player_id, safe_text(f"fault: {fault.text}{then}", "red"))

    @property
    def _body_width(self) -> int:
        return max(self.console.width - GUTTER - self.name_width - 2, 20)

    def _shorten(self, body: Text) -> Text:
        body = safe_text(one_line(body.plain), body.style)
        body.truncate(BRIEF * self._body_width, overflow="ellipsis")
        return body

    def _row(self, player_id: str | None, body: Text, *, brief: bool = False) -> None:
        if brief and self.brief:
            body = self._shorten(body)
        name = self._name(player_id) if player_id else Text()
        name.truncate(self.name_width, overflow="ellipsis", pad=True)
        # The first line begins with the round and the player.
        margin = Text.assemble((self.gutter.rjust(GUTTER), "dim"), " ", name, " ")
        for line in body.wrap(self.console, self._body_width, overflow="fold"):
            self.console.print(Text.assemble(margin, line), soft_wrap=True)
            margin = Text(" " * margin.cell_len)
        self.gutter = ""

    def _name(self, player_id: str) -> Text:
        seat = self.seats.get(player_id)
        style = "" if seat is None else f"bold {COLOURS[seat % len(COLOURS)]}"
        return Text(one_line(player_id), style)


def aside_in_words(aside: Aside, width: int) -> str:
    """Return an aside on one line if it fits `width`, else with each part on its own line."""
    parts = [f"{player_id or ''} {text}".lstrip() for player_id, text in aside.parts]
    text = f"{aside.label}: {' · '.join(parts)}"
    # On one line, parts that contain the separator could not be distinguished.
    dotted = len(parts) > 1 and any(" · " in part for part in parts)
    if dotted or cell_len(text) > width:
        return "\n".join([f"{aside.label}:", *parts])
    return text


def safe_text(text: str, style: StyleType = "") -> Text:
    """Return `text` literally, without markup or control characters."""
    return Text(str(clean(text)), style)


def grid_of(
    table: Table,
    width: int,
    player: Callable[[str], Text] = safe_text,
    hidden: Sequence[str] = (),
) -> Grid:
    """Return `table` for rich; a caption names the columns that do not fit `width`.

    `player` formats a player's id. `hidden` are the columns that the caller already left out.
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
    """Return a grid without rows; `widths` has the columns that are shown."""
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
    """Return the columns that fit: always the first, while others are dropped from the end."""
    places = range(len(needed))
    order = sorted(places, key=lambda place: place and table.columns[place] not in table.last_to_go)
    # Columns have a gap between them.
    ends = accumulate((needed[place] for place in order), lambda used, column: used + GAP + column)
    fitting = sum(end <= width for end in ends)
    return sorted(order[: max(1, fitting)])


def share_width(columns: Mapping[int, tuple[int, int]], width: int) -> dict[int, int]:
    """Return the width of each column between its least and most; the narrowest grow first.

    (rich itself would cut the last column if others cannot shrink.)
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
    """Return the width that a column needs for `whole` texts, or only for their longest word."""
    parts = texts if whole else [part for text in texts for part in text.split()]
    return min(max(map(cell_len, parts), default=0), LONGEST_WORD)


def _add_caption(grid: Grid, left_out: Sequence[str]) -> None:
    """Name the omitted columns, if any, in a caption below the table."""
    if left_out:
        grid.caption = safe_text(f"without {_listed(left_out)}: the terminal is too narrow", "dim")
        grid.caption_justify = "left"


def _listed(names: Sequence[str]) -> str:
    """Return names as a list, which ends with the number of further names if it is long."""
    more = len(names) - NAMED
    if more <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:NAMED])} and {more} more"


def one_line(text: str) -> str:
    """Return `text` as one line."""
    return " ".join(str(clean(text)).split())
