"""Two planted tournaments of duels with three common entrants, to test how a link joins them."""

from functools import partial

import numpy as np

from engine.ratings import ELO, Fit, Results, fit, intervals
from engine.ratings.linking import Anchors
from engine.rng import number
from engine.runs.processes import spread

ENTRANTS, COMMON, GAMES = 8, 3, 1700
# The second tournament's names begin with the last names of the first.
FIRST = tuple(f"e{place:02}" for place in range(ENTRANTS))
SECOND = tuple(f"e{place:02}" for place in range(ENTRANTS - COMMON, 2 * ENTRANTS - COMMON))
MOVED = SECOND[1]
LINKED = f"{{}} pairs of tournaments, {GAMES:,} duels each, {COMMON} of {ENTRANTS} in common"


def duel_results(skills: dict[str, float], games: int, rng: np.random.Generator) -> Results:
    """Return duels of random pairs, won by the Bradley-Terry model with these skills in logits."""
    names = [*skills]
    rows = []
    for game in range(games):
        one, other = (names[place] for place in rng.permutation(len(names))[:2])
        wins = rng.random() < 1 / (1 + np.exp(skills[other] - skills[one]))
        for entrant, place in ((one, 2 - wins), (other, 1 + wins)):
            rows.append({"game_id": f"g{game:05}", "entrant": entrant, "place": int(place)})
    return Results.from_rows(rows)


def exact_anchors(**skills: float) -> Anchors:
    number = len(skills)
    return Anchors(tuple(skills), np.array([*skills.values()]), np.zeros((number, number)))


def anchors_from(found: Fit, source: str = "first") -> Anchors:
    """Return all entrants of a fit as anchors for another fit."""
    return Anchors(found.entrants, found.skill, found.covariance, source)


def join_two(turn: int, moved: float = 0.0, games: int = GAMES) -> tuple[list[bool], float]:
    """Play two tournaments and join the second to the first one.

    Return which intervals of the second hold the truth on the first one's scale, and the p-value of
    the distances between anchors, one of which `moved` by that many Elo between the two.
    """
    rng = np.random.default_rng(number(0, "linked", turn))
    skills = dict(zip((*FIRST, *SECOND[COMMON:]), rng.normal(0, 0.7, 13).tolist(), strict=True))
    first = fit(duel_results({name: skills[name] for name in FIRST}, games, rng), "pairs")
    later = {name: skills[name] for name in SECOND}
    later[MOVED] += moved / ELO.factor
    second = fit(duel_results(later, games, rng), "pairs", anchor=anchors_from(first))
    zero = float(np.mean([skills[name] for name in FIRST]))
    held = [row.low <= later[row.entrant] - zero <= row.high for row in intervals(second)]
    assert second.link is not None
    return held, second.link.chance


def link_figures(turns: int) -> tuple[float, float, float]:
    """Return the shares of intervals that hold, and of unmoved and moved anchors noticed."""
    joined = [*spread(join_two, range(turns))]
    moved = [*spread(partial(join_two, moved=100.0), range(turns))]
    held = np.mean([each for each, _ in joined])
    noticed = [float(np.mean([chance < 0.05 for _, chance in each])) for each in (joined, moved)]
    return float(held), noticed[0], noticed[1]
