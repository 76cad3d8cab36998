"""The log of a game as JSON, look-ups for planting faults in it, and faults of any game."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from engine.history import History, history_from_json
from engine.runs.check import check_log
from tests.oracles.judge import broken_rules

Log = dict[str, Any]
Plant = Callable[[Log], None]


def events(log: Log, kind: str, round_index: int | None = None) -> Iterator[Log]:
    for one in log["rounds"]:
        if round_index in (None, one["round_index"]):
            yield from (event for event in one["events"] if event["kind"] == kind)


def first(log: Log, kind: str, round_index: int | None = None, *, asked: bool = False) -> Log:
    return next(event for event in events(log, kind, round_index) if not asked or event["prompt"])


def last(log: Log, kind: str, round_index: int | None = None, *, asked: bool = False) -> Log:
    return [event for event in events(log, kind, round_index) if not asked or event["prompt"]][-1]


def first_with(log: Log, kind: str, key: str, round_index: int | None = None) -> Log:
    return next(event for event in events(log, kind, round_index) if key in event["data"])


def first_answered(log: Log, kind: str) -> Log:
    said = [event for event in events(log, kind) if event["attempts"]]
    return next(event for event in said if not event["fell_back"])


def remove(log: Log, is_gone: Callable[[Log], object]) -> None:
    for one in log["rounds"]:
        one["events"] = [event for event in one["events"] if not is_gone(event)]


def give(event: Log, player_id: str, **more: Any) -> None:
    event.update(player_id=player_id, role=f"player {player_id}", **more)


def show_to_all(log: Log, event: Log) -> None:
    event["visibility"] = [seat["player_id"] for seat in log["players"]]


def put_into_question(log: Log, event: Log, words: str) -> None:
    """Add words to a question as if they were in the template; the fingerprint matches."""
    event["prompt"]["question"] += words
    event["prompt"]["sha256"] = recomputed(log, event["index"])


def events_of_two_games(log: Log) -> None:
    log["rounds"][1]["events"][0]["index"] += 1


def ended_early(log: Log) -> None:
    log["rounds"].pop()


def setup_shown_to_all(log: Log) -> None:
    show_to_all(log, first(log, "setup"))


def answers_counted_twice(log: Log) -> None:
    """As if the fallbacks of a void game were answers."""
    log["usage"][first(log, "fault")["player_id"]]["asks"] += 20


def summary_with_an_appendix(log: Log) -> None:
    log["outcome"]["summary"] += " Ada won."


def tampered(log: Log) -> History:
    """Return a changed log as a history, without its checksum."""
    return history_from_json(json.dumps(log | {"checksum": ""}))


def verdict(log: Log) -> str:
    """Return what the check finds in a changed log, or why it rejects it; "" if it is fair."""
    try:
        return check_log(tampered(log))
    except ValueError as error:
        return str(error)


def assert_caught(plant: Plant, fair: str, rule: str, words: str = "") -> None:
    """Assert that the check and a rule of the oracle find a fault planted in a log.

    The rule "" stands for a fault of form, which the check alone finds.
    """
    log = json.loads(fair)
    plant(log)
    assert verdict(log)
    if rule:
        breaches = broken_rules(tampered(log)).get(rule, [])
        assert any(words in breach for breach in breaches), breaches
        assert all("expected" in breach for breach in breaches)


def recomputed(log: Log, index: int) -> str:
    """Return the fingerprint of an event's prompt as it now is in the log."""
    history = tampered(log)
    prompt = history.prompt_of(history.events[index])
    assert prompt is not None
    return prompt.sha256
