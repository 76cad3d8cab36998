"""Ctrl-C, once to end well and twice to end now."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TOLD = "\nThe calls under way are finished and saved; Ctrl-C again stops now."


@contextmanager
def at_first_interrupt(
    finish: Callable[[], None] | None, tell: Callable[[str], object]
) -> Iterator[None]:
    """Call `finish` at the first Ctrl-C, and `tell` what happens; the second is a KeyboardInterrupt, as ever.

    With `finish` None, and outside the main thread, where no Ctrl-C arrives, nothing is changed.
    """
    if finish is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        finish()
        tell(TOLD)

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
