"""Whether enough is known for a tournament to end before all its games are played.

The bound holds at every look (`engine.ratings.planning.mixture_bound`), so frequent looks seldom
declare equal entrants different.
"""

from collections.abc import Callable

import numpy as np

from engine.ratings import Fit, Results, fit
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.closing import pairs_to_tell, separation_of


def stop_reason(settings: TournamentSettings, results: Callable[[], Results]) -> str:
    """Return why a tournament may end now, in a sentence; "" if it has no stop rule, or continues.

    The first of the settings' targets decides.
    """
    stop = settings.stop
    if stop is None:
        return ""
    played = results()
    if played.unrated.keys() | {*played.entrants} != {*settings.entrants}:
        return ""
    fitted = fit_so_far(settings, played)
    order = np.argsort(-fitted.skill)
    best_first = [fitted.entrants[place] for place in order if fitted.rated[place]]
    for pair in pairs_to_tell(best_first, stop.top, stop.separated):
        seen = separation_of(fitted, pair, played.games / settings.games)
        if seen is None or not seen.apart:
            return ""
    if stop.separated is not None:
        return f"{stop.separated[0]} and {stop.separated[1]} are significantly different"
    return f"the best {stop.top} are significantly different from all others"


def fit_so_far(settings: TournamentSettings, played: Results) -> Fit:
    """Return the fit of the first target, with however few games."""
    return fit(
        played,
        settings.targets[0],
        direction=settings.direction,
        covariates=settings.covariates,
        min_games=1,
        lots=settings.lots,
    )
