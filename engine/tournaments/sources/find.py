"""Find the source that a word names: a tournament, a folder of logs, or a file of rows."""

import json
from hashlib import sha256
from itertools import chain
from pathlib import Path

from engine.tournaments.ledger import ledgers_in, read_ledgers, tournament_names
from engine.tournaments.row_cache import match_logs, rows_of_tournament
from engine.tournaments.sources.plain_logs import read_plain_logs
from engine.tournaments.sources.row_files import ROW_FILES, read_row_file
from engine.tournaments.sources.source import Source, count_games
from protocol.suggest import did_you_mean


def read_source(word: str, logs_dir: Path) -> Source:
    """Return the source that `word` names: a tournament in `logs_dir`, a folder, or a file.

    If nothing matches, raise a ValueError that suggests the tournament with the nearest name.
    """
    path = Path(word)
    named = logs_dir / word
    if path.is_file():
        return read_row_file(path)
    if path.name == word and ledgers_in(named):
        return read_cup(named)
    for folder in (path, named):
        if folder.is_dir():
            return _read_folder(folder)
    near = did_you_mean(word, tournament_names(logs_dir))
    raise ValueError(
        f"there is no tournament {word!r} in {logs_dir}, and no such folder or file:{near} "
        "see uv run tournament.py list"
    )


def _read_folder(folder: Path) -> Source:
    if ledgers_in(folder):
        return read_cup(folder)
    for name in ROW_FILES:
        if (folder / name).is_file():
            return read_row_file(folder / name)
    return read_plain_logs(folder)


def read_cup(folder: Path) -> Source:
    """Return the tournament in `folder` as played so far, without locking it.

    Raise ValueError for a damaged ledger, or LostLog if a counted game's log is missing or changed.
    """
    state = read_ledgers(folder)
    settings = state.settings
    match_logs(folder, state, settings)
    rows = rows_of_tournament(folder, state, settings).values()
    logs = sorted((number, done.sha256) for number, done in state.done.items())
    known = {number: (done.status, done.reason) for number, done in state.done.items()}
    ends = [known.get(number, ("running", "")) for number in state.draws]
    return Source(
        settings.name,
        folder,
        [*chain.from_iterable(rows)],
        count_games(ends, settings.games),
        settings=settings,
        began=state.began,
        ended=state.ended,
        ledger=sha256(json.dumps(logs).encode()).hexdigest(),
        stopped=state.stop is not None,
    )
