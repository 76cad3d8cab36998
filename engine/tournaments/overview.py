"""The progress of the tournaments in a folder of logs, one line each."""

from collections.abc import Sequence
from pathlib import Path

from engine.record.files import read_json, read_regular
from engine.record.journal import is_taken
from engine.report.tables import Cell, Table
from engine.spending.costs import dollars, total_cost
from engine.tournaments.anchors import LARGEST_RATINGS, RATINGS
from engine.tournaments.ledger import LedgerState, ledgers_in, read_ledgers, tournament_names
from protocol.text import list_names

COLUMNS = ("tournament", "game", "games", "status", "entrants", "cost", "first group")
# How many entrants of the first group are named.
NAMED = 3


def tournaments_table(logs_dir: Path) -> Table:
    """Return the table of the tournaments in a folder of logs, sorted by name."""
    return Table("", COLUMNS, [overview_of(logs_dir / name) for name in tournament_names(logs_dir)])


def overview_of(folder: Path) -> Sequence[Cell]:
    """Return the table row of the tournament in `folder`; the status says if it is unreadable."""
    try:
        state = read_ledgers(folder)
        settings = state.settings
    except (ValueError, OSError) as error:
        return folder.name, "", "0 of 0", f"unreadable: {error}", 0, dollars(0.0), ""
    return (
        folder.name,
        settings.game["name"],
        f"{len(state.games_over())} of {settings.games}",
        status_of(folder, state, settings.games),
        len(settings.entrants),
        dollars(total_cost(done.cost for done in (*state.done.values(), *state.lost))),
        list_names(first_group(folder), NAMED),
    )


def status_of(folder: Path, state: LedgerState, planned: int) -> str:
    """Return a tournament's progress in a few words."""
    if any(map(is_taken, ledgers_in(folder))):
        return "playing"
    if len(state.games_over()) >= planned:
        return "over"
    ends = {done.status for done in state.done.values()}
    for status in ("failed", "stopped"):
        if status in ends:
            return status
    return "enough is known" if state.stop else "unfinished"


def first_group(folder: Path) -> list[str]:
    """Return the entrants that may be the best in the first table, or [] if none are rated."""
    try:
        rows = read_json(read_regular(folder / RATINGS, LARGEST_RATINGS))["targets"][0]["rows"]
        return [str(row["entrant"]) for row in rows if row["ranks"] and row["ranks"][0] == 1]
    except (OSError, ValueError, LookupError, TypeError):
        # The ratings may be missing or from another version; `rate` rebuilds them.
        return []
