"""The pictures of a talk, as plain data: who likes whom, how that came about, convergence and novelty, moves."""

from itertools import combinations

from engine.games.talks.archetypes import Move
from engine.games.talks.log.record import Record
from engine.report.charts import Chart, Heat, Lines, Network

# How many pairs of participants a chart of curves can show; beyond, each is shown with the mean of
# the others.
PAIRS = 6


def pictures(record: Record) -> dict[str, Chart]:
    """Return the pictures of a talk, by name."""
    return {
        "relationships": network(record),
        "affinity": affinities(record),
        "convergence": convergence_and_novelty(record),
        "moves": moves(record),
    }


def network(record: Record) -> Network:
    """Return who likes whom in the end: mean affinity of both ways; the size of a name is its share of turns."""
    count = len(record.exchanges)
    edges = {
        (one, other): mutual(record, one, other)
        for one, other in combinations(record.personalities, 2)
    }
    sizes = {name: turns / count for name, turns in record.turns.items()}
    return Network(
        "Relationships at the end",
        sizes,
        {pair: weight for pair, weight in edges.items() if weight},
    )


def mutual(record: Record, one: str, other: str, turn: int = -1) -> float:
    """Return the mean of what two feel for one another."""
    return (record.affinity(one, other, turn) + record.affinity(other, one, turn)) / 2


def affinities(record: Record) -> Lines:
    """Return how relationships went: of each pair while there are few, else how each is liked on average."""
    names, turns = [*record.personalities], range(len(record.feelings))
    pairs = [*combinations(names, 2)]
    if len(pairs) <= PAIRS:
        series = {
            f"{one} and {other}": [mutual(record, one, other, turn) for turn in turns]
            for one, other in pairs
        }
    else:
        series = {name: [liked(record, name, turn) for turn in turns] for name in names}
    title = (
        "Affinity of each pair"
        if len(pairs) <= PAIRS
        else "How each is liked by the others, on average"
    )
    return Lines(
        title, "exchange", "affinity, -1 to 1", numbers(record), series, marks={"neutral": 0.0}
    )


def liked(record: Record, name: str, turn: int) -> float:
    """Return the mean affinity of the others to `name`."""
    others = [other for other in record.personalities if other != name]
    return sum(record.affinity(other, name, turn) for other in others) / len(others)


def convergence_and_novelty(record: Record) -> Lines:
    """Return convergence and novelty after each exchange, with the levels at which they may end a talk."""
    converged, circling = record.bounds
    series = {
        "convergence": record.levels,
        "novelty": [exchange.novelty for exchange in record.exchanges],
    }
    marks = {"converged above": converged, "in circles below": circling}
    return Lines(
        "Convergence and novelty", "exchange", "0 to 1", numbers(record), series, marks=marks
    )


def moves(record: Record) -> Heat:
    """Return each participant's mix of moves: the share of its own turns that each move had."""
    made = [(exchange.speaker, exchange.move) for exchange in record.exchanges]
    cells = [
        [made.count((name, move)) / turns if turns else None for move in Move]
        for name, turns in record.turns.items()
    ]
    return Heat(
        "Mix of moves",
        [*record.personalities],
        [str(move) for move in Move],
        cells,
        "share of own turns",
    )


def numbers(record: Record) -> list[float]:
    """Return the numbers of the exchanges."""
    return [float(exchange.turn) for exchange in record.exchanges]
