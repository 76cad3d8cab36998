"""The frames of one game, by point of view: encoded once, and shared by all who watch.

A view is named by one text: "" is the public's, "*" the omniscient one, else that of the player of
this id. A watcher is a place in the list of events, so a slow one holds no memory. All of a Feed
belongs to the event loop it was made in, but for `post`, which any thread may call.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.history import Event
from engine.views.perspective import PUBLIC

SILENCE = 15.0
STATUS_PAUSE = 0.25
MOST_AT_ONCE = 100
# What a player's own view, and the public's, is not told of a game under way.
UNTOLD = ("tokens", "cost", "retrying", "usage", "costs")
Told = Callable[[Event], Mapping[str, Any]]


@dataclass(frozen=True)
class Frame:
    """One message of a stream: its kind, its data as one line of JSON, and an event's index.

    Kinds are hello, reset, event, question, status and end. Only an event has an `id`.
    """

    kind: str
    data: str
    id: int | None = None

    @cached_property
    def sse(self) -> bytes:
        """The frame as a server-sent event."""
        numbered = "" if self.id is None else f"id: {self.id}\n"
        return f"{numbered}event: {self.kind}\ndata: {self.data}\n\n".encode()

    @cached_property
    def message(self) -> str:
        """The frame as a message of a WebSocket: a JSON object with type, id and data."""
        numbered = "" if self.id is None else f'"id":{self.id},'
        return f'{{"type":"{self.kind}",{numbered}"data":{self.data}}}'


class Feed:
    """What those who watch one game are sent."""

    def __init__(self, name: str, game: str, player_ids: Sequence[str], told: Told) -> None:
        """Begin the feed of the game `name`; `told` is `Game.told` of the game it plays."""

    @property
    def watchers(self) -> int:
        """How many follow right now."""
        raise NotImplementedError

    def post(self, event: Event, round_index: int) -> None:
        """Append an event soon; any thread may call it."""
        raise NotImplementedError

    def append(self, event: Event, round_index: int) -> None:
        """Add an event; one whose index is there already is the same one again, and left out."""
        raise NotImplementedError

    def status(self, data: Mapping[str, Any]) -> None:
        """Tell how the game stands, at most four times a second.

        Only the omniscient view is told of tokens, cost and retries, and who of the others thinks.
        """
        raise NotImplementedError

    def question(self, player_id: str, data: Mapping[str, Any] | None) -> None:
        """Tell a seat its open question; None: there is none."""
        raise NotImplementedError

    def end(self, data: Mapping[str, Any]) -> None:
        """Tell how the game ended; whoever follows is at the end."""
        raise NotImplementedError

    def reopen(self) -> None:
        """Go on after an end: the game was resumed."""
        raise NotImplementedError

    def follow(
        self, view: str = PUBLIC, after: int = -1, *, seat: bool = False
    ) -> AsyncIterator[Sequence[Frame]]:
        """Yield the frames that are due, some at a time; none at all: 15 s were silent.

        First of all comes hello, then every event behind the index `after` (from the beginning,
        after a reset, if the game has not come so far), then what happens. Only who holds the
        `seat` of the view's player is told its questions. It ends behind the frame `end`.
        """
        raise NotImplementedError
