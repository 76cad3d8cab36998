"""The factors of the payoffs, each 0 to 1: how the design's words become numbers."""

from engine.games.talks.archetypes import ARCHETYPES, Move, PersonalityArchetype
from engine.games.talks.constants import CONSTANTS, DEPTH_THRESHOLD, Constants, min_aspects
from engine.games.talks.state import GroupDiscussionState, ParticipantState

MATCHES = {
    "skeptical_bonus": (PersonalityArchetype.SKEPTICAL,),
    "collaborative_bonus": (PersonalityArchetype.COLLABORATIVE,),
    "analytical_bonus": (PersonalityArchetype.ANALYTICAL,),
    # SYNTHESIZE suits the analytical too.
    "creative_bonus": (PersonalityArchetype.CREATIVE, PersonalityArchetype.ANALYTICAL),
}
Factors = dict[Move, dict[str, float]]


def personality_bonus(
    name: str, personality: PersonalityArchetype, constants: Constants = CONSTANTS
) -> float:
    """Return 1 for a personality that the move suits; for others 0.5, or by temper.

    That is its agreeableness for SUPPORT, and the rest to 1 for CHALLENGE.
    """
    if personality in MATCHES[name]:
        return constants.bonus
    agreeableness = ARCHETYPES[personality].agreeableness
    tempers = {"collaborative_bonus": agreeableness, "skeptical_bonus": 1 - agreeableness}
    temper = tempers.get(name, constants.no_bonus)
    return (1 - constants.temper) * constants.no_bonus + constants.temper * temper


def depth_gap(depth_explored: int, target_depth: int) -> float:
    """Return how far a participant is from the target, 0 to 1.

    It is (target - own depth) / max(1, target - 1).
    """
    return max(0.0, (target_depth - depth_explored) / max(1, target_depth - 1))


def novelty_bonus(moves: list[Move], constants: Constants = CONSTANTS) -> float:
    """Return 1 if none of the last three exchanges was a DEEPEN, else 1/3."""
    return constants.stale_novelty if Move.DEEPEN in moves[-constants.novelty_window :] else 1.0


def positive(affinity: float) -> float:
    """Return an affinity of -1 to 1 as 0 to 1, so that even strangers may support one another."""
    return (1 + affinity) / 2


def saturation(questions_asked: int, constants: Constants = CONSTANTS) -> float:
    """Return min(1, questions asked / 3)."""
    return min(1.0, questions_asked / constants.saturation)


def num_perspectives(speakers: list[str], constants: Constants = CONSTANTS) -> float:
    """Return the share of different speakers in the last three exchanges."""
    return min(1.0, len({*speakers[-constants.perspectives :]}) / constants.perspectives)


def sweet_spot_disagreement(convergence_level: float) -> float:
    """Return 1 where the group half agrees, falling to 0 where it agrees wholly or not at all."""
    disagreement = 1 - convergence_level
    return 1 - 2 * abs(disagreement - 0.5)


def aspects_sufficient(
    aspects: int, target_depth: int, depth_threshold: float = DEPTH_THRESHOLD
) -> float:
    """Return min(1, aspects / those needed at this depth)."""
    return min(1.0, aspects / max(1, min_aspects(target_depth, depth_threshold)))


def low_novelty(novelty_score: float, constants: Constants = CONSTANTS) -> float:
    """Return clip((0.48 - novelty) / 0.3, 0, 1)."""
    missing = constants.low_novelty_from - novelty_score
    return min(1.0, max(0.0, missing / constants.low_novelty_span))


def factors_of(
    own: ParticipantState,
    target: ParticipantState | None,
    group: GroupDiscussionState,
    constants: Constants,
    depth_threshold: float,
) -> Factors:
    """Return every factor of every move for `own`, towards `target`.

    Without a target, before any other one spoke, feelings count as neutral.
    """
    moves = [exchange.move for exchange in group.exchanges]
    aspects = len(group.aspects_explored)

    return _factors_towards(own, target, constants) | {
        Move.DEEPEN: {
            "depth_gap": depth_gap(own.depth_explored, group.target_depth),
            "curiosity": own.curiosity_level,
            "novelty_bonus": novelty_bonus(moves, constants),
        },
        Move.SYNTHESIZE: _factors_of_synthesis(own, group, constants),
        Move.CONCLUDE: {
            "depth_complete": float(own.depth_explored >= group.target_depth),
            "aspects_sufficient": aspects_sufficient(aspects, group.target_depth, depth_threshold),
            "low_novelty": low_novelty(group.novelty_score, constants),
        },
    }


def _factors_of_synthesis(
    own: ParticipantState, group: GroupDiscussionState, constants: Constants
) -> dict[str, float]:
    speakers = group.get_recent_speakers(constants.perspectives)
    return {
        "creative_bonus": personality_bonus("creative_bonus", own.personality, constants),
        "num_perspectives": num_perspectives(speakers, constants),
        "sweet_spot_disagreement": sweet_spot_disagreement(group.convergence_level),
    }


def _factors_towards(
    own: ParticipantState, target: ParticipantState | None, constants: Constants
) -> Factors:
    """Return the factors of the moves that have a target."""
    affinity, respect = _feelings_towards(own, target, constants)
    confidence = 0.5 if target is None else target.confidence_level

    def bonus(name: str) -> float:
        return personality_bonus(name, own.personality, constants)

    return {
        Move.CHALLENGE: {
            "skeptical_bonus": bonus("skeptical_bonus"),
            "target_confidence": confidence,
            "negative_relationship": positive(-affinity),
            "own_confidence": own.confidence_level,
        },
        Move.SUPPORT: {
            "collaborative_bonus": bonus("collaborative_bonus"),
            "positive_relationship": positive(affinity),
            "respect": respect,
        },
        Move.QUESTION: {
            "analytical_bonus": bonus("analytical_bonus"),
            "curiosity": own.curiosity_level,
            "saturation": saturation(own.questions_asked, constants),
        },
    }


def _feelings_towards(
    own: ParticipantState, target: ParticipantState | None, constants: Constants
) -> tuple[float, float]:
    """Return affinity and respect, both neutral without a target."""
    if target is None:
        return constants.affinity, constants.respect
    target_id = target.participant_id
    affinity = own.relationships.get(target_id, constants.affinity)
    return affinity, own.respect_levels.get(target_id, constants.respect)
