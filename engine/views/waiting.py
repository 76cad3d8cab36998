"""The last line of a screen while a game is played: who thinks, and for whom it waits long."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from rich.text import Text

from engine.spending.waiting import Waits
from engine.views.terminal import safe_text

LONG = 20.0
EVERY = 1.0


class LastLine(Protocol):
    """The last line of a screen, such as a spinner's."""

    def update(self, status: Text, /) -> None:
        """Say something else."""


class WaitingLine:
    """Says after LONG seconds for whom a game waits.

    On a terminal with a last line (`status`) that says so as long as that lasts, and else who
    thinks (`usual`); anywhere else `say` says it, once a call.
    """

    def __init__(
        self, waits: Waits, usual: str, status: LastLine | None, say: Callable[[str], object]
    ) -> None:
        self.waits = waits
        self.usual = usual
        self.status = status
        self.say = say
        self.before = ""
        self.told = 0
        self.over = threading.Event()

    def __enter__(self) -> "WaitingLine":
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.over.set()

    def show_round(self, rounds: int) -> None:
        """Say how many rounds are over."""
        self.before = f"after round {rounds}: "
        self.look()

    def look(self) -> None:
        """Say who thinks, or for whom the game waits."""
        sentence = ""
        wait = self.waits.longest()
        if wait is not None and wait[2] >= LONG:
            sentence = f"waiting for {wait[1]}, {wait[2]:.0f} s"
        if self.status is not None:
            self.status.update(safe_text(sentence or f"{self.before}{self.usual}"))
        elif sentence and wait is not None and wait[0] != self.told:
            self.told = wait[0]
            self.say(sentence)

    def _watch(self) -> None:
        while not self.over.wait(EVERY):
            self.look()
