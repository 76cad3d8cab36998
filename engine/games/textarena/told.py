"""What the transcript of a game of TextArena tells, as plain data."""

from typing import Any

from engine.games.textarena.library.environment import TextEnding
from engine.history import Event, payload_of


def facts_of_text(event: Event) -> dict[str, Any]:
    """Return the words of a move, or what the game paid to each player."""
    if event.kind == "move":
        return {"move": event.content}
    if event.kind == "result":
        rewards = payload_of(event, TextEnding).rewards
        return {"rewards": [float(f"{paid:g}") for paid in rewards]}
    return {}
