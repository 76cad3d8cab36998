"""Write docs/measured.md and its picture from measured models.

    uv run docs/make_measured.py logs/measure/arena-1/*
    uv run docs/make_measured.py

The result in each measured model's folder is copied to docs/measured/ under today's date, replacing
any earlier result of that model. Then the page is written from all results in docs/measured/.
Results that do not belong to the current suite are rejected.
"""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from engine.report.tables import Table, TableRow  # noqa: E402
from engine.tournaments.measure.files import points_chart, versions_of  # noqa: E402
from engine.tournaments.measure.measured import (  # noqa: E402
    FILE,
    Measured,
    TaskResult,
    known_score,
    read_measured,
    why_not_current,
)
from engine.tournaments.measure.report import (  # noqa: E402
    COLUMNS,
    closing_sentences,
    points_cells,
    task_row,
)
from engine.tournaments.measure.suite import Suite, read_suite  # noqa: E402
from engine.tournaments.report.card import escape, markdown_table  # noqa: E402
from engine.views.plots import save_chart  # noqa: E402

SUITE = "arena-1"
PAGE = ROOT / "docs" / "measured.md"
RESULTS = ROOT / "docs" / "measured"
PICTURE = ROOT / "docs" / "pictures" / "measured"
DAY = len("2026-01-01")
INTRODUCTION = """# Measured models

These models and scripts played the suite arena-1 as [measure a model](measure.md) describes. In
each task the floor script scores 0 points and the ceiling script 100, on the same deals for all.
The columns "from" and "to" bound the 95 % interval. The score is the mean of the nine tasks.

Most scripts play only one game, so `random` is the only one with a score. `local` is the embedded
model, SmolLM2 with 135 million parameters; it is included so that everything runs without a key,
but plays badly. Qwen2.5-Coder Instruct, with 0.5 billion parameters, played half of the games of
each task. Hosted models need a key, so none was measured for this page.
"""


class Result(NamedTuple):
    """A measured model and the date of its result."""

    date: str
    measured: Measured


def add_results(folders: list[Path]) -> None:
    """Copy the result in each folder into `docs/measured/`, named by date and model."""
    RESULTS.mkdir(exist_ok=True)
    today = datetime.now(UTC).date().isoformat()
    for folder in folders:
        for earlier in RESULTS.glob(f"????-??-??-{folder.name}.json"):
            earlier.unlink()
        copyfile(folder / FILE, RESULTS / f"{today}-{folder.name}.json")


def read_stored_results(suite: Suite) -> list[Result]:
    """Return all stored results, best score first; raise ValueError if any is out of date."""
    results = []
    for path in sorted(RESULTS.glob("*.json")):
        measured = read_measured(path)
        refusal = why_not_current(suite, measured)
        if refusal:
            raise ValueError(f"{path}: {refusal}")
        results.append(Result(path.name[:DAY], measured))
    return sorted(results, key=lambda result: -known_score(result.measured))


def score_table(results: Sequence[Result]) -> Table:
    """Return a table of scores with intervals and data, without scripts that have no score."""
    rows: list[TableRow] = []
    for date, measured in results:
        if measured.score is not None or measured.tokens:
            rows.append(_score_row(date, measured))
    columns = ("model", "score", "from", "to", "legal at once, %", "games", "wordings", "date")
    return Table("Scores", columns, tuple(rows))


def _score_row(date: str, measured: Measured) -> TableRow:
    rules = measured.rules
    legal = None if rules is None else round(rules.value, 1)
    games = len(measured.games)
    wordings = max(len(task.by_wording) for task in measured.tasks) or 1
    return (measured.model, *points_cells(measured.score), legal, games, wordings, date)


def task_tables(results: Sequence[Result]) -> Iterator[Table]:
    """Yield for each task a table of the models measured in it, best first."""
    for place, task in enumerate(results[0].measured.tasks):
        yield Table(task.name, ("model", *COLUMNS[1:]), _ranked_rows(results, place))


def _ranked_rows(results: Sequence[Result], place: int) -> tuple[TableRow, ...]:
    rows: list[tuple[float, TableRow]] = []
    for _, measured in results:
        mine = measured.tasks[place]
        if mine.points is not None:
            rows.append((mine.points, (measured.model, *task_row(mine)[1:])))
    return tuple(cells for _, cells in sorted(rows, key=lambda row: -row[0]))


def page_lines(suite: Suite, results: Sequence[Result]) -> Iterator[str]:
    """Yield the page, paragraph by paragraph."""
    yield INTRODUCTION
    yield f"![Points in each task, with intervals](pictures/{PICTURE.name}.png)\n"
    yield "Values below -50 or above 150 points are drawn at the end of the axis.\n"
    for table in (score_table(results), *task_tables(results)):
        yield f"## {table.heading.capitalize()}\n"
        yield "\n".join(markdown_table(table)) + "\n"
    yield "## Notes\n"
    for _, measured in results:
        if not measured.tokens:
            continue
        notes = [escape(sentence) for sentence in closing_sentences(suite, measured)]
        yield f"**{escape(measured.model)}** ({versions_of(measured)}). {' '.join(notes)}\n"
    yield f"Suite {suite.name}, fingerprint `{suite.sha256}`."


def labelled_tasks(results: Sequence[Result]) -> dict[str, TaskResult]:
    """Return the task results keyed by task and model, with keys short enough for a picture."""
    measured_tasks = {}
    for tasks in zip(*(result.measured.tasks for result in results), strict=True):
        for task, result in zip(tasks, results, strict=True):
            if task.points is not None:
                name = result.measured.model.removeprefix("scripted:").removesuffix(".gguf")
                measured_tasks[f"{task.name}: {name}"] = task
    return measured_tasks


def main() -> None:
    """Add the results in the named folders, and write the page and the picture."""
    add_results([Path(word) for word in sys.argv[1:]])
    suite = read_suite(SUITE)
    results = read_stored_results(suite)
    PAGE.write_text("\n".join(page_lines(suite, results)) + "\n", encoding="utf-8")
    save_chart(points_chart(f"Points in {SUITE}", labelled_tasks(results)), PICTURE)


if __name__ == "__main__":
    main()
