"""Estimates how many games show a rating gap, from balanced games between equals or a pilot."""

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

    def games_for(self, gap: float, critical: float = NORMAL) -> int:
        """Return the number of games needed to show a gap (Elo) at |z| `critical`."""
        return from_pilot(self.games, self.variance, gap / ELO.factor, critical)

    def gap_shown(self, games: int, critical: float = NORMAL) -> float:
        """Return the smallest gap that `games` games show, in fitted units."""
        return smallest_gap(self.games, self.variance, games, critical)


def pilot_of(settings: TournamentSettings, results: Results, target: str) -> Pilot | None:
    """Return a target's pilot from finished games, or None if there are too few."""
    played = np.bincount(results.entrant)
    if len(played) < len(settings.entrants) or played.min() < PILOT:
        return None
    fitted = fit_target(target, results, Method.of(settings))
    pairs = np.triu_indices(len(fitted.entrants), 1)
    variance = float(np.median(pair_variances(fitted.covariance)[pairs]))
    return Pilot(fitted.results.games, variance) if variance > 0 else None


def pilot_or_equals(
    settings: TournamentSettings, results: Results | None, target: str
) -> Pilot | None:
    """Return a target's pilot, or else one game between equals; None for points without a pilot."""
    pilot = None if results is None else pilot_of(settings, results, target)
    if pilot is not None or TARGETS[target].rule is None:
        return pilot
    return Pilot(1, variance_of_equals(len(settings.entrants), settings.table, target))
