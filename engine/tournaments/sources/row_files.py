"""Rows in a file: `rows.jsonl` of an import, or `seats.jsonl.gz` of an exported data set."""

from pathlib import Path

from engine.record.archives import unpack_gzip
from engine.record.files import read_json, read_regular
from engine.runs.seat_rows import Rows
from engine.tournaments.row_cache import read_row_line
from engine.tournaments.sources.source import Source, count_games
from engine.tournaments.standings.method import Method

# The file next to an exported tournament's seats that states how they were rated.
TERMS = "rating.json"
ROW_FILES = ("seats.jsonl", "seats.jsonl.gz", "rows.jsonl", "rows.jsonl.gz")
GAME_FILES = ("games.jsonl", "games.jsonl.gz")
PACKED = ".gz"
TIMES = ("began", "ended")
Ends = dict[str, tuple[str, str]]


def read_row_file(path: Path) -> Source:
    """Return the content of a file of rows; raise ValueError naming the first invalid line."""
    rows = read_lines(path)
    if not rows:
        raise ValueError(f"expected rows in {path}: it is empty")
    method = read_terms(path)
    games = games_beside(path)
    times = [str(row[key]) for row in (*rows, *games) for key in TIMES if row.get(key)]
    return Source(
        _set_name(path),
        path.parent,
        rows,
        count_games(ends_of(rows, games).values(), method.planned if method else None),
        method=method,
        began=min(times, default=""),
        ended=max(times, default=""),
    )


def _set_name(path: Path) -> str:
    name = path.parent.name if path.name in ROW_FILES else path.name.partition(".")[0]
    return name or path.stem


def games_beside(path: Path) -> Rows:
    """Return the games of the data set whose seats are in `path`, or [] for other files."""
    if not path.name.startswith("seats"):
        return []
    files = [path.with_name(name) for name in GAME_FILES]
    return [game for file in files if file.is_file() for game in read_lines(file)]


def ends_of(rows: Rows, games: Rows) -> Ends:
    """Return each game's status and reason, by id; `games` may list games without rows."""
    ends = {}
    for row in rows:
        ends[str(row.get("game_id"))] = "void" if row.get("void") else "finished", ""
    for game in games:
        status = str(game.get("status") or "finished")
        # A scheduled game without a result counts as running.
        status = "running" if status == "drawn" else status
        ends[str(game.get("game_id"))] = status, str(game.get("reason") or "")
    return ends


def read_terms(path: Path) -> Method | None:
    """Return the rating method that the seats' data set states, or None if it states none."""
    terms = path.with_name(TERMS)
    if not (path.name.startswith("seats") and terms.is_file()):
        return None
    try:
        return Method.from_json(read_regular(terms))
    except ValueError:
        raise ValueError(
            f"expected {terms} to be unchanged since its export: export again"
        ) from None


def read_lines(path: Path) -> Rows:
    """Return the mappings in a JSON Lines file, gzipped or not; raise ValueError for a bad line."""
    rows: Rows = []
    for number, line in enumerate(_unpacked(path).splitlines(), 1):
        if line.strip():
            where = f"line {number} of {path}"
            try:
                row = read_json(line)
            except ValueError as error:
                raise ValueError(
                    f"expected {where} to be JSON: {error}; tournament.py import reads other files"
                ) from None
            if not isinstance(row, dict):
                raise ValueError(f"expected {where} to be a mapping: got {line[:60]!r}")
            rows += rows_of_game(line, where) if "rows" in row else [row]
    return rows


def _unpacked(path: Path) -> bytes:
    content = read_regular(path)
    if not path.name.endswith(PACKED):
        return content
    try:
        return unpack_gzip(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def rows_of_game(line: bytes, where: str) -> Rows:
    """Return a game's rows from a line that a tournament stored; raise ValueError if altered."""
    kept = read_row_line(line)
    if kept is None:
        raise ValueError(
            f"expected {where} to be unchanged: its checksum does not match; rate the tournament "
            "by its name, which reads its logs"
        )
    return kept.rows
