"""Measure how long measurements take, and how often their intervals contain the truth.

`uv run --extra openspiel benchmarks/measure.py [time] [coverage] [pairing]`. `time` runs
`scripted:random` through the whole suite. `coverage` measures the floor and ceiling scripts with
random draws that the references did not use, and prints how often the .95 intervals contain 0 and
100. `pairing` compares two scripts both deal by deal and as if their deals were unrelated.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from math import hypot
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Row, main, row
from engine.cli.tournament.measuring import one_model
from engine.runs.processes import spread
from engine.tournaments.measure.measured import GameFigures, task_figures, task_result
from engine.tournaments.measure.suite import DRAWS, read_suite
from engine.tournaments.run import PlayOptions, TournamentRun

SUITE = read_suite("arena-1")
# The largest rounding difference between two computations of the same mean, in points.
ROUNDING = 1e-6
# Scripts for each task; the first two play alike.
RIVALS = {
    "common-sense": ("greedy", "patient", "weave", "foresight"),
    "reciprocity": ("grudger", "win_stay_lose_shift", "tit_for_tat", "gradual"),
    "poker": ("equilibrium", "ismcts-100", "best_to_random", "first_legal"),
}


def games_of(name: str, script: str, draws: int) -> tuple[GameFigures, ...]:
    """Play a task with a script and these draws; return the figures of its games."""
    seat = one_model(f"scripted:{script}").model_copy(update={"draws": draws})
    settings = SUITE.settings(name, seat, draws=draws)
    with TemporaryDirectory() as folder:
        run = TournamentRun(settings, Path(folder), PlayOptions(processes=1))
        run.run()
        return task_figures(run, SUITE.tasks[name])


def ends_found(name: str, draws: int) -> list[tuple[float, float | None, float | None]]:
    """Return the true points of the floor and the ceiling, each with its interval's two ends."""
    task = SUITE.tasks[name]
    found = []
    for points, scripts in ((0.0, (task.floor,)), (100.0, task.ceilings)):
        if len(scripts) == 1:
            result = task_result(SUITE, name, games_of(name, scripts[0], draws))
            found.append((points, result.low, result.high))
    return found


def holds(points: float, low: float | None, high: float | None) -> bool:
    """Return whether an interval contains a number; a missing end is unbounded."""
    above = low is None or low - ROUNDING <= points
    return above and (high is None or points <= high + ROUNDING)


def coverage(short: bool) -> Iterator[Row]:
    """Measure how often intervals of floor and ceiling scripts contain 0 and 100."""
    rounds = 8 if short else 40
    fresh = range(DRAWS, DRAWS + rounds)
    every = []
    for name, task in SUITE.tasks.items():
        found = [each for part in spread(partial(ends_found, name), fresh) for each in part]
        chance = [ends for ends in found if ends[1] is None or ends[1] != ends[2]]
        every += chance
        held = sum(holds(*ends) for ends in found)
        basis = (
            f"{held} of {len(found)}, of which {len(found) - len(chance)} leave nothing to chance"
        )
        kind = "ladder" if task.ladder else "deals"
        yield row(
            f".95 intervals of floor and ceiling that hold, {name}", held / len(found), kind, basis
        )
    share = float(np.mean([holds(*ends) for ends in every]))
    basis = f"{len(every)} intervals in which chance plays a part"
    yield row(".95 intervals of floor and ceiling that hold", share, "", basis, least=0.93)


def whole(short: bool) -> Iterator[Row]:
    """Measure how long a script takes for all tasks."""
    del short
    begin = time.perf_counter()
    for name in SUITE.tasks:
        with TemporaryDirectory() as folder:
            TournamentRun(SUITE.settings(name, one_model("scripted:random")), Path(folder)).run()
    seconds = time.perf_counter() - begin
    yield row("`measure scripted:random`", seconds, "s", f"{len(SUITE.tasks)} tasks", most=120)


def pairing(short: bool) -> Iterator[Row]:
    """Compare the error of a paired difference with that of two independent measurements."""
    del short
    what = "error of a paired difference over an unpaired one"
    for name, scripts in RIVALS.items():
        task = SUITE.tasks[name]
        values = {}
        for script in scripts:
            values[script] = [game.value for game in games_of(name, script, 0)]
        ratios = []
        for first, second in combinations(values.values(), 2):
            gained = np.array(task.by_deal(first)) - np.array(task.by_deal(second))
            ratios.append(error_of(gained) / hypot(error_of(first), error_of(second)))
        alike = " and ".join(scripts[:2])
        yield row(what, ratios[0], "", f"{name}, {alike}, {task.deals} deals", most=0.7)
        basis = f"{name}, the median of {len(ratios)} pairs of scripts"
        yield row(what, float(np.median(ratios)), "", basis)


def error_of(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


if __name__ == "__main__":
    main(str(__doc__), {"time": whole, "coverage": coverage, "pairing": pairing})
