"""What the dilemma's transcript tells, as plain data."""

from typing import Any

from engine.games.dilemma.events import PAYLOADS, RoundOpening
from engine.history import Event, payload_of

# The fields of an event's data that its line tells.
FACTS = {
    "narration": ("active", "out"),
    "match": ("moves", "points"),
    "standing": ("moves", "table", "dropped"),
}


def facts_of_dilemma(event: Event) -> dict[str, Any]:
    """Return who is in and out, a game's moves and points, or a table and who is dropped.

    A game's line does not say which moves were flipped. Empty for other events, for an opening that
    tells nobody who plays, and for data that this version cannot read.
    """
    if event.kind not in FACTS:
        return {}
    try:
        data: Any = payload_of(event, PAYLOADS[event.kind])
    except ValueError:
        return {}
    if isinstance(data, RoundOpening) and not data.active:
        return {}
    return {name: getattr(data, name) for name in FACTS[event.kind]}
