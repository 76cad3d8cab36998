"""Frames: what a stream sends, each encoded once for all who have the same view of a game."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.history import Event
from engine.views.jsonl import event_line
from engine.views.perspective import EVERYTHING, event_in

# What a player's own view, and the public's, is not told.
UNTOLD = ("tokens", "cost", "retrying", "usage", "costs", "reason")
Data = Mapping[str, Any]
Told = Callable[[Event], Data]


@dataclass(frozen=True)
class StreamFrame:
    """One message of a stream: its kind, its data as one line of JSON, and an event's index.

    Kinds are hello, reset, event, question, status and end. Only an event has an `id`.
    """

    kind: str
    data: str
    id: int | None = None

    @cached_property
    def sse(self) -> bytes:
        """The frame as a server-sent event."""
        begin = "" if self.id is None else f"id: {self.id}\n"
        return f"{begin}event: {self.kind}\ndata: {self.data}\n\n".encode()

    @cached_property
    def message(self) -> str:
        """The frame as a message of a WebSocket: a JSON object with type, id and data."""
        index = "" if self.id is None else f'"id":{self.id},'
        return f'{{"type":"{self.kind}",{index}"data":{self.data}}}'


class ViewFrames:
    """A game's frames as one view has them; `told` is `Game.told` of the game."""

    def __init__(self, view: str, player_ids: Sequence[str], told: Told) -> None:
        self.view = view
        self.player_ids = player_ids
        self.told = told
        self.events: dict[int, StreamFrame | None] = {}
        self.last_status: StreamFrame | None = None
        self.status_number = 0

    def event(self, event: Event, round_index: int) -> StreamFrame | None:
        """Return an event's frame, None if the event is not in this view."""
        if event.index not in self.events:
            self.events[event.index] = self._encode(event, round_index)
        return self.events[event.index]

    def _encode(self, event: Event, round_index: int) -> StreamFrame | None:
        seen = event_in(event, self.view, self.player_ids)
        if seen is None:
            return None
        more: dict[str, Any] = {"round": round_index}
        told = self.told(event)
        if told:
            more["told"] = told
        # Two objects made into one.
        begin = event_line(seen).removesuffix("}")
        rest = as_json(more).removeprefix("{")
        return StreamFrame("event", f"{begin},{rest}", event.index)

    def status(self, number: int, data: Data) -> StreamFrame:
        """Return the frame of the status with this number."""
        if self.last_status is None or self.status_number != number:
            self.status_number = number
            self.last_status = self.plain("status", data)
        return self.last_status

    def plain(self, kind: str, data: Data) -> StreamFrame:
        """Return a frame without what this view is not told.

        Only the omniscient view is told of tokens and costs, and who of the others thinks.
        """
        if self.view == EVERYTHING:
            return plain_frame(kind, data)
        told = {name: None if name in UNTOLD else value for name, value in data.items()}
        if "thinking" in data:
            told["thinking"] = [self.view] if self.view in data["thinking"] else []
        return plain_frame(kind, told)


def plain_frame(kind: str, data: Data | None) -> StreamFrame:
    """Return a frame of any kind but an event's."""
    return StreamFrame(kind, as_json(data))


def as_json(data: Data | None) -> str:
    """Return data as one line of ASCII."""
    return json.dumps(data, separators=(",", ":"))
