"""Charts drawn by matplotlib, all in one style: colours that the colour-blind can tell apart, no ornament.

Only figures of their own and no global state (pyplot) are used, so that any thread may draw. A text
is drawn as what it is: never as a formula, never with a control character in it.
"""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from engine.report.charts import Bars, Chart, Heat, Lines, Network, Scatter, Stacks
from protocol.text import clean

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
WIDEST = 40
ROOMY = 14


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style; a letter that the font has not is a box, which needs no warning."""
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing from font", category=UserWarning
        )
        yield


def save_chart(chart: Chart, path: Path) -> tuple[Path, Path]:
    """Draw `chart` into `path`.png and `path`.svg and return both; the same chart gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    png, svg = (path.with_name(f"{path.name}.{kind}") for kind in ("png", "svg"))
    with house_style():
        figure = draw(chart)
        figure.savefig(png, metadata={"Software": None})
        figure.savefig(svg, metadata={"Date": None})
    return png, svg


@singledispatch
def draw(chart: Chart) -> Figure:
    """Return `chart` as a figure."""
    raise TypeError(f"expected a chart: got {chart!r:.80}")


@draw.register
def _lines(chart: Lines) -> Figure:
    figure, axes = blank(chart.title, chart.x_label, chart.y_label)
    for place, (name, values) in enumerate(chart.series.items()):
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]
        marker = "o" if len(values) <= WIDEST else ""
        axes.plot(
            chart.x, values, dash, color=colour, label=label(name), marker=marker, markersize=3.5
        )
        if (spread := chart.spreads.get(name)) is not None:
            low, high = (
                [v + sign * s for v, s in zip(values, spread, strict=True)] for sign in (-1, 1)
            )
            axes.fill_between(chart.x, low, high, color=colour, alpha=0.15, linewidth=0)
    for name, level in chart.marks.items():
        axes.axhline(level, color=INK, linewidth=0.8, linestyle=":")
        axes.annotate(
            label(name),
            (1, level),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            fontsize=8,
        )
    if chart.log_x:
        axes.set_xscale("log")
    legend(axes, len(chart.series))
    return figure


@draw.register
def _bars(chart: Bars) -> Figure:
    figure, axes = blank(
        chart.title, chart.x_label, "", height=max(2.0, 0.9 + 0.28 * len(chart.names))
    )
    spreads = list(chart.spreads) or None
    places = range(len(chart.names))
    axes.barh(
        places, chart.values, xerr=spreads, color=COLOURS[0], height=0.7, error_kw={"elinewidth": 1}
    )
    axes.set_yticks(places, [label(name) for name in chart.names])
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    return figure


@draw.register
def _stacks(chart: Stacks) -> Figure:
    figure, axes = blank(chart.title, chart.x_label, chart.y_label)
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(chart.series))]
    names = [label(name) for name in chart.series]
    axes.stackplot(chart.x, *chart.series.values(), labels=names, colors=colours, alpha=0.85)
    axes.margins(x=0, y=0)
    legend(axes, len(chart.series))
    return figure


@draw.register
def _heat(chart: Heat) -> Figure:
    rows, columns = len(chart.rows), len(chart.columns)
    height = max(2.5, 1.6 + 0.3 * rows)
    figure, axes = blank(chart.title, "", "", width=max(4.5, 2.8 + 0.42 * columns), height=height)
    cells = [[math.nan if cell is None else cell for cell in row] for row in chart.cells]
    known = [cell for row in cells for cell in row if not math.isnan(cell)]
    if not known:
        return figure
    low, high, colours = min(known), max(known), "viridis"
    if chart.centre is not None:
        reach = max(abs(low - chart.centre), abs(high - chart.centre)) or 1.0
        low, high, colours = chart.centre - reach, chart.centre + reach, "PuOr"
    image = axes.imshow(cells, cmap=colours, vmin=low, vmax=high, aspect="auto")
    axes.set_xticks(
        range(columns), [label(name) for name in chart.columns], rotation=60, ha="right"
    )
    axes.set_yticks(range(rows), [label(name) for name in chart.rows])
    axes.grid(visible=False)
    figure.colorbar(image, ax=axes, label=label(chart.label))
    if columns <= ROOMY:
        write_cells(axes, cells, low, high, diverging=chart.centre is not None)
    return figure


def write_cells(
    axes: Axes, cells: Sequence[Sequence[float]], low: float, high: float, *, diverging: bool
) -> None:
    """Write each number into its cell, light on dark and dark on light."""
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if not math.isnan(cell):
                share = (cell - low) / (high - low) if high > low else 0.5
                dark = abs(share - 0.5) > 0.35 if diverging else share < 0.6
                axes.text(
                    x,
                    y,
                    f"{cell:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if dark else "black",
                )


@draw.register
def _network(chart: Network) -> Figure:
    figure, axes = blank(chart.title, "", "", width=6.5, height=6)
    turns = {
        name: 2 * math.pi * place / max(1, len(chart.nodes))
        for place, name in enumerate(chart.nodes)
    }
    at = {name: (math.sin(turn), math.cos(turn)) for name, turn in turns.items()}
    for (one, other), weight in chart.edges.items():
        xs, ys = zip(at[one], at[other], strict=True)
        axes.plot(
            xs,
            ys,
            color=GOOD if weight >= 0 else BAD,
            linewidth=0.5 + 5 * abs(weight),
            alpha=0.6,
            zorder=1,
        )
        middle = sum(xs) / 2, sum(ys) / 2
        axes.text(
            *middle,
            f"{weight:+.2f}",
            fontsize=8,
            ha="center",
            va="center",
            backgroundcolor="#ffffffcc",
        )
    for name, size in chart.nodes.items():
        axes.scatter(*at[name], s=200 + 1400 * size, color=COLOURS[0], zorder=2)
        below = 8 + math.sqrt(200 + 1400 * size) / 2
        axes.annotate(
            label(name),
            at[name],
            (0, -below),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=10,
            zorder=3,
        )
    axes.set(xlim=(-1.45, 1.45), ylim=(-1.4, 1.3), aspect="equal")
    axes.set_axis_off()
    return figure


@draw.register
def _scatter(chart: Scatter) -> Figure:
    figure, axes = blank(chart.title, chart.x_label, chart.y_label)
    for place, (name, point) in enumerate(chart.points.items()):
        axes.scatter(*point, color=COLOURS[place % len(COLOURS)], s=28, zorder=2)
        axes.annotate(label(name), point, (5, 4), textcoords="offset points", fontsize=8)
    return figure


def blank(
    title: str, x_label: str, y_label: str, *, width: float = 7.5, height: float = 4.2
) -> tuple[Figure, Axes]:
    """Return a figure, in inches, with its title and labels and nothing else yet."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_title(label(title, 90), fontweight="bold")
    axes.set_xlabel(label(x_label))
    axes.set_ylabel(label(y_label))
    return figure, axes


def legend(axes: Axes, names: int) -> None:
    """Name the series beside the axes, if there is more than one."""
    if names > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)


def label(text: str, longest: int = WIDEST) -> str:
    """Return `text` on one line, cut if it is too long."""
    line = " ".join(str(clean(text)).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
