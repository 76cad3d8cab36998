"""How even balanced schedules are, and how many games adaptive ones save.

    uv run benchmarks/tournament_schedule.py [--tournaments 200]

The first part draws schedules of many sizes and prints how far counts are apart at worst: of games
(promised: 1), of an entrant's games by seat (2) and of meetings (4). The second simulates places by
Plackett-Luce, K = 20 with five at a table, and prints in how many tournaments the best three by
rating are the true ones, after so many games of either schedule.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from engine.ratings import Results, fit
from engine.tournaments.schedule.draw import Draw, Exposure
from engine.tournaments.settings import TournamentSettings

SIZES = [(3, 2), (6, 3), (8, 4), (12, 6), (16, 8), (17, 8), (20, 5), (25, 2), (33, 7), (50, 8)]
LARGE = (50, 7, 2000)
BATCH = 20


def cup_for(entrants: int, table: int, games: int, seed: int, **more: Any) -> TournamentSettings:
    """Return a tournament of scripts, which are never played here."""
    seats = {}
    for place in range(entrants):
        seats[f"e{place:02}"] = {
            "provider": "scripted",
            "model": "greedy",
            "character_prompt": str(place),
        }
    settings: dict[str, Any] = {
        "name": "cup",
        "game": "conversation",
        "table": table,
        "entrants": seats,
        "games": games,
        "seed": seed,
        "targets": ["places"],
        "concurrency": BATCH,
    }
    return TournamentSettings.model_validate(settings | more)


def spreads(settings: TournamentSettings) -> Iterator[tuple[int, int, int]]:
    """Yield how far counts of games, seats and meetings are apart, from G = 10 K / n on."""
    exposure = Exposure(list(settings.entrants), settings.table)
    pairs = np.triu_indices(len(settings.entrants), 1)
    for draw in settings.draw():
        exposure.add(draw.seats)
        if (draw.number + 1) * settings.table >= 10 * len(settings.entrants):
            seats = exposure.seats.max(axis=1) - exposure.seats.min(axis=1)
            yield (
                int(np.ptp(exposure.games)),
                int(seats.max()),
                int(np.ptp(exposure.meetings[pairs])),
            )


def show_spreads(seeds: int) -> None:
    """Print the worst spreads of each size, and how long a large schedule takes."""
    for entrants, table in SIZES:
        found: list[tuple[int, int, int]] = []
        for seed in range(seeds):
            found += spreads(cup_for(entrants, table, 500, seed))
        worst = np.max(found, axis=0).tolist()
        over = sum(meetings > 4 or seats > 2 for _, seats, meetings in found)
        print(f"K={entrants} n={table}: worst {worst}, over in {over} of {len(found)} games")
    began = time.perf_counter()
    worst = np.max(list(spreads(cup_for(*LARGE, 0))), axis=0).tolist()
    print(f"K=50 n=7 G=2000: worst {worst}, {time.perf_counter() - began:.1f} s")


def simulate(settings: TournamentSettings, skill: Any, rng: Any) -> Iterator[tuple[int, Results]]:
    """Yield the results after each batch, of places that Plackett-Luce draws by `skill`."""
    entrants = list(settings.entrants)
    draws: list[Draw] = []
    rows: list[dict[str, Any]] = []
    balanced = settings.draw()
    while len(draws) < settings.games:
        if settings.schedule.chosen.waits:
            fresh = list(settings.draw(draws, Results.from_rows(rows)))
        else:
            fresh = list(islice(balanced, BATCH))
        draws += fresh
        for draw in fresh:
            told = [skill[entrants.index(name)] + rng.gumbel() for name in draw.seats]
            places = (np.argsort(np.argsort(-np.array(told))) + 1).tolist()
            for name, place in zip(draw.seats, places, strict=True):
                rows.append({"game_id": f"cup_{draw.number:06}", "entrant": name, "place": place})
        yield len(draws), Results.from_rows(rows)


def right_top(results: Results, skill: Any, entrants: list[str], top: int) -> bool:
    """Return whether the best by rating are the true ones."""
    fitted = fit(results)
    rated = np.array(fitted.entrants)[np.argsort(-fitted.skill)[:top]]
    true = np.array(entrants)[np.argsort(-skill)[:top]]
    return set(rated) == set(true)


def show_adaptive(tournaments: int, table: int, games: int, spread: float) -> None:
    """Print how often the best three are right, by games and schedule."""
    right: dict[str, dict[int, int]] = {"balanced": {}, "adaptive": {}}
    for seed in range(tournaments):
        skill = np.random.default_rng([seed, 1]).normal(scale=spread, size=20)
        for name, counts in right.items():
            schedule = {"adaptive": {"top": 3}} if name == "adaptive" else "balanced"
            settings = cup_for(20, table, games, seed, schedule=schedule)
            rng = np.random.default_rng([seed, 2])
            for played, results in simulate(settings, skill, rng):
                is_right = right_top(results, skill, list(settings.entrants), 3)
                counts[played] = counts.get(played, 0) + is_right
    print(f"K=20 n={table}, {tournaments} tournaments, skills with a deviation of {spread}:")
    for played in right["balanced"]:
        shares = [right[name][played] / tournaments for name in right]
        print(f"  {played:5} games: top 3 right {shares[0]:.3f} balanced, {shares[1]:.3f} adaptive")


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tournaments", type=int, default=200, help="simulated tournaments")
    parser.add_argument("--seeds", type=int, default=3, help="schedules of each size")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--table", type=int, default=5)
    parser.add_argument("--spread", type=float, default=1.0, help="deviation of skills, in logits")
    options = parser.parse_args()
    if options.seeds:
        show_spreads(options.seeds)
    if options.tournaments:
        show_adaptive(options.tournaments, options.table, options.games, options.spread)


if __name__ == "__main__":
    main()
