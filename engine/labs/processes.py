"""Work spread over the processor's cores: the same results, in the same order, on one process and on several."""

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

# A pool takes about half a second to start: what is done sooner than this is done without one.
ALONE = 1.0
PORTIONS = 16


def spread(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    processes: int | None = None,
    label: str = "",
) -> list[Result]:
    """Return `function` of each of `tasks`, in their order.

    With several `processes` (default: one a core) those take over what is not done within a second;
    then `function` must be a module's own and pure, and tasks and results must be picklable.
    `label` names a progress bar on stderr. What `function` raises is raised here. Raises ValueError
    for less than one process.
    """
    if processes is not None and processes < 1:
        raise ValueError(f"expected processes to be at least 1: got {processes}")
    many = min(processes or cores(), len(tasks))
    with progress(label) as bar:
        return [*bar.track(results(function, tasks, many), total=len(tasks), description=label)]


def results(
    function: Callable[[Task], Result], tasks: Sequence[Task], processes: int
) -> Iterator[Result]:
    """Yield the results one by one: the first of them from here, the others from a pool if there may be one."""
    begun = time.monotonic()
    for done, task in enumerate(tasks):
        if processes > 1 and time.monotonic() - begun > ALONE:
            yield from pooled(function, tasks[done:], processes)
            return
        yield function(task)


def pooled(
    function: Callable[[Task], Result], tasks: Sequence[Task], processes: int
) -> Iterator[Result]:
    """Yield the results from a pool, whose processes end with this one: at once when it is interrupted."""
    context = multiprocessing.get_context("spawn")
    portion = max(1, len(tasks) // (processes * PORTIONS))
    pool = ProcessPoolExecutor(processes, context, initializer=live_with, initargs=(os.getpid(),))
    try:
        yield from pool.map(function, tasks, chunksize=portion)
    except BaseException:
        for process in [*(pool._processes or {}).values()]:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def live_with(parent: int) -> None:
    """Leave Ctrl-C, which reaches every process of a terminal, to the parent, and end when it does, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after, args=(parent,), daemon=True).start()


def end_after(parent: int) -> None:
    """End this process soon after `parent` is gone."""
    while os.getppid() == parent:
        time.sleep(ALONE)
    os._exit(1)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def progress(label: str) -> Progress:
    """Return a progress bar on stderr, which is only shown on a terminal and goes when it is full."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    return Progress(
        *columns, console=console, transient=True, disable=not (label and console.is_terminal)
    )
