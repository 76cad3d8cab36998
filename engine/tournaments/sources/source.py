"""Rows with their source: the games to rate, and how all other games ended."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from engine.runs.seat_rows import Rows
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.standings import GameCounts


@dataclass(frozen=True)
class Source:
    """The rows to rate, and how all games of the source ended.

    `folder` contains the logs. `settings` is set for a tournament, and `method` (how it was rated)
    for a data set. `models` maps entrants to provider and model, if known. `stopped` says whether
    the stop rule ended play early. Times are in ISO 8601, and `ledger` is the fingerprint of the
    logs recorded in a tournament's ledgers; all three may be "".
    """

    name: str
    folder: Path
    rows: Rows
    counts: GameCounts
    settings: TournamentSettings | None = None
    method: Method | None = None
    models: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    began: str = ""
    ended: str = ""
    ledger: str = ""
    stopped: bool = False

    @property
    def entrants(self) -> list[str]:
        """The names of the entrants that played, sorted."""
        return sorted({str(row.get("entrant")) for row in self.rows})

    @property
    def sha256(self) -> str:
        """The fingerprint of the rows as JSON."""
        return sha256(json.dumps(self.rows, sort_keys=True).encode()).hexdigest()

    @property
    def out(self) -> Path:
        """The report's folder: the tournament's own folder, or else a folder next to the rows."""
        return self.folder if self.settings is not None else self.folder / "ratings"


def count_games(ends: Iterable[tuple[str, str]], planned: int | None = None) -> GameCounts:
    """Return the counts of games, given each game's status and reason."""
    counts = sorted(Counter(ends).items())
    statuses: dict[str, int] = {}
    reasons: dict[str, dict[str, int]] = {}
    for (status, reason), games in counts:
        statuses[status] = statuses.get(status, 0) + games
        if status != "finished" and reason:
            reasons.setdefault(status, {})[reason] = games
    return GameCounts(planned, statuses, reasons)
