"""The games in a folder of logs, as one table."""

from pathlib import Path

from engine.history import History, history_from_json
from engine.record.files import LAST, log_name, read_regular
from engine.record.journal import Journal
from engine.report.tables import Cell, Table
from engine.spending.validity import void_seats

# A narrow terminal leaves out the last of them.
COLUMNS = ("name", "game", "status", "void", "best", "players", "rounds")
UNREADABLE = "unreadable"


def catalogue(folder: Path) -> Table:
    """Return a row for each game in `folder`, the newest first; ValueError if there is none."""
    rows = [catalogue_row(path) for path in log_files(folder)]
    return Table("", COLUMNS, tuple(rows))


def log_files(folder: Path) -> list[Path]:
    """Return the logs in `folder`, the newest first: final logs, and journals of games without one.

    ValueError if there is no such folder.
    """
    if not folder.is_dir():
        raise ValueError(
            f"there is no folder {str(folder)!r}: name the folder of the games with --logs-dir"
        )
    files = [*folder.glob("*.json")]
    logs = set(files)
    for journal in folder.glob("*.jsonl"):
        if journal.with_suffix(".json") not in logs:
            files.append(journal)
    return sorted(files, key=last_change, reverse=True)


def find_game(folder: Path, word: str) -> str:
    """Return the name of the game that `word` means: its name, a beginning of it alone, or `last`.

    A word that means none is returned as a name. ValueError if it begins several names, or `folder`
    has no game yet.
    """
    names = [path.stem for path in log_files(folder)]
    name = log_name(word)
    begun = [one for one in names if one.startswith(name)]
    if name in names or (not begun and name != LAST):
        return name
    if name == LAST and not begun:
        for path in log_files(folder):
            if path.is_file():
                return path.stem
        raise ValueError(f"there is no game in {folder} yet: play one with uv run example.py")
    if len(begun) > 1:
        raise ValueError(
            f"expected the beginning of one name: {len(begun)} games begin with {name!r}, "
            f"such as {begun[0]} and {begun[1]}"
        )
    return begun[0]


def last_change(path: Path) -> tuple[float, str]:
    """Return when a file was changed, in seconds, and its name; 0 if it cannot be known.

    It may be gone by now; of a link this is the link's own time, since it may lead nowhere.
    """
    try:
        return path.lstat().st_mtime, path.name
    except OSError:
        return 0.0, path.name


def catalogue_row(path: Path) -> tuple[Cell, ...]:
    """Return the row of a game; a file that is no game's is called unreadable."""
    try:
        return log_row(path) if path.suffix == ".json" else journal_row(path)
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return (path.name, None, UNREADABLE, None, None, None, None)


def log_row(path: Path) -> tuple[Cell, ...]:
    """Return the row of a final log."""
    history = history_from_json(read_regular(path))
    # Shorter than everywhere else: a terminal's line holds the whole row.
    void = [f"{name} {answers}/{asked}" for name, answers, asked in void_seats(history)]
    return (
        path.stem,
        history.game,
        history.status,
        ", ".join(void),
        best_in_words(history),
        len(history.players),
        len(history.rounds),
    )


def best_in_words(history: History) -> str:
    """Return who came first: by name, or how many where everybody did; "" before the end."""
    if history.outcome is None:
        return ""
    placements = history.outcome.placements
    best = [player_id for player_id, place in placements.items() if place == 1]
    everybody = len(best) > 1 and len(best) == len(history.players)
    return f"all {len(best)}" if everybody else ", ".join(best)


def journal_row(path: Path) -> tuple[Cell, ...]:
    """Return the row of a game that is being played, or was when its process ended."""
    journal = Journal.load(path)
    config = journal.header["made_from"]["config"]
    return (
        path.stem,
        config["game"]["name"],
        "unfinished" if journal.status == "running" else journal.status,
        None,
        None,
        len(config["player_configs"]),
        max((round_index for round_index, *_ in journal.recorded), default=None),
    )
