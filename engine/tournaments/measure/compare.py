"""Compares two measured models by the difference in their points, deal by deal."""

from collections.abc import Iterator
from math import ceil, inf

import numpy as np

from engine.ratings.ratios import RatioInterval, difference_interval, mean_interval, ratio_interval
from engine.report.tables import Part, Sentence, Table, TableRow
from engine.tournaments.measure.measured import Measured, TaskResult, why_not_current
from engine.tournaments.measure.report import points_cells, ratio_in_words
from engine.tournaments.measure.suite import Suite

COLUMNS = ("task", "difference", "from", "to", "games", "games to settle")
WHOLE = "mean of these"


def compare_parts(suite: Suite, first: Measured, second: Measured) -> Iterator[Part]:
    """Yield a table of differences, by common task and on average, and a sentence on the leader.

    Raise ValueError if the two results cannot be compared.
    """
    for measured in (first, second):
        why = why_not_current(suite, measured)
        if why:
            raise ValueError(why)
    theirs = {task.name: task for task in second.rated}
    common = [task for task in first.rated if task.name in theirs]
    if not common:
        raise ValueError(f"{first.model} and {second.model} have no measured task in common")
    ratios = [difference(suite, task, theirs[task.name]) for task in common]
    counts = [min(len(task.games), len(theirs[task.name].games)) for task in common]
    names = [task.name for task in common]
    rows = [*map(difference_row, names, ratios, counts)]
    whole = mean_interval(ratios)
    if len(common) > 1:
        rows.append(difference_row(WHOLE, whole, max(counts)))
    yield Table(f"{first.model} against {second.model}, in points", COLUMNS, tuple(rows))
    yield Sentence(leader_sentence(first.model, second.model, whole))


def difference(suite: Suite, task: TaskResult, other: TaskResult) -> RatioInterval:
    """Return the difference between two models' points in a task, paired by deal.

    The result is 100 times the mean difference between the models' values, divided by the mean
    difference between ceiling and floor. On a ladder, models meet different rungs, so their points
    count as independent.
    """
    asked = suite.tasks[task.name]
    if asked.ladder:
        both = [each.ratio for each in (task, other)]
        first, second = (ratio for ratio in both if ratio is not None)
        return difference_interval(first, second)
    values = [asked.by_deal([game.value for game in each.games]) for each in (task, other)]
    deals = min(map(len, values))
    gained = np.subtract(values[0][:deals], values[1][:deals])
    floor, ceiling = asked.ends(suite.references.scripts[task.name])
    scale = np.subtract(ceiling[:deals], floor[:deals])
    return ratio_interval(gained.tolist(), scale.tolist()).times(100)


def difference_row(name: str, ratio: RatioInterval, games: int) -> TableRow:
    """Return a task's row, with the number of games that would settle an undecided task."""
    return (name, *points_cells(ratio), games, games_to_settle(ratio, games))


def is_settled(ratio: RatioInterval) -> bool:
    """Return whether an interval excludes 0."""
    low, high = ratio.low, ratio.high
    return low is not None and high is not None and not low <= 0 <= high


def games_to_settle(ratio: RatioInterval, games: int) -> int | None:
    """Return how many games would likely settle a task, or None if it is settled or cannot be."""
    if is_settled(ratio) or not ratio.value or ratio.low is None or ratio.high is None:
        return None
    reach = max(ratio.high - ratio.value, ratio.value - ratio.low)
    needed = games * (reach / abs(ratio.value)) ** 2
    return None if needed == inf else ceil(needed)


def leader_sentence(first: str, second: str, whole: RatioInterval) -> str:
    """Return a sentence on which model is ahead (neither, if the .95 interval includes 0)."""
    if not is_settled(whole):
        return f"Undecided: the difference is {ratio_in_words(whole)} points."
    ahead, behind = (first, second) if whole.value > 0 else (second, first)
    return f"{ahead} is ahead of {behind}: the difference is {ratio_in_words(whole)} points."
