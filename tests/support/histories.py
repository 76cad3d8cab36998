"""Small handmade histories for tests that use finished records."""

from pathlib import Path
from typing import Any

from engine.history import (
    Event,
    History,
    Outcome,
    PlayerUsage,
    PromptRef,
    RoundLog,
    Seat,
    history_from_json,
)
from protocol.turn import Attempt
from providers import Usage

TRIO = ("Ada", "Ben", "Cleo")


def small_history(
    words: str = "the tides and the bread", *, players: tuple[str, ...] = TRIO
) -> History:
    """Return two rounds of three players with one of everything; the second player says `words`."""
    ada, ben, cleo = players
    seats = [
        Seat(ada, "openai", "some-model", "A patient diplomat.", {}, f"RULES You are {ada}."),
        Seat(ben, "scripted", "greedy", "Secretly a baker."),
        Seat(cleo, "human", ""),
    ]
    config = {"game": {"name": "parley", "length": 2}}
    history = History("parley", 1, "gameplay_20260101_120000_ab12", 7, config, seats)
    first, second = RoundLog(1, False, players, ()), RoundLog(2, True, (ada, ben), (cleo,))
    history.rounds = [first, second]
    add(history, first, "narration", "The game begins.", heading="Narration")
    for name, secret in ((ada, "You hold bees."), (ben, "You hold owls.")):
        heading = f"What {name} holds"
        add(history, first, "setup", secret, player_id=name, seen=(name,), heading=heading)
    then = {"then": "asked again"}
    add(history, first, "fault", "expected one JSON object", player_id=ada, seen=(), data=then)
    question = add(history, first, "proposal", "would speak of bees", player_id=ada, seen=())
    answered(question, "What now?", "Bees are safe.")
    add(history, first, "proposal", "would speak of owls", player_id=ben, seen=())
    score = {"score": {"importance": 0.5, "coherence": -1, "freshness": 0}, "private": 0.25}
    add(history, first, "speech", words, player_id=ben, heading=f"{ben} speaks", data=score)
    question = add(history, second, "proposal", "stays silent", player_id=ada, seen=())
    answered(question, "And now?", "Better silent.")
    question.fell_back = True
    add(history, second, "speech", "owls again", player_id=ben, data={"score": {"coherence": 2}})
    add(history, second, "result", f"{ben} wins.", heading="Result")
    history.outcome = Outcome(
        {ada: 2, ben: 1, cleo: 3},
        {ada: 0.5, ben: 1.25},
        {ben: {"spoke": 2}},
        {"shared": 1.5},
        f"{ben} wins by far.",
    )
    history.usage = {ada: PlayerUsage(2, 3, 1, Usage(900, 512, 40), 1.24), ben: PlayerUsage(2)}
    history.status = "finished"
    return history


def only_history(folder: Path) -> History:
    """Return the game whose log is the only one in a folder."""
    (log,) = folder.glob("*.json")
    return history_from_json(log.read_bytes())


def add(
    history: History,
    log: RoundLog,
    kind: str,
    content: str,
    *,
    player_id: str | None = None,
    seen: tuple[str, ...] | None = None,
    heading: str = "",
    data: dict[str, Any] | None = None,
) -> Event:
    """Append one event to `log`; by default all players see it."""
    role = f"player {player_id}" if player_id else "narrator"
    visibility = tuple(seat.player_id for seat in history.players) if seen is None else seen
    noon = "2026-01-01T12:00:00+00:00"
    place, heading = len(history.events), heading or kind
    event = Event(place, kind, heading, role, player_id, content, visibility, data or {}, noon)
    log.events.append(event)
    return event


def answered(event: Event, question: str, reasoning: str) -> None:
    event.prompt = PromptRef(event.index, question, "")
    event.reasoning = reasoning
    event.attempts = (Attempt('{"item": "bees"}', reasoning),)


def of_kind(history: History | RoundLog, *kinds: str) -> list[Event]:
    return [event for event in history.events if event.kind in kinds]
