"""The games in a folder of logs, as one table."""

from pathlib import Path

from engine.history import history_from_json
from engine.record.journal import Journal
from engine.report.tables import Cell, Table

COLUMNS = ("name", "game", "players", "rounds", "status", "best")
UNREADABLE = "unreadable"


def catalogue(folder: Path) -> Table:
    """Return a row for each game in `folder`, the newest first."""
    return Table("", COLUMNS, tuple(row_of(path) for path in log_files(folder)))


def log_files(folder: Path) -> list[Path]:
    """Return the final logs in `folder`, and the journals of games that have none, the newest first."""
    if not folder.is_dir():
        raise ValueError(
            f"there is no folder {str(folder)!r}: name that of the games with --logs-dir"
        )
    logs = [*folder.glob("*.json")]
    journals = [path for path in folder.glob("*.jsonl") if path.with_suffix(".json") not in logs]
    return sorted([*logs, *journals], key=modified, reverse=True)


def modified(path: Path) -> tuple[float, str]:
    """Return what files are sorted by: the time of the last change, then the name; a file may have gone by now."""
    try:
        return path.stat().st_mtime, path.name
    except FileNotFoundError:
        return 0.0, path.name


def row_of(path: Path) -> tuple[Cell, ...]:
    """Return the game's row in the list; a file that is no game's is called unreadable."""
    try:
        return log_row(path) if path.suffix == ".json" else journal_row(path)
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return (path.name, None, None, None, UNREADABLE, None)


def log_row(path: Path) -> tuple[Cell, ...]:
    """Return the row of a final log."""
    history = history_from_json(path.read_bytes())
    places = history.outcome.placements if history.outcome is not None else {}
    best = ", ".join(player_id for player_id, place in places.items() if place == 1)
    return (
        path.stem,
        history.game,
        len(history.players),
        len(history.rounds),
        history.status,
        best,
    )


def journal_row(path: Path) -> tuple[Cell, ...]:
    """Return the row of a game that is being played, or was when its process ended."""
    journal = Journal.load(path)
    config = journal.header["made_from"]["config"]
    rounds = max((address[0] for address in journal.recorded), default=None)
    status = "unfinished" if journal.status == "running" else journal.status
    return (path.stem, config["game"]["name"], len(config["player_configs"]), rounds, status, None)
