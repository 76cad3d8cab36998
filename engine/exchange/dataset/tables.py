"""A data set of games: four tables as JSON lines, and as Parquet if DuckDB is installed.

- games: one row for each game, rated or not.
- seats: one row for each seat of a game that is over; these rows reproduce the ratings (`void`
games are not rated).
- events: one row for each event, including hidden events.
- votes: one row for each ballot.

Prompts, system texts, raw answers and client settings are never written. The same games always
produce byte-identical files.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from engine.history import Event, History, inert
from engine.history.social import is_revote
from engine.record.files import open_anew, writing
from engine.spending.costs import cost_of

Line = dict[str, Any]
# The columns of each table, with their types in Parquet.
TABLES: Mapping[str, Mapping[str, str]] = {
    "games": {
        "game_id": "VARCHAR",
        "block": "VARCHAR",
        "game": "VARCHAR",
        "version": "BIGINT",
        "seed": "BIGINT",
        "status": "VARCHAR",
        "reason": "VARCHAR",
        "entrants": "VARCHAR[]",
        "rounds": "BIGINT",
        "began": "VARCHAR",
        "ended": "VARCHAR",
        "cost": "DOUBLE",
        "log_sha256": "VARCHAR",
    },
    "seats": {
        "game_id": "VARCHAR",
        "block": "VARCHAR",
        "game": "VARCHAR",
        "wording": "BIGINT",
        "seat": "BIGINT",
        "player_id": "VARCHAR",
        "entrant": "VARCHAR",
        "place": "BIGINT",
        "score": "DOUBLE",
        "payoff": "DOUBLE",
        "asks": "BIGINT",
        "fallbacks": "BIGINT",
        "illegal": "BIGINT",
        "retried": "BIGINT",
        "outlived": "BIGINT",
        "lot": "BOOLEAN",
        "provider": "VARCHAR",
        "words": "DOUBLE",
        "cost": "DOUBLE",
        "tokens": "BIGINT",
        "void": "BOOLEAN",
    },
    "events": {
        "game_id": "VARCHAR",
        "index": "BIGINT",
        "round": "BIGINT",
        "kind": "VARCHAR",
        "player_id": "VARCHAR",
        "content": "VARCHAR",
        "reasoning": "VARCHAR",
        "visibility": "VARCHAR[]",
        "data": "VARCHAR",
        "timestamp": "VARCHAR",
        "fell_back": "BOOLEAN",
        "tokens": "BIGINT",
        "cost": "DOUBLE",
    },
    "votes": {
        "game_id": "VARCHAR",
        "round": "BIGINT",
        "voter": "VARCHAR",
        "candidates": "VARCHAR[]",
        "choice": "VARCHAR",
        "valid": "BOOLEAN",
        "jury": "BOOLEAN",
        "revote": "BOOLEAN",
    },
}
WORDS = ("content", "reasoning")
PACKED = ".jsonl.gz"
PARQUET = ".parquet"
# An event may be as long as a log.
LONGEST_LINE = 256 << 20
HOW_TO_GET = "uv sync --extra dataset"


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game of a data set; a game that is over has rows.

    `entrants` maps each player to its entrant, in seat order.
    """

    game_id: str
    block: str
    game: str
    status: str
    reason: str = ""
    seed: int | None = None
    cost: float | None = None
    sha256: str = ""
    entrants: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Any]] = ()
    history: History | None = None


@dataclass(slots=True)
class Contents:
    """Counts of the written rows, games and entrants.

    `doubtful` counts the games in which jurors' lines do not count as votes.
    """

    rows: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    sizes: dict[str, int] = field(default_factory=dict)
    entrants: Counter[str] = field(default_factory=Counter)
    doubtful: int = 0
    began: str = ""
    ended: str = ""

    def count(self, record: GameRecord, line: Line) -> None:
        """Count a game by its status and properties."""
        self.statuses[record.status] += 1
        for row in record.rows:
            self.entrants[str(row["entrant"])] += not row.get("void")
        if record.history is not None:
            self.doubtful += record.history.config.get("reliable_jury") is False
        if line["began"]:
            self.began = min(self.began or line["began"], line["began"])
            self.ended = max(self.ended, line["ended"])


def write_dataset(records: Iterable[GameRecord], folder: Path, *, text: bool = True) -> Contents:
    """Write games to `folder`, without players' words unless `text`; raise DiskError on failure."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = Contents()
    paths = {table: folder / f"{table}{PACKED}" for table in TABLES}
    with ExitStack() as stack:
        files = {table: stack.enter_context(packed_file(path)) for table, path in paths.items()}
        for record in records:
            write_game(record, files, contents, text=text)
    for path in paths.values():
        contents.sizes[path.name] = path.stat().st_size
    return contents


@contextmanager
def whole_file(path: Path) -> Iterator[FileIO]:
    """Open a new file that replaces `path` if the block succeeds; raise DiskError on failure."""
    part = path.with_name(f"{path.name}.part")
    with writing(path):
        with open_anew(part) as file:
            yield file
        part.replace(path)


@contextmanager
def packed_file(path: Path) -> Iterator[gzip.GzipFile]:
    """Open a gzip file as `whole_file` does; it stores no name or time, so it is reproducible."""
    with (
        whole_file(path) as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as packed,
    ):
        yield packed


def write_game(
    record: GameRecord, files: Mapping[str, gzip.GzipFile], contents: Contents, *, text: bool
) -> None:
    """Append one game's rows to all tables."""
    game = game_line(record)
    contents.count(record, game)
    lines: dict[str, Iterable[Line]] = {"games": [game], "seats": seat_lines(record)}
    if record.history is not None:
        lines["events"] = event_lines(record.history, text=text)
        lines["votes"] = vote_lines(record.history)
    for table, rows in lines.items():
        for line in rows:
            files[table].write(packed_line(line))
            contents.rows[table] += 1


def packed_line(line: Line) -> bytes:
    """Return a row as one line of JSON, with control and invisible characters escaped."""
    dumped = json.dumps(line, ensure_ascii=False, allow_nan=False)
    # A log edited by hand may contain a lone surrogate, which cannot be encoded.
    encoded = dumped.encode("utf-8", "replace")
    return f"{inert(encoded)}\n".encode()


def game_line(record: GameRecord) -> Line:
    """Return a game's row in the table of games."""
    history = record.history
    events = history.events if history else []
    return {
        "game_id": record.game_id,
        "block": record.block,
        "game": record.game,
        "version": history.game_version if history else None,
        "seed": history.seed if history else record.seed,
        "status": record.status,
        "reason": record.reason,
        "entrants": [*record.entrants.values()],
        "rounds": len(history.rounds) if history else None,
        "began": events[0].timestamp if events else "",
        "ended": events[-1].timestamp if events else "",
        "cost": record.cost,
        "log_sha256": record.sha256,
    }


def seat_lines(record: GameRecord) -> Iterator[Line]:
    """Yield a row, in the form that ratings read, for each seat of a game that is over."""
    players = [*record.entrants]
    for row in record.rows:
        line = {column: row.get(column) for column in TABLES["seats"]}
        seat = int(row["seat"])
        line["player_id"] = players[seat - 1] if seat <= len(players) else None
        yield line


def event_lines(history: History, *, text: bool) -> Iterator[Line]:
    """Yield a row for each event; without `text`, players' words and thoughts are left out."""
    names = {*history.player_ids}
    for log in history.rounds:
        for event in log.events:
            line = _event_line(history, log.round_index, event)
            if not text:
                line |= dict.fromkeys(WORDS)
                line["data"] = facts_json(without_words(event.data, names))
            yield line


def _event_line(history: History, round_index: int, event: Event) -> Line:
    usage = event.usage
    return {
        "game_id": history.game_id,
        "index": event.index,
        "round": round_index,
        "kind": event.kind,
        "player_id": event.player_id,
        "content": event.content,
        "reasoning": event.reasoning,
        "visibility": [*event.visibility],
        "data": facts_json(event.data),
        "timestamp": event.timestamp,
        "fell_back": event.fell_back,
        "tokens": usage.prompt_tokens + usage.completion_tokens if usage else None,
        "cost": cost_of(history, event) if event.attempts else None,
    }


def facts_json(data: Mapping[str, Any]) -> str:
    """Return an event's facts as JSON text, so that the column has one type for all events."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def without_words(value: Any, names: set[str]) -> Any:
    """Return facts without texts that may be players' words; keep texts that are in `names`."""
    if isinstance(value, Mapping):
        return {key: without_words(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_words(part, names) for part in value]
    if isinstance(value, str) and value not in names:
        return None
    return value


def vote_lines(history: History) -> Iterator[Line]:
    """Yield a row for each ballot; a ballot that names no player is invalid.

    `candidates` is None if their order in the prompt is unknown. A voter has one row per round, and
    a second row marked `revote` if a tie led to another vote. To count each voter once, skip the
    revotes.
    """
    for log in history.rounds:
        for event in log.events:
            if event.kind != "vote" or "vote" not in event.data:
                continue
            choice = event.data["vote"]
            is_ordered = event.data.get("order_known", True)
            candidates = event.data.get("candidates")
            yield {
                "game_id": history.game_id,
                "round": log.round_index,
                "voter": event.player_id,
                "candidates": [*candidates] if candidates and is_ordered else None,
                "choice": choice,
                "valid": choice is not None and not event.fell_back,
                "jury": log.final_round,
                "revote": is_revote(event),
            }


def remove_parquet(folder: Path) -> None:
    """Remove an earlier export's Parquet tables, which would not match this export."""
    for table in TABLES:
        path = folder / f"{table}{PARQUET}"
        with writing(path):
            path.unlink(missing_ok=True)


def write_parquet(folder: Path, contents: Contents) -> None:
    """Write each table in `folder` as Parquet next to its JSON lines."""
    import duckdb

    settings = {"threads": 1, "autoinstall_known_extensions": False}
    with duckdb.connect(config=settings) as connection:
        for table, columns in TABLES.items():
            target = folder / f"{table}{PARQUET}"
            rows = connection.read_json(
                str(folder / f"{table}{PACKED}"),
                columns=dict(columns),
                format="newline_delimited",
                maximum_object_size=LONGEST_LINE,
            )
            rows.write_parquet(str(target), compression="zstd")
            contents.sizes[target.name] = target.stat().st_size
