"""One game's live feed for all its viewers.

A view is a string: "" is the public view, "*" the omniscient one, and anything else a player's id.
A Feed belongs to the event loop in which it was created; only `post` may be called from any thread.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.history import Event, History
from engine.server.frames import Data, FactsOf, StreamFrame, ViewFrames, plain_frame
from engine.views.perspective import PUBLIC
from protocol.answer import Plain

VERSION = 1
SILENCE = 15.0
MOST_AT_ONCE = 100
Read = Callable[[], Data | None]
Schedule = Callable[[Callable[[], None]], object]


def call_now(work: Callable[[], None]) -> None:
    """Call `work` at once."""
    work()


@dataclass
class Watcher:
    """A viewer's position: the index of the next event, and the last status and question sent.

    It stores no frames to send, so a slow viewer uses no extra memory.
    """

    frames: ViewFrames
    place: int
    seat: bool
    status: StreamFrame | None = None
    question: int = -1

    @property
    def is_behind(self) -> bool:
        """Whether some events have not been sent yet."""
        return self.place < len(self.frames.seen)


class Feed:
    """The frames that one game's viewers receive."""

    def __init__(self, name: str, game: str, player_ids: Sequence[str], facts_of: FactsOf) -> None:
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
        self._status: Plain = {"status": "running"}
        self._changed = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether the feed has ended; it can be reopened."""
        return self._end is not None

    def post(self, event: Event, round_index: int, schedule: Schedule = call_now) -> None:
        """Append an event soon; any thread may call this.

        `schedule` receives the function that notifies the feed's loop. It is called only once for
        all events that are posted before the loop collects them.
        """
        with self._lock:
            is_first = not self._posted
            self._posted.append((event, round_index))
        if is_first:
            schedule(self._notify)

    def _notify(self) -> None:
        with suppress(RuntimeError):  # the web's loop is closed, so there are no viewers
            self._loop.call_soon_threadsafe(self.collect)

    def collect(self) -> None:
        """Append all posted events."""
        with self._lock:
            posted, self._posted = self._posted, []
        for event, round_index in posted:
            self._add(event, round_index)
        self._wake()

    def extend(self, history: History) -> None:
        """Append the events of `history` that the feed does not have yet."""
        for log in history.rounds:
            for event in log.events:
                self._add(event, log.round_index)
        self._wake()

    def _add(self, event: Event, round_index: int) -> None:
        """Add an event, unless the feed already has one with this index."""
        if self._events and event.index <= self._events[-1][0].index:
            return
        self._events.append((event, round_index))
        for frames in self._views.values():
            frames.add(event, round_index)

    def status(self, data: Data) -> None:
        """Send the game's status to all viewers."""
        self._status = dict(data)
        self._statuses += 1
        self._wake()

    def question(self, player_id: str, read: Read) -> None:
        """Send a player its open question; `read` returns it, or None once it is closed."""
        number, _ = self._questions.get(player_id, (0, read))
        self._questions[player_id] = (number + 1, read)
        self._wake()

    def end(self, data: Data) -> None:
        """Send the game's result and end every viewer's stream."""
        self.collect()
        self._end = data
        if self._statuses:
            self.status(self._status | {"status": data["status"]})
        self._wake()

    def reopen(self) -> None:
        """Continue an ended feed because its game was resumed."""
        self._end = None
        self._status |= {"status": "running"}

    def page(self, view: str, after: int, limit: int) -> list[StreamFrame]:
        """Return the frames of up to `limit` events that follow event number `after` in a view."""
        frames = self._frames_of(view)
        return frames.events(frames.seen.place_behind(after), limit)

    async def follow(
        self, view: str = PUBLIC, after: int = -1, *, seat: bool = False
    ) -> AsyncGenerator[Sequence[StreamFrame], None]:
        """Yield batches of frames as they become due, and an empty batch every 15 s without frames.

        The frames are hello, events after number `after`, and then each new event. If `after` is
        beyond the view's last event, a reset follows hello and the events start from the beginning.
        Questions are sent only if `seat` is true. The last frame is `end`.
        """
        watcher = Watcher(self._frames_of(view), 0, seat)
        frames = self._opening(watcher, after)
        self.watchers += 1
        silent = self._loop.time() + SILENCE
        try:
            yield frames
            while not frames or frames[-1].kind != "end":
                frames = self._due(watcher)
                if frames:
                    yield frames
                    silent = self._loop.time() + SILENCE
                if watcher.is_behind:
                    # Without this pause, one fast connection would hold up all others.
                    await asyncio.sleep(0)
                elif not frames:
                    try:
                        # Frames for other views do not restart this view's 15 seconds.
                        async with asyncio.timeout_at(silent):
                            await self._changed.wait()
                    except TimeoutError:
                        yield ()
                        silent = self._loop.time() + SILENCE
        finally:
            self.watchers -= 1

    def _frames_of(self, view: str) -> ViewFrames:
        """Return the frames of a view, including all events so far."""
        if view not in self._views:
            frames = self._views[view] = ViewFrames(view, self.player_ids, self._facts_of)
            for event, round_index in self._events:
                frames.add(event, round_index)
        return self._views[view]

    def _opening(self, watcher: Watcher, after: int) -> list[StreamFrame]:
        """Place a watcher just after event number `after`, and return the stream's first frames."""
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
        """Return the watcher's next frames, and move the watcher past them."""
        frames = watcher.frames.events(watcher.place, MOST_AT_ONCE)
        watcher.place += len(frames)
        if watcher.is_behind:
            return frames
        if watcher.seat:
            frames += self._due_question(watcher)
        if self._statuses:
            status = watcher.frames.status(self._statuses, self._status)
            if status != watcher.status:
                watcher.status = status
                frames.append(status)
        if self._end is not None:
            frames.append(watcher.frames.plain("end", self._end))
        return frames

    def _due_question(self, watcher: Watcher) -> list[StreamFrame]:
        """Return the frame of the seat's question, unless that question was already sent."""
        number, read = self._questions.get(watcher.frames.view, (0, lambda: None))
        if number == watcher.question:
            return []
        watcher.question = number
        return [plain_frame("question", read())]

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
