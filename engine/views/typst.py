"""A game as a self-contained Typst document, and the PDF compiled from it.

Text from players and settings is only passed as string literals to the functions in `preamble.typ`,
so it is never read as markup or code.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from engine.history import History
from engine.record.files import read_regular, read_text
from engine.report.tables import Facts, Sentence, Table, Title
from engine.views.blocks import (
    Aside,
    Block,
    EventLine,
    FaultLine,
    FramedText,
    RoundHeading,
    blocks,
    with_sign,
)
from engine.views.exports import Content
from engine.views.perspective import WHOLE, Shown
from protocol.text import clean

PREAMBLE = Path(__file__).with_name("preamble.typ")
# The number of characters that fit in a table row, counting two between columns.
PAGE = 100
UNBROKEN = re.compile(r"(\S{40})(?=\S)")
SOFT_BREAK = "\N{ZERO WIDTH SPACE}"


def document(history: History, shown: Shown = WHOLE) -> str:
    """Return the game as a Typst document, with its charts at the end."""
    walked = [*blocks(history, shown)]
    pages = Pages(history, compact=_is_compact(walked))
    title = shown.title_of(shown.part_of(history))
    setting = _call("setting", literal(f"{title} {history.game_id}"))

    lines = [read_text(PREAMBLE), f"#show: {setting}"]
    lines += [f"#{pages.call(block)}" for block in walked]
    for chart in shown.charts_of(history).values():
        # This import is slow, so it is only done for games with charts.
        from engine.views.plots import svg_text

        drawing = _quote(str(clean(svg_text(chart))))
        lines.append(f"#{_call('picture', literal(chart.title), drawing)}")
    return "\n".join([*lines, ""])


def _is_compact(shown: Sequence[Block]) -> bool:
    """Return whether to use the compact layout: at most two public lines per round on average."""
    rounds = sum(isinstance(block, RoundHeading) for block in shown)
    lines = sum(isinstance(block, EventLine) and not block.private_to for block in shown)
    return lines <= 2 * rounds


def compile_pdf(typ_path: Path, pdf_path: Path) -> None:
    """Compile `typ_path` to `pdf_path`; raise RuntimeError with the compiler's message on error."""
    try:
        import typst
    except ImportError:
        raise RuntimeError("a PDF needs the package typst, which the extra pdf installs") from None

    typst.compile(typ_path, output=pdf_path, format="pdf")


def pdf_files(history: History, shown: Shown) -> Iterator[tuple[str, Content]]:
    """Yield the game as a Typst document and a PDF; raise RuntimeError if compilation fails."""
    text = document(history, shown)
    yield ".typ", text
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "game.typ"
        target = source.with_suffix(".pdf")
        source.write_text(text, encoding="utf-8")
        compile_pdf(source, target)
        yield ".pdf", read_regular(target)


class Pages:
    """Writes blocks as `preamble.typ` calls; a `compact` layout has round numbers in the margin."""

    def __init__(self, history: History, *, compact: bool) -> None:
        self.seats = {seat.player_id: place for place, seat in enumerate(history.players)}
        self.compact = compact
        self.margin = ""

    def call(self, block: Block) -> str:
        """Return the Typst call that shows `block`."""
        match block:
            case Title(text, facts):
                code = _call("masthead", literal(text), _pairs(facts))
            case Facts(heading, facts):
                code = _call("facts", literal(heading), _pairs(facts))
            case Table():
                code = "\n#".join(map(self._sheet, block.split(PAGE)))
            case RoundHeading(index, note):
                code = self._round(str(index), note)
            case EventLine():
                code = self._line(block)
            case Aside(label, parts):
                parts_text = [_array((self._who(reader), literal(text))) for reader, text in parts]
                code = self._row("aside", literal(label), _array(parts_text))
            case FaultLine(player_id, text, then):
                code = self._row("fault", self._who(player_id), literal(text), literal(then))
            case FramedText(player_id, what, text):
                code = self._row("framed", self._who(player_id), literal(what), literal(text))
            case Sentence(text, grave):
                code = _call("warning" if grave else "closing", literal(text))
        return code

    def _sheet(self, table: Table) -> str:
        numeric = table.numeric()
        cells = []
        for row in table.texts():
            for column, number, text in zip(table.columns, numeric, row, strict=True):
                shown = _typeset(text) if number else text
                cells.append(self._who(shown) if column == "player" else literal(shown))
        columns = _array(map(literal, table.columns))
        right = _array(str(number).lower() for number in numeric)
        return _call("sheet", literal(table.heading), columns, right, _array(cells))

    def _round(self, index: str, note: str) -> str:
        self.margin = index if self.compact else ""
        return _call("pause" if self.compact else "round", literal(index), literal(note))

    def _line(self, line: EventLine) -> str:
        changes = [(name, _typeset(with_sign(value))) for name, value in line.changes]
        standing = "" if line.standing is None else _typeset(f"{line.standing:.2f}")
        return self._row(
            "hushed" if line.private_to else "spoken",
            self._who(line.player_id),
            _array(map(literal, _marks_of(line))),
            literal(line.text),
            _pairs(changes),
            literal(standing),
        )

    def _row(self, function: str, *arguments: str) -> str:
        margin, self.margin = self.margin, ""
        return _call(function, literal(margin) if self.compact else "none", *arguments)

    def _who(self, player_id: str | None) -> str:
        if player_id is None:
            return "none"
        return _call("who", str(self.seats.get(player_id, -1)), literal(player_id))


def _marks_of(line: EventLine) -> Iterator[str]:
    """Yield the notes to show above an event's text."""
    if line.label:
        yield line.label
    if line.private_to:
        yield f"seen only by {', '.join(line.private_to)}"
    if line.fell_back:
        yield "fallback"


def literal(text: str) -> str:
    r"""Return `text` as a Typst string, without control characters.

    Long words get a break point after every 40 characters, so that they do not run off the page.

    >>> print(literal('say "#let" \\ twice'))
    "say \"#let\" \\ twice"
    """
    return _quote(UNBROKEN.sub(rf"\1{SOFT_BREAK}", str(clean(text))))


def _quote(text: str) -> str:
    """Return `text`, which has no control characters, as a Typst string, using JSON's escapes."""
    return json.dumps(text, ensure_ascii=False)


def _typeset(number: str) -> str:
    """Return `number` with a typographic minus sign."""
    return number.replace("-", "\N{MINUS SIGN}")


def _array(items: Iterable[str]) -> str:
    """Return a Typst array of `items`, which are already Typst code."""
    # Each item is followed by a comma: in Typst (1) is a number and (1, ) an array.
    listed = "".join(f"{item}, " for item in items)
    return f"({listed})"


def _pairs(items: Iterable[tuple[str, str]]) -> str:
    """Return a Typst array of pairs of strings."""
    return _array(_array(map(literal, pair)) for pair in items)


def _call(function: str, *arguments: str) -> str:
    """Return a Typst call of `function`."""
    return f"{function}({', '.join(arguments)})"
