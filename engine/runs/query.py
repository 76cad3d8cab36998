"""A query of the list of games, and its translation into an SQL statement."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from engine.record.files import read_json
from engine.runs.game_row import encodable, in_utc, utc_time
from protocol.suggest import one_of

MOST_ROWS = 200
LONGEST_CURSOR = 2000
# SQLite rejects a statement with a thousand conditions.
MOST_WORDS = 50
LARGEST = 2**63
# The sort keys of games; a missing value sorts below all others.
SORTS = {
    "changed": "mtime_ns",
    "began": "began",
    "name": "name",
    "game": "game",
    "status": "status",
    "players": "json_array_length(players)",
    "rounds": "COALESCE(rounds, -1)",
    "events": "COALESCE(events, -1)",
    "took": "COALESCE(took, -1)",
    "tokens": "IIF(name IN unseen, -1, COALESCE(tokens, -1))",
    "cost": "IIF(name IN unseen, -1, COALESCE(cost, -1))",
}
CONDITIONS = {
    "game": "game = ?",
    "player": "EXISTS (SELECT 1 FROM json_each(players) WHERE value = ?)",
    "model": (
        "name NOT IN unseen AND "
        "EXISTS (SELECT 1 FROM json_each(models) WHERE instr(':' || value || ':', ':' || ? || ':'))"
    ),
    "status": "status = ?",
    "since": "began >= ?",
    "until": "began <> '' AND began <= ?",
}
WORD = "instr(IIF(name IN unseen, search, search || char(10) || hidden), ?)"
HIDDEN = (
    "WITH unseen AS (SELECT name FROM games WHERE status <> 'finished' "
    "AND name IN (SELECT value FROM json_each(?)))"
)


@dataclass(frozen=True)
class Query:
    """Which games to list, in which order, and where to start.

    A game must match every filter that is not empty: the `game`, a `player`'s id, a `model` (name,
    provider, or provider:model), the `status`, and `q`, words that must all be in the name, game,
    kind, title, players, models, result or summary. `since` and `until` are ISO 8601 dates or
    times that limit when a game began. `sort` is one of SORTS, with "-" in front for descending
    order. `cursor` comes from the previous page; a page has at most `limit` rows. While a game in
    `unseen` is unfinished, filters and sorting ignore its models, tokens, cost, result and summary.
    Raises ValueError if a field is invalid.
    """

    game: str = ""
    player: str = ""
    model: str = ""
    status: str = ""
    q: str = ""
    since: str = ""
    until: str = ""
    sort: str = "-changed"
    cursor: str = ""
    limit: int = 50
    unseen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_ROWS:
            raise ValueError(f"expected limit to be from 1 to {MOST_ROWS}: got {self.limit}")
        if len(self.q.split()) > MOST_WORDS:
            raise ValueError(f"expected q to have at most {MOST_WORDS} words")
        one_of(self.sort.removeprefix("-"), SORTS, "sort")
        time_as_text(self.since, "since", time.min)
        time_as_text(self.until, "until", time.max)
        if self.cursor:
            place_in(self.cursor, self.sort)

    def select(self, columns: Sequence[str]) -> tuple[str, list[Any]]:
        """Return the SQL, which selects one extra row to detect a next page, and its values."""
        conditions, values = self._filters()
        key = SORTS[self.sort.removeprefix("-")]
        order, beyond = ("DESC", "<") if self.sort.startswith("-") else ("ASC", ">")
        if self.cursor:
            conditions.append(f"({key}, file) {beyond} (?, ?)")
            values += place_in(self.cursor, self.sort)
        question = (
            HIDDEN,
            f"SELECT {', '.join(columns)}, {key}",
            "FROM games WHERE",
            " AND ".join(conditions) or "1",
            f"ORDER BY {key} {order}, file {order} LIMIT ?",
        )
        return " ".join(question), [json.dumps(self.unseen), *values, self.limit + 1]

    def cursor_behind(self, key: str | float, file: str) -> str:
        """Return the cursor of a page that begins after the row with this key and file."""
        place = json.dumps([self.sort, key, file])
        return base64.urlsafe_b64encode(place.encode()).decode()

    def _filters(self) -> tuple[list[str], list[Any]]:
        since = time_as_text(self.since, "since", time.min)
        until = time_as_text(self.until, "until", time.max)
        filters = {**vars(self), "since": since, "until": until}
        names = [name for name in CONDITIONS if filters[name]]
        words = self.q.casefold().split()
        conditions = [*(CONDITIONS[name] for name in names), *[WORD] * len(words)]
        values = [*(filters[name] for name in names), *words]
        return conditions, [*map(encodable, values)]


def time_as_text(text: str, name: str, of_day: time) -> str:
    """Return a time as stored in rows; a date gets the time `of_day`, and "" stays ""."""
    if not text:
        return ""
    try:
        if len(text) <= len("2026-01-01"):
            text = f"{date.fromisoformat(text)}T{of_day}"
        return in_utc(utc_time(text))
    except (ValueError, OverflowError):
        raise ValueError(
            f"expected {name} to be a date such as 2026-01-31, or a time such as "
            f"2026-01-31T12:00: got {text!r:.60}"
        ) from None


def place_in(cursor: str, sort: str) -> list[str | float]:
    """Return the key and file in a cursor; raise ValueError unless its order is `sort`."""
    try:
        if len(cursor) > LONGEST_CURSOR:
            raise ValueError
        order, key, file = read_json(base64.urlsafe_b64decode(cursor.encode()))
        is_key = isinstance(key, str) or (type(key) in (int, float) and abs(key) < LARGEST)
        if order != sort or not isinstance(file, str) or not is_key:
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        raise ValueError(
            "expected cursor to be the next cursor of an earlier page in the same order: "
            f"got {cursor!r:.60}"
        ) from None
    return [encodable(key) if isinstance(key, str) else key, encodable(file)]
