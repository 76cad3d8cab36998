"""Waiting for the disk without making anyone else wait: what many games want of it is done side by side, in threads.

A loop that syncs files by itself hears no answer meanwhile. And a disk takes about as long for one
file as for several that are synced at once; whoever waits for the same file shares one sync.
"""

import asyncio
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

# Fewer than the threads that a loop has by default, on however small a machine.
SIDE_BY_SIDE = 4


@dataclass
class Job:
    """One thing to do, and who waits for it."""

    name: Hashable
    work: Callable[[], Any]
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    fault: BaseException | None = None


async def done(name: Hashable, work: Callable[[], Any]) -> None:
    """Do `work` in a thread and return once it is done, or raise what it raised.

    Whoever asks for the same `name` before the work begins shares it. So what was written to a file
    before `done(file, sync)` was called is on the disk when it returns.
    """
    loop = asyncio.get_running_loop()
    desk = _desks.get(loop)
    if desk is None:
        desk = _desks[loop] = Desk(loop)
    await desk.done(name, work)


class Desk:
    """What one event loop wants of the disk; it is there while anything is."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.lock = threading.Lock()
        self.wanted: dict[Hashable, Job] = {}
        self.under_way: set[Hashable] = set()
        self.at_work = 0
        self.ended: list[Job] = []

    async def done(self, name: Hashable, work: Callable[[], Any]) -> None:
        """Do `work`, now or once a thread is free and no work of that name is under way."""
        future = self.loop.create_future()
        with self.lock:
            later = self.at_work == SIDE_BY_SIDE or name in self.under_way
            job = self.wanted.setdefault(name, Job(name, work)) if later else Job(name, work)
            job.waiting.append(future)
            if not later:
                self.at_work += 1
                self.under_way.add(name)
        if not later:
            self.loop.run_in_executor(None, self._work, job)
        await future

    def _work(self, first: Job) -> None:
        job: Job | None = first
        while job is not None:
            try:
                job.work()
            except BaseException as error:
                # Raised where the job is waited for.
                job.fault = error
            with self.lock:
                self.ended.append(job)
                untold = len(self.ended) == 1
                self.under_way.discard(job.name)
                job = self.wanted.pop(next(iter(self.wanted))) if self.wanted else None
                if job is None:
                    self.at_work -= 1
                else:
                    self.under_way.add(job.name)
            if untold:
                # Waking the loop costs as much as a write: it is done once for all that end until
                # it looks.
                self.loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        with self.lock:
            ended, self.ended = self.ended, []
            if not self.at_work:
                _desks.pop(self.loop, None)
        for job in ended:
            for future in job.waiting:
                if future.done():
                    continue
                if job.fault is None:
                    future.set_result(None)
                else:
                    future.set_exception(job.fault)


_desks: dict[asyncio.AbstractEventLoop, Desk] = {}
