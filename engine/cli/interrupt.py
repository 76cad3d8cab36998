"""Ctrl-C: once to end well, twice to end now."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

FINISHING = "\nThe calls under way are finished and saved; Ctrl-C again stops now."


@contextmanager
def at_first_interrupt(
    finish: Callable[[], None],
    announce: Callable[[str], object],
) -> Iterator[None]:
    """Call `finish` at the first Ctrl-C and `announce` what happens; the second raises as usual.

    Outside the main thread, where no Ctrl-C arrives, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle_first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        finish()
        try:
            announce(FINISHING)
        except RuntimeError:
            # The signal came in the middle of a write, in which nothing else can be written.
            os.write(sys.stderr.fileno(), f"{FINISHING}\n".encode())

    before = signal.signal(signal.SIGINT, handle_first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def end_process(code: int) -> NoReturn:
    """End this process now.

    A normal exit would stumble over the thread in which a person's seat still waits for a line.
    """
    sys.stdout.flush()
    os._exit(code)
