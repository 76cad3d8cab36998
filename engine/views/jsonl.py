"""A game as lines of JSON for programs: one for each event, and one for the ending."""

from typing import Any

from pydantic import TypeAdapter

from engine.history import Event, History, inert
from engine.spending.costs import costs, total_cost
from engine.spending.validity import void_seats_words, void_words

EVENT = TypeAdapter(Event)
RESULT = TypeAdapter(dict[str, Any])


def event_line(event: Event) -> str:
    """Return an event as one line of JSON."""
    return inert(EVENT.dump_json(event))


def result_line(history: History) -> str:
    """Return a game's ending and usage as a line of JSON; costs are in dollars, null if unknown."""
    spent = costs(history)
    result = {
        "outcome": history.outcome,
        "log": history.game_id,
        "status": history.status,
        "void": void_words(history),
        "void_seats": void_seats_words(history),
        "usage": history.usage,
        "costs": spent,
        "cost": total_cost(spent.values()),
    }
    return inert(RESULT.dump_json(result))
