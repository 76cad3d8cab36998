"""Messages about repeated calls: at most one a minute for each client, and a count of the rest."""

import logging
import time
from contextvars import ContextVar
from dataclasses import dataclass

# The game played in this task.
GAME: ContextVar[str] = ContextVar("GAME", default="")
MINUTE = 60.0
log = logging.getLogger("arena.client")


@dataclass
class RetryLines:
    """The messages of one client: when the last was written, and how many were held back since."""

    client: str
    last: float | None = None
    held: int = 0

    def tell(self, fault: object, seat: str, attempt: str, seconds: float) -> None:
        """Log that a call of `seat` is repeated, or count it if the last message is recent."""
        now = time.monotonic()
        if self.last is not None and now - self.last < MINUTE:
            self.held += 1
            return
        self.tell_held()
        self.last = now
        game = GAME.get()
        where = f"{seat} in {game}, " if seat and game else ""
        log.warning("%s: %s (%s%s); retry in %.1f s", self.client, fault, where, attempt, seconds)

    def tell_held(self) -> None:
        """Log how many messages were held back, if any."""
        if self.held:
            log.warning("%s: retried %d more times since that line", self.client, self.held)
        self.held = 0
