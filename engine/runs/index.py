"""An index of a folder's games, `.index.sqlite`, so that listing them does not read every log.

The index is rebuilt if damaged, and kept in memory if it cannot be written. Several threads and
processes can use it at once.
"""

import json
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from engine.record.files import read_json
from engine.runs.game_row import TUPLES, UNREAD, GameRow, encodable, row_from
from engine.runs.query import MOST_ROWS, Query

T = TypeVar("T")
# The path of a file, and its `stat` result.
File = tuple[str, os.stat_result]
# A row as stored in the table.
Cells = tuple[Any, ...]
FILE = ".index.sqlite"
# Increase this when the fields of a row, or the way files are read, change.
FORMAT = 5
# How many seconds to wait while another process locks the table.
PATIENCE = 10.0
# How many rows are written at once, which limits how long other processes wait.
AT_ONCE = 200
TENFOLD = 10
# Reading that takes at most this many seconds is not limited.
MOMENT = 0.1
COLUMNS = tuple(field.name for field in fields(GameRow))
TABLE = f"CREATE TABLE games ({', '.join(COLUMNS)}, search, hidden, PRIMARY KEY (file))"
PLACES = ", ".join("?" * (len(COLUMNS) + 2))
REPLACE = f"INSERT OR REPLACE INTO games VALUES ({PLACES})"  # noqa: S608 - places of values
BY_NAME = f"SELECT {', '.join(COLUMNS)}, file FROM games WHERE file IN (?, ?)"  # noqa: S608
DELETE = "DELETE FROM games WHERE file = ?"
# With these errors, the file may be intact but temporarily unusable.
UNUSABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


class Index:
    """The games in `folder`: `refresh` reads changed files, and `page` finds rows.

    A game's row comes from its log, or from its journal while there is no log. A missing folder has
    no games. Rereading growing journals takes at most about a tenth of the running time (`clock`
    counts seconds), so their rows may lag.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self.clock = clock
        self._rests_until = -inf
        self._path: Path | None = folder / FILE
        self._lock = threading.Lock()
        self._refreshing = threading.Lock()
        self._filled = False
        try:
            self._table = open_table(self._path)
        except sqlite3.DatabaseError as error:
            self._table = self._open_anew(error)

    def refresh(self) -> None:
        """Read the files in the folder whose time or size changed."""
        with self._refreshing:
            while True:
                self._filled = True
                self._take_in()
                if self._filled:
                    return
                # The table was rebuilt meanwhile, and lacks its earlier rows.

    def page(self, query: Query) -> tuple[list[GameRow], str]:
        """Return a page's rows and the cursor of the next page, which is "" if there is none."""
        question, values = query.select(COLUMNS)
        located = self._find(question, values)
        rows = [row for row, _ in located[: query.limit]]
        if len(located) <= query.limit:
            return rows, ""
        last, key = located[query.limit - 1]
        return rows, query.cursor_behind(key, last.file)

    def every(self, query: Query) -> Iterator[GameRow]:
        """Yield all rows from the query's cursor on."""
        query = replace(query, limit=MOST_ROWS)
        while True:
            rows, cursor = self.page(query)
            yield from rows
            if not cursor:
                return
            query = replace(query, cursor=cursor)

    def row(self, name: str) -> GameRow:
        """Return the row of the game `name`; raise KeyError if there is none."""
        for row, _ in self._find(BY_NAME, [f"{name}.json", f"{name}.jsonl"]):
            return row
        raise KeyError(name)

    def games(self) -> list[str]:
        """Return the sorted names, such as "dilemma", of the games played in the folder."""
        if not self._filled:
            self.refresh()
        return self._do(game_names)

    def close(self) -> None:
        """Close the table."""
        with self._lock:
            self._table.close()

    def _find(self, question: str, values: Sequence[Any]) -> list[tuple[GameRow, Any]]:
        """Return a query's rows, each with its sort key; refill a rebuilt table first."""
        while True:
            if not self._filled:
                self.refresh()
            rows = self._do(partial(find_rows, question, values))
            # Otherwise the table was rebuilt and is empty.
            if self._filled:
                return rows

    def _take_in(self) -> None:
        # The table is read first, so rows that other processes add meanwhile are not deleted.
        known = self._do(known_files)
        files = game_files(self.folder)
        self._write(DELETE, [(file,) for file in known if file not in files])
        changed, grown = changed_files(files, known)
        self._read(changed)
        began = self.clock()
        if began >= self._rests_until:
            self._read(grown)
            took = self.clock() - began
            if took > MOMENT:
                self._rests_until = began + TENFOLD * took

    def _read(self, files: Sequence[File]) -> None:
        if not files:
            return
        # Imported only here, so that an up-to-date list is shown sooner.
        from engine.runs.read_row import read_row

        cells = []
        for path, state in files:
            row = read_row(Path(path), state)
            if row.size == UNREAD and not os.path.lexists(path):
                # It has disappeared since the folder was read, as when a journal became a log.
                continue
            cells.append(cells_of(row))
            if len(cells) == AT_ONCE:
                self._write(REPLACE, cells)
                cells = []
        self._write(REPLACE, cells)

    def _write(self, question: str, cells: Sequence[Cells]) -> None:
        self._do(partial(write_rows, question, cells))

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the table or, if that is unusable, on a new one."""
        with self._lock:
            try:
                return work(self._table)
            except sqlite3.ProgrammingError:
                # The index is closed.
                raise
            except sqlite3.DatabaseError as error:
                self._filled = False
                self._table.close()
                self._table = self._open_anew(error)
            return work(self._table)

    def _open_anew(self, error: sqlite3.DatabaseError) -> sqlite3.Connection:
        """Return a new table: in the file if it can be replaced (tried once), else in memory."""
        path, self._path = self._path, None
        code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        if path is not None and code & 0xFF not in UNUSABLE and remove_table(path):
            # If another process or the disk prevents this, the table is kept in memory.
            with suppress(sqlite3.DatabaseError):
                return open_table(path)
        return open_table(None)


def open_table(path: Path | None) -> sqlite3.Connection:
    """Return the table in file `path` (created if missing), or in memory if it is not a file."""
    # The path may be a folder, a pipe or a link.
    is_odd = path is not None and os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode)
    place: Path | str = ":memory:" if path is None or is_odd else path
    table = sqlite3.connect(place, timeout=PATIENCE, check_same_thread=False)
    try:
        # The file is untrusted, and its content can be rebuilt from the logs.
        table.execute("PRAGMA trusted_schema = OFF")
        table.execute("PRAGMA synchronous = OFF")
        if format_of(table) != FORMAT:
            make_table(table)
    except BaseException:
        table.close()
        raise
    return table


def format_of(table: sqlite3.Connection) -> int:
    """Return the format number of a table, or 0 for a new file."""
    (version,) = table.execute("PRAGMA user_version").fetchone()
    return int(version)


def make_table(table: sqlite3.Connection) -> None:
    """Create an empty table unless another process has done so."""
    with table:
        table.execute("BEGIN IMMEDIATE")
        if format_of(table) == FORMAT:
            return
        table.execute("DROP TABLE IF EXISTS games")
        table.execute(TABLE)
        table.execute("CREATE INDEX by_time ON games (mtime_ns, file)")
        table.execute("CREATE INDEX by_began ON games (began, file)")
        table.execute(f"PRAGMA user_version = {FORMAT}")


def remove_table(path: Path) -> bool:
    """Remove a table's file and its companions; return whether that worked."""
    try:
        for suffix in ("-journal", "-wal", "-shm", ""):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    except OSError:
        return False
    return True


def game_files(folder: Path) -> dict[str, File]:
    """Return each game's log or, without a log, its journal, by file name."""
    try:
        with os.scandir(folder) as entries:
            entries_by_name = {encodable(entry.name): entry for entry in entries}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    files = {}
    for file, entry in entries_by_name.items():
        is_journal = file.endswith(".jsonl") and file.removesuffix("l") not in entries_by_name
        state = state_of(entry) if is_journal or file.endswith(".json") else None
        if state is not None:
            files[file] = (entry.path, state)
    return files


def changed_files(
    found: Mapping[str, File], known: Mapping[str, tuple[int, int]]
) -> tuple[list[File], list[File]]:
    """Return the new or changed files and, in a separate list, the known journals that changed."""
    changed = []
    grown = []
    for file, (path, state) in found.items():
        before = known.get(file)
        if before == (state.st_mtime_ns, state.st_size):
            continue
        if before is not None and file.endswith(".jsonl"):
            grown.append((path, state))
        else:
            changed.append((path, state))
    return changed, grown


def state_of(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the `stat` result of a file (or of a broken link itself), or None if it is gone."""
    for follow in (True, False):
        try:
            return entry.stat(follow_symlinks=follow)
        except OSError:
            continue
    return None


def known_files(table: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return the time and size of each file when it was last read."""
    rows = table.execute("SELECT file, mtime_ns, size FROM games")
    return {file: (changed, size) for file, changed, size in rows}


def game_names(table: sqlite3.Connection) -> list[str]:
    """Return the distinct values of the column `game`, sorted."""
    rows = table.execute("SELECT DISTINCT game FROM games WHERE game <> '' ORDER BY game")
    return [str(name) for (name,) in rows]


def write_rows(question: str, cells: Sequence[Cells], table: sqlite3.Connection) -> None:
    """Run the statement `question` for all `cells` in one transaction."""
    if not cells:
        return
    with table:
        table.executemany(question, cells)


def cells_of(row: GameRow) -> Cells:
    """Return a row as stored in the table: lists as JSON, and the two search texts last."""
    plain = asdict(row)
    for name in TUPLES:
        plain[name] = json.dumps(plain[name])
    searched = "\n".join((row.name, row.game, row.kind, row.title, *row.players))
    hidden = "\n".join((*row.models, row.result, row.summary))
    return (*plain.values(), searched.casefold(), hidden.casefold())


def find_rows(
    question: str, values: Sequence[Any], table: sqlite3.Connection
) -> list[tuple[GameRow, Any]]:
    """Return rows, each with its sort key; raise DatabaseError for an invalid row."""
    rows = []
    try:
        for *cells, key in table.execute(question, values):
            plain = dict(zip(COLUMNS, cells, strict=True))
            for name in TUPLES:
                plain[name] = read_json(plain[name])
            rows.append((row_from(plain), key))
    except (ValueError, TypeError, RecursionError) as error:
        raise sqlite3.DatabaseError(f"a row is damaged: {error!r:.200}") from None
    return rows
