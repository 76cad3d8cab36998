"""The state of a talk: participants, group and utterances. Every change creates a new state."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from itertools import chain, starmap
from typing import Any, Self

from engine.games.talks.archetypes import ARCHETYPES, Gender, Move, PersonalityArchetype, move_of
from engine.games.talks.constants import CONSTANTS, Constants

Said = tuple[str, ...]
NEVER = 0


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Return `value`, limited to the range."""
    return min(high, max(low, value))


def set_frozen(state: object, **values: object) -> None:
    """Set fields of a frozen state during its construction."""
    for name, value in values.items():
        object.__setattr__(state, name, value)


class Frozen:
    """A frozen dataclass; `changed` copies it in a fifth of the time of `dataclasses.replace`."""

    def changed(self, **values: object) -> Self:
        """Return a copy with these fields changed, without checking their values again."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **values)
        assert len(vars(copy)) == len(vars(self)), f"expected fields of {self!r:.80}: {values}"
        return copy


def plain_data(value: Any) -> Any:
    """Return a state, or a part of one, as plain data with sets sorted."""
    if is_dataclass(value):
        return {part.name: plain_data(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain_data(part) for key, part in value.items()}
    if isinstance(value, Set):
        return sorted(map(plain_data, value))
    if isinstance(value, tuple):
        return [*map(plain_data, value)]
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True)
class DialogueMove(Frozen):
    """A speaker's task: a move or its name, its target (None: the group), and its force, 0 to 1."""

    type: Move
    target: str | None = None
    intensity: float = 0.5

    def __post_init__(self) -> None:
        set_frozen(self, type=move_of(self.type))


@dataclass(frozen=True)
class Exchange(Frozen):
    """One turn of the talk: speaker, words, move, target, and novelty.

    `turn` counts from 1; `depth` is the level reached, 1 to 5; `novelty` is 0 to 1; `nearest` is
    the turn of the most similar earlier utterance, if any.
    """

    turn: int
    speaker: str
    move: Move
    target: str | None
    content: str
    position: str = ""
    aspects: Said = ()
    depth: int = 1
    novelty: float = 1.0
    nearest: int | None = None

    def __post_init__(self) -> None:
        set_frozen(self, move=move_of(self.move), aspects=tuple(self.aspects))


def labels_in(exchanges: Iterable[Exchange]) -> list[str]:
    """Return the aspects that exchanges mention, each once, in order of first mention."""
    labels = chain.from_iterable(exchange.aspects for exchange in exchanges)
    return [*dict.fromkeys(labels)]


def exchange_at(turn: int, given: Exchange | Mapping[str, Any]) -> Exchange:
    """Return `given` as an Exchange; raise ValueError for plain data without a speaker."""
    if isinstance(given, Exchange):
        return given
    if not isinstance(given, Mapping) or "speaker" not in given:
        raise ValueError(f"expected an exchange, with its speaker at least: got {given!r:.80}")
    names = (exchange_field.name for exchange_field in fields(Exchange))
    facts = {name: given[name] for name in names if name in given}
    return Exchange(**{"turn": turn, "move": Move.QUESTION, "target": None, "content": "", **facts})


@dataclass(frozen=True)
class ParticipantState(Frozen):
    """One participant: its character, feelings, relationships and utterances.

    Levels, `respect_levels` and `wants_to_speak` are 0 to 1; `relationships` are -1 to 1. A
    `last_spoke_turn` of 0 means never. Gender and personality can be given by name.
    """

    participant_id: str
    name: str
    gender: Gender
    personality: PersonalityArchetype
    expertise_area: str
    confidence_level: float = 0.7
    curiosity_level: float = 0.8
    engagement_level: float = 0.8
    relationships: Mapping[str, float] = field(default_factory=dict)
    respect_levels: Mapping[str, float] = field(default_factory=dict)
    speaking_turns: int = 0
    words_spoken: int = 0
    questions_asked: int = 0
    positions_taken: Said = ()
    agreements_made: Said = ()
    challenges_made: Said = ()
    depth_explored: int = 1
    aspects_covered: frozenset[str] = frozenset()
    wants_to_speak: float = 0.0
    last_spoke_turn: int = NEVER
    was_addressed: bool = False
    core_beliefs: Said = ()

    def __post_init__(self) -> None:
        personality = PersonalityArchetype(self.personality)
        set_frozen(self, gender=Gender(self.gender), personality=personality)

    def update_relationship(
        self, other_id: str, delta: float, *, constants: Constants = CONSTANTS
    ) -> "ParticipantState":
        """Return the state with affinity for `other_id` changed by `delta`, clamped to [-1, 1]."""
        before = self.relationships.get(other_id, constants.affinity)
        value = clamp(before + delta, -1.0, 1.0)
        return self.changed(relationships={**self.relationships, other_id: value})

    def update_respect(
        self, other_id: str, delta: float, *, constants: Constants = CONSTANTS
    ) -> "ParticipantState":
        """Return the state with respect for `other_id` changed by `delta`, clamped to [0, 1]."""
        before = self.respect_levels.get(other_id, constants.respect)
        value = clamp(before + delta)
        return self.changed(respect_levels={**self.respect_levels, other_id: value})


@dataclass(frozen=True)
class GroupDiscussionState(Frozen):
    """The whole talk after `turn_number` exchanges, at the depth level `max_depth_reached`."""

    topic: str
    target_depth: int
    participants: Mapping[str, ParticipantState]
    participant_order: Said = ()
    turn_number: int = 0
    exchanges: tuple[Exchange, ...] = ()
    aspects_explored: frozenset[str] = frozenset()
    max_depth_reached: int = 1
    dominant_speaker: str | None = None
    coalitions: tuple[frozenset[str], ...] = ()
    active_disagreement: bool = False
    convergence_level: float = 0.0
    novelty_score: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.exchanges, tuple):
            numbered = enumerate(self.exchanges, 1)
            set_frozen(self, exchanges=tuple(starmap(exchange_at, numbered)))

    def get_participant(self, participant_id: str) -> ParticipantState:
        """Return a participant; raise ValueError if the id is unknown."""
        if participant_id not in self.participants:
            known = ", ".join(self.participants)
            raise ValueError(f"expected a participant, one of {known}: got {participant_id!r}")
        return self.participants[participant_id]

    def get_other_participants(self, participant_id: str) -> list[ParticipantState]:
        """Return all participants except `participant_id`, in order."""
        return [self.participants[name] for name in self.order if name != participant_id]

    def get_recent_speakers(self, n: int) -> list[str]:
        """Return the speakers of the last `n` exchanges, oldest first."""
        return [exchange.speaker for exchange in self.exchanges[-n:]] if n > 0 else []

    @property
    def order(self) -> Said:
        """The participants' ids in seat order."""
        return self.participant_order or tuple(self.participants)

    @property
    def last_speaker(self) -> str | None:
        """The speaker of the last exchange; None before the first."""
        return self.exchanges[-1].speaker if self.exchanges else None

    def turns(self) -> dict[str, int]:
        """Return each participant's number of turns, in seat order."""
        return {name: self.participants[name].speaking_turns for name in self.order}


def new_talk(
    topic: str,
    target_depth: int,
    newcomers: tuple[ParticipantState, ...],
    constants: Constants = CONSTANTS,
) -> GroupDiscussionState:
    """Return a talk before its first exchange, in which the participants are strangers."""
    ids = tuple(newcomer.participant_id for newcomer in newcomers)
    participants = {}
    for newcomer in newcomers:
        archetype = ARCHETYPES[newcomer.personality]
        others = [partner for partner in ids if partner != newcomer.participant_id]
        participants[newcomer.participant_id] = newcomer.changed(
            confidence_level=archetype.confidence,
            curiosity_level=archetype.curiosity,
            engagement_level=constants.engagement,
            relationships=dict.fromkeys(others, constants.affinity),
            respect_levels=dict.fromkeys(others, constants.respect),
        )
    return GroupDiscussionState(topic, target_depth, participants, ids)
