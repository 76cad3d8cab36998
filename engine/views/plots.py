"""Draw charts with matplotlib in one plain style, with colours safe for colour-blind readers.

Only one thread draws at a time, because matplotlib's style is global. Texts are drawn literally,
never as formulas, and without control characters.
"""

import math
import threading
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from engine.history import History
from engine.report.charts import Bars, Chart, Heat, Lines, Network, Ranges, Scatter, Stacks
from engine.views.perspective import Shown
from protocol.text import lines_of_name, one_line

COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7f7f7f",
    "#000000",
    "#8c510a",
    "#b8a800",
    "#332288",
    "#88ccaa",
)
DASHES = ("-", "--", "-.", ":")
GOOD, BAD, INK = COLOURS[2], COLOURS[1], "#333333"
Cells = Sequence[Sequence[float]]
STYLE: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "large",
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "arena",
    "text.parse_math": False,
}
# The maximum number of points of a curve with markers, and of characters in a label.
WIDEST = 40
# The maximum number of characters of a row's name per line.
ROW = 28
# The maximum number of names in one column of a legend; more would flatten the axes.
TALLEST = 18
# The maximum number of columns in a matrix that shows numbers in its cells.
ROOMY = 14
CENTRED: dict[str, Any] = {"fontsize": 8, "ha": "center", "va": "center"}
DRAWING = threading.RLock()


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, without warnings about characters that the font lacks."""
    with DRAWING, mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing from font", category=UserWarning
        )
        yield


def save_chart(chart: Chart, path: Path) -> list[Path]:
    """Draw `chart` to `path`.png and `path`.svg and return both paths."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    for suffix, content in drawn_files(chart):
        written.append(path.with_name(f"{path.name}{suffix}"))
        written[-1].write_bytes(content)
    return written


def drawn_files(chart: Chart) -> list[tuple[str, bytes]]:
    """Return `chart` as a PNG and an SVG file; equal charts produce byte-identical files."""
    png, svg = BytesIO(), BytesIO()
    with house_style():
        figure = draw(chart)
        figure.savefig(png, format="png", metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None})
    return [(".png", png.getvalue()), (".svg", svg.getvalue())]


def chart_files(history: History, shown: Shown) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the game's charts; raise ValueError if it has none."""
    charts = {} if shown.game is None else shown.game.charts(history)
    if not charts:
        raise ValueError(
            f"{history.game_id}, a game of {history.game}, has nothing to draw: view it with "
            "--terminal"
        )
    for stem, chart in charts.items():
        for suffix, content in drawn_files(chart):
            yield f"/{stem}{suffix}", content


def svg_text(chart: Chart, *, as_text: bool = False) -> str:
    """Return `chart` as SVG, with letters drawn as paths or, if `as_text`, kept as text."""
    page = StringIO()
    with house_style():
        if as_text:
            mpl.rcParams["svg.fonttype"] = "none"
        draw(chart).savefig(page, format="svg", metadata={"Date": None})
    return page.getvalue()


@singledispatch
def draw(chart: Chart) -> Figure:
    """Return `chart` as a figure."""
    raise TypeError(f"expected a chart: got {chart!r:.80}")


@draw.register
def _lines(chart: Lines) -> Figure:
    figure, axes = _blank(chart.title, chart.x_label, chart.y_label)
    for place, (name, values) in enumerate(chart.series.items()):
        colour = _colour(place)
        axes.plot(
            chart.x,
            values,
            DASHES[place // len(COLOURS) % len(DASHES)],
            color=colour,
            label=_label(name),
            marker="o" if len(values) <= WIDEST else "",
            markersize=3.5,
        )
        if name in chart.spreads:
            reaches = [*zip(values, chart.spreads[name], strict=True)]
            low = [value - reach for value, reach in reaches]
            high = [value + reach for value, reach in reaches]
            axes.fill_between(chart.x, low, high, color=colour, alpha=0.15, linewidth=0)

    for name, level in chart.marks.items():
        _mark_level(axes, name, level)
    _set_x_axis(axes, chart)
    _name_series(axes, len(chart.series))
    return figure


def _set_x_axis(axes: Axes, chart: Lines) -> None:
    if chart.log_x:
        axes.set_xscale("log")
        # The default labels are formulas, and this style does not parse formulas.
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
    elif all(float(number).is_integer() for number in chart.x):
        # Whole numbers, such as rounds, need no ticks in between.
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _mark_level(axes: Axes, name: str, level: float) -> None:
    axes.axhline(level, color=INK, linewidth=0.8, linestyle=":")
    at = ("axes fraction", "data")
    axes.annotate(_label(name), (1, level), xycoords=at, ha="right", va="bottom", fontsize=8)


@draw.register
def _bars(chart: Bars) -> Figure:
    height = max(2.0, 0.9 + _row_height(chart.names) * len(chart.names))
    figure, axes = _blank(chart.title, chart.x_label, "", height=height)
    axes.barh(
        range(len(chart.names)),
        chart.values,
        xerr=list(chart.spreads) or None,
        color=COLOURS[0],
        height=0.7,
        error_kw={"elinewidth": 1},
    )
    axes.margins(y=0.01)
    _name_rows(axes, chart.names)
    return figure


@draw.register
def _ranges(chart: Ranges) -> Figure:
    names = chart.names
    height = max(2.0, 0.9 + _row_height(names) * len(names))
    figure, axes = _blank(chart.title, chart.x_label, "", height=height)
    for place, (low, value, high) in enumerate(chart.ranges):
        axes.plot((low, high), (place, place), color=COLOURS[0], linewidth=2.5)
        axes.plot(value, place, "o", color=COLOURS[0], markersize=6)
    for name, level in chart.marks.items():
        _mark_below(axes, name, level)
    axes.set_ylim(-0.6, len(names) - 0.4)
    _name_rows(axes, names)
    return figure


def _mark_below(axes: Axes, name: str, level: float) -> None:
    """Draw a line at a level, with a label below the last row, where no interval covers it."""
    axes.axvline(level, color=INK, linewidth=0.8, linestyle=":")
    at = ("data", "axes fraction")
    axes.annotate(f" {_label(name)}", (level, 0), xycoords=at, va="bottom", fontsize=8)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Label the rows, with the first on top."""
    axes.set_yticks(range(len(names)), [*map(_row_label, names)])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")


@draw.register
def _stacks(chart: Stacks) -> Figure:
    figure, axes = _blank(chart.title, chart.x_label, chart.y_label)
    colours = [_colour(place) for place in range(len(chart.series))]
    names = [_label(name) for name in chart.series]
    axes.stackplot(chart.x, *chart.series.values(), labels=names, colors=colours, alpha=0.85)
    axes.margins(x=0, y=0)
    _name_series(axes, len(chart.series))
    return figure


@draw.register
def _heat(chart: Heat) -> Figure:
    figure, axes = _blank_cells(chart)
    cells = [[math.nan if cell is None else float(cell) for cell in row] for row in chart.cells]
    known = [cell for row in cells for cell in row if not math.isnan(cell)]
    if not known:
        return figure

    centre = chart.centre
    low, high = _ends_of(known, centre)
    are_counts = all(cell.is_integer() for cell in known)
    colours = "viridis" if centre is None else "PuOr"
    image = axes.imshow(cells, cmap=colours, vmin=low, vmax=high, aspect="auto")
    ticks = MaxNLocator(integer=True) if are_counts else None
    figure.colorbar(image, ax=axes, label=_label(chart.label), ticks=ticks)
    _name_cells(axes, chart.rows, chart.columns)
    if len(chart.columns) <= ROOMY:
        decimals = 0 if are_counts else 2
        diverging = centre is not None
        _write_cells(axes, cells, low, high, decimals=decimals, diverging=diverging)
    return figure


def _blank_cells(chart: Heat) -> tuple[Figure, Axes]:
    width = max(4.5, 2.8 + max(0.42, _row_height(chart.columns)) * len(chart.columns))
    height = max(2.5, 1.6 + max(0.3, _row_height(chart.rows)) * len(chart.rows))
    return _blank(chart.title, "", "", width=width, height=height)


def _name_cells(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    axes.set_xticks(range(len(columns)), [*map(_row_label, columns)], rotation=60, ha="right")
    axes.set_yticks(range(len(rows)), [*map(_row_label, rows)])
    axes.grid(visible=False)


def _ends_of(numbers: Sequence[float], centre: float | None) -> tuple[float, float]:
    """Return both ends of a scale; if `centre` is set, they are equally far from it."""
    low, high = min(numbers), max(numbers)
    if centre is None:
        return low, high
    reach = max(abs(low - centre), abs(high - centre)) or 1.0
    return centre - reach, centre + reach


def _write_cells(
    axes: Axes, cells: Cells, low: float, high: float, *, decimals: int, diverging: bool
) -> None:
    """Write the cells' numbers, white on dark cells; a diverging scale is light in the middle."""
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if not math.isnan(cell):
                share = (cell - low) / (high - low) if high > low else 0.5
                dark = abs(share - 0.5) > 0.35 if diverging else share < 0.6
                ink = "white" if dark else "black"
                axes.text(x, y, f"{cell:.{decimals}f}", color=ink, **CENTRED)


@draw.register
def _network(chart: Network) -> Figure:
    # Names are placed around the circle, a quarter of an inch each.
    side = max(6.0, 0.25 * len(chart.nodes))
    figure, axes = _blank(chart.title, "", "", width=side + 0.5, height=side)
    places = _around_circle(chart.nodes)
    for (first, second), weight in chart.edges.items():
        xs, ys = zip(places[first], places[second], strict=True)
        colour = GOOD if weight >= 0 else BAD
        axes.plot(xs, ys, color=colour, linewidth=0.5 + 5 * abs(weight), alpha=0.6, zorder=1)
        x, y, text = sum(xs) / 2, sum(ys) / 2, f"{weight:+.2f}"
        # The font size comes first: the box around the text depends on it.
        axes.text(x, y, text, **CENTRED, backgroundcolor="#ffffffcc")
    for name, size in chart.nodes.items():
        _draw_node(axes, name, places[name], 200 + 1400 * size)
    axes.set(xlim=(-1.45, 1.45), ylim=(-1.4, 1.3), aspect="equal")
    axes.set_axis_off()
    return figure


def _around_circle(names: Collection[str]) -> dict[str, tuple[float, float]]:
    """Return each name's place on a circle of radius 1, clockwise from the top."""
    places = {}
    for place, name in enumerate(names):
        turn = 2 * math.pi * place / len(names)
        places[name] = math.sin(turn), math.cos(turn)
    return places


def _draw_node(axes: Axes, name: str, place: tuple[float, float], area: float) -> None:
    axes.scatter(*place, s=area, color=COLOURS[0], zorder=2)
    axes.annotate(
        _label(name),
        place,
        (0, -8 - math.sqrt(area) / 2),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=10,
        zorder=3,
    )


@draw.register
def _scatter(chart: Scatter) -> Figure:
    figure, axes = _blank(chart.title, chart.x_label, chart.y_label)
    for place, (name, point) in enumerate(chart.points.items()):
        axes.scatter(*point, color=_colour(place), s=28, zorder=2)
        axes.annotate(_label(name), point, (5, 4), textcoords="offset points", fontsize=8)
    return figure


def _blank(
    title: str, x_label: str, y_label: str, *, width: float = 7.5, height: float = 4.2
) -> tuple[Figure, Axes]:
    """Return an empty figure of this size in inches, with its title and labels."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_title(_label(title, 90), fontweight="bold")
    axes.set_xlabel(_label(x_label))
    axes.set_ylabel(_label(y_label))
    return figure, axes


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _name_series(axes: Axes, names: int) -> None:
    """Add a legend next to the axes if there is more than one series."""
    if names > 1:
        columns = math.ceil(names / TALLEST)
        figure = axes.get_figure(root=True)
        if figure is not None:
            # Widen the figure for each further column of names.
            longest = max(len(label) for label in axes.get_legend_handles_labels()[1])
            column = 0.5 + 0.075 * longest
            figure.set_figwidth(figure.get_figwidth() + column * (columns - 1))
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, ncols=columns)


def _row_label(name: str) -> str:
    """Return a name on one line, or on two lines that break after a separator."""
    return "\n".join(lines_of_name(name, ROW))


def _row_height(names: Sequence[str]) -> float:
    """Return the row height, in inches, that fits the longest name."""
    return 0.42 if any("\n" in _row_label(name) for name in names) else 0.28


def _label(text: str, longest: int = WIDEST) -> str:
    """Return `text` as one line, cut if it is too long."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
