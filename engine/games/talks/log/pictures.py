"""The charts of a talk as plain data: relationships, affinity, convergence, and moves."""

from collections.abc import Iterator
from itertools import combinations

from engine.games.talks.archetypes import Move
from engine.games.talks.log.payloads import CheckData
from engine.games.talks.log.record import TalkRecord
from engine.history import History, payload_of
from engine.report.charts import Chart, Heat, Lines, Network
from engine.report.turning_points import TurningPoint, largest_step

# The maximum number of pairs in a chart of curves; with more, each participant gets one curve.
PAIRS = 6


def talk_charts(record: TalkRecord) -> dict[str, Chart]:
    """Return the charts of a talk, by name."""
    return {
        "relationships": relationship_network(record),
        "affinity": affinity_curves(record),
        "convergence": convergence_curves(record),
        "moves": move_mix(record),
    }


def turns_of_talk(history: History) -> Iterator[TurningPoint]:
    """Yield the exchange that changed the convergence most, up or down."""
    curve = []
    for event in history.events:
        if event.kind == "utterance":
            index = event.index
        elif event.kind == "check":
            curve.append((index, payload_of(event, CheckData).convergence))
    return largest_step(curve, "convergence")


def relationship_network(record: TalkRecord) -> Network:
    """Return a network of each pair's mean affinity at the end; name sizes show shares of turns."""
    weights = {pair: record.mutual_affinity(*pair) for pair in combinations(record.names, 2)}
    edges = {pair: weight for pair, weight in weights.items() if weight}
    count = len(record.exchanges)
    sizes = {name: turns / count for name, turns in record.turns.items()}
    return Network("Relationships at the end", sizes, edges)


def _mean_affinity(record: TalkRecord, name: str, turn: int) -> float:
    """Return the other participants' mean affinity for a participant."""
    others = [rival for rival in record.names if rival != name]
    return sum(record.affinity(rival, name, turn) for rival in others) / len(others)


def affinity_curves(record: TalkRecord) -> Lines:
    """Return curves of each pair's affinity or, for many pairs, each participant's popularity."""
    turns = range(len(record.checks))
    pairs = [*combinations(record.names, 2)]
    series = {}
    if len(pairs) <= PAIRS:
        title = "Affinity of each pair"
        for first, second in pairs:
            values = [record.mutual_affinity(first, second, turn) for turn in turns]
            series[f"{first} and {second}"] = values
    else:
        title = "How each is liked by the others, on average"
        for name in record.names:
            series[name] = [_mean_affinity(record, name, turn) for turn in turns]

    return Lines(
        title, "exchange", "affinity, -1 to 1", record.numbers, series, marks={"neutral": 0.0}
    )


def convergence_curves(record: TalkRecord) -> Lines:
    """Return convergence and novelty after each exchange, with the levels that can end a talk."""
    bounds = record.checks[-1]
    return Lines(
        "Convergence and novelty",
        "exchange",
        "0 to 1",
        record.numbers,
        {
            "convergence": record.levels,
            "novelty": [exchange.novelty for exchange in record.exchanges],
        },
        marks={
            "converged above": bounds.min_convergence,
            "in circles below": bounds.min_novelty,
        },
    )


def move_mix(record: TalkRecord) -> Heat:
    """Return each move's share of each participant's turns; None for participants without turns."""
    made = [(exchange.speaker, exchange.move) for exchange in record.exchanges]
    cells: list[list[float | None]] = []
    for name, turns in record.turns.items():
        cells.append([made.count((name, move)) / turns if turns else None for move in Move])
    moves = [*map(str, Move)]
    return Heat("Mix of moves", record.names, moves, cells, "share of own turns")
