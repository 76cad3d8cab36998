"""The design's formulas: urgency, final score, payoffs of the six moves, and convergence."""

from collections.abc import Mapping

from engine.games.talks.archetypes import Move, move_of
from engine.games.talks.constants import CONSTANTS, PAYOFFS, Constants

# "(1 - saturation)" is the only factor that counts against its move.
AGAINST = "saturation"


def urgency(
    *,
    personality_baseline: float,
    time_factor: float,
    addressed_bonus: float,
    confidence: float,
    engagement: float,
    is_dominant_speaker: bool,
    below_avg_turns: bool,
    constants: Constants = CONSTANTS,
) -> float:
    """Return how much a participant wants to speak: 0 to 1.2, or up to 1.56 if it rarely spoke.

    "urgency = personality_baseline * 0.3 + time_factor * 0.2 + addressed_bonus * 0.4 + confidence *
    0.1 + engagement * 0.2"; "if is_dominant_speaker: urgency *= 0.7"; "if below_avg_turns: urgency
    *= 1.3". The result is not clamped, since that would erase the difference between two addressed
    participants.
    """
    wish = (
        personality_baseline * constants.baseline_weight
        + time_factor * constants.time_weight
        + addressed_bonus * constants.addressed_weight
        + confidence * constants.confidence_weight
        + engagement * constants.engagement_weight
    )
    if is_dominant_speaker:
        wish *= constants.dominant_factor
    if below_avg_turns:
        wish *= constants.below_average_factor
    return wish


def final_score(urgency: float, noise: float, *, constants: Constants = CONSTANTS) -> float:
    """Return "final_score = urgency * 0.8 + random(0, 0.2)"; `noise` is drawn from [0, 0.2)."""
    return urgency * constants.urgency_share + noise


def payoff(move: Move | str, **factors: float) -> float:
    """Return the payoff of a move, 0 to 1, from its named factors, each 0 to 1.

    "DEEPEN: depth_gap * 0.3 + curiosity * 0.4 + novelty_bonus * 0.3", and so on for the other
    moves. Raises ValueError for an unknown move, or if the factors do not match the move's.

    >>> round(payoff("DEEPEN", depth_gap=1, curiosity=0.5, novelty_bonus=1), 3)
    0.8
    """
    weights = PAYOFFS[move_of(move)]
    if factors.keys() != weights.keys():
        names = ", ".join(factors) or "none"
        raise ValueError(f"expected the factors of {move}, {', '.join(weights)}: got {names}")
    return weighted_sum(weights, factors)


def weighted_sum(weights: Mapping[str, float], factors: Mapping[str, float]) -> float:
    """Return the weighted sum of `factors`; saturation counts as 1 - saturation."""
    return sum(
        share * (1 - factors[name] if name == AGAINST else factors[name])
        for name, share in weights.items()
    )


def convergence(
    *,
    support_moves: int,
    challenge_moves: int,
    avg_positive_relationships: float,
    constants: Constants = CONSTANTS,
) -> float:
    """Return how much the group agrees, 0 to 1.

    "convergence = agreement_ratio * 0.6 + avg_positive_relationships * 0.4", with "Agreement Ratio:
    Support moves / (Support + Challenge moves)"; the ratio is 0 before the first such move.
    """
    clashes = support_moves + challenge_moves
    agreement_ratio = support_moves / clashes if clashes else 0.0
    return (
        agreement_ratio * constants.agreement_weight
        + avg_positive_relationships * constants.positivity_weight
    )


# Old names, which notebooks import.
weighed = weighted_sum
