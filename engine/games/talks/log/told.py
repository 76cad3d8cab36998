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
    data = event.data
    facts: dict[str, Any] = {}
    if event.kind == "stop":
        for name in FIGURES:
            figure = data.get(name)
            if not isinstance(figure, int | float):
                figure = 0
            facts[name] = round(figure, 2)
        return facts

    if event.kind == "thesis":
        return {"position": event.content}
    if event.kind in HOSTED:
        return _facts_of_host(event)

    move: Any = data.get("move")
    target = data.get("target")
    line = move_line(move, target)
    if event.kind != "utterance" or event.heading != line:
        return {}
    facts["move"] = move
    if target:
        facts["target"] = target
    return facts


def _facts_of_host(event: Event) -> dict[str, Any]:
    """Return who leads, or which part of the host's words it is."""
    name = "part" if event.kind == "host" else "host"
    told = event.data.get(name)
    text = f"{event.heading} {event.content}"
    return {name: told} if told and str(told) in text else {}
