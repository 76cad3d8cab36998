"""Which games are drawn next: some at a time, each of them once."""

from collections.abc import Callable, Iterator
from itertools import islice

from engine.ratings import Results
from engine.tournaments.course.shard import Shard
from engine.tournaments.ledger import LedgerState
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings

# So many balanced games are written at once: their line costs a sync.
AHEAD = 200
# How often a stop rule looks at the results.
LOOKS = 20


class Deck:
    """The games of a tournament, or of one shard, that are not drawn yet.

    Where a draw or an end depends on results, the next games are drawn when all before are over:
    so it depends on no game's speed (`waits`). ValueError if the settings would have drawn other
    games.
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
        """Return the next games; none: all are drawn."""
        if self.is_adaptive:
            return list(self.settings.draw(self.state.in_order(), self.results()))
        size = AHEAD
        if self.waits:
            size = max(self.settings.concurrency, self.settings.games // LOOKS)
        return list(islice(self.fresh, size))

    def _own_games(self, shard: Shard) -> Iterator[Draw]:
        """Yield the games of a shard: each draws the whole tournament, and takes its own part."""
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
