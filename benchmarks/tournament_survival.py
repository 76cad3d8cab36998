"""Check that a tournament whose processes are killed loses no game and pays for no call twice.

`uv run --group dev benchmarks/tournament_survival.py [kills] [pool]` takes minutes (with `--short`,
seconds). Tournaments of 50 games are killed with -9 and resumed until they are over. The driver is
killed in any system call, even in the middle of a line; processes of its pool are killed at any
time. A server that counts calls replaces the models.
"""

import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

import psutil

from benchmarks.figures import Row, main, say
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
from tests.support.sabotage import KILLS, Saboteur, in_child, steady_server, taken
from tests.support.tournaments.cups import short_cup

GAMES = 50
MOST_RUNS = 200
LINES = (b'"kind": "draw"', b'"kind": "done"', b'"kind": "header"')
BROKEN = ("other ratings", "games missing", "games twice", "recorded calls repeated", "left over")


@dataclass
class Undisturbed:
    """An undisturbed tournament: its settings, ratings, model calls and number of system calls."""

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
    """Play or resume a tournament in this process; return 0, or 1 if it was stopped or broke."""
    tournament = TournamentRun(settings, folder, PlayOptions(processes=processes))
    # Pretend that games are slow, so that several processes pay off from the start.
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
    """Return the contents of ratings.json for the tournament in `folder`."""
    state = read_ledgers(folder)
    settings = state.settings
    rows = [row for own in rows_of_tournament(folder, state, settings).values() for row in own]
    ends = [(done.status, done.reason) for done in state.done.values()]
    counts = count_games(ends, settings.games)
    return ratings_json(rated_standings(Method.of(settings), Results.from_rows(rows), counts))


def leave_alone(settings: TournamentSettings, folder: Path, url: str) -> Undisturbed:
    """Play a tournament undisturbed, and return its results."""
    # One game is played here first, so that everything is imported once and not in every child.
    play(settings.model_copy(update={"games": 1}), folder.with_suffix(".first"))
    taken(url)
    counted = folder.with_suffix(".calls")
    assert in_child(partial(play, settings, folder, Saboteur(), counted)) == 0
    asked = Counter(taken(url))
    return Undisturbed(settings, ratings_of(folder), asked, int(counted.read_text()))


def logs_in(folder: Path) -> dict[str, bytes]:
    """Return the logs of the finished games."""
    return {path.name: path.read_bytes() for path in (folder / "games").glob("*.json")}


def recorded_calls(folder: Path) -> int:
    """Return the number of model answers in a tournament's logs and journals."""
    logs = logs_in(folder)
    histories = [history_from_json(log) for log in logs.values()]
    count = sum(used.attempts for one in histories for used in one.usage.values())
    for path in (folder / "games").glob("*.jsonl"):
        if f"{path.stem}.json" not in logs and b"\n" in path.read_bytes():
            count += len(Journal.load(path).recorded)
    return count


def survive(
    whole: Undisturbed, folder: Path, url: str, next_blow: Callable[[], Saboteur | None]
) -> Counter[str]:
    """Kill a tournament repeatedly until it is over, and count broken promises."""
    found, asked, code = Counter({"tournaments": 1}), Counter[str](), -1
    taken(url)
    for _ in range(MOST_RUNS):
        before, recorded = logs_in(folder), recorded_calls(folder)
        code = in_child(partial(play, whole.settings, folder, next_blow()))
        calls = Counter(taken(url))
        asked += calls
        found["recorded calls repeated"] += max(0, calls.total() - whole.asked.total() + recorded)
        found["games twice"] += changed_logs(before, folder)
        if code != -signal.SIGKILL:
            break
        found["kills"] += 1
    found["calls under way repeated"] += (asked - whole.asked).total()
    return found + judge(whole, folder, code)


def changed_logs(before: dict[str, bytes], folder: Path) -> int:
    """Return how many of the logs in `before` have changed or disappeared."""
    after = logs_in(folder)
    return sum(after.get(name) != log for name, log in before.items())


def judge(whole: Undisturbed, folder: Path, code: int) -> Counter[str]:
    """Count the broken promises of a tournament that is over."""
    found = Counter[str]()
    ledger, state = (folder / "ledger.jsonl").read_text(), read_ledgers(folder)
    for number in range(whole.settings.games):
        found["games missing"] += not state.is_over(number)
        found["games twice"] += ledger.count(f'"kind": "done", "number": {number},') > 1
    found["other ratings"] += code != 0 or ratings_of(folder) != whole.ratings
    found["left over"] += len([*(folder / "games").glob("*.jsonl*")])
    return found


def chosen_blows() -> Iterator[Saboteur]:
    """Yield a saboteur for each point at which something is half done."""
    yield from (Saboteur("replace", "after"), Saboteur("unlink", "before"))
    for line in LINES:
        yield from (Saboteur(line, how) for how in KILLS)


def rows_of(found: Counter[str], what: str) -> Iterator[Row]:
    """Yield the counts of broken promises."""
    again = found["calls under way repeated"]
    basis = f"{what}: {found['tournaments']} tournaments, {found['kills']} kills"
    basis += f", {again} calls under way repeated" if again else ""
    for name in BROKEN:
        yield Row(name, str(found[name]), "", basis, "0", not found[name])


def kills(short: bool) -> Iterator[Row]:
    """Kill drivers at chosen points and at random moments, and stop them by budgets."""
    games = 4 if short else GAMES
    with TemporaryDirectory() as place, steady_server() as url:
        root = Path(place)
        cups = {"scripts": short_cup("conversation", games=games)}
        cups["models"] = short_cup(models=3, at=url, games=games, concurrency=4)
        for name, settings in cups.items():
            say(f"{name} ...")
            whole, found = leave_alone(settings, root / name, url), Counter[str]()
            step = 3 if short and name == "models" else 1
            for number, blow in enumerate([*chosen_blows()][::step]):
                next_blow = partial(next, iter([blow]), None)
                found += survive(whole, root / f"{name}-chosen-{number}", url, next_blow)
            yield from rows_of(found, f"{name}, chosen points")
            if not short:
                found, rng = Counter(), random.Random(1)
                while found["kills"] < 150:
                    folder = root / f"{name}-random-{found['tournaments']}"
                    next_blow = partial(random_blow, rng, whole.calls // 3)
                    found += survive(whole, folder, url, next_blow)
                yield from rows_of(found, f"{name}, random moments")
        yield overshoot(cups["models"], root / "budget", url)


def random_blow(rng: random.Random, most: int) -> Saboteur:
    """Return a saboteur that kills at a random system call, among the first `most`."""
    return Saboteur(rng.randrange(most), rng.choice(KILLS))


def overshoot(settings: TournamentSettings, folder: Path, url: str) -> Row:
    """Repeatedly stop a tournament by its budget, and count the calls beyond the budget."""
    spent, beyond, limits = 0, 0, (10, 11, 25)
    for most in limits:
        budgets = settings.budgets.model_copy(update={"max_calls": most})
        taken(url)
        in_child(partial(play, settings.model_copy(update={"budgets": budgets}), folder))
        spent += len(taken(url))
        beyond += max(0, spent - most)
    told = f"budgets of {', '.join(map(str, limits))} calls, one after another"
    return Row("calls beyond a budget", str(beyond), "", told, "0", not beyond)


def pool(short: bool) -> Iterator[Row]:
    """Kill a pool's processes, and its driver, at random times; resume until all is over."""
    tournaments, most = (1, 2) if short else (6, 5)
    settings, found = short_cup("conversation", games=GAMES if short else 4 * GAMES), Counter[str]()
    with TemporaryDirectory() as place, steady_server() as url:
        whole = leave_alone(settings, Path(place) / "pool", url)
        for number in range(tournaments):
            folder = Path(place) / f"pool-{number}"
            found += kill_workers(whole, folder, random.Random(number), most)
    yield from rows_of(found, "processes of a pool")


def kill_workers(whole: Undisturbed, folder: Path, rng: random.Random, most: int) -> Counter[str]:
    """Kill at most `most` processes of one tournament."""
    found, code = Counter({"tournaments": 1}), -signal.SIGKILL
    while code == -signal.SIGKILL:
        before = logs_in(folder)
        driver = multiprocessing.get_context("spawn").Process(
            target=play, args=(whole.settings, folder, None, None, 2)
        )
        driver.start()
        while found["kills"] < most and driver.is_alive():
            time.sleep(rng.uniform(0.5, 4.0))
            with suppress(ProcessLookupError, psutil.NoSuchProcess):
                process = psutil.Process(driver.pid)
                victim = rng.choice([*process.children(), process])
                os.kill(victim.pid, signal.SIGKILL)
                found["kills"] += 1
        driver.join()
        code = driver.exitcode or 0
        found["games twice"] += changed_logs(before, folder)
    return found + judge(whole, folder, code)


if __name__ == "__main__":
    main(str(__doc__), {"kills": kills, "pool": pool})
