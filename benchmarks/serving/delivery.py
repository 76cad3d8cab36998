"""How long an event takes from the record to who watches, and what that costs."""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.serving.figures import SHORT, Figure, say, sleeper, spread
from benchmarks.serving.house import House, memory, post, processor, stage, told
from benchmarks.serving.watchers import Watchers

PACE = 0.1
# Watchers, and how many ms an event may take: half of them, and all but one in a hundred.
CROWDS = ((1, 2, 10), (50, 10, 50), (500, 150, 700))
# Of fewer watchers a process's memory tells little: it grows in larger steps.
ENOUGH = 500
MOST = ((50, 80_000), (500, 30_000))


def delivery(effort: int) -> Iterator[Figure]:
    """Measure 1, 50 and 500 watchers at 10 events a second, and the most of two crowds."""
    with TemporaryDirectory() as folder:
        for count, half, most in CROWDS:
            yield from paced(
                Path(folder) / str(count), count, (half, most), 30 if effort == SHORT else 100
            )
        for count, goal in MOST:
            events = (2000 if effort == SHORT else 10_000) * 50 // count
            yield from flood(Path(folder) / f"most{count}", count, goal, events)


def paced(folder: Path, count: int, goals: tuple[int, int], events: int) -> Iterator[Figure]:
    """Measure so many watchers of one game that tells ten events a second."""
    say(f"{count} watchers at 10 events a second ...")
    with House(folder) as house, Watchers() as crowd:
        name = house.call(stage)
        # What is made once for all is there before anybody is counted.
        crowd.watch(house, name, 1)
        house.call(post, name, 5, PACE)
        before = house.call(memory)
        crowd.watch(house, name, count - 1 or 1)
        settle(house, crowd, name)
        held = (house.call(memory) - before) / 1000 / (count - 1 or 1)
        crowd.ask("begin", "stamp")
        began = house.call(processor)
        with sleeper() as late:
            house.call(post, name, events, PACE)
            heard, _ = crowd.ask("heard", events, 30)
        took = house.call(processor) - began
        latencies, _ = crowd.ask("timed")
        crowd.ask("shut")
    seen, rare = spread(latencies)
    goal = f"<= {goals[0]} / {goals[1]}"
    good = seen <= goals[0] and rare <= goals[1]
    asleep = "{:.1f} / {:.1f}".format(*spread(late))
    what = f"{count} watchers, 10 events/s: ms p50 / p99"
    yield Figure(what, f"{seen:.1f} / {rare:.1f}", goal, good)
    yield Figure("  meanwhile a thread that only sleeps wakes late by: ms p50 / p99", asleep)
    if count > 1:
        what = "  processor time a delivery, us"
        yield Figure.at_most(what, took / max(1, heard) * 1e6, 40, "{:.1f}")
    if count >= ENOUGH:
        yield Figure.at_most("  memory a watcher, KB", held, 30, "{:.1f}")


def settle(house: House, crowd: Watchers, name: str) -> None:
    """Wait until everybody has every event that there is."""
    house.call(post, name, 5, PACE)
    crowd.ask("heard", house.call(told, name), 30)


def flood(folder: Path, count: int, goal: int, events: int) -> Iterator[Figure]:
    """Measure the most deliveries a second of one game."""
    say(f"{count} watchers, as many events as can be ...")
    with House(folder) as house, Watchers() as crowd:
        name = house.call(stage)
        crowd.watch(house, name, count)
        settle(house, crowd, name)
        crowd.ask("begin", "")
        began, at = house.call(processor), time.time()
        house.call(post, name, events, 0.0)
        heard, until = crowd.ask("heard", events, 300)
        took = house.call(processor) - began
        crowd.ask("shut")
    lost = heard != events * count
    what = f"{count} watchers at most: deliveries a second of processor time"
    yield Figure.at_least(what, 0 if lost else heard / took, goal)
    yield Figure("  a second of the clock", f"{heard / (until - at):,.0f}")
