"""Measure how fast ratings are computed, and how often their intervals contain the truth.

`uv run benchmarks/ratings.py [speed] [coverage] [stopping] [power] [beliefs] [ladder] [best]
[linking]`. `power` plays the number of games that `plan` recommends for a gap, and prints how often
the table shows that gap. `coverage` plays seeded tournaments in worlds with known truth, and prints
how often the .95 intervals contain it: for ratings, for the worst-covered entrant, for pairs, and
for all pairs of a tournament at once. If a world violates the model, the truth is the result of the
same fit on 150,000 games of that world. `beliefs` plays deliberations with scripted believers, and
compares their scores with the score of always saying 1/n. `ladder` rates simulated players on a
ladder whose rungs have uncertain ratings. `best` compares estimated chances of being the best with
the truth. `linking` links tournaments through 3 common entrants, one of which may have changed.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Row, main, row
from engine.games.deliberations.beliefs import BeliefScore
from engine.ratings import Fit, Results, beta_intervals, compare, fit, games_needed, intervals
from engine.ratings.table_power import critical_of_equals
from engine.rng import number
from engine.runs.processes import spread
from engine.tournaments.standings.closing import separation_of
from labs.bias.estimators import mean_effect
from labs.deliberations.facts import game_facts
from tests.support.planted.believers import believers_game
from tests.support.planted.bests import chances_to_be_best
from tests.support.planted.climbs import CLIMB_GAMES, climb
from tests.support.planted.linked import LINKED, link_figures

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TRUTH_GAMES, PROVIDERS = 150_000, 4
STOP_GAMES = 160
BATCH = 20
FAILURE, SEAT_EFFECT, PROVIDER_EFFECT = 0.15, -0.4, 0.3
# In logits.
HUNDRED = 100 * np.log(10) / 400
# The cost of a failure, in logits.
LOSS = 4.0
NORMAL = 1.959963984540054
SOURCES = [{"provider": f"provider {place}"} for place in range(PROVIDERS)]


@dataclass(frozen=True)
class World:
    """A kind of tournament: how entrants are seated, and how performance becomes places.

    Skills are evenly spaced from -width to width; the gap between the first two is increased by
    `gap`. Each entrant plays `games` games, on average if tables do not divide evenly. `form` holds
    the sds of the daily form of even and odd entrants. Performances are rounded to `grain`, so that
    some tie. Each table plays a block of `copies` games; over a block, each seat keeps one shock,
    drawn with sd `shock`. With `failing`, players are eliminated one by one, the last first, and
    each answer of one entrant fails with this probability, which does not affect its play.
    """

    name: str
    entrants: int = 20
    table: int = 5
    games: int = 25
    width: float = 1.0
    grain: float = 0.0
    form: tuple[float, float] = (0.0, 0.0)
    failures: bool = False
    failing: float = 0.0
    copies: int = 1
    shock: float = 0.0
    cycles: bool = False
    covariate: str = ""
    target: str = "places"
    gap: float = 0.0

    @property
    def model_holds(self) -> bool:
        """Whether the world follows the fitted model, so that its skills are the truth."""
        plain = not self.grain and not any(self.form) and not self.cycles
        return plain and not self.failures

    def tables(self, games: int, rng: np.random.Generator) -> Ints:
        """Return the entrants at each table, in the order of seats."""
        if self.entrants % self.table:
            keys = rng.random((games, self.entrants))
            return np.argsort(keys, axis=1)[:, : self.table]
        rounds = -(-games * self.table // self.entrants)
        order = np.argsort(rng.random((rounds, self.entrants)), axis=1)
        return order.reshape(-1, self.table)[:games]

    def play(self, games: int, seed: int) -> Results:
        """Return the results of `games` games."""
        rng = np.random.default_rng(seed)
        tables = np.repeat(self.tables(-(-games // self.copies), rng), self.copies, axis=0)
        performance = self.performance(tables, rng)
        fallbacks = np.zeros(tables.shape)
        if self.failures:
            weak = tables < self.entrants / 3
            fallbacks = np.where(weak & (rng.random(tables.shape) < FAILURE), 1.0, 0.0)
            performance -= LOSS * fallbacks
        if self.grain:
            performance = np.round(performance / self.grain) * self.grain
        better = performance[:, np.newaxis, :] > performance[:, :, np.newaxis]
        places = 1.0 + better.sum(axis=2, dtype=np.float64)
        outlived = np.full(tables.shape, np.nan)
        if self.failing:
            answered = rng.geometric(self.failing, tables.shape) - 1.0
            failed = (tables == self.entrants // 2) & (answered <= self.table - places)
            outlived = np.where(failed, answered, np.nan)
        columns = {"place": places, "payoff": performance}
        columns |= {"fallbacks": fallbacks, "outlived": outlived}
        return results_of(tables, columns, self.copies)

    def performance(self, tables: Ints, rng: np.random.Generator) -> Floats:
        """Return each seat's performance in each game, in logits."""
        skills = np.linspace(-self.width, self.width, self.entrants)
        skills[:2] += self.gap / 2, -self.gap / 2
        skill = skills[tables]
        luck = rng.gumbel(size=tables.shape)
        worth: Floats = skill - luck if self.failing else skill + luck
        shared = rng.normal(size=(len(tables) // self.copies, self.table)) * self.shock
        worth += np.repeat(shared, self.copies, axis=0)
        worth += rng.normal(size=tables.shape) * np.array(self.form)[tables % 2]
        if self.covariate == "seat":
            worth += SEAT_EFFECT * (np.arange(self.table) / (self.table - 1) - 0.5)
        if self.covariate == "same_provider":
            provider = tables % PROVIDERS
            same = provider[:, :, np.newaxis] == provider[:, np.newaxis, :]
            worth += PROVIDER_EFFECT * (same.sum(axis=2) - 1)
        if self.cycles:
            kind = tables % 3
            beaten = (kind[:, :, np.newaxis] + 1) % 3 == kind[:, np.newaxis, :]
            worth += 0.5 * beaten.sum(axis=2)
        return worth

    def rate(self, results: Results) -> Fit:
        """Return the fit of this world's results."""
        covariates = (self.covariate,) if self.covariate else ()
        censored = bool(self.failing)
        return fit(results, self.target, covariates=covariates, min_games=1, censored=censored)


BLOCKS = World("blocks of 4 with a shock of 1", 8, 4, 40, 0.0, copies=4, shock=1.0)
FAILING = World("15 % failures of a third, as played", failures=True)
VARIANTS: dict[str, dict[str, Any]] = {
    "wins": {"target": "wins"},
    "points": {"target": "points"},
    "pairs": {"target": "pairs", "table": 2},
    "ties": {"grain": 1.0},
    "seat as covariate": {"covariate": "seat"},
}
WORLDS = (
    *(World("exact Plackett-Luce", games=games) for games in (10, 25, 100)),
    World("ties by rounding to .5", games=100, grain=0.5),
    World("ties by rounding to 1", games=100, grain=1.0),
    World("ties by rounding to .5", games=25, grain=0.5),
    *(replace(FAILING, games=games) for games in (25, 100)),
    *(
        World(f"{share:.0%} of answers fail, censored", 8, 8, 400, width=1.0, failing=share)
        for share in (0.03, 0.1)
    ),
    *(
        World(f"blocks of 4 with a shock of {shock:g}", 8, 4, games, 0.0, copies=4, shock=shock)
        for shock in (0.0, 1.0, 2.0)
        for games in (20, 40, 100)
    ),
    *(
        replace(BLOCKS, name=f"{BLOCKS.name}, {name}", games=40, **changes)
        for name, changes in VARIANTS.items()
    ),
    World("one far outside", 8, 4, 100, width=3.0),
    *(World("form that differs", form=(2.0, 0.6), games=games) for games in (25, 100)),
    *(World("two players, 6 entrants", 6, 2, games, target="pairs") for games in (10, 30, 100)),
    World("the same, twice as wide", 6, 2, 30, width=2.0, target="pairs"),
    World("50 entrants, tables of 7", 50, 7, 28),
    World("seat as covariate", games=100, covariate="seat"),
    World("same provider as covariate", games=100, covariate="same_provider"),
    World("cycles", games=100, cycles=True),
)


def results_of(tables: Ints, told: dict[str, Floats], copies: int) -> Results:
    """Return the results that `Results.from_rows` would build from one row per seat."""
    games, seats = tables.shape
    entrant, size = tables.ravel(), games * seats
    ids = tuple(f"g{place:06d}" for place in range(games))
    columns = dict.fromkeys(("score", "words", "cost", "tokens"), np.full(size, np.nan))
    columns |= dict.fromkeys(("asks", "lot"), np.zeros(size))
    columns |= {name: values.ravel() for name, values in told.items()}
    columns["seat"] = np.tile(np.arange(1.0, seats + 1), games)
    columns["table"] = np.full(size, float(seats))
    return Results(
        entrants=tuple(f"e{place:03d}" for place in range(int(entrant.max()) + 1)),
        game_ids=ids,
        blocks=tuple(f"b{place // copies:06d}" for place in range(games)),
        game=np.repeat(np.arange(games), seats),
        entrant=entrant,
        columns=columns,
        source=tuple(SOURCES[place % PROVIDERS] for place in entrant.tolist()),
    )


def truth_of(world: World) -> Floats:
    """Return the skills that a world's tournaments estimate, with mean 0 except for points."""
    if world.target == "points":
        return np.linspace(-world.width, world.width, world.entrants) + np.euler_gamma
    if world.model_holds:
        return np.linspace(-world.width, world.width, world.entrants)
    return world.rate(world.play(TRUTH_GAMES, number(0, "truth", world.name))).skill


def hold(world: World, truth: Floats, turn: int) -> tuple[Floats, list[float]]:
    """Play a tournament; return which rating intervals hold, and figures for pairs and betas."""
    games = world.entrants * world.games // world.table
    results = world.play(games, number(0, "tournament", world.name, world.games, turn))
    fitted = world.rate(results)
    seen = np.array([int(name[1:]) for name in fitted.entrants])
    known = truth[seen] - (0.0 if world.target == "points" else truth[seen].mean())
    ratings = np.full(world.entrants, np.nan)
    reach = np.array(
        [np.inf if each.open_end else each.high - each.rating for each in intervals(fitted)]
    )
    told = ~np.isnan(reach)
    ratings[seen[told]] = (np.abs(fitted.skill - known) <= reach)[told]
    skill = dict(zip(fitted.entrants, known.tolist(), strict=True))
    pairs = [pair for pair in compare(fitted, seed=turn).pairs if not np.isnan(pair.p_adjusted)]
    missed = [abs(pair.gap - skill[pair.entrant] + skill[pair.other]) for pair in pairs]
    alone = [miss <= pair.high - pair.gap for miss, pair in zip(missed, pairs, strict=True)]
    figures = [float(np.mean(alone)) if alone else np.nan]
    figures.append(
        float(all(miss <= pair.margin for miss, pair in zip(missed, pairs, strict=True)))
    )
    for name, (low, high) in beta_intervals(fitted).items():
        effect = SEAT_EFFECT if name == "seat" else PROVIDER_EFFECT
        figures.append(float(low <= effect <= high))
    return ratings, figures


def coverage(short: bool) -> Iterator[Row]:
    """Measure how often the intervals hold the truth in each world."""
    tournaments = 30 if short else 500
    for world in WORLDS:
        held = spread(partial(hold, world, truth_of(world)), range(tournaments))
        ratings = np.array([each for each, _ in held])
        figures = [np.nanmean(ratings), np.nanmin(np.nanmean(ratings, axis=0))]
        figures += np.nanmean([each for _, each in held], axis=0).tolist()
        value = ", ".join(f"{figure:.3f}" for figure in figures)
        what = "intervals of 95 % that hold: ratings, worst entrant, pairs, all pairs"
        what += ", beta" if world.covariate else ""
        basis = f"{world.name}, {world.games} games an entrant, {tournaments} tournaments"
        yield row(what, value, "", basis)


def stop_early(turn: int) -> bool:
    """Play a tournament of equals; return whether the stop rule ever separated the first two."""
    whole = BLOCKS.play(STOP_GAMES, number(0, "stop", turn))
    for share in np.arange(0.2, 1.01, 0.1):
        so_far = whole.where(whole.game < share * STOP_GAMES)
        one, other, *_ = so_far.entrants
        seen = separation_of(BLOCKS.rate(so_far), (one, other), float(share))
        if seen is not None and seen.apart:
            return True
    return False


def stopping(short: bool) -> Iterator[Row]:
    """Measure how often a tournament of equals is stopped because two entrants seem different."""
    tournaments = 30 if short else 500
    stopped = spread(stop_early, range(tournaments))
    basis = f"{BLOCKS.name}, 9 looks at up to {STOP_GAMES} games, {tournaments} tournaments"
    yield row("equals told apart by the stop rule", float(np.mean(stopped)), "", basis)


def shows_gap(entrants: int, table: int, games: int, turn: int) -> bool:
    """Play one tournament with a gap of 100 Elo; return whether its table shows the gap."""
    world = World("", entrants, table, width=0.0, gap=HUNDRED)
    results = world.play(games, number(0, "power", entrants, table, turn))
    pairs = compare(world.rate(results), seed=turn).pairs
    return any({each.entrant, each.other} == {"e000", "e001"} and each.is_apart for each in pairs)


def power(short: bool) -> Iterator[Row]:
    """Measure how often tables show a gap of 100 Elo after the planned number of games."""
    tournaments = 40 if short else 500
    for entrants, table in ((5, 4), (8, 4), (20, 5)):
        critical = critical_of_equals(entrants, table)
        for basis, level in (("one named pair", NORMAL), ("in the table", critical)):
            games = games_needed(HUNDRED, entrants, table, critical=level)
            shown = spread(partial(shows_gap, entrants, table, games), range(tournaments))
            what = f"tables that show 100 Elo in the games planned for {basis}"
            field = f"{entrants} entrants, tables of {table}, {games} games"
            value = f"{np.mean(list(shown)):.2f}"
            yield row(what, value, "", f"{field}, {tournaments} tournaments")


def beliefs(short: bool) -> Iterator[Row]:
    """Score players that know the end, say 1/n or lie, and check a listener's intervals."""
    games = [game_facts(game) for game in spread(believers_game, range(100 if short else 500))]
    scores: dict[str, list[tuple[str, BeliefScore]]] = {}
    for game in games:
        for probe in game.beliefs:
            scores.setdefault(probe.player_id, []).append((game.game_id, probe.scores[0]))
    basis = f"{len(games)} scripted deliberations of 5"
    for player_id, believer, goal in (
        ("Ada", "who knows the end", {"most": 0.0}),
        ("Ben", "who always says 1/n", {"least": 1.0}),
        ("Cleo", "a liar", {"least": 1.01}),
    ):
        own = [score for _, score in scores[player_id]]
        ratio = sum(one.value for one in own) / sum(one.value + one.gain for one in own)
        yield row(f"Brier score of {believer} over (n - 1)/n", round(ratio, 6), "", basis, **goal)
    listener = scores["Dan"]
    truth = np.mean([score.gain for _, score in listener])
    held = []
    for begin in range(0, len(games), BATCH):
        names = {game.game_id for game in games[begin : begin + BATCH]}
        batch = [(name, score.gain) for name, score in listener if name in names]
        low, high = mean_effect([gain for _, gain in batch], [name for name, _ in batch]).interval
        held.append(low <= truth <= high)
    what = f".95 intervals of {BATCH} games that hold the mean Brier score of all"
    yield row(what, float(np.mean(held)), "", f"{basis}; who listens", least=0.85)


def ladder(short: bool) -> Iterator[Row]:
    """Measure how often intervals on a ladder contain the truth, and the error of its ratings."""
    players = 100 if short else 500
    climbs = list(spread(climb, range(players)))
    basis = f"{players} players from the lowest to the highest rung, {CLIMB_GAMES} games each"
    held = float(np.mean([each for each, _ in climbs]))
    miss = float(np.mean([each for _, each in climbs]))
    yield row(".95 intervals on a ladder that hold the truth", held, "", basis, least=0.93)
    yield row("ratings on a ladder from the truth, mean", miss, "Elo", basis, most=75)


def best(short: bool) -> Iterator[Row]:
    """Compare how often entrants are the best with their estimated chance of being the best."""
    del short
    tournaments = 10_000
    told = [each for part in spread(chances_to_be_best, range(tournaments)) for each in part]
    chances = np.array([chance for chance, _ in told])
    hits = np.array([hit for _, hit in told])
    bins = np.minimum((10 * chances).astype(int), 9)
    misses = []
    for place in range(10):
        inside = bins == place
        misses.append(abs(float(chances[inside].mean() - hits[inside].mean())))
    basis = f"{len(told)} chances in 10 bins, {tournaments} tournaments"
    yield row(
        "chance to be the best from how often it is so, most", max(misses), "", basis, most=0.03
    )
    yield row(
        "chance to be the best from how often it is so, mean", float(np.mean(misses)), "", basis
    )


def linking(short: bool) -> Iterator[Row]:
    """Measure how often intervals on another scale hold and how often moved anchors are noticed."""
    turns = 100 if short else 300
    held, false, noticed = link_figures(turns)
    yield row(
        ".95 intervals on another scale that hold", held, "", LINKED.format(turns), least=0.93
    )
    yield row("unmoved anchors with p < .05", false, "", LINKED.format(turns))
    yield row("anchors noticed that moved 100 Elo", noticed, "", LINKED.format(turns), least=0.8)


def rows_of(games: int, entrants: int = 50, table: int = 7, seed: int = 0) -> list[dict[str, Any]]:
    """Return rows of games with standard normal skills, including the key `skill`."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=entrants)
    tables = np.argsort(rng.random((games, entrants)), axis=1)[:, :table]
    performance = skills[tables] + rng.gumbel(size=tables.shape)
    places = np.argsort(np.argsort(-performance, axis=1), axis=1) + 1
    rows = []
    for game, (seated, reached) in enumerate(zip(tables.tolist(), places.tolist(), strict=True)):
        for seat, (entrant, place) in enumerate(zip(seated, reached, strict=True), 1):
            cells = {"game_id": f"g{game:06d}", "seat": seat, "entrant": f"e{entrant:03d}"}
            rows.append(cells | {"place": place, "skill": float(skills[entrant])})
    return rows


def speed(short: bool) -> Iterator[Row]:
    """Time a fit with its intervals, and measure the error of its skills."""
    for games in (1_000, 10_000) if short else (1_000, 10_000, 100_000):
        rows = rows_of(games)
        begun = time.perf_counter()
        results = Results.from_rows(rows)
        read = time.perf_counter()
        fitted = fit(results)
        intervals(fitted)
        took = time.perf_counter() - read
        skills = {cells["entrant"]: cells["skill"] for cells in rows}
        known = np.array([skills[name] for name in fitted.entrants])
        error = float(np.sqrt(np.mean((fitted.skill - known + known.mean()) ** 2)))
        basis = f"{games:,} games, 50 entrants at tables of 7"
        yield row("reading rows", read - begun, "s", basis)
        yield row("a fit with its intervals", took, "s", basis)
        yield row("skills from the truth, rmse", error, "logits", basis)


if __name__ == "__main__":
    parts = {
        "speed": speed,
        "coverage": coverage,
        "stopping": stopping,
        "power": power,
        "beliefs": beliefs,
        "ladder": ladder,
        "best": best,
        "linking": linking,
    }
    main(str(__doc__), parts)
