"""Rows of games with known places, and their standings."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tournament
from engine.ratings import Results
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.rate import rated_standings
from engine.tournaments.standings.standings import GameCounts, Standings
from tests.support.placements import deal_orders

Row = dict[str, Any]


def rate(*words: object) -> int:
    """Run the command that rates a tournament or rows; return its exit code."""
    return tournament.main(["rate", *map(str, words)])


def rows_in(path: Path) -> list[Row]:
    """Return the rows of a file in JSON lines, which may be packed."""
    content = path.read_bytes()
    lines = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in lines.splitlines()]


def lines_of(rows: Iterable[Row]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def game_rows(number: int, *places: tuple[str, int | None], **more: Any) -> list[Row]:
    """Return the rows of a game: its entrants in seat order, with their places."""
    rows = []
    for seat, (entrant, place) in enumerate(places, 1):
        row = {
            "game_id": f"cup_{number:06}",
            "game": "deliberations",
            "seat": seat,
            "entrant": entrant,
            "place": place,
            "asks": 10,
            "fallbacks": 0,
            "provider": "scripted",
            "model": entrant.lower(),
            "cost": 0.25,
            "tokens": 100,
        }
        rows.append(row | more)
    return rows


def duels(one: str, other: str, wins: int, losses: int, first: int = 0, **more: Any) -> list[Row]:
    """Return the rows of games of two: first those that `one` won, then those that it lost."""
    rows = []
    for number in range(wins + losses):
        won = number < wins
        rows += game_rows(first + number, (one, 2 - won), (other, 1 + won), **more)
    return rows


def dealt_rows(games: int = 60) -> list[Row]:
    """Return games of five entrants at tables of three; the later the name, the stronger."""
    rows = []
    for row in deal_orders(5, 3, games, 1.0, seed=4):
        rows.append({"game": "deliberations", "provider": "scripted", "asks": 4, **row})
    return rows


def standings_from(
    rows: Sequence[Row], counts: GameCounts | None = None, **terms: Any
) -> Standings:
    """Return the standings of rows, rated by places unless told otherwise."""
    results = Results.from_rows(rows)
    method = Method(**({"name": "cup", "game": "deliberations", "targets": ("places",)} | terms))
    finished = GameCounts(None, {"finished": results.games}, {})
    return rated_standings(method, results, counts or finished)
