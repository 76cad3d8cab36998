"""Work spread over processes: the order of tasks, whatever process did them; faults come home."""

import os
import subprocess
import sys
import time
from itertools import islice

import psutil
import pytest

from engine.runs.processes import run_in_pool, spread
from tests.support.paths import ROOT


def square(number: int) -> int:
    return number * number


def slow_square(number: int) -> tuple[int, int]:
    time.sleep(0.15)
    return number * number, os.getpid()


def tell_and_wait(_number: int) -> None:
    # In one write, so that two processes cannot mix their lines.
    os.write(sys.stdout.fileno(), f"{os.getpid()}\n".encode())
    time.sleep(0.3)


def refuse(number: int) -> int:
    if number == 3:
        raise ValueError("expected another number: 3")
    return number


def test_results_are_in_the_order_of_their_tasks() -> None:
    assert spread(square, range(50), processes=1) == [number**2 for number in range(50)]


def test_a_pool_takes_over_what_is_not_done_soon() -> None:
    found = spread(slow_square, range(16), processes=2)
    assert [value for value, _ in found] == [number**2 for number in range(16)]
    assert found[0][1] == os.getpid()
    assert found[-1][1] != os.getpid()


def test_what_is_raised_in_a_process_is_raised_here() -> None:
    with pytest.raises(ValueError, match="expected another number"):
        [*run_in_pool(refuse, range(8), 2)]
    with pytest.raises(ValueError, match="expected another number"):
        spread(refuse, range(8))


def test_nothing_to_do_is_nothing_done() -> None:
    assert spread(square, []) == []
    with pytest.raises(ValueError, match="processes to be from 1 to 256"):
        spread(square, [1], processes=0)


def test_no_process_outlives_its_parent() -> None:
    """A parent that is killed in the middle of its work cannot end its processes: they see by
    themselves."""
    code = """if True:
        from engine.runs.processes import spread
        from tests.engine.runs.test_processes import tell_and_wait
        spread(tell_and_wait, range(40), processes=2)
    """
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        children = {pid for line in islice(parent.stdout, 6) if (pid := int(line)) != parent.pid}
        parent.kill()
    assert children
    until = time.monotonic() + 60
    while any(map(psutil.pid_exists, children)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(psutil.pid_exists, children))
