"""What the checks read of a finished log, and how they word a breach."""

from collections.abc import Callable, Iterator
from typing import Any

from engine.history import Event, History, RoundLog, payload_of
from engine.round_phases import Ballot, Decision, Invitation

Check = Callable[[History], Iterator[str]]


def breach_at(event: Event, expected: str) -> str:
    """Return the sentence of a breach at one event."""
    return f"event {event.index}: expected {expected}"


def breach_in(log: RoundLog, expected: str) -> str:
    """Return the sentence of a breach in one round."""
    return f"round {log.round_index}: expected {expected}"


def ids_of(history: History) -> list[str]:
    """Return all players in seat order."""
    return [seat.player_id for seat in history.players]


def events_of(log: RoundLog, kind: str) -> list[Event]:
    """Return a round's events of one kind."""
    return [event for event in log.events if event.kind == kind]


def events_but_faults(log: RoundLog) -> list[Event]:
    """Return what happened in a round, without faults."""
    return [event for event in log.events if event.kind != "fault"]


def each_event(history: History, kind: str) -> Iterator[tuple[RoundLog, Event]]:
    """Yield every event of one kind with its round."""
    for log in history.rounds:
        for event in events_of(log, kind):
            yield log, event


def begins_sidebar(event: Event) -> bool:
    """Return whether an event is the invitation that begins a sidebar."""
    return "partner" in event.data


def ballot_of(event: Event) -> Ballot:
    """Return the data of a vote."""
    return payload_of(event, Ballot)


def decision_of(event: Event) -> Decision:
    """Return the data of a result."""
    return payload_of(event, Decision)


def invitation_of(event: Event) -> Invitation:
    """Return the data of a sidebar's invitation."""
    return payload_of(event, Invitation)


def setting_of(history: History, name: str) -> Any:
    """Return a setting of the game."""
    return history.config["game"][name]


def phases_in(history: History, round_index: int) -> list[str]:
    """Return the phases that the settings name for a round."""
    phases: dict[str, list[str]] = setting_of(history, "phases")
    begun = [first for first in phases if int(first) <= round_index]
    latest = max(begun, key=int)
    return phases[latest]


def writers_in(history: History, log: RoundLog) -> list[str]:
    """Return who must sum up a round."""
    if log.final_round:
        return []
    memory = setting_of(history, "memory")
    if memory == "summary":
        return ids_of(history)
    if isinstance(memory, str):
        return []

    names = setting_of(history, "names")
    writers = []
    for player_id in ids_of(history):
        name = names.get(player_id, player_id)
        if memory.get(name) == "summary":
            writers.append(player_id)
    return writers


def voters_in(log: RoundLog) -> list[str]:
    """Return who votes: the active players, or in the final the eliminated ones."""
    if log.final_round:
        return [*log.eliminated_player_ids]
    return [*log.active_player_ids]


def candidates_for(log: RoundLog, voter: str | None) -> list[str]:
    """Return whom `voter` may vote for: any active player but itself."""
    return [player_id for player_id in log.active_player_ids if player_id != voter]


def tally_of(log: RoundLog) -> dict[str, int]:
    """Return the votes of each active player, counted from the ballots."""
    votes = []
    for event in events_of(log, "vote"):
        votes.append(ballot_of(event).vote)
    return {player_id: votes.count(player_id) for player_id in log.active_player_ids}
