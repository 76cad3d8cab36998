"""A player's Elo on a ladder of opponents whose strengths and errors are known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.ratings.columns import Floats
from engine.ratings.estimate import Fit
from engine.ratings.intervals import NORMAL
from engine.ratings.scales import ELO
from engine.rng import stream

# How many games are played before the opponents are chosen again.
BATCH = 6
# How far beyond the rungs to search for an interval's end, and how finely, in Elo.
FARTHEST, FINEST = 4000.0, 0.01

# The rung played, and the player's score: 1 for a win, .5 for a draw, 0 for a loss.
LadderGame = tuple[str, float]


@dataclass(frozen=True, eq=False)
class Ladder:
    """Opponents of known strength, with ascending `elo` (R,) and their `covariance` (R, R)."""

    rungs: tuple[str, ...]
    elo: Floats
    covariance: Floats


@dataclass(frozen=True, slots=True)
class LadderRating:
    """A player's Elo and its .95 interval, with None for an open end.

    `beyond` is "below RUNG" if the player is weaker than the lowest rung, or "above RUNG" if it is
    stronger than the highest. `elo` is then that rung's, and the interval is open on that side.
    """

    elo: float
    low: float | None
    high: float | None
    beyond: str = ""


def ladder_of(fit: Fit, zero: str) -> Ladder:
    """Return a ladder from a fit of games between rungs; the rung `zero` has Elo 0 and error 0."""
    order = np.argsort(fit.skill, kind="stable")
    base = fit.entrants.index(zero)
    mover = np.eye(len(order))[order]
    mover[:, base] -= 1
    covariance = ELO.factor**2 * mover @ fit.covariance @ mover.T
    names = tuple(fit.entrants[place] for place in order.tolist())
    return Ladder(names, ELO.factor * (mover @ fit.skill), covariance)


def ladder_rating(results: Sequence[LadderGame], anchors: Ladder) -> LadderRating:
    """Return the maximum-likelihood Elo with the anchors fixed, and its .95 interval.

    The interval is that of the score test (Rao 1948), whose variance includes the anchors' errors.
    It contains all Elo values at which a score this extreme has a chance of at least .05. If one
    end is open, the other keeps its one-sided level of .975. Raise ValueError if there are no
    games, a rung is unknown, or a score is outside [0, 1].
    """
    record = _record_of(results, anchors)
    low = _crossing(record.z, NORMAL, anchors) if record.won > 0 else None
    high = _crossing(record.z, -NORMAL, anchors) if record.won < record.games.sum() else None
    lowest, highest = float(anchors.elo[0]), float(anchors.elo[-1])
    if record.surplus(lowest) < 0:
        return LadderRating(lowest, None, high, f"below {anchors.rungs[0]}")
    if record.surplus(highest) > 0:
        return LadderRating(highest, low, None, f"above {anchors.rungs[-1]}")
    return LadderRating(_crossing(record.surplus, 0.0, anchors), low, high)


def next_rungs(results: Sequence[LadderGame], anchors: Ladder, seed: int) -> list[str]:
    """Return the opponents for the next six games, which depend only on the seed and the results.

    The first six are spread over the ladder, in an order set by the seed. Later, all six are the
    rung nearest to the current estimate, or the lower of two equally near rungs.
    """
    if results:
        distance = np.abs(anchors.elo - ladder_rating(results, anchors).elo)
        return [anchors.rungs[int(np.argmin(distance))]] * BATCH
    last = len(anchors.rungs) - 1
    places = [round(last * game / (BATCH - 1)) for game in range(BATCH)]
    stream(seed, "first rungs").shuffle(places)
    return [anchors.rungs[place] for place in places]


@dataclass(frozen=True, eq=False)
class _Record:
    """The score and the number of games against each rung (R,)."""

    games: Floats
    scores: Floats
    anchors: Ladder

    @property
    def won(self) -> float:
        """The player's points."""
        return float(self.scores.sum())

    def surplus(self, elo: float) -> float:
        """Return the points won minus those expected at `elo`; it falls as `elo` rises."""
        return self.won - float(self.games @ self._chances(elo))

    def z(self, elo: float) -> float:
        """Return the surplus divided by its error, which includes the errors of the anchors."""
        chances = self._chances(elo)
        variances = self.games * chances * (1 - chances)
        moved = variances / ELO.factor
        variance = variances.sum() + moved @ self.anchors.covariance @ moved
        return self.surplus(elo) / float(np.sqrt(variance))

    def _chances(self, elo: float) -> Floats:
        """Return the chance of winning against each rung, by the Elo formula."""
        return 1 / (1 + 10 ** ((self.anchors.elo - elo) / 400))


def _record_of(results: Sequence[LadderGame], anchors: Ladder) -> _Record:
    """Return the score and game count by rung; raise ValueError if the games cannot be rated."""
    if not results:
        raise ValueError("expected at least one game against a rung: got none")
    games, scores = np.zeros((2, len(anchors.rungs)))
    for rung, score in results:
        if rung not in anchors.rungs:
            raise ValueError(f"expected one of the rungs {', '.join(anchors.rungs)}: got {rung!r}")
        if not 0 <= score <= 1:
            raise ValueError(f"expected a score from 0 to 1 against {rung}: got {score}")
        place = anchors.rungs.index(rung)
        games[place] += 1
        scores[place] += score
    return _Record(games, scores, anchors)


def _crossing(falling: Callable[[float], float], level: float, anchors: Ladder) -> float:
    """Return the Elo at which a decreasing function equals `level`, by bisection."""
    low, high = float(anchors.elo[0]) - FARTHEST, float(anchors.elo[-1]) + FARTHEST
    while high - low > FINEST:
        middle = (low + high) / 2
        if falling(middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2
