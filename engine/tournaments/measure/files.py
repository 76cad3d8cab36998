"""The files of a measured model: its card, its one-page report, and its picture."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.history import history_from_json
from engine.record.files import read_regular, write_whole
from engine.report.charts import Ranges
from engine.tournaments.measure.measured import FILE, Measured, TaskResult
from engine.tournaments.measure.report import (
    MEANING,
    closing_sentences,
    opening_sentences,
    task_table,
)
from engine.tournaments.measure.suite import Suite
from engine.tournaments.report.card import escape, markdown_table
from engine.tournaments.report.figures import Axis, marks_between
from engine.tournaments.standings.standings import map_parts
from protocol.text import clean, one_line

# The limits of the report's axis, in points.
LEAST, MOST = -50.0, 150.0
GAME_COLUMNS = ("game", "value", "legal at once", "tokens", "against")


def write_measured(suite: Suite, measured: Measured, command: str, folder: Path) -> list[Path]:
    """Write `measure.json`, the card, the report and the picture; return their paths."""
    from engine.views.plots import save_chart

    texts = _texts_by_file(suite, measured, command, folder)
    tasks = {task.name: task for task in measured.rated}
    chart = points_chart(f"{measured.model} in {measured.suite}", tasks)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(folder / name, text)
    return [
        *(folder / name for name in texts),
        *save_chart(chart, folder / "measure"),
    ]


def write_game_pages(measured: Measured, folder: Path) -> None:
    """Write each finished game as an HTML page next to its log."""
    from engine.views.page import page_html

    for task in measured.tasks:
        for log in sorted((folder / task.name / "games").glob(f"{task.name}_*.json")):
            history = history_from_json(read_regular(log))
            write_whole(log.with_suffix(".html"), page_html(history))


def _texts_by_file(suite: Suite, measured: Measured, command: str, folder: Path) -> dict[str, str]:
    from engine.tournaments.report.page import rendered_report

    values = page_values(suite, measured, command, folder)
    return {
        FILE: json.dumps(measured.plain(), ensure_ascii=True, indent=1, sort_keys=True) + "\n",
        "card.md": card(suite, measured, command),
        "report.html": rendered_report("measured.html", **values),
    }


def card(suite: Suite, measured: Measured, command: str) -> str:
    """Return the Markdown card; its front matter contains the results in Hugging Face's format."""
    lines = ["---", f"model-index: {json.dumps(model_index(measured), ensure_ascii=True)}", "---"]
    lines += ["", f"# {escape(measured.model)} in {escape(measured.suite)}", ""]
    lines += [escape(" ".join(opening_sentences(suite, measured))), ""]
    lines += [*markdown_table(task_table(measured)), "", escape(MEANING), ""]
    lines += [f"- {escape(sentence)}" for sentence in closing_sentences(suite, measured)]
    draft = "" if measured.frozen else ", a draft"
    lines += [
        "",
        f"Suite {measured.suite}{draft}, {measured.suite_sha256}; {versions_of(measured)}.",
    ]
    return "\n".join([*lines, "", f"    uv run {one_line(command)}", ""])


def versions_of(measured: Measured) -> str:
    """Return the names and versions of the software as text."""
    return ", ".join(f"{name} {version}" for name, version in sorted(measured.versions.items()))


def model_index(measured: Measured) -> Any:
    """Return the points by task, in the format of Hugging Face's model cards."""
    named = [(task.name, task.ratio) for task in measured.rated]
    results = []
    for name, ratio in [*named, ("arena score", measured.score)]:
        if ratio is None:
            continue
        metric = {"type": "points", "name": name, "value": round(ratio.value, 2)}
        dataset = {"type": measured.suite, "name": measured.suite}
        results.append({"task": {"type": "game"}, "dataset": dataset, "metrics": [metric]})
    return map_parts(clean, [{"name": measured.model, "results": results}])


def points_chart(title: str, tasks: Mapping[str, TaskResult]) -> Ranges:
    """Return a chart of the tasks' points and intervals, with floor and ceiling marked."""
    axis = points_axis([*tasks.values()])
    ranges = []
    for task in tasks.values():
        low, high = ends_on(axis, task)
        ranges.append((low, axis.inside(task.points or 0.0), high))
    marks = {"floor": 0.0, "ceiling": 100.0}
    return Ranges(title, "points, with 95 % intervals", [*tasks], ranges, marks)


def points_axis(tasks: list[TaskResult]) -> Axis:
    """Return an axis for floor, ceiling and all points, cut off below -50 and above 150."""
    values = [0.0, 100.0]
    for task in tasks:
        values += [value for value in (task.low, task.points, task.high) if value is not None]
    shown = [min(max(value, LEAST), MOST) for value in values]
    marks = marks_between(min(shown), max(shown))
    return Axis(marks[0], marks[-1], marks)


def ends_on(axis: Axis, task: TaskResult) -> tuple[float, float]:
    """Return the ends of a task's interval on the axis; an open end extends to the axis's end."""
    low = axis.low if task.low is None else axis.inside(task.low)
    high = axis.high if task.high is None else axis.inside(task.high)
    return low, high


def page_values(suite: Suite, measured: Measured, command: str, folder: Path) -> dict[str, Any]:
    """Return the values for the template of the report."""
    axis = points_axis(measured.rated)
    shown = task_table(measured)
    lines = _task_lines(suite, measured, axis, folder)
    return {
        "measured": measured,
        "lead": " ".join(opening_sentences(suite, measured)),
        "columns": shown.columns,
        "lines": lines,
        "game_columns": GAME_COLUMNS,
        "rules": shown.texts()[len(lines) :],
        "axis": axis,
        "notes": [MEANING, *closing_sentences(suite, measured)],
        "command": one_line(command),
        "versions": versions_of(measured),
    }


def _task_lines(suite: Suite, measured: Measured, axis: Axis, folder: Path) -> list[dict[str, Any]]:
    lines = []
    for task, cells in zip(measured.tasks, task_table(measured).texts(), strict=False):
        ends = None if task.points is None else ends_on(axis, task)
        about = suite.tasks[task.name].about
        games = [*game_lines(task, folder)]
        lines.append({"task": task, "cells": cells, "ends": ends, "about": about, "games": games})
    return lines


def game_lines(task: TaskResult, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the link to each game's page ("" if there is none) and its cells for GAME_COLUMNS."""
    for number, game in enumerate(task.games):
        page = f"{task.name}/games/{task.name}_{number:06}.html"
        link = page if (folder / page).exists() else ""
        legal = f"{game.legal} of {game.asks}" if game.asks else ""
        yield link, [str(number + 1), f"{game.value:.4g}", legal, f"{game.tokens:,}", game.rival]
