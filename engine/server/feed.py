"""One game's live feed to all its viewers.

A view is named by one text: "" is the public view, "*" the omniscient one, and any other text is
the id of a player. A watcher is a position among its view's events, so a slow one takes no memory.
A Feed belongs to the event loop it was made in, except `post`, which any thread may call.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.history import Event, History
from engine.server.frames import Data, FactsOf, StreamFrame, ViewFrames, plain_frame
from engine.views.perspective import PUBLIC

VERSION = 1
SILENCE = 15.0
MOST_AT_ONCE = 100
Read = Callable[[], Data | None]


@dataclass
class Watcher:
    """A viewer's position: the index of the view's next event, and the last frame sent."""

    frames: ViewFrames
    place: int
    seat: bool
    status: StreamFrame | None = None
    question: int = -1

    @property
    def is_behind(self) -> bool:
        """Whether there are events that have not been sent yet."""
        return self.place < len(self.frames.seen)


class Feed:
    """The frames for the viewers of one game."""

    def __init__(self, name: str, game: str, player_ids: Sequence[str], facts_of: FactsOf) -> None:
        """Begin the feed of the game `name`; `facts_of` is that of the game it plays."""
        self.name = name
        self.game = game
        self.player_ids = player_ids
        self.watchers = 0
        self._facts_of = facts_of
        self._loop = asyncio.get_running_loop()
        self._events: list[tuple[Event, int]] = []
        self._views: dict[str, ViewFrames] = {}
        self._posted: list[tuple[Event, int]] = []
        self._lock = threading.Lock()
        self._questions: dict[str, tuple[int, Read]] = {}
        self._end: Data | None = None
        self._statuses = 0
        self._status: dict[str, Any] = {"status": "running"}
        self._changed = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether the feed has ended, unless it is reopened."""
        return self._end is not None

    def post(self, event: Event, round_index: int) -> None:
        """Append an event soon; any thread may call it."""
        with self._lock:
            is_first = not self._posted
            self._posted.append((event, round_index))
        if is_first:
            with suppress(RuntimeError):  # the web's loop is closed: there are no viewers left
                self._loop.call_soon_threadsafe(self.collect)

    def collect(self) -> None:
        """Append the events posted so far."""
        with self._lock:
            posted = self._posted
            self._posted = []
        for event, round_index in posted:
            self._add(event, round_index)
        self._wake()

    def extend(self, history: History) -> None:
        """Add a game's further events."""
        for log in history.rounds:
            for event in log.events:
                self._add(event, log.round_index)
        self._wake()

    def _add(self, event: Event, round_index: int) -> None:
        """Add an event; one with an index that is already there is a repeat, and is skipped."""
        if self._events and event.index <= self._events[-1][0].index:
            return
        self._events.append((event, round_index))
        for frames in self._views.values():
            frames.add(event, round_index)

    def status(self, data: Data) -> None:
        """Send the game's status."""
        self._status = dict(data)
        self._statuses += 1
        self._wake()

    def question(self, player_id: str, read: Read) -> None:
        """Send a seat its open question, as `read` returns it at that time; None if it has none."""
        number, _ = self._questions.get(player_id, (0, read))
        self._questions[player_id] = (number + 1, read)
        self._wake()

    def end(self, data: Data) -> None:
        """Send the game's result; viewers are at the end."""
        self.collect()
        self._end = data
        if self._statuses:
            self.status(self._status | {"status": data["status"]})
        self._wake()

    def reopen(self) -> None:
        """Go on after an end: the game was resumed."""
        self._end = None
        self._status |= {"status": "running"}

    def page(self, view: str, after: int, limit: int) -> list[StreamFrame]:
        """Return at most `limit` events of a view, following number `after`."""
        frames = self._frames_of(view)
        return self._due_events(Watcher(frames, frames.seen.place_behind(after), False), limit)

    async def follow(
        self, view: str = PUBLIC, after: int = -1, *, seat: bool = False
    ) -> AsyncGenerator[Sequence[StreamFrame], None]:
        """Yield the frames that are due, some at a time; an empty batch means 15 s of silence.

        It begins with hello, then every event after number `after` (from the beginning, after a
        reset, if the view is shorter), then each new event. Only the holder of the view's `seat`
        receives its questions. It stops after the frame `end`.
        """
        watcher = Watcher(self._frames_of(view), 0, seat)
        opening = self._opening(watcher, after)
        self.watchers += 1
        silent = self._loop.time() + SILENCE
        try:
            yield opening
            over = False
            while not over:
                frames = self._due(watcher)
                over = bool(frames) and frames[-1].kind == "end"
                if frames:
                    yield frames
                    silent = self._loop.time() + SILENCE
                if watcher.is_behind:
                    # A connection that takes everything at once would hold up the others.
                    await asyncio.sleep(0)
                elif not frames:
                    try:
                        # What other views are sent does not break the silence of this one.
                        async with asyncio.timeout_at(silent):
                            await self._changed.wait()
                    except TimeoutError:
                        yield ()
                        silent = self._loop.time() + SILENCE
        finally:
            self.watchers -= 1

    def _frames_of(self, view: str) -> ViewFrames:
        """Return the frames of a view, with all events so far."""
        if view not in self._views:
            frames = self._views[view] = ViewFrames(view, self.player_ids, self._facts_of)
            for event, round_index in self._events:
                frames.add(event, round_index)
        return self._views[view]

    def _opening(self, watcher: Watcher, after: int) -> list[StreamFrame]:
        """Put a watcher after the event `after`; return the frames that come first."""
        seen = watcher.frames.seen
        hello = {
            "game": self.game,
            "name": self.name,
            "status": (self._end or self._status)["status"],
            "events": len(seen),
            "version": VERSION,
        }
        frames = [plain_frame("hello", hello)]
        if after > seen.number(len(seen) - 1):
            frames.append(plain_frame("reset", {}))
        else:
            watcher.place = seen.place_behind(after)
        return frames

    def _due(self, watcher: Watcher) -> list[StreamFrame]:
        """Return the watcher's next frames, and move it on."""
        frames = self._due_events(watcher, MOST_AT_ONCE)
        if watcher.is_behind:
            return frames
        if watcher.seat:
            frames += self._due_question(watcher)
        if self._statuses:
            status = watcher.frames.status(self._statuses, self._status)
            if status is not watcher.status:
                watcher.status = status
                frames.append(status)
        if self._end is not None:
            frames.append(watcher.frames.plain("end", self._end))
        return frames

    def _due_events(self, watcher: Watcher, most: int) -> list[StreamFrame]:
        first = watcher.place
        watcher.place = min(first + most, len(watcher.frames.seen))
        return [watcher.frames.event(place) for place in range(first, watcher.place)]

    def _due_question(self, watcher: Watcher) -> list[StreamFrame]:
        """Return the seat's question if it has changed since the last frame, or is gone."""
        number, read = self._questions.get(watcher.frames.view, (0, lambda: None))
        if number == watcher.question:
            return []
        watcher.question = number
        return [plain_frame("question", read())]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
