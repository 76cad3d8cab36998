"""Where games are played: one loop for models and people, and worker threads for all others."""

import asyncio
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from client_factory import ClientFactory
from engine.server.play.live import LiveGame

PATIENCE = 1.0


class Loops:
    """A second loop in its own thread, and as many worker threads as there are cores.

    The web's loop stays free: a script never waits, and so would hold up everybody else. `factory`
    has the clients of all games.
    """

    def __init__(self) -> None:
        self.factory = ClientFactory()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="games", daemon=True)
        cores = os.cpu_count() or 1
        self._workers = ThreadPoolExecutor(cores, thread_name_prefix="scripts")

    def start(self) -> None:
        """Begin to play what comes."""
        self._thread.start()

    def play(self, game: LiveGame) -> "Future[None]":
        """Play a game where it belongs."""
        if game.computed:
            return self._workers.submit(play_alone, game)
        return asyncio.run_coroutine_threadsafe(game.play(), self.loop)

    async def close(self) -> None:
        """End the threads; what still waits for an answer is given up, its journal as it is."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        ending = asyncio.run_coroutine_threadsafe(self._end_all(), self.loop)
        ended = asyncio.wrap_future(ending)
        await asyncio.wait({ended}, timeout=PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        await asyncio.to_thread(self._thread.join, PATIENCE)
        if not self._thread.is_alive():
            self.loop.close()

    async def _end_all(self) -> None:
        """Cancel all other tasks of the second loop, and close its connections."""
        own = asyncio.current_task()
        others = asyncio.all_tasks() - {own}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.factory.aclose()
        await self.loop.shutdown_default_executor()


def play_alone(game: LiveGame) -> None:
    """Play a game in a loop of its own, in the thread that calls."""
    asyncio.run(game.play())
