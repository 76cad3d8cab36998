"""A talk as its log tells it: read from the events alone, so that a log from anywhere can be evaluated."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.games.talks.archetypes import Move
from engine.games.talks.metrics import (
    aspect_coverage,
    convergence_rate,
    depth_achievement,
    gini,
    novelty_maintenance,
    quality_score,
)
from engine.games.talks.state import Exchange


class Told(Protocol):
    """An event of the log, as far as it is read here."""

    kind: str
    player_id: str | None
    content: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """What was said, and how things stood after each exchange; participants go by the names of their players.

    `personalities` has the archetype of each, in the order of the table; `checks` has what was looked at after each
    exchange: every criterion, the relationships, the coalitions.
    """

    topic: str
    target_depth: int
    personalities: Mapping[str, str]
    exchanges: tuple[Exchange, ...]
    checks: tuple[Mapping[str, Any], ...]

    @property
    def aspects(self) -> frozenset[str]:
        """The aspects explored."""
        return frozenset(label for exchange in self.exchanges for label in exchange.aspects)

    @property
    def turns(self) -> dict[str, int]:
        """How often each spoke."""
        speakers = [exchange.speaker for exchange in self.exchanges]
        return {name: speakers.count(name) for name in self.personalities}

    @property
    def levels(self) -> list[float]:
        """The convergence after each exchange."""
        return [float(check["convergence"]) for check in self.checks]

    def affinity(self, one: str, other: str, turn: int = -1) -> float:
        """Return what `one` felt for `other`, -1 to 1, after an exchange, by default the last."""
        return float(self.checks[turn]["relationships"][one][other])


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
        opening = next(event.data for event in told["narration"] if "topic" in event.data)
        people = [event.data["participant"] for event in told["setup"]]
        called = [event.player_id for event in told["setup"]]
        return Record(
            str(opening["topic"]),
            int(opening["depth"]),
            {str(name): str(own["personality"]) for name, own in zip(called, people, strict=True)},
            tuple(exchange_of(event) for event in told["utterance"][: len(told["check"])]),
            tuple(event.data for event in told["check"]),
        )
    except (LookupError, StopIteration, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"expected the log of a talk: it cannot be read: {error!r:.120}") from None


def exchange_of(event: Told) -> Exchange:
    """Return the exchange that an utterance tells of."""
    facts = event.data
    return Exchange(
        int(facts["turn"]),
        str(facts["speaker"]),
        Move(facts["move"]),
        None if facts["target"] is None else str(facts["target"]),
        event.content,
        str(facts["position"]),
        tuple(str(label) for label in facts["aspects"]),
        int(facts["depth"]),
        float(facts["novelty"]),
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
    return Evaluation(**parts, reached=reached, rate=convergence_rate(record.levels), quality=quality_score(**parts))
