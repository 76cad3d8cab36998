"""What a person waits for, in a real Chromium."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.serving.figures import SHORT, Figure, say, sleeper, spread
from benchmarks.serving.house import House, post, stage

# Turns of a conversation, the events it has, and the seconds until its first is shown.
LOGS = ((400, 2_000, 1.0), (2_000, 10_000, 2.0))
STEPS = 40
PACE = 0.1
STEP = """steps => {
  const took = [];
  for (let number = 0; number < steps; number += 1) {
    const before = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    document.body.getBoundingClientRect();
    took.push(performance.now() - before);
  }
  return took;
}"""
HEAR = """name => {
  window.heard = [];
  const stream = new EventSource(`/api/games/${name}/events?as=public`);
  stream.addEventListener("event", (message) => {
    const at = performance.timeOrigin + performance.now();
    const sent = Number(JSON.parse(message.data).content.split(" ")[0].slice(1));
    if (sent) window.heard.push(at - sent * 1000);
  });
}"""


def browsing(effort: int) -> Iterator[Figure]:
    """Measure navigation, steps of the timeline, and how soon an event is in the browser."""
    from tests.support.web.browser import CHROMIUM, chromium

    if CHROMIUM is None:
        yield Figure("the browser's rows", "no chromium here")
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for turns, events, _ in LOGS:
            write_game(folder, f"gameplay_{events}", turns)
        with House(folder) as house, chromium() as browser:
            yield from navigation(house, browser, 1 if effort == SHORT else 3)
            yield from steps(house, browser)
            yield from arrivals(house, browser, 30 if effort == SHORT else 100)


def write_game(folder: Path, name: str, turns: int) -> None:
    """Write a conversation of four scripts."""
    from engine.engine import GameEngine
    from engine.record.journal import utc_now
    from tests.support.tables import config_for

    long = {"length": turns}
    GameEngine(
        config_for("conversation", logs_dir=folder, game_id=name, clock=utc_now, settings=long)
    ).run()


def visit(house: House, browser: Any) -> Any:
    """Return a page of somebody who is the host already."""
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(house.link)
    page.locator("h1").wait_for()
    return page


def opened(house: House, page: Any, name: str) -> float:
    """Return the seconds from navigation to the first event of a game."""
    page.goto("about:blank")
    before = time.perf_counter()
    page.goto(f"{house.origin}/#/game/{name}")
    page.locator(".event").first.wait_for()
    return time.perf_counter() - before


def navigation(house: House, browser: Any, often: int) -> Iterator[Figure]:
    """Measure how soon a game is shown that is played, and two that are long."""
    say("navigation ...")
    page = visit(house, browser)
    live = house.call(stage)
    house.call(post, live, 50, 0.0)
    for name, what, goal in (
        (live, "a game that is played", 1.0),
        *((f"gameplay_{events}", f"a log of {events:,} events", goal) for _, events, goal in LOGS),
    ):
        took = statistics.median([opened(house, page, name) for _ in range(often)])
        yield Figure.at_most(f"navigation to the first event: {what}, s", took, goal, "{:.2f}")
    page.close()


def steps(house: House, browser: Any) -> Iterator[Figure]:
    """Measure a step of the timeline near the end of the longest game, layout included."""
    say("steps of the timeline ...")
    page = visit(house, browser)
    *_, (_, events, _) = LOGS
    opened(house, page, f"gameplay_{events}")
    page.get_by_text(f"{events}", exact=False).first.wait_for()
    count = ""
    while "/" not in count or int(count.rpartition("/")[2]) < events:
        page.wait_for_timeout(200)
        count = page.locator(".count").first.inner_text().replace(",", "")
    before = page.locator(".count").first.inner_text()
    took = page.evaluate(STEP, STEPS)
    if page.locator(".count").first.inner_text() == before:
        raise SystemExit("the timeline did not move")
    half, rare = spread(took)
    what = f"a step of the timeline at {events:,} events, ms p50"
    yield Figure.at_most(what, half, 50, "{:.1f}")
    yield Figure("  p99", f"{rare:.1f}")
    page.close()


def arrivals(house: House, browser: Any, events: int) -> Iterator[Figure]:
    """Measure the time from the record to a browser's own stream."""
    say("record to browser ...")
    page = visit(house, browser)
    live = house.call(stage)
    page.evaluate(HEAR, live)
    house.call(post, live, 5, PACE)
    page.wait_for_timeout(1000)
    page.evaluate("window.heard.length = 0")
    with sleeper() as late:
        house.call(post, live, events, PACE)
        page.wait_for_timeout(1000)
    heard = page.evaluate("window.heard")
    if len(heard) != events:
        raise SystemExit(f"expected {events} events: {len(heard)} came")
    half, rare = spread(heard)
    good = half <= 5 and rare <= 50
    what = "record to browser, one watcher: ms p50 / p99"
    yield Figure(what, f"{half:.1f} / {rare:.1f}", "<= 5 / 50", good)
    asleep = "{:.1f} / {:.1f}".format(*spread(late))
    yield Figure("  meanwhile a thread that only sleeps wakes late by: ms p50 / p99", asleep)
    page.close()
