"""A line of the table: what was measured, what came out, and what it should be."""

import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

PAUSE = 0.01
# How much a measurement may repeat.
SHORT, USUAL, FULL = range(3)


@dataclass(frozen=True)
class Figure:
    """One line; `good` is None where there is no goal."""

    what: str
    text: str
    goal: str = ""
    good: bool | None = None

    @classmethod
    def at_most(cls, what: str, value: float, goal: float, form: str = "{:g}") -> Self:
        """Return the line of a value that should not be larger than its goal."""
        return cls(what, form.format(value), f"<= {form.format(goal)}", value <= goal)

    @classmethod
    def at_least(cls, what: str, value: float, goal: float, form: str = "{:,.0f}") -> Self:
        """Return the line of a value that should not be smaller than its goal."""
        return cls(what, form.format(value), f">= {form.format(goal)}", value >= goal)

    @classmethod
    def none_of(cls, what: str, bad: Sequence[str], count: int) -> Self:
        """Return the line of a count of which none should be bad."""
        for one in bad[:10]:
            say(f"  bad: {one[:300]}")
        return cls(what, f"{len(bad)} of {count:,}", "0", not bad)

    def line(self) -> str:
        """Return the line as it is printed."""
        verdict = {None: "", True: "good", False: "MISSED"}[self.good]
        return f"{self.what:<76}{self.text:>22}  {self.goal:<14}{verdict}".rstrip()


def say(words: str) -> None:
    """Tell how far it is."""
    print(words, file=sys.stderr, flush=True)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (0.0, 0.0)
    return statistics.median(values), statistics.quantiles(values, n=100)[98]


def load() -> str:
    """Return how many processors are wanted, and how many there are."""
    return f"{os.getloadavg()[0]:.1f} of {os.cpu_count()}"


@contextmanager
def sleeper() -> Iterator[list[float]]:
    """Fill a list with how many ms too late this machine wakes a thread that only sleeps."""
    late: list[float] = []
    over = threading.Event()

    def sleep() -> None:
        while not over.is_set():
            before = time.perf_counter()
            time.sleep(PAUSE)
            late.append((time.perf_counter() - before - PAUSE) * 1000)

    thread = threading.Thread(target=sleep, daemon=True)
    thread.start()
    try:
        yield late
    finally:
        over.set()
        thread.join()
