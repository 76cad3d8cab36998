"""Frames: the messages of a stream. A frame is encoded once for all viewers of its view."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from engine.history import Event
from engine.views.jsonl import event_line
from engine.views.perspective import EVERYTHING, ViewEvents
from protocol.answer import Plain

# Fields that are null in all but the omniscient view.
HIDDEN = ("tokens", "cost", "retrying", "elapsed", "usage", "costs", "reason")
Data = Mapping[str, Any]
FactsOf = Callable[[Event], Data]


@dataclass(frozen=True)
class StreamFrame:
    """One message of a stream; `data` is one line of JSON.

    Kinds are hello, reset, event, question, status and end. Only events have an `id`: the view and
    the event's number in it, such as "Ada:17".
    """

    kind: str
    data: str
    id: str | None = None

    @cached_property
    def sse(self) -> bytes:
        """The frame as a server-sent event."""
        begin = "" if self.id is None else f"id: {self.id}\n"
        return f"{begin}event: {self.kind}\ndata: {self.data}\n\n".encode()

    @cached_property
    def message(self) -> str:
        """The frame as a WebSocket message: a JSON object with type, id and data."""
        index = "" if self.id is None else f'"id":"{self.id}",'
        return f'{{"type":"{self.kind}",{index}"data":{self.data}}}'


class ViewFrames:
    """A game's frames in one view; `facts_of` returns an event's facts."""

    def __init__(self, view: str, player_ids: Sequence[str], facts_of: FactsOf) -> None:
        self.view = view
        self.facts_of = facts_of
        self.seen = ViewEvents(view, player_ids)
        self._rounds: list[int] = []
        self._frames: dict[int, StreamFrame] = {}
        self._status = plain_frame("status", {})
        self._status_number = 0

    def add(self, event: Event, round_index: int) -> None:
        """Add the game's next event if this view sees it."""
        if self.seen.add(event):
            self._rounds.append(round_index)

    def events(self, first: int, most: int) -> list[StreamFrame]:
        """Return the frames of up to `most` events, beginning at index `first` in this view."""
        places = range(first, min(first + most, len(self.seen)))
        for place in places:
            if place not in self._frames:
                self._frames[place] = self._encode(place)
        return [self._frames[place] for place in places]

    def _encode(self, place: int) -> StreamFrame:
        more: Plain = {"round": self._rounds[place]}
        facts = self.facts_of(self.seen.logged[place])
        if facts:
            more["facts"] = facts
        # Merge the two JSON objects.
        seen = self.seen.event(place)
        if self.view != EVERYTHING:
            seen = replace(seen, prompt=None, attempts=())
        begin = event_line(seen).removesuffix("}")
        rest = as_json(more).removeprefix("{")
        cursor = cursor_of(self.view, self.seen.number(place))
        return StreamFrame("event", f"{begin},{rest}", cursor)

    def status(self, number: int, data: Data) -> StreamFrame:
        """Return the frame of status `number`, which counts from 1."""
        if self._status_number != number:
            self._status_number = number
            self._status = self.plain("status", data)
        return self._status

    def plain(self, kind: str, data: Data) -> StreamFrame:
        """Return a frame; in all but the omniscient view, its HIDDEN values are null."""
        if self.view == EVERYTHING:
            return plain_frame(kind, data)
        visible = {name: None if name in HIDDEN else value for name, value in data.items()}
        if "thinking" in data:
            visible["thinking"] = [self.view] if self.view in data["thinking"] else []
        return plain_frame(kind, visible)


def cursor_of(view: str, number: int) -> str:
    """Return an event's cursor: the view and the event's number in it.

    >>> cursor_of("Ada", 17), cursor_of("*", 17), cursor_of("", 17), cursor_of("Zoë: A", 17)
    ('Ada:17', '*:17', 'public:17', 'Zo%C3%AB%3A%20A:17')
    """
    return f"{quote(view or 'public', safe='*')}:{number}"


def plain_frame(kind: str, data: Data | None) -> StreamFrame:
    """Return a frame of any kind except event, without a cursor."""
    return StreamFrame(kind, as_json(data))


def as_json(data: Data | None) -> str:
    """Return data as one line of ASCII JSON."""
    return json.dumps(data, separators=(",", ":"))
