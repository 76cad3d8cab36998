"""The list of ten thousand games."""

import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.serving.figures import SHORT, Figure, say
from benchmarks.serving.house import House, processor

GAMES = 10_000
ASKED = 20
QUERIES = ("game=dilemma&limit=50", "player=Ada&status=finished&limit=50", "q=random&limit=50")


def listing(effort: int) -> Iterator[Figure]:
    """Measure the first reading of a folder, and pages of the list."""
    count = GAMES // 10 if effort == SHORT else GAMES
    say(f"writing {count:,} logs ...")
    with TemporaryDirectory() as place:
        folder = Path(place)
        write_logs(folder, count)
        say("the list ...")
        with House(folder) as house:
            began = house.call(processor)
            house.get("/api/games?limit=50")
            took = house.call(processor) - began
            what = f"list of {count:,} games: first reading, seconds of processor time"
            yield Figure.at_most(what, took, 10 * count / GAMES, "{:.1f}")
            for query in QUERIES:
                yield asked_often(house, query)


def asked_often(house: House, query: str) -> Figure:
    """Return how long a page takes by the clock, the reading of what changed included."""
    took = []
    for _ in range(ASKED):
        before = time.perf_counter()
        status, body = house.get(f"/api/games?{query}")
        took.append((time.perf_counter() - before) * 1000)
        if status != 200 or len(json.loads(body)["games"]) != 50:
            raise SystemExit(f"expected 50 rows of {query}: {status} {body[:200]!r}")
    what = f"  a page of 50, {query.removesuffix('&limit=50')}: ms, median of {ASKED}"
    return Figure.at_most(what, statistics.median(took), 50, "{:.1f}")


def write_logs(folder: Path, count: int) -> None:
    """Write logs that differ in name and time, out of one short game of each kind."""
    from engine.engine import GameEngine
    from engine.games import GAMES as KINDS
    from engine.history import history_from_json
    from engine.record.journal import utc_now
    from tests.support.tables import config_for

    small = {"conversation": {"length": 3}, "dilemma": {"max_rounds": 1}, "guest": {"max_steps": 6}}
    models = []
    for kind in sorted({*KINDS} & {*small}):
        with TemporaryDirectory() as scratch:
            logs = Path(scratch)
            config = config_for(
                kind, logs_dir=logs, game_id="game", clock=utc_now, settings=small[kind]
            )
            GameEngine(config).run()
            models.append(history_from_json((logs / "game.json").read_bytes()))
    began = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        at = began + timedelta(minutes=number)
        name = f"gameplay_{at:%Y%m%d_%H%M%S}_{number:08x}"
        log = replace(models[number % len(models)], game_id=name)
        (folder / f"{name}.json").write_text(log.to_json(), encoding="utf-8")
