"""What the texts of a talk's events tell: its board is drawn from that."""

from typing import Any

from engine.games.talks.log.events import move_line
from engine.history import Event

FIGURES = ("exchanges", "aspects", "convergence")
HOSTED = ("narration", "host")


def facts_of_talk(event: Event) -> dict[str, Any]:
    """Return what an event's line and heading tell, the data that it is read from left aside.

    - the opening: the `host`, if there is one
    - a host's words: which `part` they are
    - a thesis: the `position`
    - an utterance: its `move`, and its `target` if it is made towards somebody
    - the end: how many `exchanges` and `aspects` there were, and the `convergence`, 0 to 1
    """
    if event.kind == "stop":
        return _facts_of_end(event)
    if event.kind == "thesis":
        return {"position": event.content}
    if event.kind in HOSTED:
        return _facts_of_host(event)
    if event.kind == "utterance":
        return _facts_of_utterance(event)
    return {}


def _facts_of_end(event: Event) -> dict[str, Any]:
    """Return the figures with which a talk ends."""
    facts = {}
    for name in FIGURES:
        figure = event.data.get(name)
        if not isinstance(figure, int | float):
            figure = 0
        facts[name] = round(figure, 2)
    return facts


def _facts_of_utterance(event: Event) -> dict[str, Any]:
    """Return the move of an utterance, and its target, where the heading says so."""
    move: Any = event.data.get("move")
    target = event.data.get("target")
    if event.heading != move_line(move, target):
        return {}
    facts = {"move": move}
    if target:
        facts["target"] = target
    return facts


def _facts_of_host(event: Event) -> dict[str, Any]:
    """Return who leads, or which part of the host's words it is."""
    name = "part" if event.kind == "host" else "host"
    told = event.data.get(name)
    text = f"{event.heading} {event.content}"
    return {name: told} if told and str(told) in text else {}
