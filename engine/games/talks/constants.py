"""The constants in the formulas, from the design or chosen here; a config can change them."""

from collections.abc import Mapping, Sized
from dataclasses import dataclass, field, fields, replace
from math import ceil
from types import MappingProxyType

from engine.games.talks.archetypes import DEPTHS, Move
from protocol.suggest import one_of

Weights = Mapping[Move, Mapping[str, float]]
PAYOFFS: Weights = MappingProxyType(
    {
        Move.DEEPEN: {"depth_gap": 0.3, "curiosity": 0.4, "novelty_bonus": 0.3},
        Move.CHALLENGE: {
            "skeptical_bonus": 0.3,
            "target_confidence": 0.3,
            "negative_relationship": 0.2,
            "own_confidence": 0.2,
        },
        Move.SUPPORT: {"collaborative_bonus": 0.3, "positive_relationship": 0.4, "respect": 0.3},
        Move.QUESTION: {"analytical_bonus": 0.4, "curiosity": 0.3, "saturation": 0.3},
        Move.SYNTHESIZE: {
            "creative_bonus": 0.3,
            "num_perspectives": 0.3,
            "sweet_spot_disagreement": 0.4,
        },
        Move.CONCLUDE: {"depth_complete": 0.4, "aspects_sufficient": 0.3, "low_novelty": 0.3},
    }
)


@dataclass(frozen=True, slots=True)
class Constants:
    """The weights of the formulas, and values for points that the design leaves open.

    The design fixes the weights of urgency, payoffs and convergence, both factors of urgency,
    `urgency_share`, `noise`, `conclude_payoff` and `conclude_share`; this project chose the rest.
    """

    # The weights of urgency: baseline, time since the last turn, being addressed, confidence,
    # engagement.
    baseline_weight: float = 0.3
    time_weight: float = 0.2
    addressed_weight: float = 0.4
    confidence_weight: float = 0.1
    engagement_weight: float = 0.2
    dominant_factor: float = 0.7
    below_average_factor: float = 1.3
    # final_score = urgency * 0.8 + random(0, 0.2)
    urgency_share: float = 0.8
    noise: float = 0.2
    # Turn-taking.
    patience: int = 5
    never_spoke: float = 0.5
    dominance: float = 1.5
    ping_pong: int = 3
    # Added to the design's urgency. A participant that owes an answer gets `waiting` or, once it
    # has waited `unanswered` turns, `overdue`. One that has never spoken gets `unheard` times the
    # number of participants for each turn of the talk after the first `patience` turns.
    waiting: float = 0.45
    overdue: float = 1.2
    unheard: float = 0.06
    # Factors of the payoffs.
    bonus: float = 1.0
    no_bonus: float = 0.5
    # How far the bonus of SUPPORT and CHALLENGE depends on agreeableness, from 0 (not at all) to 1
    # (entirely), for personalities that the move does not suit.
    temper: float = 1.0
    novelty_window: int = 3
    stale_novelty: float = 1 / 3
    saturation: int = 3
    perspectives: int = 3
    low_novelty_from: float = 0.48
    low_novelty_span: float = 0.3
    damper: float = 0.2
    # Moves are drawn from softmax(adjusted payoffs / move_noise); 0 selects the best move.
    move_noise: float = 0.05
    # convergence = agreement_ratio * 0.6 + avg_positive_relationships * 0.4
    agreement_weight: float = 0.6
    positivity_weight: float = 0.4
    # The changes that a move causes; each new value is clamped to its range.
    support_affinity: float = 0.4
    challenge_affinity: float = -0.2
    synthesis_affinity: float = 0.1
    synthesis_reach: int = 2
    reciprocity: float = 1.0
    support_respect: float = 0.05
    challenge_respect: float = -0.025
    question_respect: float = 0.025
    challenger_confidence: float = 0.1
    challenged_confidence: float = -0.05
    question_curiosity: float = 0.1
    curiosity_decay: float = -0.05
    speaking_engagement: float = -0.05
    listening_engagement: float = 0.01
    respect: float = 0.7
    affinity: float = 0.0
    engagement: float = 0.8
    # Coalitions and circling. A sum of affinity steps can miss `ally` by a rounding error.
    ally: float = 0.6
    hair: float = 1e-9
    disagreement_window: int = 3
    orbit_window: int = 4
    orbit_novelty: float = 0.5
    # An utterance at least this similar to another, even to the one it answers, is a copy.
    copied: float = 0.85
    # Earlier positions at least this similar to the latest words are shown next to them.
    near_position: float = 0.45
    # Termination: a talk can end after `stale_turns` stale turns in the last `stale_window`, or if
    # at least `conclude_share` of participants have a CONCLUDE payoff above `conclude_payoff`.
    stale_turns: int = 2
    stale_window: int = 3
    conclude_payoff: float = 0.7
    conclude_share: float = 0.7
    # The host interjects at most once in `host_pause` exchanges: for example, if a question has
    # waited for `unanswered` turns, or if `off_turns` turns in a row have at most the similarity
    # `off_thread` to the thread of the talk.
    host_pause: int = 4
    unanswered: int = 3
    off_turns: int = 2
    off_thread: float = 0.05
    payoffs: Weights = field(default_factory=lambda: PAYOFFS)


CONSTANTS = Constants()
PLAIN = tuple(constant.name for constant in fields(Constants) if constant.name != "payoffs")
# The constants that must be whole numbers.
COUNTS = frozenset(name for name in PLAIN if isinstance(getattr(CONSTANTS, name), int))
WEIGHTS = MappingProxyType(
    {f"{move}.{name}": (move, name) for move, shares in PAYOFFS.items() for name in shares}
)
NAMES = (*PLAIN, *WEIGHTS)


def constants_with(changes: Mapping[str, float]) -> Constants:
    """Return the constants after `changes`, which are keyed by name, such as "DEEPEN.curiosity".

    Raises ValueError for an invalid name or value.
    """
    payoffs = {move: dict(shares) for move, shares in PAYOFFS.items()}
    plain: dict[str, float] = {}

    for name, value in changes.items():
        _check_constant(name, value)
        if name in WEIGHTS:
            move, factor = WEIGHTS[name]
            payoffs[move][factor] = float(value)
        else:
            plain[name] = value

    return replace(CONSTANTS, payoffs=payoffs, **plain)  # type: ignore[arg-type]  # checked above


def _check_constant(name: str, value: object) -> None:
    one_of(str(name), NAMES, "constant")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in COUNTS and not (is_number and isinstance(value, int) and value >= 1):
        raise ValueError(f"expected {name} to be a whole number from 1 on: got {value!r}")
    if not is_number:
        raise ValueError(f"expected {name} to be a number: got {value!r}")


MIN_ASPECTS = MappingProxyType({1: 2, 2: 3, 3: 4, 4: 4, 5: 5})
DEPTH_THRESHOLD = 1.0
# Float arithmetic has rounding errors, as in 0.7 * N or 0.4 + 0.15 + 0.15, which exceeds 0.7.
HAIR = 1e-9
# Similarities are rounded, since their last digits differ between machines and decisions must not.
DIGITS = 6


def min_exchanges(target_depth: int) -> int:
    """Return how many exchanges a talk needs: "min_exchanges = target_depth * 3"."""
    return level(target_depth) * 3


def min_aspects(target_depth: int, depth_threshold: float = DEPTH_THRESHOLD) -> int:
    """Return how many aspects a talk must cover: a share of its depth's aspects, rounded up.

    The share is `depth_threshold`; the aspects by depth are "{1: 2, 2: 3, 3: 4, 4: 4, 5: 5}".
    """
    return ceil(MIN_ASPECTS[level(target_depth)] * depth_threshold - HAIR)


def count_of(aspects: Sized | int) -> int:
    """Return the number of aspects, given the aspects or their number."""
    return aspects if isinstance(aspects, int) else len(aspects)


def is_depth_explored(
    aspects_covered: Sized | int,
    exchange_count: int,
    target_depth: int,
    *,
    depth_threshold: float = DEPTH_THRESHOLD,
) -> bool:
    """Return whether "len(aspects_covered) >= min_aspects and exchange_count >= min_exchanges"."""
    enough = count_of(aspects_covered) >= min_aspects(target_depth, depth_threshold)
    return enough and exchange_count >= min_exchanges(target_depth)


def level(target_depth: int) -> int:
    """Return `target_depth`; raise ValueError with the nearest valid depth if it is invalid."""
    if target_depth not in DEPTHS:
        nearest = min(DEPTHS, key=lambda depth: abs(depth - target_depth))
        raise ValueError(f"expected a depth from 1 to 5, such as {nearest}: got {target_depth!r}")
    return target_depth
