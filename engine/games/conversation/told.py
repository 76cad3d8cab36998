"""What a conversation's transcript tells, read back from its lines as plain data."""

import re
from typing import Any

from engine.games.conversation.rules import subjects_in
from engine.history import Event

ITEM = re.compile(
    r"(?P<name>.+?) \(importance (?P<importance>[01]\.\d\d)"
    r"(?:, your own bonus (?P<bonus>[01]\.\d\d))?\)(?:; )?"
)
PAUSE = re.compile(r"Nobody speaks: pause (\d+) ")
BEGIN, END = "Your items: ", ". Your ranking of the subjects"


def conversation_told(event: Event) -> dict[str, Any]:
    """Return an item that is spoken, a pause's place in its row, or all items that a player holds.

    Importance and bonus are rounded as the line has them.
    """
    spoken = ITEM.match(event.content)
    if event.kind == "speech" and spoken:
        return item_told(spoken)
    pause = PAUSE.match(event.content)
    if event.kind == "pause" and pause:
        return {"pause": int(pause[1])}
    if event.kind == "setup":
        listed = event.content.removeprefix(BEGIN)
        held, _, _ = listed.partition(END)
        bank = []
        for found in ITEM.finditer(held):
            item = item_told(found)
            bank.append(item)
        return {"bank": bank}
    return {}


def item_told(found: re.Match[str]) -> dict[str, Any]:
    """Return one item as a line tells it; only its owner is told the bonus."""
    told: dict[str, Any] = {
        "item": found["name"],
        "subjects": subjects_in(found["name"]),
        "importance": float(found["importance"]),
    }
    if found["bonus"]:
        told["bonus"] = float(found["bonus"])
    return told
