"""Verifies a tournament: replays every log, and rebuilds every row from its log."""

import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from engine.record.files import read_regular
from engine.runs.processes import spread
from engine.tournaments.ledger import read_ledgers
from engine.tournaments.play_game import Done, broken_rule, done_from_log
from engine.tournaments.row_cache import NAME, keep_rows, log_of, row_lines
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.sources.source import Source


class LoggedGame(NamedTuple):
    """A scheduled game with its log."""

    log: Path
    draw: Draw
    settings: TournamentSettings


def verify_tournament(folder: Path) -> list[str]:
    """Replay every log of the tournament in `folder`, and rebuild its rows.

    Return a sentence for each log that differs from its replay. Rows that do not match their logs
    are rewritten, and the change is reported on stderr.
    """
    state = read_ledgers(folder)
    settings = state.settings
    games = [
        LoggedGame(log_of(folder, settings, number), state.draws[number], settings)
        for number in state.games_over()
    ]
    outcomes = spread(remake, games, label="replaying logs")
    _correct_rows(folder, [done for done, _ in outcomes])
    return [breach for _, breach in outcomes if breach]


def _correct_rows(folder: Path, made: Sequence[Done]) -> None:
    paths = [*folder.glob("rows*.jsonl")]
    kept = {line for path in paths for line in read_regular(path).splitlines()}
    changed = len(kept - {*row_lines(made).splitlines()})
    if changed:
        for path in paths:
            path.unlink()
        keep_rows(folder / NAME, made)
        print(
            f"{changed} of {len(kept)} kept rows in {folder} do not match their logs: all rows are "
            "rebuilt from the logs.",
            file=sys.stderr,
        )


def remake(game: LoggedGame) -> tuple[Done, str]:
    """Return the outcome of a game's log, and how the log differs from its replay ("" if equal)."""
    return done_from_log(*game), broken_rule(game.log)


def digest_of_all(source: Source, ratings: str) -> str:
    """Return the SHA-256 of the logs, the rows and the ratings of a verified tournament."""
    rows = json.dumps(source.rows, sort_keys=True)
    return sha256("\n".join([source.ledger, rows, ratings]).encode()).hexdigest()
