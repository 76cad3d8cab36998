"""Shared code of all games' oracles: reading a finished log and wording a breach."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isclose
from typing import Any

from engine.history import Event, History, Outcome, PlayerUsage, RoundLog
from protocol.seats import seat_kind

Check = Callable[[History], Iterable[str]]
Checks = Mapping[str, Check]


def breach_at(event: Event, expected: str) -> str:
    """Return the sentence of a breach at one event."""
    return f"event {event.index}: expected {expected}"


def breach_in(log: RoundLog, expected: str) -> str:
    """Return the sentence of a breach in one round."""
    return f"round {log.round_index}: expected {expected}"


def ids_of(history: History) -> list[str]:
    """Return all players in seat order."""
    return [seat.player_id for seat in history.players]


def outcome_of(history: History) -> Outcome:
    """Return how the game ended; ValueError if the log does not say."""
    if history.outcome is None:
        raise ValueError("expected an outcome: got none")
    return history.outcome


def letters_in(text: str) -> str:
    """Return the letters and digits of a text alone, in small letters."""
    return "".join(filter(str.isalnum, text.casefold()))


def setting_of(history: History, name: str) -> Any:
    """Return a setting of the game."""
    return history.config["game"][name]


def events_of(log: RoundLog, kind: str) -> list[Event]:
    """Return a round's events of one kind."""
    return [event for event in log.events if event.kind == kind]


def events_but_faults(log: RoundLog) -> list[Event]:
    """Return the events of a round except faults."""
    return [event for event in log.events if event.kind != "fault"]


def each_event(history: History, kind: str) -> Iterator[tuple[RoundLog, Event]]:
    """Yield every event of one kind with its round."""
    for log in history.rounds:
        for event in events_of(log, kind):
            yield log, event


def check_numbers(history: History) -> Iterator[str]:
    """Check that the game is finished, with rounds counted from 1 and events from 0."""
    if history.status != "finished":
        yield f"expected a finished game: it is {history.status}"

    rounds = [log.round_index for log in history.rounds]
    if rounds != [*range(1, len(rounds) + 1)]:
        yield f"expected rounds 1 to {len(rounds)}: got {rounds}"
    yield from check_event_numbers(history)


def check_event_numbers(history: History) -> Iterator[str]:
    """Check that events are counted from 0 without gaps."""
    indices = [event.index for event in history.events]
    count = len(indices)
    if indices != [*range(count)]:
        yield f"expected events numbered from 0 to {count - 1}: got {indices}"


def check_roles(history: History) -> Iterator[str]:
    """Check that a player's events are shown as its own, and all others as the narrator's."""
    for event in history.events:
        role = f"player {event.player_id}" if event.player_id is not None else "narrator"
        if event.role != role:
            yield breach_at(event, f"the {event.kind} to be of the {role}: got {event.role}")


def check_usage(history: History) -> Iterator[str]:
    """Check how many questions each seat was asked and how many it did not answer."""
    asked: Counter[str | None] = Counter()
    lost: Counter[str | None] = Counter()
    for event in history.events:
        asked[event.player_id] += event.prompt is not None
        lost[event.player_id] += event.kind == "fault" and event.data.get("then") == "fallback"
    readers = readers_in(history)
    for name in ids_of(history):
        used = history.usage.get(name, PlayerUsage())
        if used.fallbacks != lost[name]:
            yield f"{name}: expected {lost[name]} fallbacks: got {used.fallbacks}"
        if name in readers and used.asks != asked[name]:
            yield f"{name}: expected {asked[name]} questions: got {used.asks}"


def check_prompts(*told: str) -> Check:
    """Return the check that models and people read exactly what they may see and are asked.

    `told` has the kinds of a player's events that are not answers, so they have no question.
    """

    def check(history: History) -> Iterator[str]:
        readers = readers_in(history)
        for event in history.events:
            answered = event.player_id in readers and event.kind not in {*told, "fault"}
            if answered and not is_prompt_kept(history, event):
                yield breach_at(event, f"{event.player_id} to read what it may see: it did not")

    return check


def is_prompt_kept(history: History, event: Event) -> bool:
    """Return whether the log reproduces the prompt that an event's player read."""
    prompt, kept = history.prompt_of(event), event.prompt
    return prompt is not None and kept is not None and prompt.sha256 == kept.sha256


def readers_in(history: History) -> set[str]:
    """Return the players who read prompts: models and people, not scripts.

    This does not depend on the system text of a seat: a log that lost that text must not pass.
    """
    return {seat.player_id for seat in history.players if seat_kind(seat.provider).asks != "nobody"}


def agree(found: object, due: object) -> bool:
    """Return whether two values are equal, with numbers compared except for their last digits."""
    if isinstance(found, Mapping) and isinstance(due, Mapping):
        return {*found} == {*due} and all(agree(found[name], due[name]) for name in due)
    if isinstance(found, list | tuple) and isinstance(due, list | tuple):
        return len(found) == len(due) and all(map(agree, found, due))
    if isinstance(found, float) and isinstance(due, float | int):
        return isclose(found, due, rel_tol=1e-12, abs_tol=1e-12)
    return found == due
