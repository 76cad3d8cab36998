"""Records of the games to export from a tournament, an import or a folder of logs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.exchange.dataset.tables import GameRecord
from engine.exchange.intake import GAMES_FOLDER, ROWS
from engine.history import history_from_json
from engine.record.files import read_regular
from engine.runs.processes import spread
from engine.runs.seat_rows import status_of_game
from engine.spending.costs import costs, total_cost
from engine.spending.validity import void_words
from engine.tournaments.ledger import LedgerState, ledgers_in, read_ledgers
from engine.tournaments.plan.promise import plan_sentences
from engine.tournaments.play_game import Done
from engine.tournaments.row_cache import match_logs, rows_of_tournament
from engine.tournaments.schedule.draw import game_id_of
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.sources.plain_logs import (
    UNRATED,
    UNREADABLE,
    OneLog,
    entrant_names,
    named_rows,
    read_one_log,
)
from engine.tournaments.sources.row_files import read_lines
from engine.tournaments.standings.method import Method
from engine.tournaments.table import entrants_of

Rows = list[dict[str, Any]]
# The status of a scheduled game that has no result yet.
DRAWN = "drawn"


@dataclass(frozen=True, slots=True)
class ExportShelf:
    """The games to export.

    `facts` describe their source, and `terms` is the rating method as JSON.
    """

    name: str
    games: int
    facts: Mapping[str, str]
    records: Iterator[GameRecord]
    terms: str = ""
    title: str = ""
    license: str = ""


def shelf_of(word: str, logs_dir: Path) -> ExportShelf:
    """Return the games of a tournament or an import.

    `word` is the folder, or its name in `logs_dir`. Raises ValueError if that folder contains
    neither a tournament nor an import.
    """
    for folder in (logs_dir / word, Path(word)):
        if folder.is_dir() and ledgers_in(folder):
            return tournament_shelf(folder)
        if (folder / ROWS).is_file():
            return _import_shelf(folder)
    raise ValueError(
        f"expected a tournament in {logs_dir}, or the folder of one or of an import: got {word!r}; "
        "see uv run tournament.py list"
    )


def _import_shelf(folder: Path) -> ExportShelf:
    rows = rows_by_game(folder / ROWS)
    games = folder / GAMES_FOLDER
    logs = sorted(games.glob("*.json")) if games.is_dir() else []
    facts = {"imported into": folder.name}
    records = logged_records(logs, rows) if logs else bare_records(rows)
    return ExportShelf(folder.name, len(logs or rows), facts, records)


def tournament_shelf(folder: Path) -> ExportShelf:
    """Return a tournament's games, ordered by number."""
    state = read_ledgers(folder)
    settings = state.settings
    plan = plan_sentences(
        folder,
        settings,
        settings.targets,
        len(state.games_over()),
        stopped=state.stop is not None,
    )
    facts = {
        "tournament": settings.name,
        "settings": f"SHA-256 {settings.sha256}",
        "game": json.dumps(settings.public()["game"], sort_keys=True, default=str),
    }
    return ExportShelf(
        name=settings.name,
        games=len(state.draws),
        facts=facts,
        records=drawn_records(folder, state, settings),
        terms=replace(Method.of(settings), plan=plan).to_json(),
        title=settings.title,
        license=settings.license,
    )


def drawn_records(
    folder: Path, state: LedgerState, settings: TournamentSettings
) -> Iterator[GameRecord]:
    """Yield every scheduled game; raise LostLog if a finished game's log is missing or changed."""
    match_logs(folder, state, settings)
    over = rows_of_tournament(folder, state, settings)
    for draw in state.in_order():
        game_id = game_id_of(settings, draw.number)
        done = state.done.get(draw.number, Done(draw.number, "running"))
        log = folder / GAMES_FOLDER / f"{game_id}.json"
        yield GameRecord(
            game_id=game_id,
            block=draw.block,
            game=str(settings.game["name"]),
            status=done.status if draw.number in state.done else DRAWN,
            reason=done.reason,
            seed=draw.seed,
            cost=done.cost if done.sha256 else None,
            sha256=done.sha256,
            entrants=entrants_of(settings, draw),
            rows=over.get(draw.number, ()),
            history=history_from_json(read_regular(log)) if done.sha256 else None,
        )


def rows_by_game(path: Path) -> dict[str, Rows]:
    """Return the rows of a file, grouped by game."""
    by_game: dict[str, Rows] = {}
    for row in read_lines(path):
        by_game.setdefault(str(row.get("game_id")), []).append(row)
    return by_game


def logged_records(logs: Sequence[Path], rows: Mapping[str, Rows]) -> Iterator[GameRecord]:
    """Yield the games in imported logs."""
    for content in map(read_regular, logs):
        history = history_from_json(content)
        yield GameRecord(
            game_id=history.game_id,
            block=history.game_id,
            game=history.game,
            status=status_of_game(history),
            reason=history.reason or void_words(history),
            seed=history.seed,
            cost=total_cost(costs(history).values()),
            sha256=sha256(content).hexdigest(),
            entrants={seat.player_id: seat.model or seat.player_id for seat in history.players},
            rows=rows.get(history.game_id, ()),
            history=history,
        )


def bare_records(rows: Mapping[str, Rows]) -> Iterator[GameRecord]:
    """Yield games that have only rows and no logs."""
    for game_id, seats in rows.items():
        yield GameRecord(
            game_id=game_id,
            block=seats[0]["block"],
            game=seats[0]["game"],
            status="void" if seats[0].get("void") else "finished",
            entrants={f"seat {row['seat']}": row["entrant"] for row in seats},
            rows=seats,
        )


def logs_shelf(paths: Sequence[Path], name: str) -> ExportShelf:
    """Return the games in logs; a game has rows if a rating of the folder would include it."""
    read = zip(paths, spread(read_one_log, paths, label="reading logs"), strict=True)
    logs = {path: log for path, log in read if log.status != UNREADABLE}
    return ExportShelf(name, len(logs), {"logs of": name}, plain_records(logs))


def plain_records(logs: Mapping[Path, OneLog]) -> Iterator[GameRecord]:
    """Yield the games in logs one by one; games that are over have rows."""
    names = entrant_names([*logs.values()])
    for path, log in logs.items():
        (record,) = logged_records([path], {})
        entrants = {seat: names[identity] for seat, identity in log.identities.items()}
        rows = named_rows([log], names)
        yield replace(
            record,
            block=str(rows[0]["block"]) if rows else record.block,
            status=record.status if log.status == UNRATED else log.status,
            reason=log.reason,
            entrants=entrants or record.entrants,
            rows=rows,
        )
