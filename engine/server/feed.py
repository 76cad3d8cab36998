"""What one game tells, as it happens, to all who watch it.

A view is named by one text: "" is the public's, "*" the omniscient one, else that of the player of
this id. A watcher is a place in the list of events, so a slow one holds no memory. All of a Feed
belongs to the event loop it was made in, but for `post`, which any thread may call.
"""

import asyncio
import threading
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.history import Event, History
from engine.server.frames import Data, StreamFrame, Told, ViewFrames, plain_frame
from engine.views.perspective import PUBLIC

VERSION = 1
SILENCE = 15.0
MOST_AT_ONCE = 100
MOST_LOOKED_AT = 1000
Read = Callable[[], Data | None]


@dataclass
class Watcher:
    """Where one who watches is: the next event's place, and what was told last, by number."""

    frames: ViewFrames
    place: int
    seat: bool
    status: int = 0
    question: int = -1


class Feed:
    """What those who watch one game are sent."""

    def __init__(self, name: str, game: str, player_ids: Sequence[str], told: Told) -> None:
        """Begin the feed of the game `name`; `told` is `Game.told` of the game it plays."""
        self.name = name
        self.game = game
        self.player_ids = player_ids
        self.watchers = 0
        self._told = told
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
    def size(self) -> int:
        """How many events there are."""
        return len(self._events)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come, unless it is reopened."""
        return self._end is not None

    def post(self, event: Event, round_index: int) -> None:
        """Append an event soon; any thread may call it."""
        with self._lock:
            is_first = not self._posted
            self._posted.append((event, round_index))
        if is_first:
            with suppress(RuntimeError):  # the web's loop is closed: nobody watches any more
                self._loop.call_soon_threadsafe(self.collect)

    def collect(self) -> None:
        """Append what was posted by now."""
        with self._lock:
            posted = self._posted
            self._posted = []
        for event, round_index in posted:
            self._add(event, round_index)
        self._wake()

    def extend(self, history: History) -> None:
        """Add what a game has beyond the events that are there."""
        for log in history.rounds:
            for event in log.events:
                self._add(event, log.round_index)
        self._wake()

    def _add(self, event: Event, round_index: int) -> None:
        """Add an event; one whose index is there already is the same one again, and left out."""
        if event.index > self._last_index():
            self._events.append((event, round_index))

    def _last_index(self) -> int:
        return self._events[-1][0].index if self._events else -1

    def status(self, data: Data) -> None:
        """Tell how the game stands."""
        self._status = dict(data)
        self._statuses += 1
        self._wake()

    def question(self, player_id: str, read: Read) -> None:
        """Tell a seat its open question as `read` returns it when it is sent; None: it has none."""
        number, _ = self._questions.get(player_id, (0, read))
        self._questions[player_id] = (number + 1, read)
        self._wake()

    def end(self, data: Data) -> None:
        """Tell how the game ended; whoever follows is at the end."""
        self.collect()
        self._end = data
        self._status["status"] = data["status"]
        self._wake()

    def reopen(self) -> None:
        """Go on after an end: the game was resumed."""
        self._end = None
        self._status["status"] = "running"

    def page(self, view: str, after: int, limit: int) -> list[StreamFrame]:
        """Return at most `limit` events behind the index `after`, as a view has them."""
        watcher = self._welcome(view, min(after, self._last_index()), seat=False)
        found: list[StreamFrame] = []
        while watcher.place < self.size and len(found) < limit:
            found += self._due_events(watcher, limit - len(found))
        return found

    async def follow(
        self, view: str = PUBLIC, after: int = -1, *, seat: bool = False
    ) -> AsyncGenerator[Sequence[StreamFrame], None]:
        """Yield the frames that are due, some at a time; none at all: 15 s were silent.

        First of all comes hello, then every event behind the index `after` (from the beginning,
        after a reset, if the game has not come so far), then what happens. Only who holds the
        `seat` of the view's player is told its questions. It ends behind the frame `end`.
        """
        watcher = self._welcome(view, after, seat=seat)
        opening = self._opening(after)
        self.watchers += 1
        try:
            yield opening
            over = False
            while not over:
                frames = self._due(watcher)
                over = bool(frames) and frames[-1].kind == "end"
                if frames:
                    yield frames
                if watcher.place < self.size:
                    # A connection that takes all at once would hold up the others.
                    await asyncio.sleep(0)
                elif not frames:
                    try:
                        async with asyncio.timeout(SILENCE):
                            await self._changed.wait()
                    except TimeoutError:
                        yield ()
        finally:
            self.watchers -= 1

    def _welcome(self, view: str, after: int, *, seat: bool) -> Watcher:
        """Return a new watcher, who has every event up to `after`, or none if there is none."""
        if view not in self._views:
            self._views[view] = ViewFrames(view, self.player_ids, self._told)
        place = 0
        if after <= self._last_index():
            place = bisect_right(self._events, after, key=lambda pair: pair[0].index)
        return Watcher(self._views[view], place, seat)

    def _opening(self, after: int) -> list[StreamFrame]:
        """Return the frames that come before everything else."""
        hello = {
            "game": self.game,
            "name": self.name,
            "status": self._status["status"],
            "events": self.size,
            "version": VERSION,
        }
        frames = [plain_frame("hello", hello)]
        if after > self._last_index():
            frames.append(plain_frame("reset", {}))
        return frames

    def _due(self, watcher: Watcher) -> list[StreamFrame]:
        """Return what the watcher is to be sent now, and move it on."""
        frames = self._due_events(watcher)
        if watcher.place < self.size:
            return frames
        if watcher.seat:
            frames += self._due_question(watcher)
        if watcher.status != self._statuses:
            watcher.status = self._statuses
            frames.append(watcher.frames.status(self._statuses, self._status))
        if self._end is not None:
            frames.append(watcher.frames.plain("end", self._end))
        return frames

    def _due_events(self, watcher: Watcher, most: int = MOST_AT_ONCE) -> list[StreamFrame]:
        frames: list[StreamFrame] = []
        # A view may have none of many events.
        until = min(self.size, watcher.place + MOST_LOOKED_AT)
        while watcher.place < until and len(frames) < most:
            event, round_index = self._events[watcher.place]
            watcher.place += 1
            frame = watcher.frames.event(event, round_index)
            if frame is not None:
                frames.append(frame)
        return frames

    def _due_question(self, watcher: Watcher) -> list[StreamFrame]:
        """Return the seat's question, if it is another one than was told, or none any more."""
        number, read = self._questions.get(watcher.frames.view, (0, lambda: None))
        if number == watcher.question:
            return []
        watcher.question = number
        return [plain_frame("question", read())]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
