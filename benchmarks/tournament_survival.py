"""Check that a tournament whose processes are killed loses no game and pays for no call twice.

`uv run benchmarks/tournament_survival.py` (minutes; `--short`: seconds) needs no key and no
network. It exits with 1 if any promise was broken. Tournaments of 50 games are killed with -9 again
and again, at random moments, and gone on with until they are over: the driver in any system call,
also in the middle of a line; processes of its pool at any time. Models are a server that counts
calls.
"""

import asyncio
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sabotage import KILLS, Saboteur, in_child, serve, server, taken
from engine.history import history_from_json
from engine.ratings import Results
from engine.record.journal import Journal
from engine.tournaments.ledger import read_ledgers
from engine.tournaments.report.files import ratings_json
from engine.tournaments.row_cache import rows_of_tournament
from engine.tournaments.run import PlayOptions, TournamentRun
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.sources.source import count_games
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.rate import rated_standings
from tests.support.tournaments.cups import short_cup

GAMES = 50
MOST_RUNS = 200
LINES = (b'"kind": "draw"', b'"kind": "done"', b'"kind": "header"')


@dataclass
class LineSaboteur(Saboteur):
    """Strikes the write number `nth`, from 0, of what holds `line`; else as a Saboteur does."""

    line: bytes = b""
    nth: int = 0

    def _watching(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        watched = super()._watching(name, call)
        if not self.line or name != "write":
            return watched

        def watched_line(*args: Any, **more: Any) -> Any:
            if self.line in args[1]:
                self.nth -= 1
                if self.nth < 0:
                    return self._strike(name, call, args, more)
            return watched(*args, **more)

        return watched_line


@dataclass
class Undisturbed:
    """What a tournament comes to that nobody disturbs: its ratings, its calls, its system calls."""

    settings: TournamentSettings
    ratings: str
    asked: Counter[str]
    calls: int


def play(
    settings: TournamentSettings,
    folder: Path,
    saboteur: Saboteur | None = None,
    counted: Path | None = None,
    processes: int = 1,
) -> int:
    """Play a tournament, or go on with it, in this process; return 0."""
    tournament = TournamentRun(settings, folder, PlayOptions(processes=processes))
    # As if the games were slow, so that several processes are worth it at once.
    tournament.benches.began -= 1000
    if saboteur is not None:
        saboteur.work()
    tournament.run()
    if counted is not None and saboteur is not None:
        counted.write_text(str(len(saboteur.seen)))
    if tournament.stopped or tournament.broken:
        print(tournament.stopped or tournament.broken, file=sys.stderr)
        return 1
    return 0


def ratings_of(folder: Path) -> str:
    """Return the bytes of ratings.json."""
    state = read_ledgers(folder)
    settings = state.settings
    rows: list[dict[str, Any]] = []
    for own in rows_of_tournament(folder, state, settings).values():
        rows += own
    ends = [(done.status, done.reason) for done in state.done.values()]
    counts = count_games(ends, settings.games)
    return ratings_json(rated_standings(Method.of(settings), Results.from_rows(rows), counts))


def leave_alone(settings: TournamentSettings, folder: Path, url: str) -> Undisturbed:
    """Play a tournament undisturbed."""
    taken(url)
    counted = folder.with_suffix(".calls")
    assert in_child(partial(play, settings, folder, Saboteur(), counted)) == 0
    asked = Counter(taken(url))
    return Undisturbed(settings, ratings_of(folder), asked, int(counted.read_text()))


def recorded_calls(folder: Path) -> int:
    """Return how many answers of models the logs and journals of a tournament hold."""
    found = 0
    games = folder / "games"
    logs = {path.stem for path in games.glob("*.json")}
    for name in logs:
        history = history_from_json((games / f"{name}.json").read_bytes())
        found += sum(used.attempts for used in history.usage.values())
    for path in games.glob("*.jsonl"):
        if path.stem not in logs and b"\n" in path.read_bytes():
            found += len(Journal.load(path).recorded)
    return found


def logs_in(folder: Path) -> dict[str, bytes]:
    """Return the logs of the games that are over."""
    return {path.name: path.read_bytes() for path in (folder / "games").glob("*.json")}


def survive(
    whole: Undisturbed, folder: Path, url: str, next_blow: Callable[[], Saboteur | None]
) -> Counter[str]:
    """Kill a tournament again and again until it is over, and count broken promises."""
    found: Counter[str] = Counter({"tournaments": 1})
    asked: Counter[str] = Counter()
    total = whole.asked.total()
    taken(url)
    code = -1
    for _ in range(MOST_RUNS):
        before = logs_in(folder)
        recorded = recorded_calls(folder)
        code = in_child(partial(play, whole.settings, folder, next_blow()))
        calls = Counter(taken(url))
        asked += calls
        found["kills"] += code == -signal.SIGKILL
        found["recorded calls repeated"] += max(0, calls.total() - (total - recorded))
        after = logs_in(folder)
        found["games played twice"] += sum(after.get(name) != log for name, log in before.items())
        if code != -signal.SIGKILL:
            break
    found["calls in flight repeated"] += (asked - whole.asked).total()
    judge(whole, folder, code, found)
    return found


def judge(whole: Undisturbed, folder: Path, code: int, found: Counter[str]) -> None:
    """Count what is broken in a tournament that is over."""
    ledger = (folder / "ledger.jsonl").read_text()
    state = read_ledgers(folder)
    for number in range(whole.settings.games):
        found["games missing"] += not state.is_over(number)
        found["games done twice"] += ledger.count(f'"kind": "done", "number": {number},') > 1
    found["other ratings"] += code != 0 or ratings_of(folder) != whole.ratings
    found["left over"] += len([*(folder / "games").glob("*.jsonl*")])


def random_blows(rng: random.Random, most: int) -> Callable[[], Saboteur]:
    """Return what makes a saboteur that kills at a random system call, of at most so many."""

    def next_blow() -> Saboteur:
        return Saboteur(rng.randrange(most), rng.choice(KILLS))

    return next_blow


def chosen_blows() -> list[Saboteur]:
    """Return what strikes at each point where something is half done."""
    blows: list[Saboteur] = [Saboteur("replace", "after"), Saboteur("unlink", "before")]
    for line in LINES:
        blows += [LineSaboteur(how=how, line=line) for how in KILLS]
    return [*blows, LineSaboteur(how="middle", line=LINES[1], nth=1)]


def strike_chosen(whole: Undisturbed, folder: Path, url: str, step: int) -> Counter[str]:
    """Kill a tournament once at every `step`-th chosen point, and go on with it."""
    found: Counter[str] = Counter()
    for number, blow in enumerate(chosen_blows()[::step]):
        blows = iter([blow])
        found.update(survive(whole, folder / str(number), url, partial(next, blows, None)))
    return found


def kill_workers(whole: Undisturbed, folder: Path, rng: random.Random, kills: int) -> Counter[str]:
    """Kill processes of a pool, and its driver, at random times; go on until all is over."""
    found: Counter[str] = Counter({"tournaments": 1})
    context = multiprocessing.get_context("spawn")
    code: int | None = None
    while code is None or code == -signal.SIGKILL:
        before = logs_in(folder)
        driver = context.Process(target=play, args=(whole.settings, folder, None, None, 2))
        driver.start()
        while kills and driver.is_alive():
            time.sleep(rng.uniform(0.5, 4.0))
            victims = [*workers_of(driver.pid), driver.pid]
            victim = rng.choice(victims)
            if driver.is_alive() and victim is not None:
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    found["kills"] += 1
                    kills -= 1
        driver.join()
        code = driver.exitcode
        after = logs_in(folder)
        found["games played twice"] += sum(after.get(name) != log for name, log in before.items())
    judge(whole, folder, code or 0, found)
    return found


def workers_of(driver: int | None) -> list[int]:
    """Return the processes that a driver began, as Linux tells it."""
    with suppress(OSError):
        children = Path(f"/proc/{driver}/task/{driver}/children").read_text()
        return [int(child) for child in children.split()]
    return []


def overshoot(settings: TournamentSettings, folder: Path, url: str) -> Counter[str]:
    """Stop a tournament by its budget, again and again, and count the calls beyond it."""
    found: Counter[str] = Counter()
    spent = 0
    for budget in (10, 11, 25):
        bounded = settings.model_copy(
            update={"budgets": settings.budgets.model_copy(update={"max_calls": budget})}
        )
        taken(url)
        in_child(partial(play, bounded, folder))
        spent += len(taken(url))
        found["budgets"] += 1
        found["calls beyond a budget"] += max(0, spent - budget)
    return found


def tell(what: str, found: Counter[str], seconds: float) -> bool:
    """Print the counts of a campaign, and return whether every promise was kept."""
    counts = ", ".join(f"{name} {count}" for name, count in found.items())
    print(f"{what}: {counts} ({seconds:.0f} s)", flush=True)
    broken = (
        "other ratings",
        "games missing",
        "games done twice",
        "games played twice",
        "recorded calls repeated",
        "calls beyond a budget",
        "left over",
    )
    return not any(found[name] for name in broken)


def campaign(short: bool) -> bool:
    """Run everything and return whether every promise was kept."""
    kept = True
    games = 4 if short else GAMES
    with tempfile.TemporaryDirectory() as place, server(Path(__file__)) as url:
        root = Path(place)
        cups = {"scripts": short_cup("conversation", games=games)}
        cups["models"] = short_cup(models=3, at=url, games=games, concurrency=4)
        for name, settings in cups.items():
            # Played here first, so that everything is imported once and not in every child.
            play(settings.model_copy(update={"games": 1}), root / f"{name}-first")
            whole = leave_alone(settings, root / f"{name}-whole", url)
            step = 3 if short and name == "models" else 1
            began = time.monotonic()
            found = strike_chosen(whole, root / f"{name}-chosen", url, step)
            kept &= tell(f"{name}, chosen points", found, time.monotonic() - began)
            if short:
                continue
            began = time.monotonic()
            found = Counter()
            rng = random.Random(1)
            blows = random_blows(rng, whole.calls // 3)
            number = 0
            while found["kills"] < 150:
                number += 1
                found.update(survive(whole, root / f"{name}-{number}", url, blows))
            kept &= tell(f"{name}, random moments", found, time.monotonic() - began)
        began = time.monotonic()
        found = overshoot(cups["models"], root / "budget", url)
        kept &= tell("budgets", found, time.monotonic() - began)
        if not short:
            began = time.monotonic()
            settings = short_cup("conversation", games=4 * GAMES)
            whole = leave_alone(settings, root / "pool-whole", url)
            found = Counter()
            for number in range(6):
                found.update(kill_workers(whole, root / f"pool-{number}", random.Random(number), 5))
            kept &= tell("processes of a pool", found, time.monotonic() - began)
    print("every promise kept" if kept else "A PROMISE WAS BROKEN")
    return kept


if __name__ == "__main__":
    if "--serve" in sys.argv:
        asyncio.run(serve())
    else:
        sys.exit(not campaign("--short" in sys.argv))
