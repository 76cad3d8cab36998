"""What each move is worth in a talk, counted again from the design's formulas."""

from collections.abc import Sequence

from engine.games.talks.archetypes import ARCHETYPES, Move, PersonalityArchetype
from engine.games.talks.constants import Constants
from tests.oracles.talks.minds import Circle, Mind, TalkStep
from tests.oracles.talks.reading import TalkTerms

LONGEST_ROUND = 3
UNKNOWN_CONFIDENCE = 0.5


def move_worths(circle: Circle, name: str, terms: TalkTerms) -> dict[Move, float]:
    """Return the payoff of each move for one participant, each factor by its weight."""
    return {move: worth_of_move(move, circle, name, terms) for move in Move}


def worth_of_move(move: Move, circle: Circle, name: str, terms: TalkTerms) -> float:
    """Return the payoff of one move for one participant."""
    factors = factors_for(move, circle, name, terms)
    shares = terms.numbers.payoffs[move]
    return sum(share * factors[factor] for factor, share in shares.items())


def factors_for(move: Move, circle: Circle, name: str, terms: TalkTerms) -> dict[str, float]:
    """Return the factors of one move, each 0 to 1."""
    mind = circle.minds[name]
    match move:
        case Move.DEEPEN:
            return factors_of_deepening(circle, mind, terms)
        case Move.QUESTION:
            return factors_of_asking(mind, terms.numbers)
        case Move.SYNTHESIZE:
            return factors_of_synthesis(circle, mind, terms.numbers)
        case Move.CONCLUDE:
            return factors_of_concluding(circle, mind, terms)
    return factors_towards(circle, mind, name, terms.numbers)


def factors_of_deepening(circle: Circle, mind: Mind, terms: TalkTerms) -> dict[str, float]:
    """Return the factors of "DEEPEN = depth_gap*.3 + curiosity*.4 + novelty_bonus*.3"."""
    gap = (terms.target - mind.depth) / max(1, terms.target - 1)
    fresh = Move.DEEPEN not in [step.move for step in circle.steps[-terms.numbers.novelty_window :]]
    return {
        "depth_gap": max(0.0, gap),
        "curiosity": mind.curiosity,
        "novelty_bonus": 1.0 if fresh else terms.numbers.stale_novelty,
    }


def factors_of_asking(mind: Mind, numbers: Constants) -> dict[str, float]:
    """Return the factors of "QUESTION = analytical_bonus*.4 + curiosity*.3 + (1 - saturation)*.3".

    Here `saturation` is what it counts for: 1 - saturation.
    """
    return {
        "analytical_bonus": bonus_for(mind, numbers, PersonalityArchetype.ANALYTICAL),
        "curiosity": mind.curiosity,
        "saturation": 1 - min(1.0, mind.questions / numbers.saturation),
    }


def factors_of_synthesis(circle: Circle, mind: Mind, numbers: Constants) -> dict[str, float]:
    """Return the factors of a SYNTHESIZE.

    "creative_bonus*.3 + num_perspectives*.3 + sweet_spot_disagreement*.4": the last is 1 where the
    group half agrees, and 0 where it agrees wholly or not at all.
    """
    recent = {step.speaker for step in circle.steps[-numbers.perspectives :]}
    disagreement = 1 - agreement_in(circle, numbers)
    suited = (PersonalityArchetype.CREATIVE, PersonalityArchetype.ANALYTICAL)
    return {
        "creative_bonus": bonus_for(mind, numbers, *suited),
        "num_perspectives": min(1.0, len(recent) / numbers.perspectives),
        "sweet_spot_disagreement": 1 - 2 * abs(disagreement - 0.5),
    }


def factors_of_concluding(circle: Circle, mind: Mind, terms: TalkTerms) -> dict[str, float]:
    """Return the factors of a CONCLUDE.

    "depth_complete*.4 + aspects_sufficient*.3 + low_novelty*.3".
    """
    numbers = terms.numbers
    lack = (numbers.low_novelty_from - circle.novelty) / numbers.low_novelty_span
    return {
        "depth_complete": 1.0 if mind.depth >= terms.target else 0.0,
        "aspects_sufficient": min(1.0, len(circle.aspects) / max(1, terms.needed_aspects)),
        "low_novelty": min(1.0, max(0.0, lack)),
    }


def factors_towards(circle: Circle, mind: Mind, name: str, numbers: Constants) -> dict[str, float]:
    """Return the factors of CHALLENGE and SUPPORT, towards the most recent other speaker.

    Before anybody else spoke, feelings count as those for a stranger.
    """
    affinity, respect, confidence = numbers.affinity, numbers.respect, UNKNOWN_CONFIDENCE
    other = other_speaker(circle.steps, name)
    if other is not None:
        affinity, respect = mind.affinity[other], mind.respect[other]
        confidence = circle.minds[other].confidence
    return {
        "skeptical_bonus": bonus_for(mind, numbers, PersonalityArchetype.SKEPTICAL),
        "target_confidence": confidence,
        "negative_relationship": (1 - affinity) / 2,
        "own_confidence": mind.confidence,
        "collaborative_bonus": bonus_for(mind, numbers, PersonalityArchetype.COLLABORATIVE),
        "positive_relationship": (1 + affinity) / 2,
        "respect": respect,
    }


def bonus_for(mind: Mind, numbers: Constants, *suited: PersonalityArchetype) -> float:
    """Return the bonus of a personality that a move suits, or that of any other.

    The agreeable are readier for SUPPORT, the others for CHALLENGE, as far as `temper` says.
    """
    if mind.personality in suited:
        return numbers.bonus
    plain = numbers.no_bonus
    agreeable = ARCHETYPES[mind.personality].agreeableness
    if PersonalityArchetype.COLLABORATIVE in suited:
        return plain + numbers.temper * (agreeable - plain)
    if PersonalityArchetype.SKEPTICAL in suited:
        return plain + numbers.temper * (1 - agreeable - plain)
    return plain


def other_speaker(steps: Sequence[TalkStep], name: str) -> str | None:
    """Return the "most recent speaker" other than oneself, None if there is none."""
    return next((step.speaker for step in reversed(steps) if step.speaker != name), None)


def agreement_in(circle: Circle, numbers: Constants) -> float:
    """Return how far the group agrees: 0 before its first SUPPORT or CHALLENGE.

    "convergence = agreement_ratio * 0.6 + avg_positive_relationships * 0.4", the latter the mean of
    the affinities above 0. An untouched group has none.
    """
    moves = [step.move for step in circle.steps]
    support = moves.count(Move.SUPPORT)
    clashes = support + moves.count(Move.CHALLENGE)
    ratio = support / clashes if clashes else 0.0

    liked = []
    for mind in circle.minds.values():
        liked += [value for value in mind.affinity.values() if value > 0]
    warmth = sum(liked) / len(liked) if liked else 0.0
    if not circle.steps:
        return 0.0
    return ratio * numbers.agreement_weight + warmth * numbers.positivity_weight


def circles(steps: Sequence[TalkStep], numbers: Constants) -> bool:
    """Return whether the talk circles.

    By its moves: the last one, two or three steps (speaker, move, target) repeat those before them.
    By its words: in each of the last four exchanges less than half is new.
    """
    moves = [step[:3] for step in steps]
    for period in range(1, LONGEST_ROUND + 1):
        twice = moves[-2 * period :]
        if len(twice) == 2 * period and twice[:period] == twice[period:]:
            return True
    last = steps[-numbers.orbit_window :]
    if len(last) < numbers.orbit_window:
        return False
    return all(step.novelty < numbers.orbit_novelty for step in last)


def staleness_of(steps: Sequence[TalkStep], terms: TalkTerms) -> list[bool]:
    """Return, for each turn that counts, whether it was hardly new.

    Silence does not count, nor a CONCLUDE, unless it is a copy.
    """
    copied = 1 - terms.numbers.copied + terms.numbers.hair
    stale = []
    for step in steps:
        sums_up = step.move is Move.CONCLUDE and step.novelty > copied
        if step.spoke and not sums_up:
            stale.append(step.novelty < terms.min_novelty)
    return stale
