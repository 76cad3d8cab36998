"""The first difference between a log and its replay, in one sentence."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from engine.history import Event, History
from engine.history.log import adapter
from engine.record.files import read_json
from engine.views.jsonl import EVENT
from protocol.text import one_line

SHOWN = 60
# How many characters of two long texts are shown before the point where they differ.
BEFORE = 15
# An event's facts are compared before its wording.
EVENT_FIELDS = ("kind", "player_id", "data", "content")


class Place(NamedTuple):
    """Two values that differ, and the path of names that leads to them."""

    path: tuple[str, ...]
    logged: Any
    played: Any


def first_difference(log: History, played: History) -> str:
    """Return the first difference between a log and its replay, or "" if there is none."""
    for logged, again in zip_longest(log.events, played.events):
        if again is None:
            return f"{event_name(logged)}: the rules give no such event"
        if logged is None:
            return f"{event_name(again)}: the log has no such event"
        difference = event_difference(logged, again)
        if difference:
            return difference
    return difference_beside_events(log, played)


def event_difference(logged: Event, played: Event) -> str:
    """Return how a logged event differs from the replayed one, or "" if they are equal."""
    dumped = [EVENT.dump_json(event) for event in (logged, played)]
    if dumped[0] == dumped[1]:
        return ""
    logged_data, played_data = map(read_json, dumped)
    place = find_place(logged_data, played_data, EVENT_FIELDS)
    path = place.path[1:] if place.path[0] == "data" else place.path
    names = [] if path == (logged.kind,) else [".".join(path)]
    return difference_sentence([event_name(logged), *names], place)


def difference_beside_events(log: History, played: History) -> str:
    """Return the first difference outside a log's events, or "" if there is none."""
    if log.to_json() == played.to_json():
        return ""
    for number, (logged, again) in enumerate(zip(log.rounds, played.rounds, strict=False), 1):
        counts = [len(each.events) for each in (logged, again)]
        if counts[0] != counts[1]:
            return difference_sentence([f"round {number}", "events"], Place((), *counts))
    order = ("rounds", "players", "outcome")
    place = find_place(without_events(log), without_events(played), order)
    part, *names = place.path
    if part == "players" and names:
        part = f"seat of {log.players[int(names.pop(0))].player_id}"
    elif part == "rounds" and names:
        part = f"round {int(names.pop(0)) + 1}"
    return difference_sentence([part, ".".join(names)], place)


def without_events(history: History) -> Any:
    """Return a history as plain data, without its events and its checksum."""
    rounds = [replace(round_log, events=[]) for round_log in history.rounds]
    return read_json(adapter().dump_json(replace(history, rounds=rounds, checksum="")))


def event_name(event: Event) -> str:
    """Return an event's name for use in a sentence, such as "event 41, vote of Ada"."""
    by = f" of {bare(event.player_id)}" if event.player_id else ""
    return f"event {event.index}, {bare(event.kind)}{by}"


def find_place(logged: Any, played: Any, first: Iterable[str] = ()) -> Place:
    """Return the first difference, at its deepest level; fields in `first` are compared first."""
    for name, from_log, replayed in _parts_of(logged, played, first):
        if differ(from_log, replayed):
            inner = find_place(from_log, replayed)
            return inner._replace(path=(name, *inner.path))
    if isinstance(logged, dict) and isinstance(played, dict):
        # Only the order of the fields differs.
        return Place((), [*logged], [*played])
    return Place((), logged, played)


def _parts_of(logged: Any, played: Any, first: Iterable[str]) -> Iterator[tuple[str, Any, Any]]:
    """Yield each part of two objects or two long lists: its name or number, and both values."""
    if isinstance(logged, dict) and isinstance(played, dict):
        for name in dict.fromkeys((*first, *logged, *played)):
            yield name, logged.get(name), played.get(name)
    elif isinstance(logged, list) and isinstance(played, list) and is_long(logged, played):
        for number, items in enumerate(zip(logged, played, strict=False)):
            yield str(number), *items


def differ(logged: Any, played: Any) -> bool:
    """Return whether two plain values differ as JSON: 1 differs from 1.0 and from true."""
    return json.dumps(logged) != json.dumps(played)


def is_long(logged: list[Any], played: list[Any]) -> bool:
    """Return whether two lists are too long, or too deeply nested, to show in full."""
    return any(isinstance(item, dict | list) for item in [*logged, *played]) or any(
        len(value_in_words(values)) > SHOWN for values in (logged, played)
    )


def difference_sentence(names: Iterable[str], place: Place) -> str:
    """Return a sentence that compares the value in the log with the value in the replay."""
    where = ", ".join(bare(name, 2 * SHOWN) for name in names if name)
    has, gives = value_in_words(place.logged), value_in_words(place.played)
    if has == gives:
        has, gives = json.dumps(place.logged), json.dumps(place.played)
    begin = 0
    if max(len(has), len(gives)) > SHOWN:
        # The common beginning of long texts is left out, except for its last characters.
        begin = max(0, shared_length(has, gives) - BEFORE)
    return (
        f"{where}: the log has {cut_around(has, begin)}, the rules give {cut_around(gives, begin)}"
    )


def shared_length(first: str, second: str) -> int:
    """Return the number of characters that two texts share from the beginning."""
    pairs = zip(first, second, strict=False)
    apart = (place for place, (one_letter, other) in enumerate(pairs) if one_letter != other)
    return next(apart, min(len(first), len(second)))


def value_in_words(value: Any) -> str:
    """Return a plain value as text for a sentence."""
    if value is None or value in ("", [], {}):
        return "nothing"
    if isinstance(value, list):
        return ", ".join(map(value_in_words, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cut_around(words: str, begin: int) -> str:
    """Return at most SHOWN characters of `words`, starting at `begin`, on one line."""
    part = words[begin : begin + SHOWN]
    left = "…" if begin else ""
    right = "…" if len(words) > begin + SHOWN else ""
    return f"{left}{bare(part)}{right}"


def bare(words: str, most: int = SHOWN) -> str:
    """Return text from a log on one line, without terminal control characters."""
    return one_line(words)[:most]
