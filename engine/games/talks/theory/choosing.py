"""Who speaks next, and with which move: the formulas put to work on a talk as it stands."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.talks.archetypes import ARCHETYPES, TARGETED, Move
from engine.games.talks.constants import CONSTANTS, Constants
from engine.games.talks.game_theory import convergence, final_score, urgency, weighed
from engine.games.talks.state import DialogueMove, GroupDiscussionState, ParticipantState
from engine.games.talks.termination import DEPTH_THRESHOLD
from engine.games.talks.theory.circling import orbit
from engine.games.talks.theory.coalitions import average_positive
from engine.games.talks.theory.factors import factors_of
from engine.games.talks.theory.turn_taking import (
    Wish,
    back_and_forth,
    below_average,
    chosen,
    dominant_speaker,
    time_factor,
)

Payoffs = dict[Move, float]
CLASHES = (Move.SUPPORT, Move.CHALLENGE)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a speaker is recommended, and the payoffs behind it: as the formulas have them, and damped."""

    move: DialogueMove
    payoffs: Mapping[Move, float]
    adjusted: Mapping[Move, float]


class MultiAgentGameTheory:
    """The source's face of the engine: a participant may be given by its state or by its id."""

    def __init__(
        self, constants: Constants = CONSTANTS, depth_threshold: float = DEPTH_THRESHOLD
    ) -> None:
        self.constants = constants
        self.depth_threshold = depth_threshold

    def calculate_speaking_urgency(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> float:
        """Return how much a participant wants to speak now, 0 to 1.56."""
        return self._wish(_state(participant, group_state), group_state, 0.0).urgency

    def wishes(self, group_state: GroupDiscussionState, rng: random.Random) -> dict[str, Wish]:
        """Return everybody's wish to speak, in seat order; each draws its own noise from [0, 0.2)."""
        noise = {one: rng.random() * self.constants.noise for one in group_state.order}
        return {
            one: self._wish(group_state.participants[one], group_state, noise[one])
            for one in group_state.order
        }

    def select_next_speaker(
        self, group_state: GroupDiscussionState, rng: random.Random | None = None
    ) -> str:
        """Return who speaks next; without an `rng` the noise is another one at every call."""
        scores = {
            one: wish.score
            for one, wish in self.wishes(group_state, rng or random.Random()).items()
        }
        return chosen(scores, group_state.last_speaker)

    def calculate_move_payoffs(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> Payoffs:
        """Return the payoff of each move, by its name, exactly as the matrix has it."""
        own = _state(participant, group_state)
        target = target_of(own.participant_id, group_state)
        factors = factors_of(
            own,
            None if target is None else group_state.participants[target],
            group_state,
            self.constants,
            self.depth_threshold,
        )
        return {move: weighed(self.constants.payoffs[move], factors[move]) for move in Move}

    def choice(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> Choice:
        """Return the move with the highest adjusted payoff, the first of equals in the order of the moves.

        "max payoff -> target = most recent speaker if the move needs one, else None (group) ->
        intensity from personality". Before anybody spoke there is nobody to challenge or to
        support; a question goes to the group.
        """
        own = _state(participant, group_state)
        payoffs = self.calculate_move_payoffs(own, group_state)
        adjusted = damped(payoffs, own.participant_id, group_state, self.constants)
        target = target_of(own.participant_id, group_state)
        legal = [move for move in Move if target is not None or move not in CLASHES]
        best = max(legal, key=adjusted.__getitem__)
        intensity = ARCHETYPES[own.personality].intensity
        return Choice(
            DialogueMove(best, target if best in TARGETED else None, intensity), payoffs, adjusted
        )

    def recommend_move_and_target(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> DialogueMove:
        """Return what a participant should do if it speaks now."""
        return self.choice(participant, group_state).move

    def _wish(self, own: ParticipantState, group: GroupDiscussionState, noise: float) -> Wish:
        turns, constants = group.turns(), self.constants
        pair = back_and_forth(group.get_recent_speakers(constants.ping_pong), len(turns), constants)
        loud = dominant_speaker(turns, constants) == own.participant_id
        quiet = below_average(turns, own.participant_id)
        caught = own.participant_id in pair
        wish = urgency(
            personality_baseline=ARCHETYPES[own.personality].baseline,
            time_factor=time_factor(own.last_spoke_turn, group.turn_number, constants),
            addressed_bonus=float(own.was_addressed and not caught),
            confidence=own.confidence_level,
            engagement=own.engagement_level,
            is_dominant_speaker=loud,
            below_avg_turns=quiet,
            constants=constants,
        )
        score = final_score(wish, noise, constants=constants)
        return Wish(wish, noise, score, own.was_addressed, loud, quiet, caught)


def target_of(participant_id: str, group: GroupDiscussionState) -> str | None:
    """Return the "most recent speaker" other than oneself, None if nobody else spoke."""
    others = (
        exchange.speaker
        for exchange in reversed(group.exchanges)
        if exchange.speaker != participant_id
    )
    return next(others, None)


def damped(
    payoffs: Mapping[Move, float],
    participant_id: str,
    group: GroupDiscussionState,
    constants: Constants = CONSTANTS,
) -> Payoffs:
    """Return the payoffs less what keeps a talk from repeating its moves.

    0.2 off for each of one's own last two moves, and for the group's last move that was neither SUPPORT nor CHALLENGE;
    where the talk orbits one tension, for SUPPORT and CHALLENGE too. The payoffs themselves stay as they are.
    """
    own = [exchange.move for exchange in group.exchanges if exchange.speaker == participant_id][-2:]
    others = [exchange.move for exchange in group.exchanges if exchange.move not in CLASHES][-1:]
    stale = [*own, *others, *(CLASHES if orbit(group.exchanges, constants) else ())]
    return {move: value - constants.damper * stale.count(move) for move, value in payoffs.items()}


def convergence_of(group: GroupDiscussionState, constants: Constants = CONSTANTS) -> float:
    """Return how far the group agrees after all its exchanges."""
    moves = [exchange.move for exchange in group.exchanges]
    return convergence(
        support_moves=moves.count(Move.SUPPORT),
        challenge_moves=moves.count(Move.CHALLENGE),
        avg_positive_relationships=average_positive(
            {one: p.relationships for one, p in group.participants.items()}
        ),
        constants=constants,
    )


def _state(participant: ParticipantState | str, group: GroupDiscussionState) -> ParticipantState:
    return group.get_participant(participant) if isinstance(participant, str) else participant
