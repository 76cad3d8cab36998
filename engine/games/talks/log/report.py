"""The evaluation report of a talk, from its log alone."""

from collections.abc import Iterator
from itertools import combinations

from engine.games.talks.archetypes import ARCHETYPES, DEPTHS
from engine.games.talks.log.record import Evaluation, Record, evaluated, record_of
from engine.games.talks.metrics import (
    Consistency,
    personality_consistency,
    position_similarity,
    stars,
)
from engine.history import History
from engine.memory.embeddings import Embedder, default_embedder
from engine.report.tables import Cell, Facts, Sentence, Table

Part = Facts | Table | Sentence
BAR = 32
NOVELTY = ((0.6, "good variation"), (0.3, "some repetition"), (0.0, "going in circles"))
COMPARED = {
    "wordllama": "word vectors (wordllama)",
    "hashing": "hashed words, which know spelling and not meaning: install wordllama with uv sync",
}
AGREEMENT = ((0.7, "high agreement"), (0.4, "some agreement"), (0.0, "little agreement"))


def report(history: History, embedder: Embedder | None = None) -> Iterator[Part]:
    """Yield the report of Appendix B; nothing before the first exchange is over. ValueError if this is no talk's log.

    The embedder (by default the process's own) compares utterances with the archetypes' profiles.
    """
    record = record_of(history.events)
    if record is None:
        return
    figures, count = evaluated(record), len(record.exchanges)
    alike = embedder or default_embedder()
    facts = {"Topic": record.topic, "Duration": f"{count} exchange{'s' * (count != 1)}"}
    yield Facts(
        "Discussion Evaluation Report",
        (*facts.items(), ("Participants", str(len(record.personalities)))),
    )
    yield turn_bars(record)
    yield Facts("Measures", (*measures(record, figures, alike),))
    yield matrix(record)
    yield characters(record, alike)
    shown = stars(figures.quality)
    yield Sentence(f"Quality Score: {figures.quality:.0f}/100 {'★' * shown}{'☆' * (5 - shown)}")


def turn_bars(record: Record) -> Table:
    """Return how often each spoke, with its share of all turns as a number and as a bar."""
    count = len(record.exchanges)
    rows = [
        (name, turns, f"{turns / count:.0%}", "█" * round(BAR * turns / count))
        for name, turns in record.turns.items()
    ]
    return Table("Turn Distribution", ("player", "turns", "share", ""), tuple(rows))


def measures(record: Record, figures: Evaluation, embedder: Embedder) -> Iterator[tuple[str, str]]:
    """Yield each figure by its name, with what it means."""
    target, reached = record.target_depth, figures.reached
    yield "Turn Fairness", f"{1 - figures.gini:.0%} (Gini {figures.gini:.2f})"
    yield (
        "Depth Achievement",
        f"{figures.depth:.0%} (reached {reached}/{target}, {DEPTHS[reached].name})",
    )
    yield (
        "Aspect Coverage",
        f"{figures.coverage:.0%} ({len(record.aspects)} aspects / {3 * target})",
    )
    yield "Novelty Score", f"{figures.novelty:.2f} ({verdict(figures.novelty, NOVELTY)})"
    yield (
        "Final Convergence",
        f"{figures.convergence:.2f} ({verdict(figures.convergence, AGREEMENT)})",
    )
    yield "Convergence Rate", f"{figures.rate:+.3f} a turn"
    yield (
        "Position Similarity",
        f"{last_positions(record, embedder):.2f} (told, and weighs nothing)",
    )
    yield "Compared By", COMPARED.get(record.embedder, record.embedder)
    if record.coalitions:
        yield "Coalitions", "; ".join(" + ".join(group) for group in record.coalitions)


def verdict(value: float, bounds: tuple[tuple[float, str], ...]) -> str:
    """Return what a figure means: the words of the first bound that it reaches."""
    return next((words for bound, words in bounds if value >= bound), bounds[-1][1])


def last_positions(record: Record, embedder: Embedder) -> float:
    """Return the mean cosine of all pairs of the positions that participants took last."""
    last = {
        exchange.speaker: exchange.position for exchange in record.exchanges if exchange.position
    }
    vectors = embedder.embed([*last.values()])
    return position_similarity([float(one @ other) for one, other in combinations(vectors, 2)])


def matrix(record: Record) -> Table:
    """Return what each participant (row) feels for each other one (column), with its sign."""
    names = [*record.personalities]
    rows: list[tuple[Cell, ...]] = [
        (one, *("-" if one == other else feeling(record.affinity(one, other)) for other in names))
        for one in names
    ]
    return Table("Relationship Matrix", ("player", *names), tuple(rows))


def feeling(affinity: float) -> str:
    """Return an affinity with its sign; 0 is written so short that what is not neutral stands out."""
    return f"{affinity:+.2f}" if round(affinity, 2) else "0"


def characters(record: Record, embedder: Embedder) -> Table:
    """Return how like its archetype each participant talked, and which archetype it talked most like."""
    profiles = embedder.embed([one.profile for one in ARCHETYPES.values()])
    rows: list[tuple[Cell, ...]] = []
    for name, personality in record.personalities.items():
        said = [one.content for one in record.exchanges if one.speaker == name and one.content]
        cosines = embedder.embed(said) @ profiles.T
        similarities = [
            dict(zip(map(str, ARCHETYPES), row.tolist(), strict=True)) for row in cosines
        ]
        found = personality_consistency(similarities, personality) if said else Consistency(0.0, "")
        rows.append((name, personality, f"{found.mean:.2f}" if said else "", found.archetype))
    return Table(
        "Personality Consistency",
        ("player", "personality", "consistency", "sounds most"),
        tuple(rows),
    )
