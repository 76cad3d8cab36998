"""Measure the ratings: how fast they are, whether others find the same, and how often they hold.

uv run benchmarks/ratings.py speed
uv run --with choix benchmarks/ratings.py agreement
uv run benchmarks/ratings.py coverage [--tournaments 500] [--only WORDS]

`coverage` plays seeded tournaments in worlds whose truth is known, and prints how often the .95
intervals hold it: of ratings, of the worst entrant's rating, of pairs, and of all pairs of a
tournament at once. Where a world is not the model's, the truth is what the same fit finds in
150,000 games of that world.
"""

import argparse
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from numpy.typing import NDArray

from engine.ratings import Fit, Results, compare, fit, intervals, pair_errors
from engine.rng import number
from engine.runs.processes import spread
from engine.tournaments.schedule.draw import Draw, game_id_of
from engine.tournaments.settings import TournamentSettings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Random = np.random.Generator

TRUTH_GAMES = 150_000
BATCH = 20
FAILURE, SEAT_EFFECT, PROVIDER_EFFECT = 0.15, -0.4, 0.3
# Whoever fails loses so many logits.
LOSS = 4.0
NORMAL = 1.959963984540054


@dataclass(frozen=True)
class World:
    """Tournaments of one kind: who sits where, and how what they do becomes places.

    `skills` are evenly spread from -width to width. An entrant plays `games`, or so many on average
    if `uneven`, `adaptive`, or where tables do not come out even. `form` is the sd of the daily
    form of even and of odd entrants, `grain` what performances are rounded to, so that some tie.
    """

    name: str
    entrants: int = 20
    table: int = 5
    games: int = 25
    width: float = 1.0
    noise: str = "gumbel"
    grain: float = 0.0
    form: tuple[float, float] = (0.0, 0.0)
    failures: bool = False
    clean: bool = False
    uneven: bool = False
    cycles: bool = False
    adaptive: bool = False
    covariate: str = ""

    @property
    def model_holds(self) -> bool:
        """Whether the skills themselves are the truth."""
        plain = self.noise == "gumbel" and not self.grain and not any(self.form)
        return plain and not self.cycles and (self.clean or not self.failures)

    def tables(self, games: int, rng: Random) -> Ints:
        """Return who sits at each table, in the order of seats."""
        if self.uneven:
            weight = np.linspace(0.25, 1.75, self.entrants)
            keys = rng.exponential(size=(games, self.entrants)) / weight
            return np.argsort(keys, axis=1)[:, : self.table]
        if self.entrants % self.table:
            keys = rng.random((games, self.entrants))
            return np.argsort(keys, axis=1)[:, : self.table]
        rounds = -(-games * self.table // self.entrants)
        order = np.argsort(rng.random((rounds, self.entrants)), axis=1)
        return order.reshape(-1, self.table)[:games]

    def play(self, games: int, seed: int) -> Results:
        """Return the results of so many games."""
        rng = np.random.default_rng(seed)
        if self.adaptive:
            return self.play_adaptive(games, seed, rng)
        tables = self.tables(games, rng)
        performance = self.performance(tables, rng)
        fallbacks = np.zeros(tables.shape)
        if self.failures:
            weak = tables < self.entrants / 3
            fallbacks = np.where(weak & (rng.random(tables.shape) < FAILURE), 1.0, 0.0)
            performance -= LOSS * fallbacks
        if self.grain:
            performance = np.round(performance / self.grain) * self.grain
        better = performance[:, np.newaxis, :] > performance[:, :, np.newaxis]
        places = 1.0 + better.sum(axis=2)
        results = results_of(tables, places, fallbacks)
        return results.clean()[0] if self.clean else results

    def play_adaptive(self, games: int, seed: int, rng: Random) -> Results:
        """Return the results of a schedule that looks for the best three."""
        entrants = {}
        for place in range(self.entrants):
            prompt = str(place)
            entrant = {"provider": "scripted", "model": "greedy", "character_prompt": prompt}
            entrants[f"e{place:03d}"] = entrant
        settings = TournamentSettings(
            name="cup",
            game="conversation",
            table=self.table,
            entrants=entrants,
            games=games,
            seed=seed % 2**32,
            schedule={"adaptive": {"top": 3}},
            targets=["places"],
            concurrency=BATCH,
        )
        rows: list[dict[str, Any]] = []
        draws: list[Draw] = []
        while len(draws) < games:
            batch = list(settings.draw(draws, Results.from_rows(rows)))
            for draw in batch:
                seated = [int(name[1:]) for name in draw.seats]
                performance = self.performance(np.array([seated]), rng)
                places = np.argsort(np.argsort(-performance[0])) + 1
                game = game_id_of(settings, draw.number)
                for name, place in zip(draw.seats, places.tolist(), strict=True):
                    rows.append({"game_id": game, "entrant": name, "place": place})
            draws += batch
        return Results.from_rows(rows)

    def performance(self, tables: Ints, rng: Random) -> Floats:
        """Return what each seat is worth on the day, in logits."""
        skill = np.linspace(-self.width, self.width, self.entrants)[tables]
        if self.noise == "normal":
            luck = rng.normal(scale=np.pi / np.sqrt(6), size=tables.shape)
        else:
            luck = rng.gumbel(size=tables.shape)
        form = rng.normal(size=tables.shape) * np.array(self.form)[tables % 2]
        found: Floats = skill + luck + form
        if self.covariate == "seat":
            found += SEAT_EFFECT * (np.arange(self.table) / (self.table - 1) - 0.5)
        if self.covariate == "same_provider":
            provider = tables % PROVIDERS
            same = provider[:, :, np.newaxis] == provider[:, np.newaxis, :]
            found += PROVIDER_EFFECT * (same.sum(axis=2) - 1)
        if self.cycles:
            kind = tables % 3
            beaten = (kind[:, :, np.newaxis] + 1) % 3 == kind[:, np.newaxis, :]
            found += 0.5 * beaten.sum(axis=2)
        return found

    def rate(self, results: Results) -> Fit:
        """Return the fit of this world's results."""
        covariates = (self.covariate,) if self.covariate else ()
        target = "pairs" if self.table == 2 else "places"
        return fit(results, target, covariates=covariates, min_games=1)


PROVIDERS = 4
ROWS = [{"provider": f"provider {place}"} for place in range(PROVIDERS)]
FAILING = World("15 % failures of a third, as played", failures=True)
WORLDS = (
    *(World("exact Plackett-Luce", games=games) for games in (10, 25, 100)),
    World("ties by rounding to .5", games=100, grain=0.5),
    World("ties by rounding to 1", games=100, grain=1.0),
    World("ties by rounding to .5", games=25, grain=0.5),
    *(replace(FAILING, games=games) for games in (25, 100)),
    *(replace(FAILING, name="the same, clean", clean=True, games=games) for games in (25, 100)),
    *(World("form that differs", form=(2.0, 0.6), games=games) for games in (25, 100)),
    *(World("two players, 6 entrants", 6, 2, games) for games in (10, 30, 100)),
    World("the same, twice as wide", 6, 2, 30, width=2.0),
    World("50 entrants, tables of 7", 50, 7, 28),
    World("adaptive: the best three", games=67, adaptive=True),
    World("unequal exposure", games=100, uneven=True),
    World("seat as covariate", games=100, covariate="seat"),
    World("same provider as covariate", games=100, covariate="same_provider"),
    World("Thurstone's noise", games=100, noise="normal"),
    World("cycles", games=100, cycles=True),
)


@dataclass(frozen=True)
class Held:
    """What held the truth in one tournament."""

    ratings: NDArray[np.bool_]
    pairs: float
    all_pairs: bool
    beta: bool | None


def results_of(tables: Ints, places: Floats, fallbacks: Floats) -> Results:
    """Return results as `from_rows` would make them of a row for each seat, but at once."""
    games, seats = tables.shape
    entrant = tables.ravel()
    names = [f"e{place:03d}" for place in range(int(entrant.max()) + 1)]
    ids = tuple(f"g{place:06d}" for place in range(games))
    size = games * seats
    unknown, nothing = np.full(size, np.nan), np.zeros(size)
    columns = dict.fromkeys(("score", "payoff", "words", "cost", "tokens"), unknown)
    columns |= dict.fromkeys(("asks", "lot"), nothing)
    columns |= {"place": places.ravel(), "fallbacks": fallbacks.ravel()}
    columns["seat"] = np.tile(np.arange(1.0, seats + 1), games)
    columns["table"] = np.full(size, float(seats))
    return Results(
        entrants=tuple(names),
        game_ids=ids,
        blocks=ids,
        game=np.repeat(np.arange(games), seats),
        entrant=entrant,
        columns=columns,
        source=tuple(ROWS[place % PROVIDERS] for place in entrant.tolist()),
    )


def truth_of(world: World) -> Floats:
    """Return the skills that a world's tournaments estimate, with mean 0."""
    if world.model_holds:
        return np.linspace(-world.width, world.width, world.entrants)
    return world.rate(world.play(TRUTH_GAMES, number(0, "truth", world.name))).skill


def hold(world: World, truth: Floats, turn: int) -> Held:
    """Play one tournament, and return what held the truth in it."""
    games = world.entrants * world.games // world.table
    results = world.play(games, number(0, "tournament", world.name, world.games, turn))
    found = world.rate(results)
    seen = np.array([int(name[1:]) for name in found.entrants])
    known = truth[seen] - truth[seen].mean()
    reach = [each.high - each.rating for each in intervals(found)]
    ratings = np.ones(world.entrants, dtype=np.bool_)
    ratings[seen] = np.abs(found.skill - known) <= reach
    one, other = np.triu_indices(len(seen), 1)
    missed = np.abs(found.skill[one] - found.skill[other] - known[one] + known[other])
    sure = missed / pair_errors(found)[one, other]
    all_pairs = bool(sure.max() <= compare(found, seed=turn).critical)
    beta = None
    for name, (value, error) in found.beta.items():
        effect = SEAT_EFFECT if name == "seat" else PROVIDER_EFFECT
        beta = abs(value - effect) <= NORMAL * error
    return Held(ratings, float((sure <= NORMAL).mean()), all_pairs, beta)


def coverage(options: argparse.Namespace) -> None:
    """Print how often the intervals hold the truth, a line for each world."""
    print("| world | games an entrant | ratings | worst entrant | pairs | all pairs | beta |")
    print("|---|---|---|---|---|---|---|")
    for world in WORLDS:
        if options.only not in world.name:
            continue
        turns = range(options.tournaments)
        held = spread(partial(hold, world, truth_of(world)), turns, processes=options.processes)
        ratings = np.array([each.ratings for each in held])
        figures = [ratings.mean(), ratings.mean(axis=0).min()]
        figures += [np.mean([each.pairs for each in held])]
        figures += [np.mean([each.all_pairs for each in held])]
        figures += [np.mean([each.beta for each in held])] if world.covariate else []
        shown = " | ".join(f"{figure:.3f}" for figure in figures)
        rest = "" if world.covariate else " | -"
        print(f"| {world.name} | {world.games} | {shown}{rest} |", flush=True)


def rows_of(games: int, entrants: int = 50, table: int = 7, seed: int = 0) -> list[dict[str, Any]]:
    """Return rows of games whose skills are normal with an sd of 1; `skill` is among the keys."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=entrants)
    tables = np.argsort(rng.random((games, entrants)), axis=1)[:, :table]
    performance = skills[tables] + rng.gumbel(size=tables.shape)
    places = np.argsort(np.argsort(-performance, axis=1), axis=1) + 1
    rows = []
    for game, (seated, reached) in enumerate(zip(tables.tolist(), places.tolist(), strict=True)):
        for seat, (entrant, place) in enumerate(zip(seated, reached, strict=True), 1):
            row = {"game_id": f"g{game:06d}", "seat": seat, "entrant": f"e{entrant:03d}"}
            rows.append(row | {"place": place, "skill": float(skills[entrant])})
    return rows


def speed(_options: argparse.Namespace) -> None:
    """Print how long a fit with its intervals takes, and how far skills are from the truth."""
    print("| games | rows read, s | fit and intervals, s | rmse, logits |")
    print("|---|---|---|---|")
    for games in (1_000, 10_000, 100_000):
        rows = rows_of(games)
        begun = time.perf_counter()
        results = Results.from_rows(rows)
        read = time.perf_counter()
        found = fit(results)
        intervals(found)
        took = time.perf_counter() - read
        skills = {row["entrant"]: row["skill"] for row in rows}
        known = np.array([skills[name] for name in found.entrants])
        apart = found.skill - (known - known.mean())
        error = float(np.sqrt(np.mean(apart**2)))
        print(f"| {games:,} | {read - begun:.2f} | {took:.2f} | {error:.4f} |", flush=True)


def agreement(_options: argparse.Namespace) -> None:
    """Print how far choix, which is another program for the same model, is from this one."""
    try:
        # By its name: it is no dependency, and only this needs it.
        choix = import_module("choix")
    except ImportError:
        sys.exit("choix is not installed: uv run --with choix benchmarks/ratings.py agreement")
    rows = rows_of(10_000)
    found = fit(Results.from_rows(rows), prior_sd=1000)
    place = {name: at for at, name in enumerate(found.entrants)}
    orders: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        orders.setdefault(row["game_id"], []).append((row["place"], place[row["entrant"]]))
    ranked = [tuple(entrant for _, entrant in sorted(order)) for order in orders.values()]
    begun = time.perf_counter()
    other = choix.ilsr_rankings(len(place), ranked, tol=1e-10)
    took = time.perf_counter() - begun
    apart = float(np.abs(other - other.mean() - found.skill).max())
    print(f"10,000 orders of 7: at most {apart:.1e} logits from choix, which took {took:.1f} s")


def main() -> None:
    """Run the measurement that is asked for."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("what", choices=("speed", "agreement", "coverage"))
    parser.add_argument("--tournaments", type=int, default=500)
    parser.add_argument("--only", default="", help="worlds whose name has these words")
    parser.add_argument("--processes", type=int)
    options = parser.parse_args()
    {"speed": speed, "agreement": agreement, "coverage": coverage}[options.what](options)


if __name__ == "__main__":
    main()
