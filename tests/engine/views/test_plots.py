"""Charts: every kind is drawn, the same each time, and a name in one is only ever a name."""

from itertools import pairwise
from pathlib import Path

import pytest

from engine.report.charts import Bars, Chart, Heat, Lines, Network, Ranges, Scatter, Stacks
from engine.views.perspective import Shown
from engine.views.plots import draw, house_style, save_chart, svg_text
from engine.views.typst import compile_pdf, document
from tests.support.histories import small_history
from tests.support.own_views import OwnParts

HOSTILE = "$\\frac{1}{$ <script>\x1b[31m\u202e {} \U0001f984"
CHARTS: list[Chart] = [
    Lines(
        "Lines", "x", "y", [1, 2], {"a": [1, 2], HOSTILE: [2, 1]}, {"a": [0.1, 0.2]}, {HOSTILE: 1.5}
    ),
    Bars("Bars", "points", ["a", HOSTILE], [1, -2], [0.1, 0.1]),
    Ranges("Ranges", "x", ["a", HOSTILE], [(0, 1, 2), (-1, 0, 1)], {HOSTILE: 0.5}),
    Stacks("Stacks", "x", "share", [0, 1, 2], {"a": [0.5, 0.4, 0], HOSTILE: [0.5, 0.6, 1]}),
    Heat("Heat", ["a", HOSTILE], ["b", HOSTILE], [[1, None], [-1, 0]], HOSTILE, centre=0),
    Network(HOSTILE, {"a": 1, HOSTILE: 0.2, "c": 0}, {("a", HOSTILE): -0.5, ("a", "c"): 0.7}),
    Scatter("Scatter", "x", "y", {"a": (0, 1), HOSTILE: (1, 0)}),
]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: type(chart).__name__)
def test_every_chart_is_drawn_the_same_each_time(chart: Chart, tmp_path: Path) -> None:
    png, svg = save_chart(chart, tmp_path / "one" / "chart")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in svg.read_bytes()
    assert b"<script" not in svg.read_bytes()
    again = save_chart(chart, tmp_path / "two" / "chart")
    assert [path.read_bytes() for path in again] == [png.read_bytes(), svg.read_bytes()]


def test_charts_stand_in_the_document_and_compile(tmp_path: Path) -> None:
    charts = {str(place): chart for place, chart in enumerate(CHARTS)}
    source = tmp_path / "game.typ"
    source.write_text(
        document(small_history(), Shown(game=OwnParts(pictures=charts))), encoding="utf-8"
    )
    assert source.read_text("utf-8").count("\n#picture(") == len(CHARTS)
    pdf = tmp_path / "game.pdf"
    compile_pdf(source, pdf)
    plain = tmp_path / "plain.pdf"
    source.write_text(document(small_history()), encoding="utf-8")
    compile_pdf(source, plain)
    assert pdf.stat().st_size > 2 * plain.stat().st_size


def test_whole_numbers_have_no_ticks_between_them() -> None:
    axes = draw(Lines("Rounds", "round", "y", [1, 2, 3], {"a": [1, 2, 3]})).axes[0]
    assert all(float(tick).is_integer() for tick in axes.get_xticks())


def test_ticks_of_a_logarithmic_axis_are_plain_numbers() -> None:
    chart = Lines("Length", "moves", "points", [3, 30, 300], {"a": [1, 2, 3]}, log_x=True)
    assert "$" not in svg_text(chart, as_text=True)
    ticks = [label.get_text() for label in draw(chart).axes[0].get_xticklabels()]
    assert {"10", "100"} <= {*ticks}


@pytest.mark.parametrize(
    "chart",
    [Heat("empty", [], [], [], ""), Lines("no x", "", "", [], {}), Bars("none", "", [], [])],
)
def test_nothing_to_show_is_an_empty_picture(chart: Chart, tmp_path: Path) -> None:
    assert save_chart(chart, tmp_path / "chart")[0].stat().st_size > 0


LONG = [f"compatible:some-provider/some-model-{n:02d}-instruct-2026-10-01" for n in range(60)]
CROWDS: dict[str, Chart] = {
    "rows": Ranges("Ratings", "Elo", LONG, [(n - 40, n, n + 40) for n in range(60)]),
    "bars": Bars("Points", "points", LONG, range(60)),
    "matrix": Heat("Ahead", LONG, LONG, [[0.5] * 60] * 60, "share"),
    "short": Heat("Ahead", LONG[:9], LONG[:9], [[0.5] * 9] * 9, "share"),
    "series": Lines("Points", "round", "points", [1], {name: [n] for n, name in enumerate(LONG)}),
}


@pytest.mark.parametrize("chart", CROWDS.values(), ids=CROWDS)
def test_sixty_long_names_stay_apart_and_leave_room_for_the_picture(chart: Chart) -> None:
    with house_style():
        figure = draw(chart)
        figure.draw_without_rendering()
        axes = figure.axes[0]
        boxes = [text.get_window_extent() for text in axes.get_yticklabels()]
        inside = axes.get_window_extent()
    tall = sorted(boxes, key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 + 1 for below, above in pairwise(tall))
    assert inside.width > 200
    assert inside.height > 100
    assert all(
        "\n" in text.get_text() for text in axes.get_yticklabels() if "some" in text.get_text()
    )


@pytest.mark.parametrize("rounds", [1, 2, 3, 12])
def test_rounds_have_whole_ticks(rounds: int) -> None:
    x = range(1, rounds + 1)
    with house_style():
        figure = draw(Lines("Points", "round", "points", x, {"Ada": [3.0 * n for n in x]}))
        figure.draw_without_rendering()
    ticks = figure.axes[0].get_xticks()
    assert len(ticks) > 0
    assert all(float(tick).is_integer() for tick in ticks)
