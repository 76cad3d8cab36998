"""Play games between scripts on several cores, and return each outcome when its game is over."""

import asyncio
import multiprocessing
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from client_factory import ClientFactory
from engine.record.journal import utc_now
from engine.runs.processes import ALONE, follow_parent
from engine.spending.budget import Limits, Meter
from engine.tournaments.play_game import Done, play_draw
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings

PlayDraw = Callable[[Draw], Awaitable[Done]]
# At this many games per second or more, one process is faster: several would wait for the disk.
QUICK = 50
# How many times in a row the pool may die without finishing a game before it is an error.
MOST_DEATHS = 5


# The function that plays a game in a process of the pool, set by `sit_down`.
_benches: list[Callable[[Draw], Done]] = []


def sit_down(settings: TournamentSettings, folder: Path, allow_changed: bool) -> None:
    """Prepare a new worker process of the pool; it ends when its parent process ends."""
    follow_parent()
    play = partial(
        play_draw,
        settings,
        folder=folder,
        factory=ClientFactory(),
        # A game between scripts costs nothing.
        whole=Meter(Limits(), utc_now),
        allow_changed=allow_changed,
    )
    runner = asyncio.Runner()
    _benches.append(lambda draw: runner.run(play(draw)))


def play_on_bench(draw: Draw) -> Done:
    """Play a game in a process of the pool."""
    return _benches[0](draw)


@dataclass
class Benches:
    """Plays games in this process first and then, unless they are quick, in a pool of `processes`.

    If a process of the pool is killed, the whole pool ends, and a new pool resumes the games.
    """

    settings: TournamentSettings
    folder: Path
    processes: int
    here: PlayDraw
    allow_changed: bool = False
    began: float = field(default_factory=time.process_time)
    done_here: int = 0
    deaths: int = 0
    executor: ProcessPoolExecutor | None = None

    async def play(self, draw: Draw) -> Done:
        """Play a game; raise BrokenProcessPool if processes keep dying."""
        if self.executor is None and not self.is_worth_it():
            self.done_here += 1
            return await self.here(draw)
        while True:
            executor = self.executor or self._start()
            try:
                loop = asyncio.get_running_loop()
                done = await loop.run_in_executor(executor, play_on_bench, draw)
            except BrokenProcessPool:
                self._bury(executor)
            else:
                self.deaths = 0
                return done

    def close(self) -> None:
        """Shut down the processes once they have finished their games."""
        if self.executor is not None:
            self.executor.shutdown(cancel_futures=True)

    def is_worth_it(self) -> bool:
        """Return whether the games so far took enough processor time to justify a pool."""
        seconds = time.process_time() - self.began
        return self.processes > 1 and seconds > ALONE and self.done_here < QUICK * seconds

    def _start(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        arguments = (self.settings, self.folder, self.allow_changed)
        self.executor = ProcessPoolExecutor(self.processes, context, sit_down, arguments)
        return self.executor

    def _bury(self, executor: ProcessPoolExecutor) -> None:
        """Record once that the pool died, even if several calls were waiting for it."""
        if self.executor is not executor:
            return
        self.executor = None
        executor.shutdown(wait=False)
        self.deaths += 1
        if self.deaths >= MOST_DEATHS:
            raise BrokenProcessPool(
                "the playing processes keep dying, perhaps for lack of memory: continue with "
                "--processes 1"
            )
