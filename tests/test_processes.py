"""Work spread over processes: the order of tasks, whatever process did them; faults come home."""

import os
import time

import pytest

from engine.processes import pooled, spread


def square(number: int) -> int:
    return number * number


def slow_square(number: int) -> tuple[int, int]:
    time.sleep(0.15)
    return number * number, os.getpid()


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
        [*pooled(refuse, range(8), 2)]
    with pytest.raises(ValueError, match="expected another number"):
        spread(refuse, range(8))


def test_nothing_to_do_is_nothing_done() -> None:
    assert spread(square, []) == []
    with pytest.raises(ValueError, match="processes to be at least 1"):
        spread(square, [1], processes=0)
