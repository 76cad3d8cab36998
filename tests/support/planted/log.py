"""The log of a game as JSON, and look-ups for planting faults in it."""

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


def last(log: Log, kind: str) -> Log:
    return [*events(log, kind)][-1]


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
