"""Write docs/measured.md and its picture from measured models.

    uv run docs/make_measured.py logs/measure/arena-1/*
    uv run docs/make_measured.py

Each folder of a measured model is copied into docs/measured/ under today's date, in place of an
earlier result of that model. Then the page is written from all results in docs/measured/. Results
that do not belong to the suite as it is now are refused.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from engine.report.charts import Ranges  # noqa: E402
from engine.report.tables import Cell, Table  # noqa: E402
from engine.tournaments.measure.files import versions_of  # noqa: E402
from engine.tournaments.measure.measured import (  # noqa: E402
    FILE,
    Measured,
    read_measured,
    why_not_current,
)
from engine.tournaments.measure.report import closing_sentences, whole_points  # noqa: E402
from engine.tournaments.measure.suite import Suite, read_suite  # noqa: E402
from engine.tournaments.report.card import escape, markdown_table  # noqa: E402
from engine.views.plots import save_chart  # noqa: E402

SUITE = "arena-1"
PAGE = ROOT / "docs" / "measured.md"
RESULTS = ROOT / "docs" / "measured"
PICTURE = ROOT / "docs" / "pictures" / "measured"
DATE = len("2026-01-01-")
INTRODUCTION = """# Measured models

These models and scripts played the suite arena-1 as [measure a model](measure.md) describes. In
each task the floor script scores 0 points and the ceiling script 100, on the same deals for all.
The score is the mean of the nine tasks, with its 95 % interval. A script that cannot play all of
them has no score. Hosted models need a key, so none was measured for this page.
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
    """Return all results, the best score first; ValueError for one that is out of date.

    Scripts that cannot play every task have no score. They come last.
    """
    results = []
    for path in sorted(RESULTS.glob("*.json")):
        measured = read_measured(path)
        refusal = why_not_current(suite, measured)
        if refusal:
            raise ValueError(f"{path}: {refusal}")
        results.append(Result(path.name[: DATE - 1], measured))
    return sorted(results, key=sort_by_score)


def sort_by_score(result: Result) -> float:
    """Return the negative score of a result; infinity without one."""
    score = result.measured.score
    return math.inf if score is None else -score.value


def score_table(results: Sequence[Result]) -> Table:
    """Return the score of each model with its interval, and what it is based on."""
    rows: list[tuple[Cell, ...]] = []
    for date, measured in results:
        score, rules = measured.score, measured.rules
        cells = [None, None, None] if score is None else [*map(whole_points, score[:3])]
        legal = None if rules is None else round(rules.value, 1)
        games = sum(len(task.games) for task in measured.tasks)
        wordings = max(len(task.by_wording) for task in measured.tasks) or 1
        rows.append((measured.model, *cells, legal, games, wordings, date))
    columns = ("model", "score", "from", "to", "legal at once, %", "games", "wordings", "date")
    return Table("Scores", columns, tuple(rows))


def points_by_task(results: Sequence[Result]) -> Table:
    """Return the points of each model in each task."""
    rows: list[tuple[Cell, ...]] = []
    for place, task in enumerate(results[0].measured.tasks):
        points = [result.measured.tasks[place].points for result in results]
        rows.append((task.name, *(None if each is None else round(each) for each in points)))
    names = [result.measured.model for result in results]
    return Table("Points by task", ("task", *names), tuple(rows))


def page_lines(suite: Suite, results: Sequence[Result]) -> Iterator[str]:
    """Yield the page, paragraph by paragraph."""
    yield INTRODUCTION
    yield f"![Scores of all measured models with their intervals](pictures/{PICTURE.name}.png)\n"
    for table in (score_table(results), points_by_task(results)):
        yield f"## {table.heading}\n"
        yield "\n".join(markdown_table(table)) + "\n"
    yield "## Notes\n"
    for _, measured in results:
        notes = [escape(sentence) for sentence in closing_sentences(suite, measured)]
        yield f"**{escape(measured.model)}** ({versions_of(measured)}). {' '.join(notes)}\n"
    yield f"Suite {suite.name}, fingerprint `{suite.sha256}`."


def save_picture(results: Sequence[Result]) -> None:
    """Draw the score of each model that has one, with its interval; an open end is the value."""
    names, ranges = [], []
    for _, measured in results:
        score = measured.score
        if score is not None:
            low = score.value if score.low is None else score.low
            high = score.value if score.high is None else score.high
            names.append(measured.model)
            ranges.append((low, score.value, high))
    marks = {"floor": 0.0, "ceiling": 100.0}
    save_chart(Ranges(f"Scores in {SUITE}", "points", names, ranges, marks), PICTURE)


def main() -> None:
    """Add the results in the named folders, and write page and picture."""
    add_results([Path(word) for word in sys.argv[1:]])
    suite = read_suite(SUITE)
    results = read_stored_results(suite)
    PAGE.write_text("\n".join(page_lines(suite, results)) + "\n", encoding="utf-8")
    save_picture(results)


if __name__ == "__main__":
    main()
