"""How late the web's loop is: who holds it up holds up every watcher."""

import asyncio

PAUSE = 0.25
REMEMBERED = 40


class LoopDelay:
    """Measures again and again how much longer a short sleep takes than it should, in seconds."""

    def __init__(self) -> None:
        self.last: list[float] = []

    @property
    def longest(self) -> float:
        """The longest delay of the last ten seconds or so."""
        return max(self.last, default=0.0)

    async def watch(self) -> None:
        """Measure until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(PAUSE)
            delay = loop.time() - before - PAUSE
            self.last = [*self.last, max(0.0, delay)][-REMEMBERED:]
