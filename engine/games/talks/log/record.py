"""A talk as its log tells it: read from the events alone, so that a log from anywhere can be evaluated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.games.talks.metrics import (
    aspect_coverage,
    convergence_rate,
    depth_achievement,
    gini,
    novelty_maintenance,
    quality_score,
)
from engine.games.talks.speech.utterance import SILENT
from engine.games.talks.state import Exchange, exchange_from

Feelings = Mapping[str, Mapping[str, float]]


class Told(Protocol):
    """An event of the log, as far as it is read here."""

    kind: str
    player_id: str | None
    content: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """What was said, and how things stood after each exchange; participants go by the names of their players.

    `personalities` has the archetype of each, in the order of the table; `levels` has the
    convergence after each exchange, `feelings` what each felt for each other one, -1 to 1; `bounds`
    are the convergence above and the novelty below which a talk may end; `coalitions` are the last
    ones; `embedder` is what utterances were compared by.
    """

    topic: str
    target_depth: int
    personalities: Mapping[str, str]
    exchanges: tuple[Exchange, ...]
    levels: tuple[float, ...]
    feelings: tuple[Feelings, ...]
    bounds: tuple[float, float]
    coalitions: tuple[tuple[str, ...], ...]
    embedder: str

    @property
    def aspects(self) -> frozenset[str]:
        """The aspects explored."""
        return frozenset(label for exchange in self.exchanges for label in exchange.aspects)

    @property
    def turns(self) -> dict[str, int]:
        """How often each spoke."""
        speakers = [exchange.speaker for exchange in self.exchanges]
        return {name: speakers.count(name) for name in self.personalities}

    def affinity(self, one: str, other: str, turn: int = -1) -> float:
        """Return what `one` felt for `other`, -1 to 1, after an exchange, by default the last."""
        return self.feelings[turn][one][other]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a talk: shares from 0 to 1 (coverage may exceed 1), `rate` by the turn, quality from 0 to 100."""

    gini: float
    depth: float
    reached: int
    coverage: float
    novelty: float
    convergence: float
    rate: float
    quality: float


def record_of(events: Iterable[Told]) -> Record | None:
    """Return the talk in `events`, None before its first exchange was over; ValueError if they are not those of one."""
    told: dict[str, list[Told]] = {}
    for event in events:
        told.setdefault(event.kind, []).append(event)
    if not told.get("check"):
        return None
    try:
        return read(told)
    except (LookupError, StopIteration, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"expected the log of a talk: it cannot be read: {error!r:.120}") from None


def read(told: Mapping[str, Sequence[Told]]) -> Record:
    """Return the talk in events by their kinds, of which at least one is a check."""
    opening = next(event.data for event in told["narration"] if "topic" in event.data)
    people = {
        str(event.player_id): str(event.data["participant"]["personality"])
        for event in told["setup"]
    }
    checks = [event.data for event in told["check"]]
    last = checks[-1]
    return Record(
        str(opening["topic"]),
        int(opening["depth"]),
        people,
        tuple(map(exchange_of, told["utterance"][: len(checks)])),
        tuple(float(check["convergence"]) for check in checks),
        tuple(feelings_of(check, [*people]) for check in checks),
        (float(last["min_convergence"]), float(last["min_novelty"])),
        tuple(tuple(map(str, group)) for group in last["coalitions"]),
        str(opening["embedder"]),
    )


def feelings_of(check: Mapping[str, Any], names: Sequence[str]) -> Feelings:
    """Return what each participant felt for each other one when a check was made."""
    told = check["relationships"]
    return {
        one: {other: float(told[one][other]) for other in names if other != one} for one in names
    }


def exchange_of(event: Told) -> Exchange:
    """Return the exchange that an utterance tells of."""
    return exchange_from(
        {**event.data, "content": "" if event.content == SILENT else event.content}
    )


def evaluated(record: Record) -> Evaluation:
    """Return the figures of Appendix B."""
    reached = max(exchange.depth for exchange in record.exchanges)
    parts = {
        "gini": gini(record.turns),
        "depth": depth_achievement(reached, record.target_depth),
        "coverage": aspect_coverage(record.aspects, record.target_depth),
        "novelty": novelty_maintenance([exchange.novelty for exchange in record.exchanges]),
        "convergence": record.levels[-1],
    }
    return Evaluation(
        **parts,
        reached=reached,
        rate=convergence_rate(record.levels),
        quality=quality_score(**parts),
    )
