"""A measured model in sentences and tables, for the terminal and all other views."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, log

import numpy as np

from engine.ratings.ladder import LadderRating
from engine.ratings.ratios import RatioInterval
from engine.report.tables import Cell, Part, Sentence, Table, TableRow
from engine.spending.costs import dollars
from engine.tournaments.measure.measured import (
    Measured,
    TaskResult,
    known_score,
    why_not_current,
)
from engine.tournaments.measure.suite import Suite

COLUMNS = ("task", "points", "from", "to", "idle", "games", "answered", "legal at once")
OPEN = "open"
# The row for questions with a legal first answer, in percent.
RULES = "rules"
MEANING = (
    "The floor script scores 0 points and the ceiling script 100, on the same deals or the same "
    "ladder. The column idle is the score of a script that does nothing; from and to bound the 95 "
    "% interval. The row rules is the percentage of questions whose first answer was legal. It "
    "does not count towards the arena score."
)


def measured_parts(suite: Suite, measured: Measured) -> Iterator[Part]:
    """Yield the first paragraph, the table of tasks, the meaning of points, and notes on tasks."""
    yield Sentence(" ".join(opening_sentences(suite, measured)))
    yield task_table(measured)
    for sentence in (MEANING, *closing_sentences(suite, measured)):
        yield Sentence(sentence)


def task_table(measured: Measured) -> Table:
    """Return the points of each task, and the share of questions with a legal first answer."""
    rows = [task_row(task) for task in measured.tasks]
    rules = measured.rules
    if rules is not None:
        rows.append((RULES, *points_cells(rules), None, None, None, None))
    draft = "" if measured.frozen else ", a draft"
    heading = f"{measured.model} in {measured.suite}{draft}"
    return Table(heading, COLUMNS, tuple(rows)).without_empty("idle")


def closing_sentences(suite: Suite, measured: Measured) -> Iterator[str]:
    """Yield sentences on single tasks, such as the Elo on a ladder, or why a task has no points."""
    for task in measured.tasks:
        if task.elo is not None:
            yield f"{task.name}: {strength_in_words(suite, task.name, task.elo)}."
        if task.by_wording:
            points = ", ".join(f"{round(each)}" for each in task.by_wording.values())
            yield f"{task.name}: {points} points by wording, which widens the interval."
        illegal = sum(game.illegal for game in task.games)
        if illegal:
            yield _illegal_text(task, illegal)
        if task.missing:
            yield f"{task.name} is not measured: {task.missing}."


def _illegal_text(task: TaskResult, illegal: int) -> str:
    asked = task.answers.asked
    return (
        f"{task.name}: {illegal:,} illegal moves in {asked:,} questions, "
        f"{illegal / asked:.2f} per question; {asked - task.legal:,} questions were asked again."
    )


def strength_in_words(suite: Suite, name: str, elo: LadderRating) -> str:
    """Describe a model's Elo on a ladder, its interval, and an equally strong search."""
    low, high = (OPEN if end is None else f"{end:.0f}" for end in (elo.low, elo.high))
    known = suite.references.ladders[name].elo_of(suite.tasks[name].ladder)
    like = elo.beyond or f"plays like mcts-{simulations_at(elo.elo, known)}"
    return f"{elo.elo:.0f} Elo [{low}, {high}] above {suite.tasks[name].floor}, {like}"


def simulations_at(elo: float, known: Mapping[str, float]) -> int:
    """Return how many simulations a search needs for this Elo, log-interpolated between rungs.

    >>> simulations_at(150, {"mcts-1": 0, "mcts-16": 300, "mcts-64": 600})
    4
    """
    logs = [log(int(rung.rpartition("-")[2])) for rung in known]
    return round(exp(float(np.interp(elo, [*known.values()], logs))))


def task_row(task: TaskResult) -> TableRow:
    """Return a task's row in the table."""
    asked = task.answers
    answered = f"{asked.answered} of {asked.asked}" if asked.asked else None
    at_once = f"{task.legal / asked.asked:.0%}" if asked.asked else None
    points = points_cells(task.ratio)
    return (task.name, *points, whole_points(task.idle), len(task.games), answered, at_once)


def points_cells(ratio: RatioInterval | None) -> tuple[Cell, Cell, Cell]:
    """Return points and the ends of their interval, with "open" for a missing end."""
    if ratio is None:
        return None, None, None
    low, high = (OPEN if end is None else whole_points(end) for end in (ratio.low, ratio.high))
    return whole_points(ratio.value), low, high


def whole_points(points: float | None) -> Cell:
    """Return points rounded to a whole number; None stays None."""
    return None if points is None else f"{round(points)}"


def ratio_in_words(ratio: RatioInterval) -> str:
    """Return points with their interval, such as "62 [55, 69]"."""
    value, low, high = points_cells(ratio)
    return f"{value} [{low}, {high}]"


def opening_sentences(suite: Suite, measured: Measured) -> Iterator[str]:
    """Yield the main findings as sentences."""
    if len(measured.tasks) < len(suite.tasks):
        for task in measured.tasks:
            points = "no" if task.ratio is None else ratio_in_words(task.ratio)
            yield f"{measured.model} has {points} points in {task.name}."
    else:
        yield _score_text(suite, measured)
    if len(measured.rated) > 1:
        yield _extremes_text(measured.rated)
    rules = measured.rules
    if rules is not None:
        yield f"{rules.value:.1f} % of its questions were answered legally at the first attempt."
    if measured.tokens:
        yield f"It took {measured.tokens:,} tokens and cost {dollars(measured.cost)}."
    if measured.quick:
        # Half the deals add a factor of sqrt(2), and 5 instead of 11 degrees of freedom the rest.
        yield "These are half of the games, so intervals are about 1.7 times as wide."


def _score_text(suite: Suite, measured: Measured) -> str:
    score, tasks = measured.score, measured.rated
    if score is None:
        done = f"{len(tasks)} of {len(suite.tasks)} tasks are measured"
        return f"{measured.model} has no arena score: {done}."
    return (
        f"{measured.model} has an arena score of {ratio_in_words(score)} points, the mean of "
        f"{len(tasks)} tasks."
    )


def _extremes_text(tasks: Sequence[TaskResult]) -> str:
    """Return a sentence on the best and the worst task, or on the overlap of their intervals."""
    by_points = sorted(tasks, key=lambda task: task.points or 0.0)
    worst, best = by_points[0], by_points[-1]
    if best.low is not None and worst.high is not None and best.low > worst.high:
        return (
            f"It is best at {best.name} ({whole_points(best.points)}) and worst at "
            f"{worst.name} ({whole_points(worst.points)})."
        )
    return (
        f"No task is clearly its best or worst: the intervals of {best.name} and "
        f"{worst.name} overlap."
    )


def suite_table(suite: Suite) -> Table:
    """Return the tasks of a suite: what they ask, and the scripts that define 0 and 100 points."""
    rows = []
    for name, task in suite.tasks.items():
        ends = (task.floor, " or ".join(task.ceilings))
        rows.append((name, task.about, str(task.game["name"]), *ends, task.deals))
    columns = ("task", "what it asks", "game", "floor", "ceiling", "deals")
    heading = f"Tasks of {suite.name}{'' if suite.frozen else ', a draft'}"
    return Table(heading, columns, tuple(rows))


def models_parts(suite: Suite, found: Iterable[Measured]) -> Iterator[Part]:
    """Yield the table of measured models, best first, and why some of them cannot be compared."""
    rows = []
    stale = []
    for measured in sorted(found, key=lambda model: -known_score(model)):
        quick = "yes" if measured.quick else "no"
        rows.append((measured.model, *points_cells(measured.score), quick))
        stale.append(why_not_current(suite, measured))
    if rows:
        yield Table("Measured models", ("model", "score", "from", "to", "quick"), tuple(rows))
    for why in filter(None, stale):
        yield Sentence(f"{why[0].upper()}{why[1:]}.")
