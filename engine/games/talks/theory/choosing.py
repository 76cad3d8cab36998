"""The next speaker and its move: the formulas applied to the state of a talk."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from engine.games.talks.archetypes import ARCHETYPES, TARGETED, Move
from engine.games.talks.constants import CONSTANTS, DEPTH_THRESHOLD, Constants, is_depth_explored
from engine.games.talks.game_theory import final_score, urgency, weighted_sum
from engine.games.talks.state import (
    NEVER,
    DialogueMove,
    Exchange,
    GroupDiscussionState,
    ParticipantState,
)
from engine.games.talks.theory.factors import factors_of, factors_of_conclusion
from engine.games.talks.theory.turn_taking import (
    Wish,
    added_urgency,
    back_and_forth,
    dominant_speaker,
    pick_speaker,
    time_factor,
    turns_waited,
)
from engine.rng import unseeded_stream

Payoffs = dict[Move, float]
MOVES = tuple(Move)
CLASHES = (Move.SUPPORT, Move.CHALLENGE)


@dataclass(frozen=True, slots=True)
class Choice:
    """The move recommended to a speaker, with payoffs before and after damping, and any chances."""

    move: DialogueMove
    payoffs: Mapping[Move, float]
    adjusted: Mapping[Move, float]
    chances: Mapping[Move, float] | None = None


@dataclass(eq=False)
class MultiAgentGameTheory:
    """The design's interface to the theory; participants can be given by state or by id."""

    constants: Constants = CONSTANTS
    depth_threshold: float = DEPTH_THRESHOLD

    def calculate_speaking_urgency(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> float:
        """Return a participant's current urgency, from 0 to 1.56, plus any bonus for waiting."""
        (wish,) = self._wishes([_state(participant, group_state)], [0.0], group_state)
        return wish.urgency

    def wishes(self, group_state: GroupDiscussionState, rng: random.Random) -> dict[str, Wish]:
        """Return all wishes to speak, in seat order, each with noise drawn from [0, 0.2)."""
        people = [group_state.participants[name] for name in group_state.order]
        noises = [rng.random() * self.constants.noise for _ in people]
        wishes = self._wishes(people, noises, group_state)
        return dict(zip(group_state.order, wishes, strict=True))

    def select_next_speaker(
        self, group_state: GroupDiscussionState, rng: random.Random | None = None
    ) -> str:
        """Return the next speaker; without an `rng`, the noise differs between calls."""
        wishes = self.wishes(group_state, rng or unseeded_stream())
        scores = {name: wish.score for name, wish in wishes.items()}
        return pick_speaker(scores, group_state.last_speaker)

    def calculate_move_payoffs(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> Payoffs:
        """Return the payoff of each move, exactly as in the design's payoff matrix."""
        person = _state(participant, group_state)
        target = target_of(person.participant_id, group_state)
        factors = factors_of(person, target, group_state, self.constants, self.depth_threshold)
        weights = self.constants.payoffs
        return {move: weighted_sum(weights[move], factors[move]) for move in factors}

    def conclude_payoffs(self, group_state: GroupDiscussionState) -> list[float]:
        """Return each participant's current payoff of CONCLUDE, in seat order."""
        weights = self.constants.payoffs[Move.CONCLUDE]
        payoffs = []
        for name in group_state.order:
            own = group_state.participants[name]
            factors = factors_of_conclusion(own, group_state, self.constants, self.depth_threshold)
            payoffs.append(weighted_sum(weights, factors))
        return payoffs

    def choice(
        self,
        participant: ParticipantState | str,
        group_state: GroupDiscussionState,
        rng: random.Random | None = None,
        *,
        may_conclude: bool | None = None,
    ) -> Choice:
        """Return the legal move with the highest adjusted payoff; the first wins ties.

        "max payoff -> target = most recent speaker if the move needs one, else None (group) ->
        intensity from personality". With an `rng` and nonzero `move_noise`, the move is random, and
        better moves are likelier. Before the first utterance, CHALLENGE and SUPPORT are illegal,
        and a question goes to the group. By default, CONCLUDE is legal if this exchange completes
        the depth.
        """
        person = _state(participant, group_state)
        payoffs = self.calculate_move_payoffs(person, group_state)
        adjusted = damp_repeats(payoffs, person.participant_id, group_state, self.constants)

        target = target_of(person.participant_id, group_state)
        if may_conclude is None:
            may_conclude = self._completes_depth(group_state)
        legal = legal_moves(has_target=target is not None, may_conclude=may_conclude)
        best = max(legal, key=adjusted.__getitem__)
        chances = None
        if rng is not None and self.constants.move_noise > 0:
            chances = softmax_of(adjusted, legal, self.constants.move_noise)
            best = draw_move(chances, rng)

        towards = target if best in TARGETED else None
        move = DialogueMove(best, towards, ARCHETYPES[person.personality].intensity)
        return Choice(move, payoffs, adjusted, chances)

    def _completes_depth(self, group: GroupDiscussionState) -> bool:
        return is_depth_explored(
            group.aspects_explored,
            group.turn_number + 1,
            group.target_depth,
            depth_threshold=self.depth_threshold,
        )

    def recommend_move_and_target(
        self, participant: ParticipantState | str, group_state: GroupDiscussionState
    ) -> DialogueMove:
        """Return the best move and target for a participant that speaks now."""
        return self.choice(participant, group_state).move

    def _wishes(
        self,
        people: Sequence[ParticipantState],
        noises: Sequence[float],
        group: GroupDiscussionState,
    ) -> Iterator[Wish]:
        turns, constants = group.turns(), self.constants
        mean = sum(turns.values()) / max(1, len(turns))
        dominant = dominant_speaker(turns, constants)
        recent = group.get_recent_speakers(constants.ping_pong)
        pair = back_and_forth(recent, len(turns), constants)
        for own, noise in zip(people, noises, strict=True):
            name = own.participant_id
            wish = urgency(
                personality_baseline=ARCHETYPES[own.personality].baseline,
                time_factor=time_factor(own.last_spoke_turn, group.turn_number, constants),
                addressed_bonus=float(own.was_addressed and name not in pair),
                confidence=own.confidence_level,
                engagement=own.engagement_level,
                is_dominant_speaker=name == dominant,
                below_avg_turns=turns[name] < mean,
                constants=constants,
            )
            waited = turns_waited(group.exchanges, name)
            silent = own.last_spoke_turn == NEVER
            unheard = max(0, group.turn_number - constants.patience) * len(turns) if silent else 0
            wish += added_urgency(waited, unheard, constants)
            yield Wish(
                urgency=wish,
                noise=noise,
                score=final_score(wish, noise, constants=constants),
                addressed=own.was_addressed,
                dominant=name == dominant,
                below_average=turns[name] < mean,
                ping_pong=name in pair,
                owes_answer=waited,
                unheard=unheard > 0,
            )


def target_of(participant_id: str, group: GroupDiscussionState) -> str | None:
    """Return the "most recent speaker" other than the participant, or None if there is none."""
    speakers = (exchange.speaker for exchange in reversed(group.exchanges))
    return next((speaker for speaker in speakers if speaker != participant_id), None)


def legal_moves(*, has_target: bool, may_conclude: bool) -> list[Move]:
    """Return the moves that are legal now, in their usual order."""
    moves = [*MOVES]
    if not has_target:
        moves = [move for move in moves if move not in CLASHES]
    if not may_conclude:
        moves.remove(Move.CONCLUDE)
    return moves


def softmax_of(payoffs: Mapping[Move, float], legal: Sequence[Move], noise: float) -> Payoffs:
    """Return each legal move's probability, softmax(payoff / noise), for a noise above 0."""
    best = max(payoffs[move] for move in legal)
    weights = {move: exp((payoffs[move] - best) / noise) for move in legal}
    total = sum(weights.values())
    return {move: weight / total for move, weight in weights.items()}


def draw_move(chances: Mapping[Move, float], rng: random.Random) -> Move:
    """Draw a move at random by its chance, using one random number."""
    left = rng.random()
    for move, chance in chances.items():
        left -= chance
        if left < 0:
            return move
    # The chances may sum to slightly less than 1.
    return max(chances, key=chances.__getitem__)


def damp_repeats(
    payoffs: Mapping[Move, float],
    participant_id: str,
    group: GroupDiscussionState,
    constants: Constants,
) -> Payoffs:
    """Return each move's payoff minus 0.2 per repeat, so that a talk varies its moves.

    Repeats are the speaker's own last two moves and the group's last move that was neither SUPPORT
    nor CHALLENGE; if the talk circles, SUPPORT and CHALLENGE are repeats too.
    """
    exchanges = group.exchanges
    moves = [exchange.move for exchange in exchanges if exchange.speaker == participant_id]
    others = [exchange.move for exchange in exchanges if exchange.move not in CLASHES]

    stale = [*moves[-2:], *others[-1:]]
    if is_circling(exchanges, constants):
        stale += CLASHES
    return {move: value - constants.damper * stale.count(move) for move, value in payoffs.items()}


def _state(participant: ParticipantState | str, group: GroupDiscussionState) -> ParticipantState:
    return group.get_participant(participant) if isinstance(participant, str) else participant


LONGEST_PERIOD = 3


def count_stale(
    exchanges: Sequence[Exchange], min_novelty: float | None, constants: Constants = CONSTANTS
) -> int | None:
    """Return how many of the last three counted turns were stale; None if `min_novelty` is None."""
    if min_novelty is None:
        return None
    return _stale_turns(exchanges, min_novelty, constants, constants.stale_window)


def is_last_warning(
    exchanges: Sequence[Exchange], min_novelty: float | None, constants: Constants = CONSTANTS
) -> bool:
    """Return whether at least one recent turn was stale, and one more would end the talk."""
    if min_novelty is None:
        return False
    still_count = _stale_turns(exchanges, min_novelty, constants, constants.stale_window - 1)
    return 0 < constants.stale_turns - 1 <= still_count


def _stale_turns(
    exchanges: Sequence[Exchange], min_novelty: float, constants: Constants, most: int
) -> int:
    """Return how many of the last `most` turns were stale.

    Silence and CONCLUDEs that copy nothing do not count as turns.
    """
    counted: list[bool] = []
    for exchange in reversed(exchanges):
        if len(counted) >= most:
            break
        copies = exchange.novelty <= 1 - constants.copied + constants.hair
        if exchange.content and (copies or exchange.move is not Move.CONCLUDE):
            counted.append(exchange.novelty < min_novelty)
    return sum(counted)


def is_circling(exchanges: Sequence[Exchange], constants: Constants) -> bool:
    """Return whether a talk circles, by its moves or by its words.

    By moves: the last one, two or three steps (speaker, move, target) repeat the steps before
    them. By words: each of the last four exchanges is less than half new.
    """
    recent = exchanges[-2 * LONGEST_PERIOD :]
    steps = [(exchange.speaker, exchange.move, exchange.target) for exchange in recent]
    for period in range(1, min(LONGEST_PERIOD, len(steps) // 2) + 1):
        if steps[-period:] == steps[-2 * period : -period]:
            return True

    last = exchanges[-constants.orbit_window :]
    is_stale = all(exchange.novelty < constants.orbit_novelty for exchange in last)
    return is_stale and len(last) == constants.orbit_window
