"""Models measured in two short tasks, as `measure` leaves them in a folder of logs."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

import tournament
from engine.tournaments.measure.measured import GameFigures
from engine.tournaments.measure.suite import Suite, read_suite
from tests.support.web.real_server import Served, serving

SUITE = read_suite("arena-1")
# Where a suite is read: its own module comes last, since the others import from it.
PLACES = ("cli.tournament.measuring", "tournaments.measure.listing", "tournaments.measure.suite")


def small_suite() -> Suite:
    """Return a suite of its two shortest tasks, of eight deals each."""
    tasks = {}
    for name in ("teamwork", "moderation"):
        tasks[name] = SUITE.tasks[name].model_copy(update={"deals": 8})
    return SUITE.model_copy(update={"tasks": tasks})


@contextmanager
def only_small() -> Iterator[None]:
    """Read the small suite wherever a suite is read."""
    suite = small_suite()
    with pytest.MonkeyPatch.context() as patch:
        for place in PLACES:
            patch.setattr(f"engine.{place}.read_suite", lambda name, **_: suite)
        yield


def measure_scripts(folder: Path, *scripts: str) -> None:
    """Measure scripts in the small suite, in a thread of its own: a browser's has a loop."""
    words = ["measure", *(f"scripted:{script}" for script in scripts), "--quick"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(tournament.main, [*words, "--logs-dir", str(folder)]).result() == 0


@contextmanager
def serving_measured(folder: Path, **options: Any) -> Iterator[Served]:
    """Serve a folder in which two scripts were measured."""
    with only_small():
        measure_scripts(folder, "random", "greedy")
        with serving(folder, **options) as server:
            yield server


def figures_with(values: Sequence[float], rivals: Iterable[str] = repeat("")) -> list[GameFigures]:
    """Return games with these values, in which every question was answered."""
    pairs = zip(values, rivals, strict=False)
    return [GameFigures(value, 1, 1, 1, 0, 0.0, rival=rival) for value, rival in pairs]
