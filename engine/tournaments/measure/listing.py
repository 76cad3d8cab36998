"""The measured models in a folder, as plain data for a page."""

from pathlib import Path
from typing import Any

from engine.history import history_from_json
from engine.record.files import read_regular
from engine.tournaments.measure.measured import (
    Measured,
    TaskResult,
    known_score,
    measured_files,
    plain_ratio,
    read_measured,
    why_not_current,
)
from engine.tournaments.measure.suite import read_suite
from engine.tournaments.standings.standings import attributes_of
from engine.views.page import page_html

Plain = dict[str, Any]


def suites_in(logs_dir: Path) -> Plain:
    """Return the suites with their measured models, the best model first."""
    found = [(read_measured(path), path.parent.name) for path in measured_files(logs_dir)]
    found.sort(key=lambda model: (model[0].suite, -known_score(model[0])))
    suites: dict[str, list[Plain]] = {}
    for measured, folder in found:
        suites.setdefault(measured.suite, []).append(plain_measured(measured, folder))
    return {"suites": [{"name": name, "models": models} for name, models in suites.items()]}


def plain_measured(found: Measured, folder: str) -> Plain:
    """Return a measured model as plain data: its score, and the points of each task."""
    tasks = []
    for task in found.tasks:
        kept = {"name": task.name, "missing": task.missing, "games": len(task.games)}
        tasks.append({**kept, "points": plain_ratio(task.ratio)})
    return {
        "folder": folder,
        "model": found.model,
        "quick": found.quick,
        "draft": not found.frozen,
        "stale": why_not_current(read_suite(found.suite), found),
        "score": plain_ratio(found.score),
        "rules": plain_ratio(found.rules),
        "tasks": tasks,
    }


def task_games(logs_dir: Path, suite: str, model: str, task: str) -> Plain:
    """Return the figures of a model's games in a task; raise KeyError if it has no result."""
    _, measured, result = measured_task(logs_dir, suite, model, task)
    games = []
    for number, game in enumerate(result.games):
        figures = attributes_of(game, "value", "rival", "asks", "legal", "tokens")
        games.append({"number": number} | figures)
    return {"model": measured.model, "task": task, "games": games}


def page_of_game(logs_dir: Path, suite: str, model: str, task: str, number: int) -> str:
    """Return a measured game as an HTML page; raise KeyError if there is no such game."""
    folder, _, result = measured_task(logs_dir, suite, model, task)
    if not 0 <= number < len(result.games):
        raise KeyError(number)
    log = folder / task / "games" / f"{task}_{number:06}.json"
    return page_html(history_from_json(read_regular(log)))


def measured_task(
    logs_dir: Path, suite: str, model: str, task: str
) -> tuple[Path, Measured, TaskResult]:
    """Return a model's folder, whole result, and result in a task; raise KeyError if missing.

    Names are only compared with existing names, never used in a path.
    """
    for path in measured_files(logs_dir):
        if (path.parent.parent.name, path.parent.name) == (suite, model):
            measured = read_measured(path)
            for result in measured.tasks:
                if result.name == task:
                    return path.parent, measured, result
    raise KeyError(task)
