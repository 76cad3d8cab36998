"""Disk work in threads: each waits for its own, and a fault reaches those who asked."""

import asyncio
import threading

import pytest

from engine.record import disk


class Gate:
    """Work that is counted, and goes on only once it is let."""

    def __init__(self) -> None:
        self.begun = 0
        self.open = threading.Event()

    def work(self) -> None:
        self.begun += 1
        assert self.open.wait(60)


async def under_way(gate: Gate, count: int) -> None:
    while gate.begun < count:  # noqa: ASYNC110 - a thread is waited for
        await asyncio.sleep(0.001)


async def test_who_waits_for_the_same_file_shares_the_next_sync() -> None:
    """What was written after a sync began may not be in it: three who come then share one more."""
    gate = Gate()
    first = asyncio.create_task(disk.run_in_thread("file", gate.work))
    await under_way(gate, 1)
    others = [asyncio.create_task(disk.run_in_thread("file", gate.work)) for _ in range(3)]
    await asyncio.sleep(0)
    assert gate.begun == 1
    gate.open.set()
    await asyncio.gather(first, *others)
    assert gate.begun == 2


async def test_files_are_synced_side_by_side_but_not_by_ever_more_threads() -> None:
    gate = Gate()
    files = [
        asyncio.create_task(disk.run_in_thread(number, gate.work))
        for number in range(disk.SIDE_BY_SIDE + 3)
    ]
    await under_way(gate, disk.SIDE_BY_SIDE)
    await asyncio.sleep(0)
    assert gate.begun == disk.SIDE_BY_SIDE
    gate.open.set()
    await asyncio.gather(*files)
    assert gate.begun == disk.SIDE_BY_SIDE + 3


async def test_a_fault_reaches_whom_it_concerns_and_nobody_else() -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    ends = await asyncio.gather(
        *(disk.run_in_thread(number, full if number % 2 else int) for number in range(20)),
        return_exceptions=True,
    )
    assert [isinstance(end, OSError) for end in ends] == [bool(number % 2) for number in range(20)]


async def test_one_who_gives_up_waiting_takes_nothing_from_the_others() -> None:
    gate = Gate()
    first = asyncio.create_task(disk.run_in_thread("file", gate.work))
    await under_way(gate, 1)
    second, third = (asyncio.create_task(disk.run_in_thread("file", gate.work)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    second.cancel()
    gate.open.set()
    await third
    with pytest.raises(asyncio.CancelledError):
        await second
    assert gate.begun == 2


def test_nothing_is_kept_of_a_loop_that_has_ended() -> None:
    for _ in range(3):
        asyncio.run(disk.run_in_thread("file", int))
    assert not disk._queues
