"""The effects of an exchange on the speaker, its target, the listeners, and the group."""

from collections.abc import Mapping, Sequence

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import CONSTANTS, Constants
from engine.games.talks.game_theory import convergence
from engine.games.talks.state import Exchange, GroupDiscussionState, ParticipantState, clamp
from engine.games.talks.theory.coalitions import average_positive, find_coalitions
from engine.games.talks.theory.turn_taking import Wish, dominant_speaker

People = dict[str, ParticipantState]


def depth_after(move: Move, group: GroupDiscussionState) -> int:
    """Return the depth level after a move: a DEEPEN raises it by one, up to the target."""
    return min(group.target_depth, group.max_depth_reached + (move is Move.DEEPEN))


def talk_after(
    group: GroupDiscussionState,
    exchange: Exchange,
    wishes: Mapping[str, Wish],
    constants: Constants = CONSTANTS,
) -> GroupDiscussionState:
    """Return the talk after one more exchange, given the `wishes` to speak before the exchange."""
    people = _people_after(group, exchange, constants)
    for name, wish in wishes.items():
        people[name] = people[name].changed(wants_to_speak=min(1.0, wish.urgency))

    exchanges = (*group.exchanges, exchange)
    moves = [earlier.move for earlier in exchanges]
    turns = {name: people[name].speaking_turns for name in group.order}
    affinities = {name: people[name].relationships for name in group.order}
    return group.changed(
        participants=people,
        turn_number=group.turn_number + 1,
        exchanges=exchanges,
        aspects_explored=group.aspects_explored | {*exchange.aspects},
        max_depth_reached=max(group.max_depth_reached, exchange.depth),
        novelty_score=exchange.novelty,
        dominant_speaker=dominant_speaker(turns, constants),
        coalitions=find_coalitions(affinities, constants.ally, constants.hair),
        active_disagreement=active_disagreement(exchanges, constants),
        convergence_level=convergence(
            support_moves=moves.count(Move.SUPPORT),
            challenge_moves=moves.count(Move.CHALLENGE),
            avg_positive_relationships=average_positive(affinities),
            constants=constants,
        ),
    )


def _people_after(group: GroupDiscussionState, exchange: Exchange, constants: Constants) -> People:
    """Return all participants after an exchange."""
    people = dict(group.participants)
    speaker, target = exchange.speaker, exchange.target
    for name, person in people.items():
        if name not in (speaker, target):
            eager = clamp(person.engagement_level + constants.listening_engagement)
            people[name] = person.changed(engagement_level=eager, was_addressed=False)

    people[speaker] = speaker_after(people[speaker], exchange, constants)
    if target is not None:
        people[target] = target_after(people[target], exchange, constants)
    if exchange.move is Move.SYNTHESIZE:
        others = _latest_speakers(group, speaker)[: constants.synthesis_reach]
        people |= synthesis_after(people, speaker, others, constants)
    return people


def _latest_speakers(group: GroupDiscussionState, own_id: str) -> list[str]:
    """Return all speakers so far except `own_id`, the latest first."""
    speakers = dict.fromkeys(exchange.speaker for exchange in reversed(group.exchanges))
    speakers.pop(own_id, None)
    return [*speakers]


def synthesis_after(
    people: People, speaker: str, others: Sequence[str], constants: Constants
) -> People:
    """Return the speaker and the `others` after a synthesis, which raises their mutual affinity."""
    step = constants.synthesis_affinity
    person = people[speaker]
    nearer = {}
    for name in others:
        person = person.update_relationship(name, step, constants=constants)
        nearer[name] = people[name].update_relationship(speaker, step, constants=constants)
    return {**nearer, speaker: person}


def speaker_after(
    own: ParticipantState, exchange: Exchange, constants: Constants
) -> ParticipantState:
    """Return the speaker with its utterance recorded and the effects of its move applied."""
    move, target = exchange.move, exchange.target
    curiosity = constants.question_curiosity if move is Move.QUESTION else constants.curiosity_decay
    confidence = constants.challenger_confidence if move is Move.CHALLENGE else 0.0
    if target is not None:
        own = feelings_after(own, move, target, share=1.0, constants=constants)
    agreement = (target,) if target and move is Move.SUPPORT else ()
    challenge = (target,) if target and move is Move.CHALLENGE else ()
    position = (exchange.position,) if exchange.position else ()
    return own.changed(
        confidence_level=clamp(own.confidence_level + confidence),
        engagement_level=clamp(own.engagement_level + constants.speaking_engagement),
        curiosity_level=clamp(own.curiosity_level + curiosity),
        speaking_turns=own.speaking_turns + 1,
        words_spoken=own.words_spoken + len(exchange.content.split()),
        positions_taken=(*own.positions_taken, *position),
        agreements_made=(*own.agreements_made, *agreement),
        challenges_made=(*own.challenges_made, *challenge),
        aspects_covered=own.aspects_covered | {*exchange.aspects},
        questions_asked=own.questions_asked + (move is Move.QUESTION),
        depth_explored=exchange.depth,
        last_spoke_turn=exchange.turn,
        was_addressed=False,
    )


def target_after(
    other: ParticipantState, exchange: Exchange, constants: Constants
) -> ParticipantState:
    """Return the target after an exchange: its own feelings change, and it owes an answer."""
    share = constants.reciprocity
    moved = feelings_after(other, exchange.move, exchange.speaker, share=share, constants=constants)
    doubt = constants.challenged_confidence if exchange.move is Move.CHALLENGE else 0.0
    return moved.changed(
        confidence_level=clamp(other.confidence_level + doubt),
        engagement_level=clamp(other.engagement_level + constants.listening_engagement),
        was_addressed=True,
    )


def feelings_after(
    own: ParticipantState,
    move: Move,
    other_id: str,
    *,
    share: float,
    constants: Constants,
) -> ParticipantState:
    """Return `own` with its feelings for `other_id` after a move; `share` scales the change."""
    affinity, respect = 0.0, 0.0
    if move is Move.SUPPORT:
        affinity, respect = constants.support_affinity, constants.support_respect
    elif move is Move.CHALLENGE:
        affinity, respect = constants.challenge_affinity, constants.challenge_respect
    elif move is Move.QUESTION:
        respect = constants.question_respect

    nearer = own.update_relationship(other_id, share * affinity, constants=constants)
    return nearer.update_respect(other_id, share * respect, constants=constants)


def active_disagreement(exchanges: Sequence[Exchange], constants: Constants) -> bool:
    """Return whether one of the last three exchanges is a CHALLENGE that no SUPPORT has settled."""
    recent = exchanges[-constants.disagreement_window :]
    challenged: set[frozenset[str | None]] = set()
    for exchange in recent:
        pair = frozenset((exchange.speaker, exchange.target))
        if exchange.move is Move.CHALLENGE:
            challenged.add(pair)
        elif exchange.move is Move.SUPPORT:
            challenged.discard(pair)
    return bool(challenged)
