"""The tournaments in a folder of logs, a line each: their games, and their progress."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from engine.record.files import read_json, read_regular
from engine.record.journal import is_taken
from engine.spending.costs import total_cost
from engine.tournaments.anchors import LARGEST_RATINGS, RATINGS
from engine.tournaments.ledger import (
    OVER,
    LedgerState,
    ledgers_in,
    read_ledgers,
    tournament_names,
)


@dataclass(frozen=True)
class TournamentOverview:
    """One tournament: `done` of `planned` games are over; `dollars` None is unknown.

    `status` is "playing", "over", "enough is known", "stopped", "failed", "unfinished", or why its
    ledger cannot be read. `first` are the entrants without a better one, when it was last rated.
    """

    name: str
    status: str
    game: str = ""
    done: int = 0
    planned: int = 0
    entrants: int = 0
    dollars: float | None = 0.0
    first: tuple[str, ...] = ()


def tournaments_in(logs_dir: Path) -> list[TournamentOverview]:
    """Return the tournaments in a folder of logs, by name."""
    return [overview_of(logs_dir / name) for name in tournament_names(logs_dir)]


def overview_of(folder: Path) -> TournamentOverview:
    """Return how far the tournament in `folder` is."""
    try:
        state = read_ledgers(folder)
        settings = state.settings
    except (ValueError, OSError) as error:
        return TournamentOverview(folder.name, f"unreadable: {error}")
    games = (*state.done.values(), *state.lost)
    dollars = total_cost(done.cost for done in games)
    return TournamentOverview(
        folder.name,
        status_of(folder, state, settings.games),
        settings.game["name"],
        games_over(state),
        settings.games,
        len(settings.entrants),
        dollars,
        first_group(folder),
    )


def games_over(state: LedgerState) -> int:
    """Return how many games are finished or void."""
    return sum(done.status in OVER for done in state.done.values())


def status_of(folder: Path, state: LedgerState, planned: int) -> str:
    """Return how far a tournament is, in a word or two."""
    if any(is_taken(path) for path in ledgers_in(folder)):
        return "playing"
    if games_over(state) >= planned:
        return "over"
    ends = Counter(done.status for done in state.done.values())
    for status in ("failed", "stopped"):
        if ends[status]:
            return status
    return "enough is known" if state.stop else "unfinished"


def first_group(folder: Path) -> tuple[str, ...]:
    """Return who has the first rank in the first table of the ratings; empty without them."""
    try:
        content = read_json(read_regular(folder / RATINGS, LARGEST_RATINGS))
        rows = content["targets"][0]["rows"]
        return tuple(str(row["entrant"]) for row in rows if row["ranks"] and row["ranks"][0] == 1)
    except (OSError, ValueError, LookupError, TypeError):
        # The ratings may be missing, or of another version: `rate` makes them again.
        return ()
