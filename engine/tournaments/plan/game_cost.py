"""The cost of one game of a tournament: measured in finished games, or else bounded."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean, median

from engine.history import history_from_json
from engine.record.files import read_regular
from engine.runs.dry_run import Bound, rehearse
from engine.spending.costs import times, total_cost
from engine.tournaments.ledger import LedgerState
from engine.tournaments.play_game import Done
from engine.tournaments.row_cache import log_of
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import config_of, entrants_of, first_tables

# A game's time is the median over up to this many logs.
TIMED = 20


@dataclass(frozen=True, slots=True)
class GameCost:
    """The cost of one game: tokens, dollars (None: unknown), and seconds (None: not measured).

    `games` is the number of measured games. If it is 0, all figures are bounds far above the cost
    of a real game, except `likely`, the likely cost in dollars.
    """

    tokens: float
    dollars: float | None
    seconds: float | None = None
    games: int = 0
    likely: float | None = None

    @property
    def at_most(self) -> bool:
        """Whether the figures are bounds, because no game has been played."""
        return not self.games and self.tokens > 0


def measure_game(settings: TournamentSettings, state: LedgerState, folder: Path) -> GameCost | None:
    """Return the average cost of a tournament's finished games, or None if there are none."""
    finished = [state.done[number] for number in state.games_over()]
    if not finished:
        return None
    return GameCost(
        tokens=fmean(done.tokens for done in finished),
        dollars=times(total_cost(done.cost for done in finished), 1 / len(finished)),
        seconds=median_seconds(settings, finished[:TIMED], folder),
        games=len(finished),
    )


def median_seconds(
    settings: TournamentSettings, finished: Iterable[Done], folder: Path
) -> float | None:
    """Return the median seconds from first to last event, over the games whose logs exist."""
    spans = []
    for log in (log_of(folder, settings, done.number) for done in finished):
        if log.exists():
            events = history_from_json(read_regular(log)).events
            times = [datetime.fromisoformat(event.timestamp) for event in events]
            spans.append((max(times) - min(times)).total_seconds() if times else 0.0)
    return median(spans) if spans else None


def bound_game(settings: TournamentSettings) -> GameCost:
    """Return a game's maximum cost: the entrants' mean in `first_tables`, times the seats.

    Raise ValueError if a game cannot be played.
    """
    total = sum(_bounds_by_entrant(settings).values(), Bound())
    share = settings.table / len(settings.entrants)
    tokens = share * (total.prompt_tokens + total.completion_tokens)
    return GameCost(tokens, times(total.cost, share), likely=times(total.likely, share))


def _bounds_by_entrant(settings: TournamentSettings) -> dict[str, Bound]:
    bounds: dict[str, Bound] = {}
    for draw in first_tables(settings):
        sitting = entrants_of(settings, draw)
        if not all(settings.entrants[name].computed for name in draw.seats):
            seats = rehearse(config_of(settings, draw, None))
            bounds |= {sitting[player_id]: bound for player_id, bound in seats.items()}
    return bounds
