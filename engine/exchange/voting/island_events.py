"""The events of an Agent Island log: their kinds, readers, and votes."""

import re
from collections import Counter
from typing import Any

from engine.exchange.foreign import Line, foreign_number, mapping_in
from engine.exchange.game import count_answer, foreign_event, foreign_words
from engine.history import Event, History, RoundLog
from engine.round_phases.voting import most_in
from protocol.turn import Attempt
from providers import Usage

VOTE = re.compile(r"<vote>(.*?)</vote>", re.DOTALL | re.IGNORECASE)
CHOICES = re.compile(r"vote for one of the following players: \[([^\]\n]{0,4000})\]")
QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
# How the log marks a missing answer.
ERROR = "(error type:"
# The kinds of the players' events, by a word in the heading.
PLAYER_KINDS = {
    "Memory Consolidation": "summary",
    "Pitch": "pitch",
    "Vote": "vote",
    "Sidebar": "sidebar",
}
TOKENS = ("input_tokens", "completion_tokens", "reasoning_tokens")


def island_event(history: History, log: RoundLog, line: Line, selected: Any) -> Event:
    """Return a line's event; `selected` is the player that leaves or wins in this round."""
    players = history.player_ids
    named = str(line.get("role")).removeprefix("player ")
    player = named if named in players else None
    text, silent = foreign_words(line.get("content"))
    title, _ = foreign_words(line.get("heading"))
    heading = " ".join(title.split())[:200]
    kind = kind_by_heading(heading, player)
    readers = [name for name in names_listed(line.get("visibility")) if name in players]
    event = foreign_event(kind, heading, player, text, readers, index=history.next_index)
    if player is None:
        if event.kind == "result":
            event.data = result_data(log, selected)
        return event
    event.fell_back = silent or text.startswith(ERROR)
    reasoning, is_missing = foreign_words(line.get("reasoning"))
    event.reasoning = "" if is_missing else reasoning
    if event.kind == "vote":
        add_vote(event, log, line)
    event.usage = usage_told(mapping_in(line, "metadata"))
    event.attempts = (Attempt(event.content, usage=event.usage),)
    count_answer(history, event)
    return event


def names_listed(value: Any) -> list[str]:
    """Return the strings in a list, or [] for any other value."""
    listed = value if isinstance(value, list) else []
    return [name for name in listed if isinstance(name, str)]


def kind_by_heading(heading: str, player: str | None) -> str:
    """Return the kind of event that a heading indicates."""
    if player is None:
        return "result" if "Vote Results" in heading else "narration"
    return next((kind for word, kind in PLAYER_KINDS.items() if word in heading), "statement")


def add_vote(event: Event, log: RoundLog, line: Line) -> None:
    """Set an event's vote to the candidate in the metadata, or else in the last tag of the text."""
    candidates = candidates_in(line.get("prompt"), log, event.player_id)
    vote = mapping_in(line, "metadata").get("vote")
    if vote not in candidates:
        tags = VOTE.findall(event.content)
        vote = str(tags[-1]).strip() if tags else None
    if vote not in candidates:
        vote = None
    event.data = {"vote": vote, "candidates": candidates}
    event.fell_back = vote is None


def candidates_in(prompt: Any, log: RoundLog, voter: str | None) -> list[str]:
    """Return the voter's candidates, in the prompt's order if the prompt lists them."""
    legal = [player for player in log.active_player_ids if player != voter]
    match = CHOICES.search(prompt) if isinstance(prompt, str) else None
    if match is None:
        return legal
    listed = [single or double for single, double in QUOTED.findall(match[1])]
    return listed if sorted(listed) == sorted(legal) else legal


def result_data(log: RoundLog, selected: Any) -> dict[str, Any]:
    """Return a result's data: the selected player, the recounted votes, and whether votes tied."""
    votes = [event.data["vote"] for event in log.events if event.kind == "vote"]
    tally = Counter[str](vote for vote in votes if vote is not None)
    tied = most_in(tally)
    is_lot = len(tied) != 1
    if selected is None and not is_lot:
        selected = tied[0]
    if selected not in log.active_player_ids:
        selected = None
        is_lot = False
    return {"selected": selected, "tally": dict(tally), "lot": is_lot}


def usage_told(metadata: Line) -> Usage | None:
    """Return an answer's tokens and cost in dollars, or None if the log has neither."""
    counts = {key: int(foreign_number(metadata.get(key) or 0, key)) for key in TOKENS}
    cost = metadata.get("cost")
    if cost is None and not any(counts.values()):
        return None
    return Usage(
        prompt_tokens=counts["input_tokens"],
        completion_tokens=counts["completion_tokens"],
        reasoning_tokens=counts["reasoning_tokens"],
        cost=None if cost is None else foreign_number(cost, "cost"),
    )
