"""Sessions kept for a day under the keys talks:session:{sid}:..., in a file or in Redis.

Every value is JSON. A put of several keys is atomic, so a reader never sees the state of one
exchange with the participants of another.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from engine.record.files import read_json

T = TypeVar("T")

DAY = 24 * 60 * 60
FILE = "sessions.sqlite"
PATIENCE = 5.0
TABLE = (
    "CREATE TABLE IF NOT EXISTS sessions "
    "(key TEXT PRIMARY KEY, value TEXT NOT NULL, expires REAL NOT NULL)"
)


def state_key(session_id: str) -> str:
    """Return the key of a session's GroupDiscussionState: "talks:session:{session_id}:state"."""
    return f"talks:session:{session_id}:state"


def participant_key(session_id: str, participant_id: str) -> str:
    """Return the key of a ParticipantState: "talks:session:{session_id}:participant:{id}"."""
    return f"talks:session:{session_id}:participant:{participant_id}"


def exchanges_key(session_id: str) -> str:
    """Return the key of the list of exchanges: "talks:session:{session_id}:exchanges"."""
    return f"talks:session:{session_id}:exchanges"


class StoreError(RuntimeError):
    """A store cannot be used; the message says what to do."""


class SessionStore(Protocol):
    """Values by key; each expires a day after it was last stored."""

    async def put(self, values: Mapping[str, Any]) -> None:
        """Store all values atomically, each with its full time to live."""

    async def get(self, key: str) -> Any | None:
        """Return the value under `key`, or None if it is missing or has expired."""

    async def close(self) -> None:
        """Close the file or the connection; the stored values stay."""


class SqliteStore:
    """Sessions in a file that several processes can share; methods raise StoreError if unusable."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.clock = clock
        self._turn = asyncio.Lock()
        self._connection: sqlite3.Connection | None = None

    async def put(self, values: Mapping[str, Any]) -> None:
        """Store all values atomically, each with its full time to live."""
        now = self.clock()
        rows = [(key, json_text(value), now + DAY) for key, value in values.items()]

        def replace_rows(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM sessions WHERE expires <= ?", (now,))
            connection.executemany("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", rows)

        await self._do(replace_rows)

    async def get(self, key: str) -> Any | None:
        """Return the value under `key`, or None if it is missing or has expired."""
        question = "SELECT value FROM sessions WHERE key = ? AND expires > ?"

        def find_row(connection: sqlite3.Connection) -> Any:
            return connection.execute(question, (key, self.clock())).fetchone()

        row = await self._do(find_row)
        return None if row is None else read_json(row[0])

    async def close(self) -> None:
        """Close the file; the stored values stay."""
        async with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in one transaction, outside the event loop because the disk may be slow."""
        async with self._turn:
            try:
                return await asyncio.to_thread(self._transact, work)
            except (sqlite3.Error, OSError) as error:
                raise StoreError(
                    f"the sessions in {self.path} cannot be used: {error}; "
                    "name another file, or remove this one"
                ) from error

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = open_sessions(self.path)
        with self._connection as connection:
            return work(connection)


def open_sessions(path: Path) -> sqlite3.Connection:
    """Return a connection to the file, in WAL mode, after creating the table if necessary."""
    connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(TABLE)
    except BaseException:
        connection.close()
        raise
    return connection


def json_text(value: Any) -> str:
    """Return plain data as compact JSON; raise ValueError for other data or non-finite numbers."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected plain data: {error}: got {value!r:.80}") from None
