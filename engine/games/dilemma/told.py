"""What the dilemma's transcript tells, as plain data."""

from typing import Any

from engine.games.dilemma.events import MatchPlayed, RoundOpening, RoundStanding
from engine.history import Event, payload_of


def facts_of_dilemma(event: Event) -> dict[str, Any]:
    """Return who is in and out, a game's moves and points, or a table and who is dropped.

    A game's line does not say which moves were flipped. Empty for other events, and for data that
    this version cannot read.
    """
    tell = TELLERS.get(event.kind)
    if tell is None:
        return {}
    try:
        return tell(event)
    except ValueError:
        return {}


def facts_of_opening(event: Event) -> dict[str, Any]:
    """Return who plays this round, and who left in which; nothing where nobody is told."""
    opening = payload_of(event, RoundOpening)
    return {"active": opening.active, "out": opening.out} if opening.active else {}


def facts_of_match(event: Event) -> dict[str, Any]:
    """Return the moves and the points of both."""
    match = payload_of(event, MatchPlayed)
    return {"moves": match.moves, "points": match.points}


def facts_of_standing(event: Event) -> dict[str, Any]:
    """Return the length of the games, the table and who is dropped."""
    standing = payload_of(event, RoundStanding)
    return {"moves": standing.moves, "table": standing.table, "dropped": standing.dropped}


TELLERS = {
    "narration": facts_of_opening,
    "match": facts_of_match,
    "standing": facts_of_standing,
}
