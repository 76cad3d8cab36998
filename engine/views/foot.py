"""The foot of a terminal, below scrolling text: the game at a glance, and a status line."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import ConsoleRenderable, Group, RenderHook
from rich.live_render import LiveRender
from rich.text import Text

from engine.report.tables import Glance
from engine.spending.waiting import Waits
from engine.views.glance import glance_lines
from engine.views.screen import Screen, safe_text

# The minimum seconds between drawings, and between checks for a long wait.
EVERY = 0.25
EVERY_WAIT = 1.0
# Waits of this many seconds are reported.
LONG = 20.0
WIDEST = 100
# Lines kept for printed text, the minimum lines of a foot, and the smallest terminal with a foot.
ABOVE = 8
FEWEST = 3
LEAST = (12, 40)


def has_foot(console: Screen) -> bool:
    """Return whether a console is a large enough terminal whose lines can be redrawn."""
    if not console.is_interactive or console.no_color or console.legacy_windows:
        return False
    height, width = LEAST
    return console.file.isatty() and console.height >= height and console.width >= width


class Foot(RenderHook):
    """Draws the glance from `look` below the console's output, at most four times a second.

    The glance is removed before anything is printed, while a person types, and at the end. Nothing
    is drawn if `look` is None or `has_foot` is false for the console.
    """

    def __init__(self, console: Screen, look: Callable[[], Glance | None] | None = None) -> None:
        self.console = console
        self.look = look
        self.status = Text()
        self.size = console.size
        self.region: LiveRender | None = None
        # Prevents drawing between removing the foot and printing in its place.
        self.lock = console.turn
        self.due = threading.Event()
        self.over = threading.Event()
        self.drawn_at = 0.0
        self.is_drawing = False
        # Whether a person is being asked, and whether a person is typing.
        self.is_held = False
        self.is_typed = False
        self.thread: threading.Thread | None = None

    def __enter__(self) -> "Foot":
        if self.look is not None and has_foot(self.console):
            self.console.push_render_hook(self)
            self.thread = threading.Thread(target=self._keep, daemon=True)
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.thread is None:
            return
        self.over.set()
        self.due.set()
        self.thread.join()
        self.thread = None
        with self.lock:
            self._lift()
            self.console.pop_render_hook()

    @contextmanager
    def below(self) -> Iterator[None]:
        """Keep the foot below text printed in the `with` block, and redraw it at once if due."""
        if self.thread is None:
            yield
            return
        with self.lock, self.console:
            yield
            self.is_held = self.is_typed
            is_time = time.monotonic() - self.drawn_at >= EVERY
            if self.region is None and is_time and not self.is_held:
                self._draw()
            else:
                self.due.set()

    def update(self, status: Text, /) -> None:
        """Show `status` in the last line, and adapt to a changed terminal size."""
        if status != self.status or self.console.size != self.size:
            self.status = status
            self.due.set()

    def read(self, question: str) -> str:
        """Ask `question` and return the line a person types; raise EOFError at the end of input."""
        self._step_aside()
        self.is_typed = True
        try:
            return input(question)
        finally:
            self.is_typed = False

    def write(self, text: str) -> None:
        """Print a text for the person being asked; the foot stays hidden until the next output."""
        self._step_aside()
        print(text)

    def _step_aside(self) -> None:
        with self.lock:
            self.is_held = True
            self._lift()

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Remove the foot before anything else is printed."""
        with self.lock:
            if self.is_drawing or self.region is None:
                return renderables
            gone = self.region.position_cursor()
            self.region = None
            self.due.set()
            return [gone, *renderables]

    def _keep(self) -> None:
        """Draw whenever there is something new, and pause after each drawing."""
        while not self.over.is_set():
            self.due.wait()
            with self.lock:
                if not self.over.is_set() and not self.is_held:
                    self._draw()
                self.due.clear()
            self.over.wait(EVERY)

    def _lift(self) -> None:
        if self.region is not None:
            self.console.control(self.region.position_cursor())
            self.region = None

    def _draw(self) -> None:
        self.due.clear()
        self.size = self.console.size
        glance = None if self.look is None else self.look()
        if glance is None:
            return
        region = LiveRender(Group(*self._lines(glance)), vertical_overflow="crop")
        with self.console:
            self._lift()
            self.is_drawing = True
            self.console.print(region)
            self.is_drawing = False
        self.region = region
        self.drawn_at = time.monotonic()

    def _lines(self, glance: Glance) -> list[Text]:
        width = min(self.size.width - 1, WIDEST)
        room = self.size.height - ABOVE - 1
        lines = glance_lines(glance, self.console, width, max(room, FEWEST))
        if self.status:
            status = self.status.copy()
            status.truncate(width, overflow="ellipsis")
            lines.append(status)
        return lines


class LastLine(Protocol):
    """The last line of a screen, such as a spinner."""

    def update(self, status: Text, /) -> None:
        """Show another text."""


@dataclass
class WaitingLine:
    """Names the player that a game has waited for longer than LONG seconds.

    If the terminal has a last line (`status`), that line names the player while the wait lasts, and
    otherwise shows the text `usual`. Without a last line, `say` reports each wait once.
    """

    waits: Waits
    usual: str
    status: LastLine | None
    say: Callable[[str], object]
    before: str = ""
    last_wait: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "WaitingLine":
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()

    def show_round(self, rounds: int) -> None:
        """Show the number of finished rounds."""
        self.before = f"after round {rounds}: "
        self.look()

    def look(self) -> None:
        """Show the player that has kept the game waiting, or else the usual text."""
        number, who, seconds = self.waits.longest() or (0, "", 0.0)
        sentence = f"waiting for {who}, {seconds:.0f} s" if seconds >= LONG else ""
        if self.status is not None:
            self.status.update(safe_text(sentence or f"{self.before}{self.usual}"))
        elif sentence and number != self.last_wait:
            self.last_wait = number
            self.say(sentence)

    def _watch(self) -> None:
        while not self.over.wait(EVERY_WAIT):
            self.look()


@contextmanager
def last_line(foot: Foot, usual: str, *, spins: bool) -> Iterator[LastLine | None]:
    """Yield a screen's last line: the foot if active, else a spinner if `spins`, else None."""
    with foot:
        if foot.thread is not None:
            yield foot
        elif not spins:
            yield None
        else:
            with foot.console.status(usual) as status:
                yield status if foot.console.is_terminal else None
