"""Two hundred games of models at once, each with one who watches."""

import asyncio
import time
from collections.abc import Iterator
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.serving.figures import SHORT, Figure, say, sleeper, spread
from benchmarks.serving.house import (
    SPAWN,
    House,
    begin_models,
    begin_probe,
    calls,
    late,
    playing,
    processor,
)
from benchmarks.serving.watchers import Watchers

GAMES = 200
DELAY = 0.2


def serve_models(pipe: Connection, delay: float) -> None:
    """Run a model server until the process is ended."""
    from tests.support.fake_api import FakeApi

    async def run() -> None:
        async with FakeApi(delay=delay) as api:
            pipe.send(api.url)
            while True:
                await asyncio.sleep(1)
                # What was asked would fill the memory.
                api.requests.clear()

    asyncio.run(run())


def call_alone(pipe: Connection, address: str, turns: int) -> None:
    """Send what the games ask by the SDK alone; tell the seconds of processor time of a call."""
    from benchmarks.concurrency import bare, bodies_of

    async def run() -> None:
        asked = [[body] for body in await bodies_of(f"{address}/v1", "compatible:m", turns)]
        await bare(f"{address}/v1", asked[:1], GAMES)
        began = time.process_time()
        await bare(f"{address}/v1", asked, GAMES)
        pipe.send((time.process_time() - began) / GAMES / len(asked))

    asyncio.run(run())


def games(effort: int) -> Iterator[Figure]:
    """Play and watch them."""
    turns = 8 if effort == SHORT else 20
    say(f"{GAMES} games of {turns} turns, models that answer after {DELAY * 1000:g} ms ...")
    here, there = SPAWN.Pipe()
    models = SPAWN.Process(target=serve_models, args=(there, DELAY), daemon=True)
    models.start()
    address = here.recv()
    try:
        alone = SPAWN.Process(target=call_alone, args=(there, address, turns), daemon=True)
        alone.start()
        sdk = here.recv()
        alone.join()
        with TemporaryDirectory() as folder:
            yield from played(Path(folder), address, turns, sdk)
    finally:
        models.terminate()
        models.join()


def played(folder: Path, address: str, turns: int, sdk: float) -> Iterator[Figure]:
    """Play the games in a house of their own."""
    with House(folder) as house, Watchers() as crowd:
        house.call(begin_models, address, 1, 2)
        while house.call(playing):
            time.sleep(0.1)
        before = house.call(calls)
        began = house.call(processor)
        names = house.call(begin_models, address, GAMES, turns)
        # Beginning a game writes its journal: it has a figure of its own.
        begun = house.call(processor) - began
        early = house.call(calls) - before
        heads = [house.head(f"/api/games/{name}/events?as=*") for name in names]
        crowd.ask("open", house.port, heads)
        crowd.ask("begin", "log")
        house.call(begin_probe)
        before, began = house.call(calls), house.call(processor)
        with sleeper() as waking:
            ended = crowd.ask("over", 300)
        took, made = house.call(processor) - began, house.call(calls) - before
        delays = house.call(late)
        _, arrivals = crowd.ask("timed")
        crowd.ask("shut")
    waits = []
    for stamp, at in arrivals:
        waits.append((at - datetime.fromisoformat(stamp).timestamp()) * 1000)
    yield Figure(f"{GAMES} games of models at {DELAY * 1000:g} ms: streams that ended", f"{ended}")
    call = took / max(made, 1) * 1000
    yield Figure(
        "  processor time a call; that of the SDK alone, ms", f"{call:.2f}; {sdk * 1000:.2f}"
    )
    what = "  beyond the SDK's: engine, record and streams, ms a call"
    yield Figure.at_most(what, call - sdk * 1000, 0.7, "{:.2f}")
    yield Figure("  of that at the start: a game's journal and first calls, ms a game",
                 f"{begun / GAMES * 1000:.1f} ({early} calls)")  # fmt: skip
    half, rare = spread(waits)
    yield Figure.at_most("  record to watcher, ms p50", half, 20, "{:.1f}")
    yield Figure("  record to watcher, ms p99", f"{rare:.1f}")
    yield Figure.at_most("  the web's loop is late by, ms p99", spread(delays)[1], 200, "{:.1f}")
    asleep = "{:.1f} / {:.1f}".format(*spread(waking))
    yield Figure("  meanwhile a thread that only sleeps wakes late by: ms p50 / p99", asleep)
