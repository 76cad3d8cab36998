"""Reads any folder of logs.

Entrants are the answering players, and games with the same seed form a block.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine.games import GAMES
from engine.history import History, Seat, history_from_json
from engine.record.files import read_regular
from engine.runs.processes import spread
from engine.runs.seat_rows import Rows, seat_rows, status_of_game
from engine.spending.validity import void_words
from engine.tournaments.ledger import OVER
from engine.tournaments.sources.source import Source, count_games

UNREADABLE = "unreadable"
UNRATED = "unrated"


class SeatIdentity(NamedTuple):
    """The identity of an entrant: the answering player, and its settings as JSON."""

    provider: str
    model: str
    rest: str

    @property
    def name(self) -> str:
        """The answering player, as commands name it."""
        return f"{self.provider}:{self.model}" if self.model else self.provider


def _identity_of(seat: Seat) -> SeatIdentity:
    rest = json.dumps([seat.character_prompt, seat.client_kwargs], sort_keys=True, default=str)
    return SeatIdentity(seat.provider, seat.model, rest)


@dataclass(frozen=True, slots=True)
class OneLog:
    """The content of one file: its status, reason and rows, and the `identities` by player id."""

    status: str
    reason: str = ""
    began: str = ""
    rows: Rows = field(default_factory=list)
    identities: Mapping[str, SeatIdentity] = field(default_factory=dict)


def read_plain_logs(folder: Path) -> Source:
    """Return a source with the rows of all finished games in `folder`, sorted by file name.

    Files that are not logs, games without winners, and games in which an entrant has two seats are
    counted by reason. A journal without a log counts as running.
    """
    logs = spread(read_one_log, sorted(folder.glob("*.json")), label="reading logs")
    names = entrant_names(logs)
    times = [log.began for log in logs if log.began]
    return Source(
        folder.resolve().name,
        folder,
        named_rows(logs, names),
        count_games(_ends_of(folder, logs)),
        models={name: identity[:2] for identity, name in names.items()},
        began=min(times, default=""),
        ended=max(times, default=""),
    )


def _ends_of(folder: Path, logs: Iterable[OneLog]) -> list[tuple[str, str]]:
    ends = [(log.status, log.reason) for log in logs]
    journals = [path for path in folder.glob("*.jsonl") if not path.with_suffix(".json").exists()]
    return ends + [("running", "")] * len(journals)


def named_rows(logs: Iterable[OneLog], names: Mapping[SeatIdentity, str]) -> Rows:
    """Return the rows of all logs, with entrants by name."""
    return [
        row | {"entrant": names[log.identities[row["entrant"]]]} for log in logs for row in log.rows
    ]


def read_one_log(path: Path) -> OneLog:
    """Return the content of one file of a folder."""
    try:
        history = history_from_json(read_regular(path))
    except ValueError:
        # A folder of logs may contain other JSON, such as the table of a batch.
        return OneLog(UNREADABLE, "it is not the log of a game")
    return _result_of(history)


def _result_of(history: History) -> OneLog:
    status = status_of_game(history)
    if status not in OVER:
        return OneLog(status, history.reason)
    identities = {seat.player_id: _identity_of(seat) for seat in history.players}
    why = _why_unrated(history.game, identities)
    if why:
        return OneLog(UNRATED, why)
    rows = seat_rows(history, {name: name for name in identities}, block=_block_of(history))
    began = history.events[0].timestamp if history.events else ""
    return OneLog(status, void_words(history), began, rows, identities)


def _why_unrated(game: str, identities: Mapping[str, SeatIdentity]) -> str:
    if game in GAMES and not GAMES[game].targets:
        return f"no player can win a game of {game}"
    if len(identities) < 2:
        return "the game has one seat"
    if len({*identities.values()}) < len(identities):
        return "two seats of the game are one entrant"
    return ""


def _block_of(history: History) -> str:
    # An imported game has no seed that other games could share.
    alone = "imported_from" in history.config
    return history.game_id if alone else f"{history.game} {history.seed}"


def entrant_names(logs: Iterable[OneLog]) -> dict[SeatIdentity, str]:
    """Return a name for each identity: provider:model, with a number if only settings differ."""
    by_name: dict[str, list[SeatIdentity]] = {}
    for identity in sorted({identity for log in logs for identity in log.identities.values()}):
        by_name.setdefault(identity.name, []).append(identity)
    return {
        identity: name if len(alike) == 1 else f"{name} ({number})"
        for name, alike in by_name.items()
        for number, identity in enumerate(alike, 1)
    }
