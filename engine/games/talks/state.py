"""Where a talk stands: each participant, the group, and what was said; frozen, so that a change is a new state."""

from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from engine.games.talks.archetypes import ARCHETYPES, Gender, Move, PersonalityArchetype, move_of
from engine.games.talks.constants import CONSTANTS, Constants

Said = tuple[str, ...]
NEVER = 0


def clamped(value: float, low: float, high: float) -> float:
    """Return `value`, or the end of the range that it lies beyond."""
    return min(high, max(low, value))


def listed(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return `facts` with lists for tuples, and sorted lists for sets."""
    lists = {name: [*value] for name, value in facts.items() if isinstance(value, tuple)}
    return {
        **facts,
        **lists,
        **{name: sorted(held) for name, held in facts.items() if isinstance(held, Set)},
    }


def settle(state: object, **values: object) -> None:
    """Put `values` into a frozen state that is being made."""
    for name, value in values.items():
        object.__setattr__(state, name, value)


@dataclass(frozen=True, slots=True)
class DialogueMove:
    """What a speaker is to do: a move, by its name too, towards whom (None: the group), how forcefully, 0 to 1."""

    type: Move
    target: str | None = None
    intensity: float = 0.5

    def __post_init__(self) -> None:
        settle(self, type=move_of(self.type))


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of the talk: who said what, with which move towards whom, and what it was worth.

    `turn` counts from 1; `depth` is the level reached; `similarity` is to the most similar earlier
    utterance, that of turn `nearest` (None: there was none).
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
        settle(self, move=move_of(self.move))

    def plain(self) -> dict[str, Any]:
        """Return the exchange as plain data."""
        return listed(asdict(self) | {"move": str(self.move)})


def exchange_from(facts: Mapping[str, Any]) -> Exchange:
    """Return an exchange from plain data; LookupError, TypeError or ValueError if that is none."""
    return Exchange(
        int(facts["turn"]),
        str(facts["speaker"]),
        move_of(facts["move"]),
        None if facts["target"] is None else str(facts["target"]),
        str(facts["content"]),
        str(facts["position"]),
        tuple(str(label) for label in facts["aspects"]),
        int(facts["depth"]),
        float(facts["novelty"]),
    )


def exchange_at(turn: int, told: Exchange | Mapping[str, Any]) -> Exchange:
    """Return an exchange as itself, or from as much as `told` says of it, which is at least its speaker.

    A move that is not told counts as a QUESTION, which changes neither how deep a talk is nor how
    far it agrees.
    """
    if isinstance(told, Exchange):
        return told
    if not isinstance(told, Mapping) or "speaker" not in told:
        raise ValueError(f"expected an exchange, with its speaker at least: got {told!r:.80}")
    silent = {
        "turn": turn,
        "move": Move.QUESTION,
        "target": None,
        "content": "",
        "position": "",
        "aspects": (),
    }
    return exchange_from(silent | {"depth": 1, "novelty": 1.0} | {**told})


@dataclass(frozen=True, slots=True)
class ParticipantState:
    """One participant: who it is, and how it feels, stands with the others and has talked so far.

    Levels, `respect_levels`, `wants_to_speak`: 0 to 1; `relationships`: -1 to 1; `last_spoke_turn`
    0: never. Gender and personality may be given by their names.
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
        settle(self, gender=Gender(self.gender), personality=PersonalityArchetype(self.personality))

    def update_relationship(self, other_id: str, delta: float) -> "ParticipantState":
        """Return the state with the affinity to `other_id` changed by `delta`, within -1 to 1."""
        value = clamped(self.relationships.get(other_id, CONSTANTS.affinity) + delta, -1.0, 1.0)
        return replace(self, relationships={**self.relationships, other_id: value})

    def update_respect(self, other_id: str, delta: float) -> "ParticipantState":
        """Return the state with the respect for `other_id` changed by `delta`, within 0 to 1."""
        value = clamped(self.respect_levels.get(other_id, CONSTANTS.respect) + delta, 0.0, 1.0)
        return replace(self, respect_levels={**self.respect_levels, other_id: value})

    def plain(self) -> dict[str, Any]:
        """Return the participant as plain data."""
        return listed(
            asdict(self) | {"gender": str(self.gender), "personality": str(self.personality)}
        )


@dataclass(frozen=True, slots=True)
class GroupDiscussionState:
    """The whole talk: `turn_number` exchanges long so far, at the level `max_depth_reached`.

    `exchanges` may be given as plain data too, such as what an orchestrator returns.
    """

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
            settle(
                self,
                exchanges=tuple(
                    exchange_at(turn, told) for turn, told in enumerate(self.exchanges, 1)
                ),
            )

    def get_participant(self, participant_id: str) -> ParticipantState:
        """Return a participant; ValueError if there is none of that id."""
        if participant_id not in self.participants:
            raise ValueError(
                f"expected a participant, one of {', '.join(self.participants)}: got {participant_id!r}"
            )
        return self.participants[participant_id]

    def get_other_participants(self, participant_id: str) -> list[ParticipantState]:
        """Return all but `participant_id`, in their order."""
        return [self.participants[one] for one in self.order if one != participant_id]

    def get_recent_speakers(self, n: int) -> list[str]:
        """Return the speakers of the last `n` exchanges, the latest last."""
        return [exchange.speaker for exchange in self.exchanges[max(0, len(self.exchanges) - n) :]]

    @property
    def order(self) -> Said:
        """The ids in seat order."""
        return self.participant_order or tuple(self.participants)

    @property
    def last_speaker(self) -> str | None:
        """Who spoke last."""
        return self.exchanges[-1].speaker if self.exchanges else None

    def turns(self) -> dict[str, int]:
        """Return how often each has spoken, in seat order."""
        return {one: self.participants[one].speaking_turns for one in self.order}

    def plain(self) -> dict[str, Any]:
        """Return the talk as plain data, its sets sorted."""
        return {
            "topic": self.topic,
            "target_depth": self.target_depth,
            "participants": {one: self.participants[one].plain() for one in self.order},
            "participant_order": [*self.order],
            "turn_number": self.turn_number,
            "exchanges": [exchange.plain() for exchange in self.exchanges],
            "aspects_explored": sorted(self.aspects_explored),
            "max_depth_reached": self.max_depth_reached,
            "dominant_speaker": self.dominant_speaker,
            "coalitions": [sorted(group) for group in self.coalitions],
            "active_disagreement": self.active_disagreement,
            "convergence_level": self.convergence_level,
            "novelty_score": self.novelty_score,
        }


def newcomer(
    *,
    participant_id: str,
    name: str,
    gender: Gender,
    personality: PersonalityArchetype,
    expertise_area: str,
    core_beliefs: Said = (),
    constants: Constants = CONSTANTS,
) -> ParticipantState:
    """Return a participant before the talk: confidence and curiosity are those of its archetype."""
    archetype = ARCHETYPES[personality]
    return ParticipantState(
        participant_id,
        name,
        gender,
        personality,
        expertise_area,
        confidence_level=archetype.confidence,
        curiosity_level=archetype.curiosity,
        engagement_level=constants.engagement,
        core_beliefs=core_beliefs,
    )


def opening(
    topic: str,
    target_depth: int,
    newcomers: tuple[ParticipantState, ...],
    constants: Constants = CONSTANTS,
) -> GroupDiscussionState:
    """Return a talk before its first exchange: nobody knows anybody."""
    ids = tuple(one.participant_id for one in newcomers)
    participants = {
        one.participant_id: replace(
            one,
            relationships={
                other: constants.affinity for other in ids if other != one.participant_id
            },
            respect_levels={
                other: constants.respect for other in ids if other != one.participant_id
            },
        )
        for one in newcomers
    }
    return GroupDiscussionState(topic, target_depth, participants, ids)
