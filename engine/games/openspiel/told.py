"""What the transcript of a game of OpenSpiel tells, as plain data."""

from typing import Any

from engine.games.openspiel.record import Returns
from engine.history import Event, payload_of

TOLD = ("move", "forced", "chance")


def facts_of_game(event: Event) -> dict[str, Any]:
    """Return the move that an event tells, or what the game returned to each player."""
    if event.kind in TOLD:
        return {event.kind: event.content}
    if event.kind == "result":
        returns = payload_of(event, Returns).returns
        return {"returns": [float(f"{got:g}") for got in returns]}
    return {}
