"""A talk read from its log's events alone, so that any log can be evaluated."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations

from engine.games.talks.log.payloads import CheckData, Introduction, TalkOpening, UtteranceData
from engine.games.talks.metrics import convergence_rate, figures_with_quality
from engine.games.talks.state import Exchange, labels_in
from engine.history import Event, History, payload_of
from protocol.text import SILENT


@dataclass(frozen=True, slots=True)
class TalkRecord:
    """A talk's utterances and checks; participants are identified by their players' names."""

    opening: TalkOpening
    personalities: Mapping[str, str]
    exchanges: tuple[Exchange, ...]
    checks: tuple[CheckData, ...]
    interjections: int = 0

    @property
    def names(self) -> list[str]:
        """The participants, in seat order."""
        return [*self.personalities]

    @property
    def aspects(self) -> frozenset[str]:
        """The aspects explored."""
        return frozenset(labels_in(self.exchanges))

    @property
    def turns(self) -> dict[str, int]:
        """The number of turns of each participant."""
        speakers = [exchange.speaker for exchange in self.exchanges]
        return {name: speakers.count(name) for name in self.personalities}

    @property
    def numbers(self) -> list[float]:
        """The exchange numbers."""
        return [float(exchange.turn) for exchange in self.exchanges]

    @property
    def levels(self) -> tuple[float, ...]:
        """The convergence after each exchange, 0 to 1."""
        return tuple(check.convergence for check in self.checks)

    def exchanges_of(self, name: str) -> list[Exchange]:
        """Return a participant's utterances."""
        return [exchange for exchange in self.exchanges if exchange.speaker == name]

    def feelings_of(self, name: str) -> dict[str, float]:
        """Return a participant's final affinity for each other participant, -1 to 1."""
        return {partner: self.affinity(name, partner) for partner in self.names if partner != name}

    def mutual_affinity(self, one: str, other: str, turn: int = -1) -> float:
        """Return the mean of two participants' affinities for each other; see `affinity`."""
        return (self.affinity(one, other, turn) + self.affinity(other, one, turn)) / 2

    def affinity(self, one: str, other: str, turn: int = -1) -> float:
        """Return the affinity of `one` for `other`, -1 to 1, after an exchange (-1: the last)."""
        return self.checks[turn].relationships[one][other]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a talk, most of them from 0 to 1.

    The exceptions are `reached` (a depth level), `rate` (-1 to 1), and `quality` (0 to 100).
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
    """Return a history's talk, or None before its first check; raise ValueError for other games."""
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
    """Return the figures of the design's Appendix B."""
    reached = max(exchange.depth for exchange in record.exchanges)
    figures = figures_with_quality(
        turns=record.turns,
        reached=reached,
        target=record.opening.depth,
        aspects=record.aspects,
        novelties=[exchange.novelty for exchange in record.exchanges],
        convergence=record.levels[-1],
    )
    return Evaluation(**figures, reached=reached, rate=convergence_rate(record.levels))


def _read_record(events: Mapping[str, Sequence[Event]]) -> TalkRecord:
    """Return the talk in `events`, which are grouped by kind and include at least one check."""
    opening = next(event for event in events["narration"] if "topic" in event.data)
    checks = tuple(payload_of(event, CheckData) for event in events["check"])
    personalities = {}
    for event in events["setup"]:
        participant = payload_of(event, Introduction).participant
        personalities[str(event.player_id)] = str(participant["personality"])
    _require_feelings(checks, personalities)
    exchanges = [_exchange_of(event) for event in events["utterance"][: len(checks)]]
    return TalkRecord(
        opening=payload_of(opening, TalkOpening),
        personalities=personalities,
        exchanges=tuple(exchanges),
        checks=checks,
        interjections=sum(event.data["part"] == "interjection" for event in events["host"]),
    )


def _require_feelings(checks: Iterable[CheckData], names: Iterable[str]) -> None:
    """Raise LookupError if a check lacks a participant's affinity for another."""
    for first, second in permutations(names, 2):
        for check in checks:
            check.relationships[first][second]


def _exchange_of(event: Event) -> Exchange:
    """Return the exchange recorded by an utterance; silence has no content."""
    facts = asdict(payload_of(event, UtteranceData))
    del facts["cut"], facts["uncut"], facts["plan"]
    return Exchange(**facts, content="" if event.content == SILENT else event.content)
