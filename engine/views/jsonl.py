"""A game as lines of JSON, for programs that read along: one for each event, and one for how it ended."""

from typing import Any

from pydantic import TypeAdapter

from engine.history import Event, History, inert
from engine.spending.costs import costs, total

EVENT = TypeAdapter(Event)
RESULT = TypeAdapter(dict[str, Any])


def event_line(event: Event) -> str:
    """Return an event as one line."""
    return inert(EVENT.dump_json(event))


def result_line(history: History) -> str:
    """Return how a game ended and what it took as one line; costs are in dollars, null where unknown."""
    spent = costs(history)
    told = {
        "outcome": history.outcome,
        "log": history.game_id,
        "status": history.status,
        "usage": history.usage,
    }
    return inert(RESULT.dump_json(told | {"costs": spent, "cost": total(spent)}))
