"""How many games a gap needs, estimated from balanced games between equals or from a pilot."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ratings import ELO, TARGETS, Results
from engine.ratings.estimate import pair_variances
from engine.ratings.intervals import NORMAL
from engine.ratings.planning import from_pilot, smallest_gap, variance_of_equals
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.targets import fit_target

GAPS = (25, 50, 100, 200)  # Elo
# If any entrant played fewer games than this, a pilot says too little about the ratings' errors.
PILOT = 5


@dataclass(frozen=True, slots=True)
class Pilot:
    """The median variance of a gap (logits^2; payoffs^2 for points) after `games` games."""

    games: int
    variance: float


def pilot_of(settings: TournamentSettings, results: Results, target: str) -> Pilot | None:
    """Return a target's pilot from finished games; None if there are too few."""
    played = np.bincount(results.entrant)
    if len(played) < len(settings.entrants) or played.min() < PILOT:
        return None
    fitted = fit_target(target, results, Method.of(settings))
    pairs = np.triu_indices(len(fitted.entrants), 1)
    variance = float(np.median(pair_variances(fitted.covariance)[pairs]))
    return Pilot(results.games - fitted.left_out, variance) if variance > 0 else None


def game_of_equals(settings: TournamentSettings, target: str) -> Pilot:
    """Return one game between equals, in the form of a pilot; raise ValueError for points."""
    return Pilot(1, variance_of_equals(len(settings.entrants), settings.table, target))


def games_for(
    settings: TournamentSettings,
    target: str,
    gaps: Sequence[float],
    pilot: Pilot | None,
    critical: float = NORMAL,
) -> list[int]:
    """Return the games needed to show each gap (Elo) at |z| `critical`.

    Raise ValueError for points without a pilot.
    """
    known = pilot or game_of_equals(settings, target)
    return [from_pilot(known.games, known.variance, gap / ELO.factor, critical) for gap in gaps]


def gap_shown(
    settings: TournamentSettings,
    target: str,
    games: int,
    pilot: Pilot | None,
    critical: float = NORMAL,
) -> float | None:
    """Return the smallest gap that `games` games show, on the target's scale; None if unknown."""
    kind = TARGETS[target]
    if pilot is None and kind.rule is None:
        return None
    known = pilot or game_of_equals(settings, target)
    return kind.scale.gap(smallest_gap(known.games, known.variance, games, critical))
