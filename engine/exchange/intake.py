"""Import foreign files one by one, as histories and rows in one folder.

Each game that has events becomes a history in `games/`, named after the file's content. Each seat
to rate becomes a row of `rows.jsonl`. No foreign name becomes part of a file name.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from io import FileIO
from pathlib import Path
from pkgutil import resolve_name

from engine.exchange.foreign import foreign_files
from engine.exchange.game import NO_TIME, ForeignGame, Format, Reading, Row, judge_rows, set_scores
from engine.record.files import open_anew, write_whole, writing
from engine.report.csv import csv_text
from protocol.suggest import one_of

# The formats that can be read; each module is imported when it is first needed.
FORMATS: Mapping[str, str] = {
    "elimination_game": "elimination_game:EliminationGame",
    "agent_island": "agent_island:AgentIsland",
    "textarena": "textarena:TextArena",
    "inspect_eval": "inspect_eval:InspectEval",
    "pairs": "pairs:Pairs",
    "placements": "placements:Placements",
}
ROWS = "rows.jsonl"
GAMES_FOLDER = "games"
STANDING = "entrants.csv"
# The timestamps of events whose time is unknown.
UNKNOWN_TIMES = {"", NO_TIME}
COLUMNS = ("entrant", "provider", "games", "points", "first places")
# The exceptions that reading a malformed file may raise.
FOREIGN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
# Called as files are read, with the number read so far and the total.
Report = Callable[[int, int], None]


@dataclass(slots=True)
class EntrantSum:
    """An entrant's results in all games; `wins` counts first places, including tied ones."""

    provider: str
    games: int = 0
    points: float = 0.0
    wins: int = 0

    def add(self, row: Row) -> None:
        """Count a seat."""
        self.games += 1
        self.points += row["score"] or 0.0
        self.wins += row["place"] == 1


@dataclass(slots=True)
class Intake:
    """The results of an import so far.

    `games` counts the games read. `unrated` counts, by status, the games that are void or have no
    rows. `again` counts repeated games, `twins` games with an entrant in two seats, and `lone`
    games with one seat.
    """

    reading: Reading
    games: int = 0
    seats: int = 0
    again: int = 0
    twins: int = 0
    lone: int = 0
    names: set[str] = field(default_factory=set)
    unrated: Counter[str] = field(default_factory=Counter)
    figures: Counter[str] = field(default_factory=Counter)
    entrants: dict[str, EntrantSum] = field(default_factory=dict)

    def is_new(self, game: ForeignGame) -> bool:
        """Return whether this game is new, and remember it if it has a history."""
        if game.name in self.names:
            self.again += 1
            return False
        if game.history is not None:
            self.names.add(game.name)
        return True

    def count(self, game: ForeignGame) -> None:
        """Add a game to the counts."""
        self.games += 1
        self.figures.update(game.figures)
        status = judge_rows(game.rows) if game.rows else game.status
        if len(game.rows) == 1:
            self.lone += 1
        elif status != "finished":
            self.unrated[status] += 1
        self.twins += sits_twice(game.rows)
        for row in game.rows:
            self.seats += 1
            self.entrants.setdefault(row["entrant"], EntrantSum(row["provider"])).add(row)

    def table(self) -> list[tuple[str, str, int, float, int]]:
        """Return all entrants' sums, ordered by points per game, highest first."""
        rows = [
            (name, each.provider, each.games, each.points, each.wins)
            for name, each in self.entrants.items()
        ]
        return sorted(rows, key=lambda row: (-row[3] / row[2], row[0]))


def format_named(name: str) -> Format:
    """Return the format `name`; if it is unknown, raise ValueError with the most similar name."""
    path = FORMATS[one_of(name, FORMATS, "format")]
    reader: Format = resolve_name(f"engine.exchange.{path}")()
    return reader


def import_files(
    source: Format, path: Path, folder: Path, makers: Mapping[str, str], report: Report
) -> Intake:
    """Import `path` into `folder`; raise ValueError if no file matches or an import is there."""
    files = foreign_files(path, source.suffixes)
    if (folder / ROWS).exists():
        raise ValueError(
            f"expected a folder without an import: {str(folder)!r} already contains one; choose "
            "another with --to, or remove it"
        )
    games = folder / GAMES_FOLDER
    made = games if source.histories else folder
    made.mkdir(parents=True, exist_ok=True)
    intake = Intake(Reading(makers=makers))
    rows = folder / ROWS
    part = rows.with_name(f"{ROWS}.part")
    with writing(rows), open_anew(part) as file:
        for game in games_in_files(source, files, intake.reading, report):
            if intake.is_new(game):
                date_rows(game)
                intake.count(game)
                keep_game(game, games, file)
    if intake.games:
        write_whole(folder / STANDING, csv_text(COLUMNS, intake.table()))
        part.replace(rows)
    else:
        part.unlink()
    return intake


def date_rows(game: ForeignGame) -> None:
    """Set the game's start and end times in its rows, if the log has these times."""
    events = game.history.events if game.history else []
    times = [event.timestamp for event in events if event.timestamp not in UNKNOWN_TIMES]
    for row in game.rows if times else ():
        row |= {"began": min(times), "ended": max(times)}


def keep_game(game: ForeignGame, folder: Path, rows: FileIO) -> None:
    """Write a game's history; write its rows too if it has several and no entrant has two seats."""
    if game.history is not None:
        write_whole(folder / f"{game.name}.json", game.history.to_json())
    if len(game.rows) > 1 and not sits_twice(game.rows):
        lines = [f"{json.dumps(row, allow_nan=False)}\n" for row in game.rows]
        rows.write("".join(lines).encode())


def games_in_files(
    source: Format, files: list[Path], reading: Reading, report: Report
) -> Iterator[ForeignGame]:
    """Yield the games of all files; games with one seat come last, merged by name."""
    lone: dict[str, list[Row]] = {}
    for number, file in enumerate(files, 1):
        reading.stem = f"{source.name}_{number:04d}"
        reading.report = partial(report, number - 1, len(files))
        try:
            for game in source.games(file, reading):
                if len(game.rows) == 1:
                    lone.setdefault(game.name, []).extend(game.rows)
                else:
                    yield game
        except FOREIGN as error:
            reading.skips.add(str(file), fault_sentence(error))
        report(number, len(files))
    for name, rows in lone.items():
        yield _merged_game(name, rows)


def _merged_game(name: str, rows: list[Row]) -> ForeignGame:
    for row in rows:
        # The order of the files does not show the seats.
        row["seat"] = None
    set_scores(rows, [row["score"] for row in rows])
    return ForeignGame(name, rows)


def fault_sentence(error: BaseException) -> str:
    """Return a sentence that says why a file cannot be read."""
    if isinstance(error, UnicodeError) or not isinstance(error, ValueError):
        return f"expected a log of this format: {error!r:.200}"
    return str(error)


def sits_twice(rows: list[Row]) -> bool:
    """Return whether any entrant has two seats and so would be compared with itself."""
    return len({row["entrant"] for row in rows}) < len(rows)
