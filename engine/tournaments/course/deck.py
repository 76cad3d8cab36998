"""Schedules the next games, a batch at a time, until enough is known to stop."""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from engine.ratings import Fit, Results, fit
from engine.tournaments.course.shard import Shard
from engine.tournaments.ledger import LedgerState
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.closing import pairs_to_tell, separation_of
from engine.tournaments.terms import StopRule

# How many games that need no results are written to the ledger at once; each write waits for disk.
AHEAD = 200
# How many times in a tournament a stop rule checks the results.
LOOKS = 20


class Deck:
    """The games of a tournament, or of one shard, that are not scheduled yet.

    If the schedule or the end of play depends on results (`waits`), the next games are scheduled
    only when all earlier games are over. So the schedule does not depend on how fast games end.
    `next_games` raises ValueError if the settings do not reproduce the games scheduled so far.
    """

    def __init__(
        self,
        settings: TournamentSettings,
        shard: Shard,
        state: LedgerState,
        results: Callable[[], Results],
    ) -> None:
        self.settings = settings
        self.state = state
        self.results = results
        self.is_adaptive = bool(settings.schedule.chosen.waits)
        self.waits = self.is_adaptive or settings.stop is not None
        self.fresh = self._own_games(shard)

    def next_games(self) -> list[Draw]:
        """Return the next games, or an empty list if all are scheduled."""
        if self.is_adaptive:
            return list(self.settings.draw(self.state.in_order(), self.results()))
        size = AHEAD
        if self.waits:
            size = max(self.settings.concurrency, self.settings.games // LOOKS)
        return list(islice(self.fresh, size))

    def _own_games(self, shard: Shard) -> Iterator[Draw]:
        """Yield the shard's part of the whole tournament's schedule."""
        if shard.of == 1:
            yield from self.settings.draw(self.state.in_order())
            return
        for draw in self.settings.draw():
            if not shard.plays(draw.number):
                continue
            before = self.state.draws.get(draw.number)
            if before is None:
                yield draw
            elif before != draw:
                raise ValueError(
                    f"expected shard {shard} to draw game {draw.number} as it did before: entrants "
                    "cannot be added to shards; give the larger tournament another name"
                )


def stop_reason(settings: TournamentSettings, results: Callable[[], Results]) -> str:
    """Return the reason why a tournament may end now, or "" if it must go on.

    The first target decides. The test is valid for any number of checks
    (`engine.ratings.planning.mixture_bound`), so even frequent checks seldom declare equal entrants
    different.
    """
    stop = settings.stop
    if stop is None:
        return ""
    played = results()
    if played.unrated.keys() | {*played.entrants} != {*settings.entrants}:
        return ""
    if not _are_separated(stop, fit_so_far(settings, played), played.games / settings.games):
        return ""
    if stop.separated is not None:
        return f"{stop.separated[0]} and {stop.separated[1]} are significantly different"
    return f"the best {stop.top} are significantly different from all others"


def _are_separated(stop: StopRule, fitted: Fit, share: float) -> bool:
    order = np.argsort(-fitted.skill)
    best_first = [fitted.entrants[place] for place in order if fitted.rated[place]]
    pairs = pairs_to_tell(best_first, stop.top, stop.separated)
    seen = (separation_of(fitted, pair, share) for pair in pairs)
    return all(each is not None and each.apart for each in seen)


def fit_so_far(settings: TournamentSettings, played: Results) -> Fit:
    """Return the fit for the first target, however few games have been played."""
    return fit(
        played,
        settings.targets[0],
        direction=settings.direction,
        covariates=settings.covariates,
        min_games=1,
        lots=settings.lots,
    )
