"""The games in a folder of logs: found by name, read, and listed in one table."""

import os
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engine.record.files import LAST, log_name, read_regular
from engine.report.tables import Table, TableRow
from engine.runs.game_row import UNREADABLE, GameRow
from engine.runs.index import Index
from engine.runs.query import Query

if TYPE_CHECKING:
    from engine.history import History

# A narrow terminal drops columns from the right, but those in LAST_TO_GO only after all others.
COLUMNS = ("name", "title", "status", "void", "result", "game", "rounds", "who")
LAST_TO_GO = ("title", "status", "void", "result")
# The suffixes of the files of each kind of game.
KINDS = {
    "game": (".json", ".jsonl"),
    "finished game": (".json",),
    "unfinished game": (".jsonl",),
}


def catalogue(folder: Path, most: int | None = None) -> Table:
    """Return a table of the latest `most` games in `folder`; raise ValueError if it is missing."""
    check_folder(folder)
    with closing(Index(folder)) as index:
        index.refresh()
        rows = islice(index.every(Query(sort="-began")), most)
        return Table("", COLUMNS, tuple(map(catalogue_row, rows)), LAST_TO_GO)


def catalogue_row(row: GameRow) -> TableRow:
    """Return a game's row in the table; a file that is not a game is listed as unreadable."""
    if row.status == UNREADABLE:
        return (row.file, None, UNREADABLE, None, None, None, None, None)
    # Shorter than elsewhere, so that the whole row fits on a line of the terminal.
    seats = ", ".join(f"{name} {answers}/{asked}" for name, answers, asked in row.void)
    void = f"seat {seats}" if seats and row.valid else seats
    return (
        row.name,
        row.title,
        row.status,
        void if row.file.endswith(".json") else None,
        row.result,
        row.game,
        row.rounds,
        row.who,
    )


def check_folder(folder: Path) -> None:
    """Raise ValueError if the folder does not exist."""
    if not folder.is_dir():
        raise ValueError(
            f"there is no folder {str(folder)!r}: name the folder of the games with --logs-dir"
        )


def log_files(folder: Path) -> list[Path]:
    """Return the final logs in `folder` and the journals of games without one, newest first."""
    check_folder(folder)
    logs = {*folder.glob("*.json")}
    journals = [path for path in folder.glob("*.jsonl") if path.with_suffix(".json") not in logs]
    return sorted([*logs, *journals], key=last_change, reverse=True)


def find_game(folder: Path, word: str, kind: str = "game") -> str:
    """Return the name of the game that `word` denotes: a name, a unique prefix, or `last`.

    A prefix, or `last` for the newest game, denotes only games of this `kind`. Without a match,
    `word` is returned without its folder and suffix. Raises ValueError for an ambiguous prefix, or
    for `last` if there is no such game.
    """
    name = log_name(word)
    files = log_files(folder)
    of_kind = [path for path in files if path.suffix in KINDS[kind]]
    begun = [path.stem for path in of_kind if path.stem.startswith(name)]
    if name in [path.stem for path in files] or (not begun and name != LAST):
        return name
    if len(begun) > 1:
        raise ValueError(
            f"expected an unambiguous name: {len(begun)} games begin with {name!r}, such as "
            f"{begun[0]} and {begun[1]}"
        )
    matches = begun or [path.stem for path in of_kind if path.is_file()]
    if not matches:
        hint = "" if kind == "unfinished game" else " yet: play one with uv run example.py"
        raise ValueError(f"there is no {kind} in {folder}{hint}")
    return matches[0]


def last_change(path: Path) -> tuple[float, str]:
    """Return a file's last change (0 if it is gone) and its name, without following links."""
    try:
        return path.lstat().st_mtime, path.name
    except OSError:
        return 0.0, path.name


def stored_game(folder: Path, name: str) -> "tuple[History, bool] | None":
    """Return the game `name` and whether it is from a final log, or None if it has no file."""
    log = folder / f"{name}.json"
    journal = folder / f"{name}.jsonl"
    if os.path.lexists(log):
        # Not imported at the top, so that a list is shown sooner.
        from engine.history import history_from_json

        try:
            return history_from_json(read_regular(log)), True
        except ValueError as error:
            raise ValueError(f"{log}: {error}") from None
    if os.path.lexists(journal):
        return replay_journal(journal), False
    return None


def replay_journal(journal: Path) -> "History":
    """Return the game that a journal records so far; raise ValueError if the journal is invalid."""
    # Imported only here, so that a finished log is shown sooner.
    from pydantic import ValidationError

    from engine.engine import GameEngine
    from protocol.suggest import explain

    try:
        return GameEngine.replay(journal)
    except ValidationError as error:
        raise ValueError(f"{journal}: {explain(error, ())}") from None
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"expected {journal} to be the journal of a game: {error!r}") from None
