"""Single parts of a game as they are handed out, made in a worker thread."""

from collections.abc import Mapping
from dataclasses import replace

from engine.games import GAMES
from engine.history import History
from engine.report.charts import Chart
from engine.spending.validity import void_words
from engine.views.perspective import Shown, history_in


def log_bytes(history: History, view: str) -> bytes:
    """Return the log of a view as JSON."""
    seen = history_in(history, view)
    return replace(seen, void=void_words(seen)).to_json().encode()


def charts_in(history: History) -> Mapping[str, Chart]:
    """Return the game's pictures; none for a game that is unknown, or cannot read its log."""
    return Shown(game=GAMES.get(history.game)).charts_of(history)


def chart_svg(chart: Chart) -> bytes:
    """Return a picture as SVG."""
    from engine.views.plots import svg_text

    return svg_text(chart).encode()
