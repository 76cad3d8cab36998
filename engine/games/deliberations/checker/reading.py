"""What the checks read of the log of an island."""

from collections.abc import Mapping

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


def others_in_game(log: RoundLog, player_id: str | None) -> list[str]:
    """Return the active players but one."""
    return [other for other in log.active_player_ids if other != player_id]


def standing_in(log: RoundLog) -> list[str]:
    """Return who can be voted for: the active players, but who is immune."""
    standing = [*log.active_player_ids]
    for event in events_of(log, "narration"):
        immune = event.data.get("immune")
        if immune in standing:
            standing.remove(immune)
    return standing


def candidates_for(log: RoundLog, voter: str | None, *, revote: bool = False) -> list[str]:
    """Return whom `voter` may vote for: anybody but itself who can be, or is tied, in a revote."""
    standing = tied_first(log) if revote else standing_in(log)
    return [player_id for player_id in standing if player_id != voter]


def votes_in(log: RoundLog, *, revote: bool = False) -> list[Event]:
    """Return the first ballots of a round, or those of its revote."""
    return [event for event in events_of(log, "vote") if ballot_of(event).revote is revote]


def tally_of(log: RoundLog) -> dict[str, int]:
    """Return the votes of each candidate, counted from the first ballots."""
    return count_again(votes_in(log), standing_in(log))


def revote_of(log: RoundLog) -> dict[str, int]:
    """Return the votes of each who was tied, counted from the ballots of the revote."""
    return count_again(votes_in(log, revote=True), tied_first(log))


def count_again(events: list[Event], standing: list[str]) -> dict[str, int]:
    """Return the votes of each of those standing, counted from ballots."""
    votes = [ballot_of(event).vote for event in events]
    return {player_id: votes.count(player_id) for player_id in standing}


def tied_first(log: RoundLog) -> list[str]:
    """Return who has the most votes by the first ballots."""
    return with_most(tally_of(log))


def with_most(tally: Mapping[str, int]) -> list[str]:
    """Return who has the most votes of a tally."""
    most = max(tally.values(), default=0)
    return [player_id for player_id, votes in tally.items() if votes == most]


def votes_again(history: History, log: RoundLog) -> bool:
    """Return whether a round must have a revote: the settings want one, and several are tied."""
    ties = history.config["game"].get("ties", "lot")
    return ties == "revote" and len(tied_first(log)) > 1


def has_last_words(history: History, log: RoundLog) -> bool:
    """Return whether who leaves in a round must speak once more."""
    return bool(history.config["game"].get("last_words")) and not log.final_round
