"""What the checks read of the log of an island."""

from engine.checks import events_of, ids_of, setting_of
from engine.history import Event, History, RoundLog, payload_of
from engine.round_payloads import Ballot, Decision, Invitation


def tells_as_before(history: History) -> bool:
    """Return whether a game is told as logs of version 1 are: no head of a round, no word of lots.

    Nobody could decline to take somebody aside either.
    """
    return history.version == 1


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


def phases_in(history: History, round_index: int) -> list[str]:
    """Return the phases that the settings name for a round."""
    phases: dict[str, list[str]] = setting_of(history, "phases")
    begun = [first for first in phases if int(first) <= round_index]
    latest = max(begun, key=int)
    return phases[latest]


def asks_questions(history: History) -> bool:
    """Return whether jurors question the finalists; older logs do not name the setting."""
    return history.config["game"].get("questions", False) is True


def debrief_questions(history: History) -> list[dict[str, str]]:
    """Return what is asked after the game; older logs do not name the setting."""
    return [*history.config["game"].get("debrief", ())]


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
