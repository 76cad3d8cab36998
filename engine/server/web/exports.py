"""A game in the forms that are handed out as files, made in a worker thread."""

import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.games import GAMES
from engine.history import History
from engine.report.charts import Chart
from engine.report.tables import Part
from engine.spending.validity import void_words
from engine.views.perspective import EVERYTHING, PUBLIC, history_in

# The drawing library keeps its style for the whole process.
DRAWING = threading.Lock()


@dataclass(frozen=True)
class Shown:
    """How much of a game a file shows: a view, and whether with prompts and reasoning."""

    view: str
    prompts: bool = False
    reasoning: bool = False

    @property
    def player_id(self) -> str | None:
        """Whose view it is; None for the public's and the omniscient one."""
        return None if self.view in (EVERYTHING, PUBLIC) else self.view

    def part_of(self, history: History) -> History:
        """Return what the view has of a game; a player's is left to the exporters themselves."""
        return history_in(history, PUBLIC) if self.view == PUBLIC else history


def log_bytes(history: History, view: str) -> bytes:
    """Return the log of a view as JSON."""
    seen = history_in(history, view)
    return replace(seen, void=void_words(seen)).to_json().encode()


def charts_in(history: History) -> Mapping[str, Chart]:
    """Return the game's pictures; none for a game that is unknown, or cannot read its log."""
    if history.game not in GAMES:
        return {}
    try:
        return GAMES[history.game].charts(history)
    except ValueError:
        return {}


def report_in(history: History) -> list[Part]:
    """Return what the game shows at its end; nothing for one that is unknown or cannot read it."""
    if history.game not in GAMES:
        return []
    try:
        return [*GAMES[history.game].report(history)]
    except ValueError:
        return []


def chart_svg(chart: Chart) -> bytes:
    """Return a picture as SVG."""
    from engine.views.plots import svg_text

    with DRAWING:
        return svg_text(chart).encode()


def typst_text(history: History, shown: Shown) -> str:
    """Return the game as a Typst document, with reports and pictures if all of it is shown."""
    from engine.views.typst import document

    sees_all = shown.view == EVERYTHING
    with DRAWING:
        return document(
            shown.part_of(history),
            include_prompts=shown.prompts,
            include_reasoning=shown.reasoning,
            as_player=shown.player_id,
            report=report_in(history) if sees_all else (),
            charts=charts_in(history) if sees_all else {},
        )


def pdf_bytes(history: History, shown: Shown) -> bytes:
    """Return the game as PDF; RuntimeError if its document cannot be compiled."""
    from engine.views.typst import compile_pdf

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "game.typ"
        target = source.with_suffix(".pdf")
        source.write_text(typst_text(history, shown), encoding="utf-8")
        compile_pdf(source, target)
        return target.read_bytes()


def csv_of(history: History, shown: Shown) -> str:
    """Return the game's events as CSV."""
    from engine.views.event_csv import events_csv

    return events_csv(
        shown.part_of(history),
        include_prompts=shown.prompts,
        include_reasoning=shown.reasoning,
        as_player=shown.player_id,
    )


def page_of(history: History, shown: Shown) -> str:
    """Return the game as one HTML file."""
    from engine.views.page import page_html

    game = GAMES.get(history.game)
    with DRAWING:
        return page_html(
            history,
            shown.view,
            include_prompts=shown.prompts,
            include_reasoning=shown.reasoning,
            told=None if game is None else game.told,
            charts=charts_in(history) if shown.view == EVERYTHING else {},
        )
