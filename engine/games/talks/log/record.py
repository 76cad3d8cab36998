"""A talk as its log has it: read from the events alone, so that any log can be evaluated."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from engine.games.talks.log.payloads import (
    CheckData,
    Introduction,
    TalkOpening,
    UtteranceData,
)
from engine.games.talks.metrics import (
    aspect_coverage,
    convergence_rate,
    depth_achievement,
    gini_of_turns,
    novelty_maintenance,
    quality_score,
)
from engine.games.talks.state import Exchange
from engine.history import Event, History, payload_of
from protocol.text import SILENT


@dataclass(frozen=True, slots=True)
class TalkRecord:
    """What was said, and the check after each exchange; participants go by their players' names.

    `personalities` has the archetype of each, in the order of the table; `interjections` says how
    often a host called the talk back.
    """

    opening: TalkOpening
    personalities: Mapping[str, str]
    exchanges: tuple[Exchange, ...]
    checks: tuple[CheckData, ...]
    interjections: int = 0

    @property
    def names(self) -> list[str]:
        """The participants, in the order of the table."""
        return [*self.personalities]

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
    def levels(self) -> tuple[float, ...]:
        """The convergence after each exchange, 0 to 1."""
        return tuple(check.convergence for check in self.checks)

    def affinity(self, one: str, other: str, turn: int = -1) -> float:
        """Return what `one` felt for `other`, -1 to 1, after an exchange, by default the last."""
        return self.checks[turn].relationships[one][other]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a talk: shares from 0 to 1 (coverage may exceed 1).

    `rate` is by the turn, `reached` a depth of 1 to 5, quality 0 to 100.
    """

    gini: float
    depth: float
    reached: int
    coverage: float
    novelty: float
    convergence: float
    rate: float
    quality: float


def record_of(history: History) -> TalkRecord | None:
    """Return the talk that a history tells, None before its first exchange was over.

    ValueError if its events are not those of a talk.
    """
    events: defaultdict[str, list[Event]] = defaultdict(list)
    for event in history.events:
        events[event.kind].append(event)
    if not events["check"]:
        return None

    try:
        return _read_record(events)
    except (LookupError, StopIteration, TypeError, ValueError) as error:
        reason = f"{error!r:.120}"
        raise ValueError(f"expected the log of a talk: it cannot be read: {reason}") from None


def evaluate(record: TalkRecord) -> Evaluation:
    """Return the figures of Appendix B."""
    target = record.opening.depth
    reached = max(exchange.depth for exchange in record.exchanges)
    parts = {
        "gini": gini_of_turns(record.turns),
        "depth": depth_achievement(reached, target),
        "coverage": aspect_coverage(record.aspects, target),
        "novelty": novelty_maintenance([exchange.novelty for exchange in record.exchanges]),
        "convergence": record.levels[-1],
    }
    return Evaluation(
        **parts,
        reached=reached,
        rate=convergence_rate(record.levels),
        quality=quality_score(**parts),
    )


def _read_record(events: Mapping[str, Sequence[Event]]) -> TalkRecord:
    """Return the talk in events by their kinds, of which at least one is a check."""
    opening = next(event for event in events["narration"] if "topic" in event.data)
    checks = [payload_of(event, CheckData) for event in events["check"]]
    personalities = {}
    for event in events["setup"]:
        participant = payload_of(event, Introduction).participant
        personalities[str(event.player_id)] = str(participant["personality"])

    record = TalkRecord(
        opening=payload_of(opening, TalkOpening),
        personalities=personalities,
        exchanges=tuple(_exchange_of(event) for event in events["utterance"][: len(checks)]),
        checks=tuple(checks),
        interjections=[event.data["part"] for event in events["host"]].count("interjection"),
    )
    _check_feelings(record)
    return record


def _exchange_of(event: Event) -> Exchange:
    """Return the exchange that an utterance tells."""
    data = payload_of(event, UtteranceData)
    return Exchange(
        turn=data.turn,
        speaker=data.speaker,
        move=data.move,
        target=data.target,
        content="" if event.content == SILENT else event.content,
        position=data.position,
        aspects=data.aspects,
        depth=data.depth,
        novelty=data.novelty,
        nearest=data.nearest,
    )


def _check_feelings(record: TalkRecord) -> None:
    """Raise LookupError if a check lacks what some participant feels for another."""
    for turn in range(len(record.checks)):
        for one, other in permutations(record.names, 2):
            record.affinity(one, other, turn)
