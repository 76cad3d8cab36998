"""Disk operations of many games, run in threads so that no event loop waits for the disk."""

import asyncio
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Any]
# Fewer than a loop's default number of threads, even on a small machine.
SIDE_BY_SIDE = 4


@dataclass
class Job:
    """Work for a thread, and the futures of all callers that wait for it."""

    name: Hashable
    work: Work
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    fault: BaseException | None = None

    def tell(self) -> None:
        """Wake all waiting callers."""
        for future in self.waiting:
            if future.done():
                continue
            if self.fault is None:
                future.set_result(None)
            else:
                future.set_exception(self.fault)


async def run_in_thread(name: Hashable, work: Work) -> None:
    """Run `work` in a thread; return when it has finished, or raise its exception.

    Callers that pass the same `name` before the work begins share one run. For example, data
    written before a call of `run_in_thread(file, sync)` is on disk when that call returns.
    """
    loop = asyncio.get_running_loop()
    queue = _queues.get(loop)
    if queue is None:
        queue = _queues[loop] = DiskQueue(loop)
    await queue.do(name, work)


class DiskQueue:
    """The queue of an event loop's disk operations; it exists only while there are any."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.lock = threading.Lock()
        self.queued: dict[Hashable, Job] = {}
        self.under_way: set[Hashable] = set()
        self.threads = 0
        self.ended: list[Job] = []

    async def do(self, name: Hashable, work: Work) -> None:
        """Run `work` when a thread is free and no work of that name is running; await its end."""
        future = self.loop.create_future()
        with self.lock:
            must_wait = self.threads == SIDE_BY_SIDE or name in self.under_way
            job = Job(name, work)
            if must_wait:
                job = self.queued.setdefault(name, job)
            else:
                self.threads += 1
                self.under_way.add(name)
            job.waiting.append(future)
        if not must_wait:
            self.loop.run_in_executor(None, self._work_through, job)
        await future

    def _work_through(self, first: Job) -> None:
        job: Job | None = first
        while job is not None:
            try:
                job.work()
            except BaseException as error:
                # Raised where the job is awaited.
                job.fault = error
            job = self._next_after(job)

    def _next_after(self, done: Job) -> Job | None:
        """Report a finished job; return the next job, or None if this thread has nothing to do."""
        with self.lock:
            self.ended.append(done)
            first_news = len(self.ended) == 1
            self.under_way.discard(done.name)
            job = None
            if self.queued:
                oldest = next(iter(self.queued))
                self.under_way.add(oldest)
                job = self.queued.pop(oldest)
            else:
                self.threads -= 1
        if first_news:
            # Waking the loop costs as much as a write, so wake it once for all jobs that end before
            # it runs `_tell`.
            self.loop.call_soon_threadsafe(self._tell)
        return job

    def _tell(self) -> None:
        with self.lock:
            ended, self.ended = self.ended, []
            if not self.threads:
                _queues.pop(self.loop, None)
        for job in ended:
            job.tell()


_queues: dict[asyncio.AbstractEventLoop, DiskQueue] = {}
