"""A round robin repeated: ranks with bootstrap intervals, payoffs with deviations, and both as CSV."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from engine.games.dilemma.monitor import Entries, monitor
from engine.games.dilemma.results import cooperation_rates, mean_payoffs, payoff_matrix, wins_of
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import RoundRobin, Unit, match_seed
from engine.report.csv import csv_text
from engine.rng import stream
from engine.statistics import deviation, mean, percentile_interval, resamples_of

Key = TypeVar("Key")


class Spread(NamedTuple):
    """A mean and its standard deviation, over repetitions."""

    mean: float
    deviation: float


class Standing(NamedTuple):
    """How an agent did: its rank by all points with an interval, and its figures over all its games."""

    name: str
    rank: int
    low: int
    high: int
    points: float
    deviation: float
    cooperation: float
    wins: int
    faults: int


def repeat(
    flip_params: Sequence[float],
    game_length: tuple[int, int],
    agents: Entries,
    repetitions: int = 10,
    *,
    seed: int = 0,
    unit: Unit = "turns",
    block: int = BLOCK,
) -> tuple[RoundRobin, ...]:
    """Play one round robin several times, each with draws of its own, and return the rounds; nobody is dropped."""
    terms = (flip_params, game_length, agents)
    seeds = repetition_seeds(seed, repetitions)
    return tuple(
        monitor(*terms, seed=own, max_rounds=1, unit=unit, block=block).rounds[0] for own in seeds
    )


def repetition_seeds(seed: int, repetitions: int) -> list[int]:
    """Return the seed of each repetition."""
    if type(repetitions) is not int or repetitions < 1:
        raise ValueError(
            f"expected repetitions to be a whole number of at least 1: {repetitions!r}"
        )
    return [match_seed(stream(seed, "repetition", number)) for number in range(1, repetitions + 1)]


def standings(
    rounds: Sequence[RoundRobin], *, resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> list[Standing]:
    """Return how all did over the repetitions, best first; each rank has an interval that covers `level` of it."""
    games = [game for one in rounds for game in one.games]
    spreads = spread_of([mean_payoffs(one.games) for one in rounds])
    cooperation, wins, intervals = (
        cooperation_rates(games),
        wins_of(games),
        rank_intervals(rounds, resamples, level, seed),
    )
    places = ranks_of([one.scores for one in rounds])
    rows = [
        Standing(
            name, place, *intervals[name], *spreads[name], cooperation[name], wins[name], faults
        )
        for name, place in places.items()
        for faults in [sum(one.faults[name] for one in rounds)]
    ]
    return sorted(rows, key=lambda row: row.rank)


def ranks_of(scores: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return everyone's place by the sum of all these scores, 1 the highest, ties share."""
    sums: dict[str, int] = {}
    for one in scores:
        for name, points in one.items():
            sums[name] = sums.get(name, 0) + points
    ordered = sorted(sums.values(), reverse=True)
    return {name: 1 + ordered.index(points) for name, points in sums.items()}


def rank_intervals(
    rounds: Sequence[RoundRobin], resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, tuple[int, int]]:
    """Return the lowest and highest rank of each in the middle `level` of resamples of the repetitions (Efron 1979)."""
    ranks: dict[str, list[int]] = {name: [] for name in rounds[0].scores}
    for drawn in resamples_of(rounds, resamples, stream(seed, "bootstrap")):
        for name, rank in ranks_of(one.scores for one in drawn).items():
            ranks[name].append(rank)
    return {name: percentile_interval(own, level) for name, own in ranks.items()}


def payoff_spreads(rounds: Sequence[RoundRobin]) -> dict[tuple[str, str], Spread]:
    """Return the points a move of each against each other: the mean over repetitions and the standard deviation."""
    return spread_of([payoff_matrix(one.games) for one in rounds])


def spread_of(tables: Sequence[Mapping[Key, float]]) -> dict[Key, Spread]:
    """Return mean and standard deviation, that of a sample, of each cell of some tables."""
    return {key: spread([table[key] for table in tables]) for key in tables[0]}


def spread(values: Sequence[float]) -> Spread:
    """Return mean and standard deviation, that of a sample; of one value the deviation is 0."""
    return Spread(mean(values), deviation(values))


def standings_csv(rows: Sequence[Standing]) -> str:
    """Return standings as CSV with a header."""
    return csv_text(Standing._fields, rows)


def matrix_csv(cells: Mapping[tuple[str, str], float]) -> str:
    """Return a matrix as CSV: who plays in the first column, against whom in the header; nobody meets itself."""
    names = list(dict.fromkeys(name for pair in cells for name in pair))
    return csv_text(
        ("", *names), ((own, *(cells.get((own, other)) for other in names)) for own in names)
    )
