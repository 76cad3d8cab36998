"""How a talk ended, checked on its log: the figures of each participant and of the group."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import isclose

from engine.history import History
from tests.oracles.reading import events_of, ids_of, outcome_of
from tests.oracles.talks.criteria import reason_due, verdicts_due
from tests.oracles.talks.minds import moments_of
from tests.oracles.talks.worths import agreement_in

LEVELS = 3
REASONS = {
    "repetitive": "Going in circles",
    "consensus": "Group consensus to conclude",
    "convergence": "High convergence",
    "max_reached": "Maximum number of exchanges reached",
}
AGREEMENT = re.compile(r"convergence: (\d\.\d\d)")
# The agreement is shown with two digits.
HALF_DIGIT = 0.005 + 1e-9
Values = Mapping[str, float]


def check_participant_figures(history: History) -> Iterator[str]:
    """Check how often each spoke, in how many words, its moves towards others, how it is liked."""
    *_, last = moments_of(history)
    circle, outcome = last.after, outcome_of(history)
    for name, mind in circle.minds.items():
        liking = [other.affinity[name] for other in circle.minds.values() if other is not mind]
        due = {
            "turns": mind.turns,
            "words": mind.words,
            "agreements": mind.agreements,
            "challenges": mind.challenges,
            "liked": sum(liking) / len(liking),
        }
        yield from check_values(f"of {name}", outcome.figures[name], due)


def check_quality(history: History) -> Iterator[str]:
    """Check the group's figures, the quality that all share, and the places."""
    due = quality_due(history)
    outcome = outcome_of(history)
    yield from check_values("of the group", outcome.shared, due)

    names = ids_of(history)
    yield from check_values("of all as score", outcome.scores, dict.fromkeys(names, due["quality"]))
    yield from check_values("of all as place", outcome.placements, dict.fromkeys(names, 1))


def quality_due(history: History) -> dict[str, float]:
    """Return the figures of the group.

    "100*mean(1-Gini, depth, min(1, coverage), novelty, convergence)": depth is "max_depth_reached /
    target_depth", coverage "len(aspects_explored) / (target_depth * 3)".
    """
    *_, moment = moments_of(history)
    circle, target = moment.after, moment.terms.target
    novelties = [step.novelty for step in circle.steps]
    gini = inequality([*circle.turns.values()])
    depth = circle.depth / target
    coverage = min(1.0, len(circle.aspects) / (target * LEVELS))
    novelty = sum(novelties) / len(novelties)
    convergence = agreement_in(circle, moment.terms.numbers)
    parts = [1 - gini, depth, coverage, novelty, convergence]
    return {
        "exchanges": len(circle.steps),
        "gini": gini,
        "depth": depth,
        "coverage": coverage,
        "novelty": novelty,
        "convergence": convergence,
        "quality": 100 * sum(parts) / len(parts),
    }


def check_end_told(history: History) -> Iterator[str]:
    """Check the sentence that sums the talk up, at its stop and in its outcome: why, and how far.

    "Discussion Complete: Going in circles. 7 exchanges, 9 aspects explored, convergence: 0.52"
    """
    *_, moment = moments_of(history)
    circle = moment.after
    exchanges = len(circle.steps)
    words = REASONS[str(reason_due(verdicts_due(moment), exchanges, moment.terms))]
    figures = f"{exchanges} exchanges, {len(circle.aspects)} aspects explored"
    begins = f"Discussion Complete: {words}. {figures}, "
    agreement = agreement_in(circle, moment.terms.numbers)

    told = {"outcome": outcome_of(history).summary}
    for stop in events_of(history.rounds[-1], "stop"):
        told[f"event {stop.index}"] = stop.content
    for where, summary in told.items():
        figure = AGREEMENT.fullmatch(summary.removeprefix(begins))
        is_told = figure and isclose(float(figure[1]), agreement, abs_tol=HALF_DIGIT)
        if not is_told:
            due = f"{begins}convergence: {agreement:.2f}"
            yield f"{where}: expected {due!r} to be told: got {summary!r:.300}"


def inequality(turns: list[int]) -> float:
    """Return the "Gini coefficient of speaking turns": mean difference by twice the mean."""
    total = sum(turns)
    if not total:
        return 0.0
    differences = [abs(one - other) for one, other in product(turns, repeat=2)]
    return sum(differences) / (2 * len(turns) * total)


def check_values(whose: str, found: Values, due: Values) -> Iterator[str]:
    """Check the numbers of an outcome by name."""
    for name, expected in due.items():
        if not isclose(found[name], expected, rel_tol=1e-9, abs_tol=1e-6):
            yield f"outcome: expected {name} {expected:.6g} {whose}: got {found[name]:.6g}"
