"""The data of a talk's events in the log: a dataclass for each kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.games.talks.archetypes import Move
from engine.games.talks.host.parts import Part, Why
from engine.games.talks.termination import Criteria, Reason
from engine.games.talks.theory.turn_taking import Wish

Numbers = dict[str, float]


@dataclass(frozen=True, slots=True)
class TalkOpening:
    """The topic, the target depth (1 to 5), the embedder that compares utterances, and any host."""

    topic: str
    depth: int
    embedder: str
    host: str = ""


@dataclass(frozen=True, slots=True)
class Introduction:
    """A participant's state before the talk, as plain data."""

    participant: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ThesisData:
    """A participant's opinion before the talk, or "" if it gave none."""

    position: str


@dataclass(frozen=True, slots=True)
class HostData:
    """One part of a host's words after `turn` exchanges; an interjection is `about` one turn."""

    part: Part
    turn: int
    why: Why | None = None
    about: int | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """The speaker, its move, and the reason; participants are identified by their players' names.

    `wishes` contains each participant's wish to speak. `payoffs` maps moves to the speaker's
    payoffs, and `adjusted` to the payoffs after damping. `orbit` is true if the talk circles, and
    `stale` if one more stale turn would end it. `chances` contains the probability of each legal
    move, or is None if the best move is always chosen.
    """

    speaker: str
    move: Move
    target: str | None
    intensity: float
    wishes: dict[str, Wish]
    payoffs: Numbers
    adjusted: Numbers
    orbit: bool
    chances: Numbers | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class UtteranceData:
    """An `Exchange` without its words, which are the event's content.

    `uncut` contains the words before repeats were cut, or "" if no repeats were cut.
    """

    turn: int
    speaker: str
    move: Move
    target: str | None
    position: str
    aspects: tuple[str, ...]
    depth: int
    novelty: float
    nearest: int | None
    cut: bool = False
    uncut: str = ""
    plan: str = ""


@dataclass(frozen=True)
class CheckData(Criteria):
    """Every criterion after an exchange, as in `Check`, and the state of the group.

    `relationships` contains the affinity, -1 to 1, of each player (first key) for each other one.
    """

    conclude_payoffs: Numbers
    reason: Reason | None
    depth: int
    dominant_speaker: str | None
    active_disagreement: bool
    coalitions: tuple[tuple[str, ...], ...]
    relationships: dict[str, Numbers]
    stale: int | None = None


@dataclass(frozen=True)
class End:
    """Why a talk is over, in a word and in a sentence."""

    reason: Reason
    sentence: str


@dataclass(frozen=True)
class Stop(Criteria, End):
    """Why a talk is over, in a word and in a sentence, and the criteria of its last check."""

    conclude_payoffs: Numbers
    stale: int | None = None


PAYLOADS: Mapping[str, type] = MappingProxyType(
    {
        "narration": TalkOpening,
        "setup": Introduction,
        "thesis": ThesisData,
        "host": HostData,
        "selection": Selection,
        "utterance": UtteranceData,
        "check": CheckData,
        "stop": Stop,
    }
)
