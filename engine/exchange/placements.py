"""Read games that have places but no events from JSON lines, one game per line.

Each line has this form, in which `seats` and `scores` are optional:
`{"game": id, "places": {name: place or null}, "seats": {name: number}, "scores": {name: number}}`.
A null place is unknown and ranks below all known places. Without `seats`, the seats are unknown,
because players may be listed by place.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.exchange.foreign import (
    MOST_SEATS,
    Line,
    excerpt,
    foreign_name,
    foreign_number,
    foreign_place,
    others_in,
)
from engine.exchange.game import ForeignGame, Format, Reading, plain_row, read_parts, refuse_fewer
from engine.exchange.pairs import share_block, table_lines

KNOWN = frozenset({"game", "places", "seats", "scores", "block"})


class Placements(Format):
    """JSON lines, one game per line."""

    name = "placements"
    about = "games with places"
    suffixes = (".jsonl", ".ndjson")

    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield a file's games; add invalid lines to the skips."""
        lines = table_lines(path, reading.skips)
        return read_parts(lines, game_of_places, reading, f"{path.name}, line")


def game_of_places(line: Line, game_id: str, reading: Reading) -> ForeignGame:
    """Return one game; raise ValueError if its places, seats or scores are invalid."""
    others_in(line, KNOWN, reading.unknown)
    places = by_name(line, "places")
    refuse_fewer(places, "places")
    scores = by_name(line, "scores")
    seats = told_seats(places, by_name(line, "seats"))
    rows = []
    for name in sorted(places, key=lambda name: seats[name] or 0):
        row = plain_row("placements", game_id, seats[name], name)
        row["place"] = foreign_place(places[name], f"the place of {name!r}")
        row["foreign_id"] = str(line.get("game", ""))[:200]
        score = scores.get(name)
        if score is not None:
            row["score"] = row["payoff"] = foreign_number(score, f"the score of {name!r}")
        rows.append(row)
    share_block(rows, line)
    return ForeignGame(game_id, rows)


def by_name(line: Line, what: str) -> Mapping[str, Any]:
    """Return values by player ({} if missing); raise ValueError if invalid or if a name repeats."""
    value = line.get(what) or {}
    if not isinstance(value, dict):
        raise ValueError(f"expected {what} by player: got {excerpt(value)}")
    named = {foreign_name(key, "a player"): part for key, part in value.items()}
    if len(named) != len(value) or len(named) > MOST_SEATS:
        raise ValueError(f"expected {what} to name each player once")
    return named


def told_seats(places: Mapping[str, Any], seats: Mapping[str, Any]) -> dict[str, int | None]:
    """Return each player's seat, counted from 1, or None for every player if `seats` is empty."""
    if not seats:
        return dict.fromkeys(places)
    by_player: dict[str, int | None] = {}
    for name in places:
        by_player[name] = foreign_place(seats.get(name), f"the seat of {name!r}")
        if by_player[name] is None:
            raise ValueError(f"expected a seat for each player: {name!r} has none")
    if len({*by_player.values()}) != len(by_player):
        raise ValueError("expected a different seat for each player")
    return by_player
