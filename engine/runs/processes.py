"""Spread work over processor cores; the number of cores does not affect the results."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Task = TypeVar("Task")
Result = TypeVar("Result")

# A pool takes about half a second to start, so work shorter than this is done without one.
ALONE = 1.0
MOST_PROCESSES = 256
PORTIONS = 16


def spread(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    processes: int | None = None,
    label: str = "",
) -> list[Result]:
    """Return the result of `function` for each of `tasks`, in order.

    With several `processes` (default: one per core), a pool takes over the tasks not done within a
    second. `function` must be pure and defined at module level, and tasks and results must be
    picklable. `label` names a progress bar on stderr. Exceptions in `function` are raised here.
    Raises ValueError for fewer than one process or more than MOST_PROCESSES.
    """
    if processes is not None and not 1 <= processes <= MOST_PROCESSES:
        raise ValueError(f"expected processes to be from 1 to {MOST_PROCESSES}: got {processes}")
    many = min(processes or cores(), len(tasks))
    with progress_bar(label) as bar:
        done = results_of(function, tasks, many)
        return [*bar.track(done, total=len(tasks), description=label)]


def results_of(
    function: Callable[[Task], Result], tasks: Sequence[Task], processes: int
) -> Iterator[Result]:
    """Yield the results in order, the first ones from this process and the rest from a pool."""
    begun = time.monotonic()
    for done, task in enumerate(tasks):
        if processes > 1 and time.monotonic() - begun > ALONE:
            yield from run_in_pool(function, tasks[done:], processes)
            return
        yield function(task)


def run_in_pool(
    function: Callable[[Task], Result], tasks: Sequence[Task], processes: int
) -> Iterator[Result]:
    """Yield the results from a pool, which ends when this process does, or at once on any error."""
    context = multiprocessing.get_context("spawn")
    portion = max(1, len(tasks) // (processes * PORTIONS))
    pool = ProcessPoolExecutor(processes, context, initializer=follow_parent)
    try:
        yield from pool.map(function, tasks, chunksize=portion)
    except BaseException:
        for process in [*(pool._processes or {}).values()]:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and end when the parent ends."""
    # Only workers do this: a terminal interrupts all its processes, and the executor's workers are
    # not daemons, so they would wait for work after their parent was killed.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after_parent, daemon=True).start()


def end_after_parent() -> None:
    """End this process once its parent ends; in a thread, only `os._exit` can do that."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def progress_bar(label: str) -> Progress:
    """Return a progress bar on stderr; it is shown only in a terminal and disappears when full."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (label and console.is_terminal),
    )
