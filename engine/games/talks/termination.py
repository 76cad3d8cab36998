"""When a talk is over: the four criteria, the cap, and the order in which they are checked."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from engine.games.talks.archetypes import DEPTHS, Move
from engine.games.talks.constants import (
    CONSTANTS,
    DEPTH_THRESHOLD,
    HAIR,
    Constants,
    count_of,
    is_depth_explored,
    level,
    min_aspects,
    min_exchanges,
)
from engine.games.talks.state import GroupDiscussionState, ParticipantState, clamp
from engine.games.talks.theory.choosing import MultiAgentGameTheory

MIN_NOVELTY = 0.3
MIN_CONVERGENCE = 0.8

Mode = Literal["flowchart", "any", "all"]
Circles = Literal["twice", "once"]
Closing = Literal["when_due", "always"]
Reason = Literal["repetitive", "consensus", "convergence", "max_reached"]
SENTENCES: MappingProxyType[Reason, str] = MappingProxyType(
    {
        "repetitive": "Going in circles",
        "consensus": "Group consensus to conclude",
        "convergence": "High convergence",
        "max_reached": "Maximum number of exchanges reached",
    }
)


def exceeds(value: float, bound: float) -> bool:
    """Return whether `value` is above `bound` by more than a rounding error."""
    return value > bound + HAIR


def check_convergence(
    convergence_level: float | GroupDiscussionState,
    exchange_count: int,
    target_depth: int,
    *,
    min_convergence: float = MIN_CONVERGENCE,
) -> bool:
    """Return whether the group agrees, given its convergence level or its state.

    "group_state.convergence_level > 0.8 and exchange_count > min_exchanges".
    """
    if isinstance(convergence_level, GroupDiscussionState):
        convergence_level = convergence_level.convergence_level
    long_enough = exchange_count > min_exchanges(target_depth)
    return exceeds(convergence_level, min_convergence) and long_enough


def novelty(similarities: Sequence[float]) -> float:
    """Return how new an utterance is, 0 to 1, from its similarity to each earlier one.

    "novelty = 1.0 - max_similarity", or 1 if there are no earlier utterances.
    """
    return clamp(1.0 - max(similarities, default=0.0))


def consensus(conclude_payoffs: Sequence[float], *, constants: Constants = CONSTANTS) -> bool:
    """Return whether the group wants to conclude.

    "conclude_votes = sum(... CONCLUDE > 0.7)", "threshold = len(all_participants) * 0.7  # 70% must
    want to conclude".
    """
    return _enough_exceed(constants.conclude_payoff, conclude_payoffs, constants)


def conclude_votes(conclude_payoffs: Iterable[float], wanted: float) -> int:
    """Return the number of CONCLUDE payoffs above `wanted`."""
    return sum(exceeds(payoff, wanted) for payoff in conclude_payoffs)


def near_consensus(conclude_payoffs: Sequence[float], *, constants: Constants = CONSTANTS) -> bool:
    """Return whether enough payoffs are at least 0.7 for one stale turn to bring consensus."""
    return _enough_exceed(constants.conclude_payoff - 2 * HAIR, conclude_payoffs, constants)


def _enough_exceed(bound: float, payoffs: Sequence[float], constants: Constants) -> bool:
    votes = conclude_votes(payoffs, bound)
    return votes > 0 and votes >= len(payoffs) * constants.conclude_share - HAIR


def check_game_theory_consensus(
    all_participants: Iterable[ParticipantState | str],
    group_state: GroupDiscussionState,
    *,
    theory: MultiAgentGameTheory | None = None,
) -> bool:
    """Return whether the participants, given by state or by id, want to conclude.

    "conclude_votes = sum(1 for p in all_participants if calculate_move_payoffs(p)["CONCLUDE"] >
    0.7)", "return conclude_votes >= threshold". `theory` computes the payoffs, by default with the
    design's constants. Raises ValueError for an unknown participant.
    """
    theory = theory or MultiAgentGameTheory()
    conclude_payoffs = [
        theory.calculate_move_payoffs(participant, group_state)[Move.CONCLUDE]
        for participant in all_participants
    ]
    return consensus(conclude_payoffs, constants=theory.constants)


@dataclass(frozen=True, slots=True)
class EndTerms:
    """When a talk ends; if `max_iterations` is None, `target_depth` sets the maximum.

    In the `mode` "flowchart", the first criterion met (novelty, consensus or convergence) ends the
    talk once the depth is complete. In "any", it ends the talk at any depth. In "all", the depth
    must be complete and all three criteria must be met. The cap applies in every mode. With
    `circles` "twice", a talk circles when two of its last three turns are stale; with "once", a
    stale last turn is enough. With `conclude` "when_due", CONCLUDE is allowed only if it can end
    the talk at once or one turn later.
    """

    target_depth: int
    max_iterations: int | None = None
    min_novelty: float = MIN_NOVELTY
    min_convergence: float = MIN_CONVERGENCE
    depth_threshold: float = DEPTH_THRESHOLD
    mode: Mode = "flowchart"
    circles: Circles = "twice"
    conclude: Closing = "when_due"

    @property
    def cap(self) -> int:
        """The maximum number of exchanges."""
        if self.max_iterations is not None:
            return self.max_iterations
        return DEPTHS[level(self.target_depth)].most

    def may_conclude(
        self, aspects: Sized | int, exchange_count: int, *, is_near: bool = True
    ) -> bool:
        """Return whether exchange number `exchange_count` may be a CONCLUDE."""
        if self.conclude == "always" or exchange_count >= self.cap:
            return True
        explored = self.mode == "any" or is_depth_explored(
            aspects, exchange_count, self.target_depth, depth_threshold=self.depth_threshold
        )
        return explored and (is_near or exchange_count == self.cap - 1)


@dataclass(frozen=True)
class Criteria:
    """The verdict on each criterion after an exchange, and the numbers behind the verdicts."""

    exchanges: int
    aspects: int
    needed_aspects: int
    needed_exchanges: int
    cap: int
    novelty: float
    min_novelty: float
    convergence: float
    min_convergence: float
    conclude_payoffs: tuple[float, ...] | dict[str, float]
    depth_complete: bool
    novelty_exhausted: bool
    want_conclude: bool
    high_convergence: bool


@dataclass(frozen=True)
class Check(Criteria):
    """The criteria, why the talk stops (None: not yet), and the number of recent stale turns."""

    conclude_payoffs: tuple[float, ...]
    reason: Reason | None
    stale: int | None = None


class DepthManager:
    """Checks whether a talk has explored its target depth."""

    def __init__(self, target_depth: int, depth_threshold: float = DEPTH_THRESHOLD) -> None:
        self.target_depth = level(target_depth)
        self.depth_threshold = depth_threshold

    def is_depth_explored(self, aspects_covered: Sized | int, exchange_count: int) -> bool:
        """Return whether the first criterion, depth, is met."""
        return is_depth_explored(
            aspects_covered, exchange_count, self.target_depth, depth_threshold=self.depth_threshold
        )


@dataclass(eq=False)
class NoveltySensor:
    """Checks whether a talk goes in circles."""

    min_novelty: float = MIN_NOVELTY

    def calculate_novelty(
        self, similarities: Sequence[float], exchange_count: int | None = None
    ) -> float:
        """Return the latest utterance's novelty from its similarity to each earlier one.

        The novelty is 1 if there are fewer than two exchanges.
        """
        if exchange_count is not None and exchange_count < 2:
            return 1.0
        return novelty(similarities)

    def is_exhausted(self, novelty_score: float) -> bool:
        """Return whether novelty is too low: "if novelty < 0.3: # Less than 30% new content"."""
        return novelty_score < self.min_novelty


class ConversationTerminator:
    """Checks every criterion after every exchange, not only the one that decides."""

    def __init__(self, terms: EndTerms | int, constants: Constants = CONSTANTS) -> None:
        self.terms = EndTerms(terms) if isinstance(terms, int) else terms
        self.constants = constants
        self.depth = DepthManager(self.terms.target_depth, self.terms.depth_threshold)
        self.sensor = NoveltySensor(self.terms.min_novelty)

    def check(
        self,
        *,
        aspects: Sized | int,
        exchange_count: int,
        novelty_score: float,
        convergence_level: float,
        conclude_payoffs: Sequence[float],
        stale: int | None = None,
    ) -> Check:
        """Return each criterion's verdict; without `stale`, only the last turn's novelty counts."""
        terms = self.terms
        depth = self.depth.is_depth_explored(aspects, exchange_count)
        stop_at = self.constants.stale_turns
        exhausted = self.sensor.is_exhausted(novelty_score) if stale is None else stale >= stop_at
        met: dict[Reason, bool] = {
            "repetitive": exhausted,
            "consensus": consensus(conclude_payoffs, constants=self.constants),
            "convergence": check_convergence(
                convergence_level,
                exchange_count,
                terms.target_depth,
                min_convergence=terms.min_convergence,
            ),
        }
        return Check(
            exchanges=exchange_count,
            aspects=count_of(aspects),
            needed_aspects=min_aspects(terms.target_depth, terms.depth_threshold),
            needed_exchanges=min_exchanges(terms.target_depth),
            cap=terms.cap,
            novelty=novelty_score,
            min_novelty=terms.min_novelty,
            convergence=convergence_level,
            min_convergence=terms.min_convergence,
            conclude_payoffs=tuple(conclude_payoffs),
            depth_complete=depth,
            novelty_exhausted=met["repetitive"],
            want_conclude=met["consensus"],
            high_convergence=met["convergence"],
            reason=reason_of(terms, depth, met, exchange_count),
            stale=stale,
        )


def reason_of(
    terms: EndTerms, depth_complete: bool, met: Mapping[Reason, bool], exchange_count: int
) -> Reason | None:
    """Return why a talk stops now, or None if it continues.

    The flowchart checks the depth, then "Novelty Exhausted?", "Both Want Conclude?", and "High
    Convergence?". "Max Iterations?" comes last but is always checked. In the flowchart as drawn, a
    talk that never completes its depth would never end.
    """
    if terms.mode == "all":
        if depth_complete and all(met.values()):
            return "convergence"
    elif terms.mode == "any" or depth_complete:
        for reason, is_met in met.items():
            if is_met:
                return reason
    return "max_reached" if exchange_count >= terms.cap else None


# Old names, which notebooks import.
Terms = EndTerms
above = exceeds
