"""Print a game's blocks in the terminal with rich.

Log files are untrusted. Players' texts are only printed as `rich.text.Text`, so they are never read
as markup, and none of their control characters reaches the terminal.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
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
from engine.views.screen import grid_of, safe_text
from protocol.text import one_line

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
# On a brief page, the maximum number of lines for a text that only some players see.
BRIEF = 2
# A brief page leaves out asides with more parts than this.
FEW = 15


def print_history(history: History, console: Console, shown: Shown = WHOLE) -> None:
    """Print a game; raise ValueError if `shown` is the view of an unknown player."""
    page = Page(console, history.players)
    for block in blocks(history, shown):
        page.show(block)


class Live:
    """Prints a game as it is played: the view of `as_player`, or by default a brief `Page`."""

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

    A `brief` page leaves out setup events and all asides except short ones with a label in `kept`.
    It shows at most BRIEF lines of a text that only some players see.
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
            case Sentence():
                self._sentence(block)

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
        """Return a line's text after its label and, if it is private, the names of its readers."""
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

    def _sentence(self, sentence: Sentence) -> None:
        self.console.print()
        self.console.print(safe_text(sentence.text, "bold red" if sentence.grave else "bold"))

    def _with_figures(self, body: Text, line: EventLine) -> Text:
        behind = Text("  ").join(_figures_of(line))
        if not behind:
            return body
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

    def _row(self, player_id: str | None, body: Text, *, brief: bool = False) -> None:
        if brief and self.brief:
            body = safe_text(one_line(body.plain), body.style)
            body.truncate(BRIEF * self._body_width, overflow="ellipsis")
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


def _figures_of(line: EventLine) -> Iterator[Text]:
    """Yield the score changes of an event and the standing after it, as styled texts."""
    for name, value in line.changes:
        style = "green" if value > 0 else "red"
        yield safe_text(f"{one_line(name)} {with_sign(value)}", style)
    if line.standing is not None:
        yield safe_text(f"so far {line.standing:.2f}", "dim")


def aside_in_words(aside: Aside, width: int) -> str:
    """Return an aside on one line if it fits `width`, else with each part on a separate line."""
    parts = [f"{player_id or ''} {text}".lstrip() for player_id, text in aside.parts]
    text = f"{aside.label}: {' · '.join(parts)}"
    # On one line, parts that contain the separator would be ambiguous.
    dotted = len(parts) > 1 and any(" · " in part for part in parts)
    if dotted or cell_len(text) > width:
        return "\n".join([f"{aside.label}:", *parts])
    return text
