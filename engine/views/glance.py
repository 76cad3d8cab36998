"""A game at a glance, as terminal lines that fit a width and a height."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.style import StyleType
from rich.text import Text

from engine.report.tables import Dial, Glance
from engine.views.terminal import COLOURS
from protocol.text import one_line

# The widths of a label and of a bar, in characters, if there is room.
LABEL = 12
BAR = 24
LEAST_BAR = 6
# Characters before a sentence.
LEAD = 5
# The maximum number of lines of a sentence, and the total height at which it gets only one.
SENTENCE = 2
TIGHT = 12
FULL, EMPTY, BOUND = "━", "─", "┃"
CHOSEN = "▸ "
ASCII = str.maketrans({FULL: "=", EMPTY: "-", BOUND: "|", "▸": ">"})


@dataclass
class Sheet:
    """A console, which measures text, and the width in which to draw."""

    console: Console
    width: int

    def bar(self, text: str) -> str:
        """Return a bar in characters that the terminal can display."""
        if self.console.options.ascii_only:
            return text.translate(ASCII)
        return text

    def cut(self, line: Text) -> Text:
        """Cut a line to the width."""
        line.truncate(self.width, overflow="ellipsis")
        return line


def glance_lines(glance: Glance, console: Console, width: int, room: int) -> list[Text]:
    """Return a game at a glance, in at most `room` lines of at most `width` characters."""
    sheet = Sheet(console, width)
    most = SENTENCE if room > TIGHT else 1
    lines = [_heading(glance.heading, sheet)]
    for label, sentence in glance.news:
        lines += _sentence(label, sentence, sheet, most)
    measures = [_bar_line(dial, sheet) for dial in glance.measures]
    lines += _player_lines(glance.players, sheet, max(0, room - len(lines) - len(measures)))
    lines += measures
    return lines[:room]


def _heading(text: str, sheet: Sheet) -> Text:
    begin = Text(sheet.bar(EMPTY * 2), "dim")
    line = sheet.cut(Text.assemble(begin, " ", Text(one_line(text), "bold"), " "))
    rest = EMPTY * (sheet.width - line.cell_len)
    line.append(sheet.bar(rest), "dim")
    return line


def _sentence(label: str, text: str, sheet: Sheet, most: int) -> Iterator[Text]:
    """Yield a sentence in at most `most` lines; the first line begins with `label`."""
    lead = Text(label.ljust(LEAD), "dim")
    lines = [*Text(one_line(text)).wrap(sheet.console, sheet.width - LEAD, overflow="fold")]
    if len(lines) > most:
        lines[most - 1 :] = [Text(" ").join(lines[most - 1 :])]
    for line in lines:
        yield sheet.cut(Text.assemble(lead, line))
        lead = Text(" " * LEAD)


def _player_lines(players: Sequence[Dial], sheet: Sheet, room: int) -> Iterator[Text]:
    """Yield a bar per player in seat order; if not all fit, the shortest bars are only counted."""
    ranked = sorted(players, key=lambda dial: (dial.chosen, dial.share), reverse=True)
    kept = {dial.label for dial in ranked[: room if len(players) <= room else max(0, room - 1)]}
    for seat, dial in enumerate(players):
        if dial.label in kept:
            colour = COLOURS[seat % len(COLOURS)]
            yield _bar_line(dial, sheet, colour)
    more = len(players) - len(kept)
    if room and more:
        yield Text(f"and {more} more", "dim")


def _bar_line(dial: Dial, sheet: Sheet, style: StyleType = "bold") -> Text:
    """Return a line with a label, a bar and words; the bar and words fit the width of `sheet`."""
    label = Text(one_line(dial.label), "bold" if dial.chosen else "")
    label.truncate(LABEL, overflow="ellipsis", pad=True)
    sign = CHOSEN if dial.chosen else " " * len(CHOSEN)
    words = Text(one_line(dial.words), "" if dial.chosen else "dim")
    size = min(BAR, max(LEAST_BAR, sheet.width // 3))
    bar = Text(sheet.bar(bar_of(dial.share, size, dial.mark)))
    full = full_of(dial.share, size)
    bar.stylize(style, 0, full)
    bar.stylize("dim", full)
    return sheet.cut(Text.assemble(sheet.bar(sign), label, " ", bar, "  ", words))


def full_of(share: float, size: int) -> int:
    """Return how many of a bar's `size` characters are full at this share."""
    return round(min(1.0, max(0.0, share)) * size)


def bar_of(share: float, size: int, mark: float | None = None) -> str:
    """Return a bar of `size` characters, filled to `share`, with a line at `mark`.

    >>> bar_of(0.5, 8, 0.8)
    '━━━━──┃─'
    """
    full = full_of(share, size)
    bar = FULL * full + EMPTY * (size - full)
    if mark is None:
        return bar
    at = min(size - 1, int(mark * size))
    return f"{bar[:at]}{BOUND}{bar[at + 1 :]}"
