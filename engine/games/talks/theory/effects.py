"""What an exchange changes: the speaker, the one addressed, the rest, and the group."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import CONSTANTS, Constants
from engine.games.talks.state import Exchange, GroupDiscussionState, ParticipantState, clamped
from engine.games.talks.theory.choosing import convergence_of
from engine.games.talks.theory.coalitions import coalitions
from engine.games.talks.theory.turn_taking import Wish, dominant_speaker


def depth_after(move: Move, group: GroupDiscussionState) -> int:
    """Return the level that a move leads to: a DEEPEN raises it by one, up to the target."""
    return min(group.target_depth, group.max_depth_reached + (move is Move.DEEPEN))


def after(
    group: GroupDiscussionState,
    exchange: Exchange,
    wishes: Mapping[str, Wish] | None = None,
    constants: Constants = CONSTANTS,
) -> GroupDiscussionState:
    """Return the talk after one more exchange, with what everybody wanted before it."""
    people = dict(group.participants)
    people[exchange.speaker] = spoken(people[exchange.speaker], exchange, constants)
    if exchange.target is not None:
        people[exchange.target] = addressed(people[exchange.target], exchange, constants)
    for one in people.keys() - {exchange.speaker, exchange.target}:
        people[one] = listened(people[one], constants)
    for one, wish in (wishes or {}).items():
        people[one] = replace(people[one], wants_to_speak=min(1.0, wish.urgency))
    exchanges = (*group.exchanges, exchange)
    changed = replace(
        group,
        participants=people,
        turn_number=group.turn_number + 1,
        exchanges=exchanges,
        aspects_explored=group.aspects_explored | {*exchange.aspects},
        max_depth_reached=max(group.max_depth_reached, exchange.depth),
        dominant_speaker=dominant_speaker(
            {one: people[one].speaking_turns for one in group.order}, constants
        ),
        coalitions=coalitions(
            {one: people[one].relationships for one in group.order}, constants.ally
        ),
        active_disagreement=active_disagreement(exchanges, constants),
        novelty_score=exchange.novelty,
    )
    return replace(changed, convergence_level=convergence_of(changed, constants))


def spoken(
    own: ParticipantState, exchange: Exchange, constants: Constants = CONSTANTS
) -> ParticipantState:
    """Return the speaker after its words: counted, and moved by its own move."""
    move, target = exchange.move, exchange.target
    curiosity = constants.question_curiosity if move is Move.QUESTION else constants.curiosity_decay
    confidence = constants.challenger_confidence if move is Move.CHALLENGE else 0.0
    told = own if target is None else felt(own, move, target, 1.0, constants)
    return replace(
        told,
        confidence_level=clamped(own.confidence_level + confidence, 0.0, 1.0),
        engagement_level=clamped(own.engagement_level + constants.speaking_engagement, 0.0, 1.0),
        curiosity_level=clamped(own.curiosity_level + curiosity, 0.0, 1.0),
        speaking_turns=own.speaking_turns + 1,
        words_spoken=own.words_spoken + len(exchange.content.split()),
        questions_asked=own.questions_asked + (move is Move.QUESTION),
        positions_taken=(*own.positions_taken, *([exchange.position] if exchange.position else [])),
        agreements_made=(
            *own.agreements_made,
            *([target] if target and move is Move.SUPPORT else []),
        ),
        challenges_made=(
            *own.challenges_made,
            *([target] if target and move is Move.CHALLENGE else []),
        ),
        depth_explored=exchange.depth,
        aspects_covered=own.aspects_covered | {*exchange.aspects},
        last_spoke_turn=exchange.turn,
        was_addressed=False,
    )


def addressed(
    other: ParticipantState, exchange: Exchange, constants: Constants = CONSTANTS
) -> ParticipantState:
    """Return the one addressed: it feels half of what the speaker feels, and wants to answer."""
    felt_back = felt(other, exchange.move, exchange.speaker, constants.reciprocity, constants)
    doubt = constants.challenged_confidence if exchange.move is Move.CHALLENGE else 0.0
    return replace(
        felt_back,
        confidence_level=clamped(other.confidence_level + doubt, 0.0, 1.0),
        engagement_level=clamped(other.engagement_level + constants.listening_engagement, 0.0, 1.0),
        was_addressed=True,
    )


def listened(other: ParticipantState, constants: Constants = CONSTANTS) -> ParticipantState:
    """Return one who listened: it gets more eager to speak, and what it was asked before has lapsed."""
    eager = clamped(other.engagement_level + constants.listening_engagement, 0.0, 1.0)
    return replace(other, engagement_level=eager, was_addressed=False)


def felt(
    own: ParticipantState, move: Move, other_id: str, share: float, constants: Constants = CONSTANTS
) -> ParticipantState:
    """Return `own` with what a move between it and `other_id` changes between them: SUPPORT +0.1, CHALLENGE -0.05."""
    affinity = {
        Move.SUPPORT: constants.support_affinity,
        Move.CHALLENGE: constants.challenge_affinity,
    }
    respect = {
        Move.SUPPORT: constants.support_respect,
        Move.CHALLENGE: constants.challenge_respect,
        Move.QUESTION: constants.question_respect,
    }
    nearer = own.update_relationship(other_id, share * affinity.get(move, 0.0))
    return nearer.update_respect(other_id, share * respect.get(move, 0.0))


def active_disagreement(exchanges: Sequence[Exchange], constants: Constants = CONSTANTS) -> bool:
    """Return whether one of the last three exchanges is a CHALLENGE that no SUPPORT between the same two followed."""
    recent = exchanges[-constants.disagreement_window :]
    for place, exchange in enumerate(recent):
        pair = {exchange.speaker, exchange.target}
        later = recent[place + 1 :]
        mended = any(
            one.move is Move.SUPPORT and {one.speaker, one.target} == pair for one in later
        )
        if exchange.move is Move.CHALLENGE and not mended:
            return True
    return False
