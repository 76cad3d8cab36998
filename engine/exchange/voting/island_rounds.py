"""The rounds of an Agent Island log, and the events that players' summaries replace.

The log's lists of players are shared between rounds, so they show the state at the end of the game.
Each round's active and eliminated players are therefore recomputed.
"""

from typing import Any

from engine.exchange.foreign import Line, excerpt, mapping_in, others_in
from engine.exchange.game import Reading, foreign_event, foreign_words
from engine.exchange.voting.island_events import island_event, names_listed, result_data
from engine.history import Event, History, RoundLog

ROUND = frozenset({"round_index", "final_round", "active_player_ids", "eliminated_player_ids"})
RESULT = frozenset({"vote_tally", "selected_player", "events"})
TEXTS = frozenset({"heading", "role", "prompt", "content", "reasoning"})
EVENT = TEXTS | {"visibility", "active_visibility", "metadata"}
FINALISTS = 2


def island_round(history: History, number: int, record: Line, reading: Reading) -> None:
    """Read one round; its active players follow from the selections in earlier rounds."""
    others_in(record, ROUND | RESULT, reading.unknown)
    log = new_round(history, number)
    history.rounds.append(log)
    selected = record.get("selected_player")
    minds: list[set[str]] = []
    for line in _lines_in(record.get("events"), number):
        event = island_event(history, log, line, selected)
        if event.kind == "summary":
            event.data["replaces"] = events_forgotten(event, log, minds)
        others = others_in(line, EVENT, reading.unknown)
        if others:
            event.data["others"] = others
        log.events.append(event)
        mind = line.get("active_visibility", [*event.visibility])
        minds.append(set(names_listed(mind)))
    add_result(history, log, selected)


def _lines_in(events: Any, number: int) -> list[Line]:
    if not isinstance(events, list):
        raise ValueError(f"round {number}: expected a list of events: got {excerpt(events)}")
    for event_line in events:
        if not isinstance(event_line, dict):
            raise ValueError(f"round {number}: expected an event: got {excerpt(event_line)}")
    return events


def new_round(history: History, number: int) -> RoundLog:
    """Return a new round; its active players are those not selected in earlier rounds."""
    named = [event.data["selected"] for event in history.events if event.kind == "result"]
    gone = tuple(player_id for player_id in named if player_id is not None)
    ids = history.player_ids
    active = tuple(player_id for player_id in ids if player_id not in gone)
    return RoundLog(number, len(active) <= FINALISTS, active, gone)


def events_forgotten(summary: Event, log: RoundLog, minds: list[set[str]]) -> list[int] | None:
    """Return the first and last index of the events that the player has forgotten, or None.

    The player is the author of `summary`. For each event, `minds` contains the players that still
    remember it.
    """
    player = summary.player_id
    pairs = zip(log.events, minds, strict=True)
    forgotten = [
        event.index for event, mind in pairs if player in event.visibility and player not in mind
    ]
    return [forgotten[0], forgotten[-1]] if forgotten else None


def add_result(history: History, log: RoundLog, selected: Any) -> None:
    """Add a round's result if the narrator does not announce it."""
    if any(event.kind == "result" for event in log.events):
        return
    data = result_data(log, selected)
    if data["selected"] is None:
        return
    everybody = history.player_ids
    sentence = f"{data['selected']} is selected."
    event = foreign_event("result", "Result", None, sentence, everybody, index=history.next_index)
    event.data = data
    log.events.append(event)


def add_summaries(history: History, log: RoundLog, memory: Any) -> None:
    """Record the players' summaries of a round, which older engines stored outside the rounds."""
    for seat in history.players:
        mind = mapping_in(memory, seat.player_id)
        words = mapping_in(mind, "summaries").get(str(log.round_index))
        if words is not None:
            log.events.append(older_summary(history, log, seat.player_id, words))


def older_summary(history: History, log: RoundLog, player: str, words: Any) -> Event:
    """Return a summary that replaces, in its player's memory, all events seen in the round."""
    text, silent = foreign_words(words)
    seen = [event.index for event in log.events if player in event.visibility]
    heading = f"Player {player}'s Memory Consolidation"
    event = foreign_event("summary", heading, player, text, [player], index=history.next_index)
    event.data = {"replaces": [seen[0], seen[-1]] if seen else None}
    event.fell_back = silent
    return event
