"""The factors of the payoffs, each 0 to 1, which turn the design's terms into numbers."""

from engine.games.talks.archetypes import ARCHETYPES, Move, PersonalityArchetype
from engine.games.talks.constants import Constants, min_aspects
from engine.games.talks.state import GroupDiscussionState, ParticipantState, clamp

MATCHES = {
    "skeptical_bonus": (PersonalityArchetype.SKEPTICAL,),
    "collaborative_bonus": (PersonalityArchetype.COLLABORATIVE,),
    "analytical_bonus": (PersonalityArchetype.ANALYTICAL,),
    # SYNTHESIZE also suits analytical participants.
    "creative_bonus": (PersonalityArchetype.CREATIVE, PersonalityArchetype.ANALYTICAL),
}
Factors = dict[Move, dict[str, float]]


def personality_bonus(name: str, personality: PersonalityArchetype, constants: Constants) -> float:
    """Return 1 if the move suits the personality, otherwise a value based on temperament.

    By default, that value is agreeableness for SUPPORT, 1 - agreeableness for CHALLENGE, and 0.5
    for other moves.
    """
    if personality in MATCHES[name]:
        return constants.bonus
    agreeableness = ARCHETYPES[personality].agreeableness
    tempers = {"collaborative_bonus": agreeableness, "skeptical_bonus": 1 - agreeableness}
    temper = tempers.get(name, constants.no_bonus)
    return (1 - constants.temper) * constants.no_bonus + constants.temper * temper


def factors_of(
    own: ParticipantState,
    target: str | None,
    group: GroupDiscussionState,
    constants: Constants,
    depth_threshold: float,
) -> Factors:
    """Return all factors of all moves that `own` could make towards the participant `target`.

    Without a target (before any other participant has spoken), feelings are neutral. An affinity of
    -1 to 1 is mapped to 0 to 1, so that even strangers can support one another.
    """
    bonuses = {name: personality_bonus(name, own.personality, constants) for name in MATCHES}
    affinity, respect, confidence = _feelings_towards(target, own, group, constants)
    return {
        Move.DEEPEN: _factors_of_deepening(own, group, constants),
        Move.CHALLENGE: {
            "skeptical_bonus": bonuses["skeptical_bonus"],
            "target_confidence": confidence,
            "negative_relationship": (1 - affinity) / 2,
            "own_confidence": own.confidence_level,
        },
        Move.SUPPORT: {
            "collaborative_bonus": bonuses["collaborative_bonus"],
            "positive_relationship": (1 + affinity) / 2,
            "respect": respect,
        },
        Move.QUESTION: {
            "analytical_bonus": bonuses["analytical_bonus"],
            "curiosity": own.curiosity_level,
            "saturation": min(1.0, own.questions_asked / constants.saturation),
        },
        Move.SYNTHESIZE: _factors_of_synthesis(bonuses["creative_bonus"], group, constants),
        Move.CONCLUDE: factors_of_conclusion(own, group, constants, depth_threshold),
    }


def _factors_of_deepening(
    own: ParticipantState, group: GroupDiscussionState, constants: Constants
) -> dict[str, float]:
    """Return the factors of DEEPEN; the depth gap is (target - own depth) / max(1, target - 1)."""
    target = group.target_depth
    recent = [exchange.move for exchange in group.exchanges[-constants.novelty_window :]]
    return {
        "depth_gap": max(0.0, (target - own.depth_explored) / max(1, target - 1)),
        "curiosity": own.curiosity_level,
        "novelty_bonus": constants.stale_novelty if Move.DEEPEN in recent else 1.0,
    }


def _factors_of_synthesis(
    creative_bonus: float, group: GroupDiscussionState, constants: Constants
) -> dict[str, float]:
    """Return the factors of SYNTHESIZE; the sweet spot is at a convergence of one half."""
    speakers = {*group.get_recent_speakers(constants.perspectives)}
    disagreement = 1 - group.convergence_level
    return {
        "creative_bonus": creative_bonus,
        "num_perspectives": min(1.0, len(speakers) / constants.perspectives),
        "sweet_spot_disagreement": 1 - 2 * abs(disagreement - 0.5),
    }


def factors_of_conclusion(
    own: ParticipantState,
    group: GroupDiscussionState,
    constants: Constants,
    depth_threshold: float,
) -> dict[str, float]:
    """Return the factors of CONCLUDE; low novelty is clip((0.48 - novelty) / 0.3, 0, 1)."""
    target = group.target_depth
    needed = max(1, min_aspects(target, depth_threshold))
    missing = constants.low_novelty_from - group.novelty_score
    return {
        "depth_complete": float(own.depth_explored >= target),
        "aspects_sufficient": min(1.0, len(group.aspects_explored) / needed),
        "low_novelty": clamp(missing / constants.low_novelty_span),
    }


def _feelings_towards(
    target: str | None, own: ParticipantState, group: GroupDiscussionState, constants: Constants
) -> tuple[float, float, float]:
    """Return affinity, respect and the target's confidence; all are neutral without a target."""
    if target is None:
        return constants.affinity, constants.respect, 0.5
    affinity = own.relationships.get(target, constants.affinity)
    respect = own.respect_levels.get(target, constants.respect)
    return affinity, respect, group.participants[target].confidence_level
