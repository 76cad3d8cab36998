"""Print the island's figures: rule breaches, fairness of lots, time, log size, concurrency.

uv run benchmarks/deliberations.py
"""

import asyncio
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from pydantic import TypeAdapter

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.history import Event, History, RoundLog
from tests.support.fake_api import FakeApi
from tests.support.island import DELIBERATIONS, island, scripted_island
from tests.support.tables import config_for


def checked(games: int) -> int:
    """Return the checker's breaches in games of 3 to 12 players with 10 % invalid ballots."""
    histories = (scripted_island(3 + seed % 10, seed, spoil=0.1).run() for seed in range(games))
    return sum(
        len(found) for history in histories for found in DELIBERATIONS.check(history).values()
    )


def survival(chi_square: float, freedom: int) -> float:
    """Return the chance that a chi-square variable is at least `chi_square`.

    It is Q(freedom / 2, chi_square / 2), the regularized upper incomplete gamma function.

    >>> round(survival(3.841, 1), 3), round(survival(18.307, 10), 3)
    (0.05, 0.05)
    """
    x, a = chi_square / 2, 0.5 if freedom % 2 else 1.0
    q = math.erfc(math.sqrt(x)) if freedom % 2 else math.exp(-x)
    while a < freedom / 2:
        q += math.exp(a * math.log(x) - x - math.lgamma(a + 1)) if x else 0.0
        a += 1
    return q


def uniform(counts: Mapping[Hashable, int], values: Sequence[Hashable]) -> float:
    """Return the p of a chi-square test that all `values` are equally likely."""
    expected = sum(counts.values()) / len(values)
    return survival(
        sum((counts.get(value, 0) - expected) ** 2 / expected for value in values), len(values) - 1
    )


def independent(pairs: Counter[tuple[str, str]]) -> float:
    """Return the p of a chi-square test that the two sides of `pairs` are independent."""
    total, left, right = pairs.total(), Counter[str](), Counter[str]()
    for (one, other), count in pairs.items():
        left[one] += count
        right[other] += count
    cells = [
        (pairs[one, other], left[one] * right[other] / total) for one in left for other in right
    ]
    return survival(
        sum((count - due) ** 2 / due for count, due in cells), (len(left) - 1) * (len(right) - 1)
    )


def order_of(log: RoundLog, kind: str) -> tuple[str, ...]:
    """Return the authors of a round's events of `kind`, in order."""
    return tuple(str(event.player_id) for event in log.events if event.kind == kind)


def lots(games: int) -> dict[str, float]:
    """Return the p of a test for each kind of lot, over `games` random games of four."""
    counts: dict[str, Counter[Hashable]] = {
        name: Counter() for name in ("pitches", "votes", "candidates", "final")
    }
    pairs, ties = Counter[tuple[str, str]](), {2: Counter[Hashable](), 3: Counter[Hashable]()}
    for seed in range(games):
        rounds = island(*["random"] * 4, seed=seed).run().rounds
        pitched, voted = order_of(rounds[0], "pitch"), order_of(rounds[0], "vote")
        counts["pitches"][pitched] += 1
        counts["votes"][voted] += 1
        counts["final"][rounds[2].active_player_ids.index(order_of(rounds[2], "pitch")[0])] += 1
        pairs[pitched[0], voted[0]] += 1
        ada = next(
            event for event in rounds[0].events if event.kind == "vote" and event.player_id == "Ada"
        )
        counts["candidates"][tuple(ada.data["candidates"])] += 1
        for log in rounds:
            result = log.events[-1].data
            tied = [
                name
                for name, votes in result["tally"].items()
                if votes == max(result["tally"].values())
            ]
            if len(tied) in ties:
                ties[len(tied)][tied.index(result["selected"])] += 1
    names = ("Ada", "Ben", "Cleo", "Dan")
    return {
        "pitch orders": uniform(counts["pitches"], [*permutations(names)]),
        "vote orders": uniform(counts["votes"], [*permutations(names)]),
        "candidate orders": uniform(counts["candidates"], [*permutations(names[1:])]),
        "who opens the final": uniform(counts["final"], [0, 1]),
        "first speaker with first voter": independent(pairs),
        **{
            f"ties of {k}, {count.total()} of them": uniform(count, range(k))
            for k, count in ties.items()
        },
    }


def milliseconds(make: Callable[[], GameEngine], games: int = 20) -> float:
    """Return the median milliseconds of a game that `make` builds."""
    taken = []
    for _ in range(games):
        engine = make()
        begun = time.perf_counter()
        engine.run()
        taken.append(1000 * (time.perf_counter() - begun))
    return sorted(taken)[games // 2]


def bytes_per_event(histories: Sequence[History]) -> float:
    """Return the mean size of an event in the log without its visibility list."""
    events = [replace(event, visibility=()) for history in histories for event in history.events]
    return len(TypeAdapter(list[Event]).dump_json(events, indent=1)) / len(events)


def growth(kind: str) -> float:
    """Return the bytes per event with 12 players of `kind` over those with 3."""
    few, many = (
        bytes_per_event([island(*[kind] * players, seed=seed).run() for seed in range(5)])
        for players in (3, 12)
    )
    return many / few


async def over_ideal(players: int, delay: float) -> float:
    """Return a game's time over the ideal: pitches in sequence, and one round-trip a vote."""
    async with FakeApi(delay=delay) as api:
        factory = ClientFactory()
        for seats in (3, players):
            config = config_for("deliberations", ",".join(["compatible:m"] * seats), at=api.url)
            begun = time.perf_counter()
            await GameEngine(config, factory=factory).play()
        taken = time.perf_counter() - begun
        await factory.aclose()
    pitches = sum(range(2, players + 1))
    return taken / (delay * (pitches + players - 1))


def main() -> None:
    """Measure and print."""
    print(f"breaches found in 1,000 games                   {checked(1000):8}      (0)")
    for what, p in lots(3000).items():
        print(f"{f'p of {what}':48}{p:8.3f}      (> 0.001)")
    twelve = ("contrarian", "bandwagon", "grudge", "loyal", "random", "random") * 2
    in_memory = milliseconds(lambda: island(*twelve))
    print(f"ms a game of 12 scripts, log in memory          {in_memory:8.1f}      (<= 60)")
    with tempfile.TemporaryDirectory() as folder:

        def on_disk() -> GameEngine:
            seats = ",".join(f"scripted:{name}" for name in twelve)
            return GameEngine(config_for("deliberations", seats, Path(folder), game_id=None))

        written = milliseconds(on_disk)
        print(f"ms a game of 12 scripts, log on disk            {written:8.1f}      (<= 60)")
    print(f"bytes per event, 12 over 3 scripts              {growth('random'):8.2f}      (<= 1.5)")
    print(f"bytes per event, 12 over 3 models               {growth('model'):8.2f}      (<= 1.5)")
    ratio = asyncio.run(over_ideal(7, 0.2))
    print(f"7 models at 200 ms, time over the ideal         {ratio:8.3f}      (<= 1.1)")


if __name__ == "__main__":
    main()
