"""Tournaments on all cores, and repeated round robins with rank intervals and payoffs."""

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from engine.games.dilemma.monitor import Entries, enter, monitor
from engine.games.dilemma.results import (
    cooperation_rates,
    games_of,
    mean_payoffs,
    payoff_matrix,
    wins_of,
)
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import DilemmaTournament, RoundRobin, Unit, match_seed
from engine.report.statistics import (
    deviation,
    mean,
    percentile_interval,
    places_of,
    resamples_of,
)
from engine.rng import stream
from engine.runs.processes import spread

Key = TypeVar("Key")


class Spread(NamedTuple):
    """A mean and a sample standard deviation, over repetitions."""

    mean: float
    deviation: float


PairSpreads = dict[tuple[str, str], Spread]


class RankedAgent(NamedTuple):
    """An agent's rank (with interval), points per move (with deviation), wins and faults.

    `cooperation` is the share of its moves that cooperate (C).
    """

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
    """Play a round robin several times with different random draws; return all round robins.

    Raises ValueError for fewer than one repetition, and for anything `monitor` rejects.
    """
    rounds: list[RoundRobin] = []
    for own_seed in repetition_seeds(seed, repetitions):
        tournament = monitor(
            flip_params,
            game_length,
            agents,
            seed=own_seed,
            max_rounds=1,
            unit=unit,
            block=block,
        )
        rounds += tournament.rounds
    return tuple(rounds)


def spread_monitor(
    flip_params: Sequence[float],
    game_length: tuple[int, int],
    agents: Entries,
    *,
    processes: int | None = None,
    seed: int = 0,
    max_rounds: int | None = None,
    unit: Unit = "turns",
    block: int = BLOCK,
    watch: Callable[[RoundRobin], None] | None = None,
) -> DilemmaTournament:
    """Play the tournament of `monitor`, with games in several `processes` (default: one per core).

    The same seed gives the same tournament with any number of processes. Unless `processes` is 1,
    agents must be picklable: names, or functions, classes, machines and strategies that a module
    defines by name. Raises ValueError for other agents and for anything that `monitor` rejects.
    """
    if processes != 1:
        check_sendable(agents)
    return monitor(
        flip_params,
        game_length,
        agents,
        seed=seed,
        max_rounds=max_rounds,
        unit=unit,
        block=block,
        watch=watch,
        each=partial(spread, processes=processes, label="games"),
    )


def check_sendable(agents: Entries) -> None:
    """Raise ValueError naming any agent that cannot be sent to another process."""
    for name, agent in enter(agents).items():
        try:
            pickle.dumps(agent)
        except (pickle.PicklingError, AttributeError, TypeError) as fault:
            raise ValueError(
                f"expected agents that can be pickled, or processes=1: got {name} ({fault})"
            ) from None


def repetition_seeds(seed: int, repetitions: int) -> list[int]:
    """Return the seed of each repetition; raise ValueError for fewer than one repetition."""
    if type(repetitions) is not int or repetitions < 1:
        raise ValueError(
            f"expected repetitions to be a whole number of at least 1: {repetitions!r}"
        )
    return [match_seed(stream(seed, "repetition", number)) for number in range(1, repetitions + 1)]


def standings(
    rounds: Sequence[RoundRobin],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> list[RankedAgent]:
    """Return all agents' results, best first."""
    games = games_of(rounds)
    points = spreads_of([mean_payoffs(played.games) for played in rounds])
    cooperation = cooperation_rates(games)
    wins = wins_of(games)
    intervals = rank_intervals(rounds, resamples, seed)
    rows = []
    for name, place in ranks_of(played.scores for played in rounds).items():
        row = RankedAgent(
            name,
            place,
            *intervals[name],
            *points[name],
            cooperation=cooperation[name],
            wins=wins[name],
            faults=sum(played.faults[name] for played in rounds),
        )
        rows.append(row)
    return sorted(rows, key=lambda row: row.rank)


def ranks_of(scores: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return each agent's place by the sum of its scores, 1 for the highest; ties share a place."""
    sums: dict[str, int] = {}
    for score in scores:
        for name, points in score.items():
            sums[name] = sums.get(name, 0) + points
    return places_of(sums)


def rank_intervals(
    rounds: Sequence[RoundRobin],
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, tuple[int, int]]:
    """Return each agent's best and worst rank in the middle 95 % of the resamples."""
    ranks: dict[str, list[int]] = {name: [] for name in rounds[0].scores}
    for drawn in resamples_of(rounds, resamples, stream(seed, "bootstrap")):
        for name, rank in ranks_of(played.scores for played in drawn).items():
            ranks[name].append(rank)
    return {name: percentile_interval(values, 0.95) for name, values in ranks.items()}


def payoff_spreads(rounds: Sequence[RoundRobin]) -> PairSpreads:
    """Return the spread over `rounds` of each agent's points per move against each other agent."""
    return spreads_of([payoff_matrix(played.games) for played in rounds])


def spreads_of(tables: Sequence[Mapping[Key, float]]) -> dict[Key, Spread]:
    """Return the mean and standard deviation of each cell over tables with the same cells."""
    spreads = {}
    for key in tables[0]:
        spreads[key] = spread_of([table[key] for table in tables])
    return spreads


def spread_of(values: Sequence[float]) -> Spread:
    """Return a sample's mean and standard deviation, which is nan for a single value."""
    return Spread(mean(values), deviation(values))
