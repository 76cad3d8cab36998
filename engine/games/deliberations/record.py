"""A finished log as plain data, as far as the checker reads it."""

from collections.abc import Callable, Iterator
from typing import Any, TypedDict


class Event(TypedDict):
    """One thing that happened."""

    index: int
    kind: str
    role: str
    player_id: str | None
    content: str
    visibility: list[str]
    data: dict[str, Any]
    prompt: dict[str, Any] | None
    reasoning: str
    attempts: list[dict[str, Any]]
    fell_back: bool


class Round(TypedDict):
    """One round."""

    round_index: int
    final_round: bool
    active_player_ids: list[str]
    eliminated_player_ids: list[str]
    events: list[Event]


class Prompt(TypedDict):
    """What a player was asked, as the log gives it back."""

    system: str
    transcript: str
    question: str
    sha256: str


class Log(TypedDict):
    """A whole game; `prompts` stand by the index of their event."""

    status: str
    seed: int
    config: dict[str, Any]
    players: list[dict[str, Any]]
    rounds: list[Round]
    outcome: dict[str, Any] | None
    prompts: dict[int, Prompt]


Check = Callable[[Log], Iterator[str]]


def ids(log: Log) -> list[str]:
    """Return all players in seat order."""
    return [seat["player_id"] for seat in log["players"]]


def of_kind(log: Round, kind: str) -> list[Event]:
    """Return a round's events of one kind."""
    return [event for event in log["events"] if event["kind"] == kind]


def told(log: Round) -> list[Event]:
    """Return what happened in a round, faults apart."""
    return [event for event in log["events"] if event["kind"] != "fault"]


def each(log: Log, kind: str) -> Iterator[tuple[Round, Event]]:
    """Yield every event of one kind with its round."""
    for one in log["rounds"]:
        for event in of_kind(one, kind):
            yield one, event


def setting(log: Log, name: str) -> Any:
    """Return a setting of the game."""
    return log["config"]["game"][name]


def phases_of(log: Log, round_index: int) -> list[str]:
    """Return the phases that the settings name for a round."""
    phases: dict[str, list[str]] = setting(log, "phases")
    return phases[max((begin for begin in phases if int(begin) <= round_index), key=int)]


def writers(log: Log, one: Round) -> list[str]:
    """Return who is to sum up a round."""
    memory, names = setting(log, "memory"), setting(log, "names")
    if one["final_round"]:
        return []
    if isinstance(memory, str):
        return ids(log) if memory == "summary" else []
    return [
        player_id
        for player_id in ids(log)
        if memory.get(names.get(player_id, player_id)) == "summary"
    ]


def voters(one: Round) -> list[str]:
    """Return who votes: the active players, in the final the eliminated ones."""
    return one["eliminated_player_ids" if one["final_round"] else "active_player_ids"]


def candidates(one: Round, voter: str | None) -> list[str]:
    """Return for whom `voter` may vote: any active player but itself."""
    return [player_id for player_id in one["active_player_ids"] if player_id != voter]
