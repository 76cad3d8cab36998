"""Measure the server: delivery to watchers, games with models, cut streams and kills.

`uv run --group dev benchmarks/server.py [delivery] [games] [cuts] [kills]`. The server, watchers
and models run in separate processes. On a busy machine, trust only processor times and counts.
"""

import asyncio
import json
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.calls import bare, bodies_of
from benchmarks.figures import Row, main, none_of, quantiles, row, say
from benchmarks.serving import HOSTED, MODEL, SCRIPT, Server, Watchers, model_server
from providers.openai import ResponsesClient

# The number of watchers, and the longest allowed delays in ms: median and 99th percentile.
CROWDS = ((1, 2, 10), (50, 10, 50), (500, 150, 700))
# Memory grows in large steps, so it is reported only with at least this many watchers.
ENOUGH = 500
DELAY = 0.2
# Turns of the shorter games, which show the cost of beginning and ending a game.
SHORTER = 5
WATCHERS = 20
Seen = list[tuple[int, str]]


def waits_of(arrivals: list[tuple[str, float]]) -> list[float]:
    """Return the milliseconds between the recording and the arrival of each event."""
    return [(at - datetime.fromisoformat(told).timestamp()) * 1000 for told, at in arrivals]


def delivery(short: bool) -> Iterator[Row]:
    """Watch a game with a model that answers ten times a second."""
    for count, *goals in CROWDS:
        say(f"{count} watchers ...")
        with (
            TemporaryDirectory() as folder,
            model_server(0.1) as models,
            Server(Path(folder), models) as server,
            Watchers() as crowd,
        ):
            (name,) = server.begin(100 if short else 200, MODEL, SCRIPT)
            # Memory allocated for the first watcher, and shared by all, is not counted.
            crowd.ask("open", server.port, [server.head(name)])
            before, more = server.memory(), max(1, count - 1)
            crowd.ask("open", server.port, [server.head(name)] * more)
            held = 1000 * (server.memory() - before) / more
            time.sleep(2)
            crowd.ask("begin")
            began = server.processor()
            time.sleep(3 if short else 10)
            took = server.processor() - began
            events, arrivals = crowd.ask("count")
        half, rare = quantiles(waits_of(arrivals))
        basis = f"{count} watchers"
        yield row("record to watcher, p50", half, "ms", basis, most=goals[0])
        yield row("record to watcher, p99", rare, "ms", basis, most=goals[1])
        cost = took / max(1, events) * 1e6
        yield row("processor time a delivery, the game included", cost, "us", basis)
        if count >= ENOUGH:
            yield row("memory a watcher", held, "KB", basis, most=30)


async def sdk_time(address: str, turns: int, count: int) -> float:
    """Return the processor seconds per call that the bare SDK takes for the same games."""
    bodies = await bodies_of(address, "compatible:m", turns, ResponsesClient)
    asked = [[body] for body in bodies]
    await bare(address, asked[:1], count)
    began = time.process_time()
    await bare(address, asked, count)
    return (time.process_time() - began) / count / len(asked)


def games(short: bool) -> Iterator[Row]:
    """Play many games with models at once, each with a watcher."""
    count, turns, pairs = (50, 40, 1) if short else (200, 40, 3)
    say(f"{count} games of {turns} turns ...")
    beyond, alone, ended = [], [], 0
    with (
        TemporaryDirectory() as folder,
        model_server(DELAY) as models,
        Server(Path(folder), models) as server,
        Watchers() as crowd,
    ):
        for _ in range(pairs):
            took = []
            # The same number of shorter games shows the cost of beginning and ending a game.
            for length in (SHORTER, turns):
                began = server.processor()
                names = server.begin(length, HOSTED, games=count)
                crowd.ask("open", server.port, [server.head(name) for name in names])
                ended = crowd.ask("over", 300)
                took.append(server.processor() - began)
            cost = (took[1] - took[0]) / count / (turns - SHORTER)
            alone.append(asyncio.run(sdk_time(f"{models}/v1", turns, count)))
            beyond.append(cost - alone[-1])
        _, arrivals = crowd.ask("count")
    basis = f"{count} games of models at {1000 * DELAY:g} ms, {turns} turns, watched"
    yield row("streams that ended", ended, "", basis, least=2 * pairs * count)
    what = "processor time of a call beyond the bare SDK's"
    told = f"{basis}; the SDK takes {1000 * median(alone):.2f} ms; pairs: {pairs}"
    yield row(what, 1000 * median(beyond), "ms", told, most=0.4)
    half, rare = quantiles(waits_of(arrivals))
    yield row("record to watcher, p50", half, "ms", f"{basis}; p99 {rare:.0f}", most=20)


def read_events(server: Server, name: str, seen: Seen, most: int) -> str:
    """Append up to `most` later events to `seen`; return the kind of the last frame."""
    more = f"Last-Event-ID: {seen[-1][0]}\r\n" if seen else ""
    kind, fields = "", dict[str, str]()
    address = ("127.0.0.1", server.port)
    with socket.create_connection(address, 60) as client, client.makefile("rb") as stream:
        client.sendall(server.head(name, more, version="1.0"))
        for line in stream:
            field, _, value = line.decode().rstrip("\r\n").partition(": ")
            if field:
                fields[field] = value
                continue
            kind = fields.get("event", kind)
            if kind == "event" and "data" in fields:
                seen.append((int(fields["id"]), json.loads(fields["data"])["content"]))
                most -= 1
            fields = {}
            if most == 0 or kind == "end":
                break
    return kind


def logged_events(server: Server, name: str) -> Seen:
    """Return the events in the log of a finished game."""
    log = json.loads((server.folder / f"{name}.json").read_text(encoding="utf-8"))
    return [(one["index"], one["content"]) for part in log["rounds"] for one in part["events"]]


def cuts(short: bool) -> Iterator[Row]:
    """Cut each stream of a live game after a few events, and resume it after its last id."""
    seen: list[Seen] = [[] for _ in range(WATCHERS)]
    made = [0] * WATCHERS
    with (
        TemporaryDirectory() as folder,
        model_server(0.02) as models,
        Server(Path(folder), models) as server,
    ):
        (name,) = server.begin(40 if short else 200, MODEL, SCRIPT)

        def watch(place: int) -> None:
            chance = random.Random(place)
            while read_events(server, name, seen[place], chance.randint(1, 5)) != "end":
                made[place] += 1

        threads = [threading.Thread(target=watch, args=(place,)) for place in range(WATCHERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        whole = logged_events(server, name)
    bad = [str(events[-3:]) for events in seen if events != whole]
    basis = f"{sum(made):,} cut streams, {sum(map(len, seen)):,} events"
    yield none_of("watchers with lost, repeated or other events", bad, WATCHERS, basis)


def kills(short: bool) -> Iterator[Row]:
    """Repeatedly kill the server mid-game; a watcher resumes after the last event it received."""
    chance, bad, died, number = random.Random(7), list[str](), 0, 0
    with TemporaryDirectory() as folder, model_server(0.02) as models:
        server = Server(Path(folder), models)
        while died < (3 if short else 100):
            seen: Seen = []
            number += 1
            with server:
                (name,) = server.begin(40, MODEL, SCRIPT)
                kind = read_events(server, name, seen, chance.randint(1, 30))
                time.sleep(chance.random() * 0.05)
            # Leaving the block kills the server (-9).
            while kind != "end":
                died += 1
                with server:
                    server.served.post(f"/api/games/{name}/resume")
                    kind = read_events(server, name, seen, chance.randint(1, 30))
                    time.sleep(chance.random() * 0.05)
            whole = logged_events(server, name)
            if seen != whole:
                bad.append(f"{name}: {seen[-3:]} of {len(seen)}, in the log {len(whole)}")
    what = "games whose watcher lost or repeated an event"
    yield none_of(what, bad, number, f"server killed (-9) {died} times")


if __name__ == "__main__":
    parts = {"delivery": delivery, "games": games, "cuts": cuts}
    main(str(__doc__), parts | {"kills": kills})
