"""The rows of finished games, stored next to the ledger so that each log is read only once.

Each line contains one game's rows and the fingerprint of its log, with a checksum. Missing or
altered lines are rebuilt from the logs.
"""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from engine.record.chain import seal, unseal
from engine.record.files import read_json, read_regular, write_whole, writing
from engine.record.journal import is_taken
from engine.runs.seat_rows import Rows
from engine.tournaments.ledger import LedgerState, ledgers_in
from engine.tournaments.play_game import GAMES, Done, done_from_log
from engine.tournaments.schedule.draw import game_id_of
from engine.tournaments.settings import TournamentSettings

# The version of the row format; lines of older versions are rebuilt.
FORM = 3
SEAL = b"rows %d" % FORM
NAME = "rows.jsonl"


class LostLog(Exception):  # noqa: N818 - not a fault in the program
    """The log of a finished game is missing, or differs from the one recorded in the ledger."""


@dataclass(frozen=True)
class KeptRows:
    """The rows of one game, and the fingerprint of the log that they were made from."""

    sha256: str
    rows: Rows


KEPT = TypeAdapter(KeptRows)


def row_lines(games: Iterable[Done]) -> bytes:
    """Return a line for each game that has a log: its fingerprint and rows, and their checksum."""
    logged = (done for done in games if done.sha256)
    return b"".join(seal({"sha256": done.sha256, "rows": done.rows}, SEAL) for done in logged)


def read_row_line(line: bytes) -> KeptRows | None:
    """Return the rows on a line, or None if the line was altered."""
    body = unseal(line.strip(), SEAL)
    with suppress(ValueError):
        return None if body is None else KEPT.validate_python(read_json(body))
    return None


def keep_rows(path: Path, games: Iterable[Done]) -> None:
    """Append the rows of games that have a log; raise DiskError if they cannot be written."""
    with writing(path), path.open("ab") as file:
        file.write(row_lines(games))


def kept_rows(folder: Path) -> dict[str, Rows]:
    """Return the rows stored in `folder`, by the fingerprint of their log.

    A file with altered lines is rewritten without them, and the change is reported on stderr.
    """
    rows_by_log: dict[str, Rows] = {}
    for path in sorted(folder.glob("rows*.jsonl")):
        lines = _lines_of(path)
        good = []
        for line in lines:
            kept = read_row_line(line)
            if kept is not None:
                good.append(line + b"\n")
                rows_by_log[kept.sha256] = kept.rows
        if len(good) < len(lines):
            _rewrite(path, good, len(lines))
    return rows_by_log


def _rewrite(path: Path, good: Sequence[bytes], lines: int) -> None:
    write_whole(path, b"".join(good))
    print(
        f"{lines - len(good)} of {lines} lines in {path} were not written by this version: these "
        "games are read from their logs again.",
        file=sys.stderr,
    )


def _lines_of(path: Path) -> list[bytes]:
    """Return a file's lines; for an unreadable file, return a single line that says why."""
    try:
        return read_regular(path).split(b"\n")[:-1]
    except OSError as error:
        return [(error.strerror or "").encode()]


def rows_of_tournament(
    folder: Path, state: LedgerState, settings: TournamentSettings, file: str = NAME
) -> dict[int, Rows]:
    """Return the rows of each finished game, by number.

    Missing rows are read from the logs and stored in `file`. Raise LostLog if such a log is missing
    or has changed.
    """
    kept = kept_rows(folder)
    rows_by_game: dict[int, Rows] = {}
    fresh = []
    for number in state.games_over():
        done = state.done[number]
        if done.sha256 not in kept:
            match_log(folder, state, settings, number)
            log = log_of(folder, settings, number)
            fresh.append(done_from_log(log, state.draws[number], settings))
            kept[done.sha256] = fresh[-1].rows
        # Use the ledger's status: rows from a log older than the rule for void games may differ.
        is_void = done.status == "void"
        rows_by_game[number] = [{**row, "void": is_void} for row in kept[done.sha256]]
    if fresh:
        keep_rows(folder / file, fresh)
    return rows_by_game


def match_logs(folder: Path, state: LedgerState, settings: TournamentSettings) -> None:
    """Raise LostLog if the log of any finished game is missing or has changed."""
    refuse_cut_ledger(folder, state, settings)
    for number in state.games_over():
        match_log(folder, state, settings, number)


def refuse_cut_ledger(folder: Path, state: LedgerState, settings: TournamentSettings) -> None:
    """Raise LostLog if a game has a log but no `done` line, unless play is under way."""
    if any(map(is_taken, ledgers_in(folder))):
        return
    for log in sorted((folder / GAMES).glob(f"{settings.name}_*.json")):
        number = log.stem.removeprefix(f"{settings.name}_")
        if number.isdecimal() and not state.is_over(int(number)):
            raise LostLog(
                f"{log} is finished, but the ledger in {folder} does not record its end, because "
                "its last lines are lost; run the command that played the tournament to add the "
                "log"
            )


def match_log(folder: Path, state: LedgerState, settings: TournamentSettings, number: int) -> None:
    """Raise LostLog unless a game's log exists and matches the ledger."""
    log = log_of(folder, settings, number)
    again = "play it again with --replay-lost, or restore a copy"
    try:
        content = read_regular(log)
    except OSError:
        raise LostLog(f"the log of {log.stem} is not in {log.parent}: {again}") from None
    if sha256(content).hexdigest() != state.done[number].sha256:
        raise LostLog(f"{log} is not the log that the ledger records for this game: {again}")


def log_of(folder: Path, settings: TournamentSettings, number: int) -> Path:
    """Return the path of a game's log."""
    return folder / GAMES / f"{game_id_of(settings, number)}.json"
