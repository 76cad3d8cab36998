"""A game as a document: a History as the text of a self-contained Typst file, and that file as a PDF.

What players and settings say enters the file only as string literals handed to functions, so none
of it is ever read as markup or code; what those functions look like stands in `preamble.typ`.
"""

from collections.abc import Iterable
from pathlib import Path

from engine.history import History
from engine.report.tables import Facts, Part, Sentence, Table, Title
from engine.views.blocks import (
    Aside,
    Block,
    EventLine,
    Explain,
    FaultLine,
    FramedText,
    RoundHeading,
    blocks,
    with_sign,
)
from protocol.text import clean

PREAMBLE = Path(__file__).with_name("preamble.typ")


def document(
    history: History,
    *,
    include_prompts: bool = False,
    include_reasoning: bool = False,
    as_player: str | None = None,
    explain: Explain | None = None,
    report: Iterable[Part] = (),
) -> str:
    """Return the whole game, or what `as_player` saw of it, as a Typst document."""
    shown = [
        *blocks(
            history,
            include_prompts=include_prompts,
            include_reasoning=include_reasoning,
            as_player=as_player,
            explain=explain,
            report=report,
        )
    ]
    lines = sum(isinstance(block, EventLine) and not block.private_to for block in shown)
    compact = lines <= 2 * sum(isinstance(block, RoundHeading) for block in shown)
    pages = Pages(history, compact=compact)
    setting = call("setting", literal(f"{history.game} {history.game_id}"))
    calls = (pages.call(block) for block in shown)
    return "\n".join(
        [
            PREAMBLE.read_text(encoding="utf-8"),
            f"#show: {setting}",
            *(f"#{line}" for line in calls),
            "",
        ]
    )


def compile_pdf(typ_path: Path, pdf_path: Path) -> None:
    """Compile the document at `typ_path` to `pdf_path`; RuntimeError has the compiler's words if it cannot be."""
    import typst

    typst.compile(typ_path, output=pdf_path, format="pdf")


class Pages:
    """Blocks as calls of the functions in `preamble.typ`; `compact` puts the rounds' numbers into the margin."""

    def __init__(self, history: History, *, compact: bool) -> None:
        self.seats = {seat.player_id: place for place, seat in enumerate(history.players)}
        self.compact = compact
        self.margin = ""

    def call(self, block: Block) -> str:
        """Return the call that shows `block`."""
        match block:
            case Title(text, facts):
                code = call("masthead", literal(text), pairs(facts))
            case Facts(heading, facts):
                code = call("facts", literal(heading), pairs(facts))
            case Table():
                code = self._table(block)
            case RoundHeading(index, note):
                code = self._round(str(index), note)
            case EventLine():
                code = self._line(block)
            case Aside(label, parts):
                told = array(
                    array((self._who(player_id), literal(text))) for player_id, text in parts
                )
                code = self._row("aside", literal(label), told)
            case FaultLine(player_id, text, then):
                code = self._row("fault", self._who(player_id), literal(text), literal(then))
            case FramedText(player_id, what, text):
                code = self._row("framed", self._who(player_id), literal(what), literal(text))
            case Sentence(text):
                code = call("closing", literal(text))
        return code

    def _table(self, table: Table) -> str:
        numeric = [table.numeric(place) for place in range(len(table.columns))]
        cells = [
            self._who(cell) if column == "player" else literal(minus(cell) if number else cell)
            for row in table.texts()
            for column, number, cell in zip(table.columns, numeric, row, strict=True)
        ]
        right = array(str(number).lower() for number in numeric)
        return call(
            "sheet", literal(table.heading), array(map(literal, table.columns)), right, array(cells)
        )

    def _round(self, index: str, note: str) -> str:
        self.margin = index if self.compact else ""
        return call("pause" if self.compact else "round", literal(index), literal(note))

    def _line(self, line: EventLine) -> str:
        private = f"seen only by {', '.join(line.private_to)}" if line.private_to else ""
        marks = [
            mark for mark in (line.label, private, "fallback" if line.fell_back else "") if mark
        ]
        changes = pairs((name, minus(with_sign(value))) for name, value in line.changes)
        standing = "" if line.standing is None else minus(f"{line.standing:.2f}")
        function = "hushed" if line.private_to else "spoken"
        who, text = self._who(line.player_id), literal(line.text)
        return self._row(
            function, who, array(map(literal, marks)), text, changes, literal(standing)
        )

    def _row(self, function: str, *arguments: str) -> str:
        margin, self.margin = self.margin, ""
        return call(function, literal(margin) if self.compact else "none", *arguments)

    def _who(self, player_id: str | None) -> str:
        if player_id is None:
            return "none"
        return call("who", str(self.seats.get(player_id, -1)), literal(player_id))


def literal(text: str) -> str:
    r"""Return `text`, without control characters, as a Typst string.

    >>> print(literal('say "#let" \\ twice'))
    "say \"#let\" \\ twice"
    """
    escaped = (
        str(clean(text))
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        .replace("\n", "\\n")
        .replace("\t", "\\t")
    )
    return f'"{escaped}"'


def minus(number: str) -> str:
    """Return `number` with a minus sign as it is printed."""
    return number.replace("-", "\N{MINUS SIGN}")


def array(items: Iterable[str]) -> str:
    """Return a Typst array of `items`, which are code already."""
    return f"({''.join(f'{item}, ' for item in items)})"


def pairs(items: Iterable[tuple[str, str]]) -> str:
    """Return a Typst array of pairs of strings."""
    return array(array(map(literal, pair)) for pair in items)


def call(function: str, *arguments: str) -> str:
    """Return the Typst call of `function`."""
    return f"{function}({', '.join(arguments)})"
