"""The facts in a conversation's transcript, parsed from its lines into plain data."""

import re
from typing import Any

from engine.games.conversation.rules import subjects_in
from engine.history import Event

# The text after an item's name. The name ends where this text begins, so parsing takes linear time
# for any line.
WORTH = re.compile(
    r" \(importance (?P<importance>[01]\.\d\d)"
    r"(?:, your own bonus (?P<bonus>[01]\.\d\d))?\)(?:; )?"
)
PAUSE = re.compile(r"No player speaks: pause (\d{1,9}) ")
BEGIN, END = "Your items: ", ". Your ranking of the subjects"


def facts_of_conversation(event: Event) -> dict[str, Any]:
    """Return the facts of a speech, a pause or a setup; numbers are rounded as in the text."""
    line = event.content
    if event.kind == "speech":
        spoken = WORTH.search(line)
        return facts_of_item(line[: spoken.start()], spoken) if spoken else {}
    pause = PAUSE.match(line)
    if event.kind == "pause" and pause:
        return {"pause": int(pause[1])}
    if event.kind == "setup":
        held, _, _ = line.removeprefix(BEGIN).partition(END)
        return {"bank": _bank_facts(held)}
    return {}


def _bank_facts(held: str) -> list[dict[str, Any]]:
    bank = []
    begin = 0
    for worth in WORTH.finditer(held):
        bank.append(facts_of_item(held[begin : worth.start()], worth))
        begin = worth.end()
    return bank


def facts_of_item(name: str, worth: re.Match[str]) -> dict[str, Any]:
    """Return the facts about one item, including its bonus if the text shows one."""
    facts: dict[str, Any] = {
        "item": name,
        "subjects": subjects_in(name),
        "importance": float(worth["importance"]),
    }
    if worth["bonus"]:
        facts["bonus"] = float(worth["bonus"])
    return facts
