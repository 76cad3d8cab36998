"""Rows of games with known places, and their standings."""

from collections.abc import Sequence
from typing import Any

from engine.ratings import Results
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.rate import rated_standings
from engine.tournaments.standings.standings import GameCounts, Standings
from tests.support.placements import deal_orders

Row = dict[str, Any]


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
    return rated_standings(
        method, results, counts or GameCounts(None, {"finished": results.games}, {})
    )
