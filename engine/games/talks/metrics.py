"""A finished talk's figures: fairness, depth, coverage, novelty, convergence, and quality."""

from collections.abc import Mapping, Sequence, Sized
from statistics import fmean

from engine.games.talks.constants import count_of, level
from engine.games.talks.state import GroupDiscussionState
from engine.report.statistics import gini_coefficient


def gini_of_turns(turns: Sequence[int] | Mapping[str, int]) -> float:
    """Return the "Gini coefficient of speaking turns", from 0 (equal) to nearly 1 (one speaker).

    Silent participants count too. Returns 0 if there are no utterances.

    >>> gini_of_turns([3, 4, 3, 2])
    0.125
    """
    counts = turns.values() if isinstance(turns, Mapping) else turns
    return gini_coefficient([*counts])


def depth_achievement(max_depth_reached: int, target_depth: int) -> float:
    """Return "max_depth_reached / target_depth"."""
    return max_depth_reached / level(target_depth)


def aspect_coverage(aspects_explored: Sized | int, target_depth: int) -> float:
    """Return "len(aspects_explored) / (target_depth * 3)", given the aspects or their number."""
    return count_of(aspects_explored) / (level(target_depth) * 3)


def novelty_maintenance(scores: Sequence[float]) -> float:
    """Return the "average novelty score across all turns", 0 to 1, or 1 before the first turn."""
    return fmean(scores) if scores else 1.0


def convergence_rate(levels: Sequence[float]) -> float:
    """Return the "change in convergence_level over time": (last - first) / (turns - 1), or 0."""
    if len(levels) < 2:
        return 0.0
    return (levels[-1] - levels[0]) / (len(levels) - 1)


def quality_score(
    gini: float, depth: float, coverage: float, novelty: float, convergence: float
) -> float:
    """Return the score 100 * mean(1 - Gini, depth, min(1, coverage), novelty, convergence).

    >>> round(quality_score(0.125, 1.0, 7 / 6, 0.67, 0.79), 1)
    86.7
    """
    return 100 * fmean((1 - gini, depth, min(1.0, coverage), novelty, convergence))


def stars(score: float) -> int:
    """Return the stars for a quality score, 0 to 5; for example, 87 of 100 earns four."""
    return round(score / 20)


def figures_with_quality(
    *,
    turns: Mapping[str, int],
    reached: int,
    target: int,
    aspects: Sized,
    novelties: Sequence[float],
    convergence: float,
) -> dict[str, float]:
    """Return a talk's Gini, depth, coverage, novelty, convergence and quality."""
    parts = {
        "gini": gini_of_turns(turns),
        "depth": depth_achievement(reached, target),
        "coverage": min(1.0, aspect_coverage(aspects, target)),
        "novelty": novelty_maintenance(novelties),
        "convergence": convergence,
    }
    return {**parts, "quality": quality_score(**parts)}


def group_figures(talk: GroupDiscussionState) -> dict[str, float]:
    """Return the figures of a whole talk."""
    figures = figures_with_quality(
        turns=talk.turns(),
        reached=talk.max_depth_reached,
        target=talk.target_depth,
        aspects=talk.aspects_explored,
        novelties=[exchange.novelty for exchange in talk.exchanges],
        convergence=talk.convergence_level,
    )
    return {"exchanges": float(talk.turn_number), **figures}


def participant_figures(talk: GroupDiscussionState) -> dict[str, dict[str, float]]:
    """Return each participant's turns, words, agreements, challenges and popularity.

    Popularity (`liked`) is the mean affinity of the other participants, -1 to 1.
    """
    figures = {}
    for name, person in talk.participants.items():
        others = talk.get_other_participants(name)
        figures[name] = {
            "turns": person.speaking_turns,
            "words": person.words_spoken,
            "agreements": len(person.agreements_made),
            "challenges": len(person.challenges_made),
            "liked": fmean(partner.relationships[name] for partner in others),
        }
    return figures


# Old names, which notebooks import.
figures_of = participant_figures
gini = gini_of_turns
shared_figures = group_figures
