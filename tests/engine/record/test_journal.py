"""The journal: what is recorded is never asked again; what is damaged is refused or cut."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine.history.log import checksum_of
from engine.record.files import DiskError
from engine.record.journal import Journal, JournalError, Unrecorded
from providers import Completion, FatalError, ProviderError, RequestError, TransientError, Usage
from tests.support.paths import ROOT

HEADER = {"version": 1, "made_from": {"config": {"seed": 7}}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


def answering(*answers: str | ProviderError) -> Callable[[], Awaitable[Completion]]:
    """Return a model that gives these answers in turn; one more is a fault of the test."""
    left = iter(answers)

    async def ask() -> Completion:
        answer = next(left)
        if isinstance(answer, ProviderError):
            raise answer
        return Completion(answer, reasoning="since", usage=Usage(3, 2, 1, 0))

    return ask


async def recorded(path: Path, *answers: str | ProviderError) -> bytes:
    """Write a journal in which Ada was asked one question, with these attempts."""
    journal = Journal.create(path, HEADER)
    tape = journal.tape(1, 1, "Ada")
    ask = answering(*answers)
    for answer in answers:
        if isinstance(answer, ProviderError):
            with pytest.raises(type(answer)):
                await tape.take("question", ask)
        else:
            await tape.take("question", ask)
    journal.close()
    return path.read_bytes()


async def test_recorded_answers_are_read_back_without_a_call(path: Path) -> None:
    await recorded(path, "first\ud800", "second")
    journal = Journal.reopen(path)
    tape = journal.tape(1, 1, "Ada")
    assert journal.header == HEADER
    texts = [(await tape.take("question", answering()))[0].text for _ in range(2)]
    assert texts == ["first\ud800", "second"]
    completion, _ = await tape.take("question", answering("third"))
    assert completion == Completion("third", reasoning="since", usage=Usage(3, 2, 1, 0))
    journal.close()


@pytest.mark.parametrize("fault", [TransientError("gave up"), RequestError("too long")])
async def test_recorded_faults_are_raised_without_a_call(path: Path, fault: ProviderError) -> None:
    await recorded(path, fault)
    with pytest.raises(type(fault), match=str(fault)):
        await Journal.load(path).tape(1, 1, "Ada").take("question", answering())


async def test_a_fatal_fault_is_not_recorded(path: Path) -> None:
    await recorded(path, FatalError("bad key"))
    journal = Journal.reopen(path)
    found, _ = await journal.tape(1, 1, "Ada").take("question", answering("now it works"))
    assert found.text == "now it works"
    journal.close()


async def test_a_replay_ends_where_the_record_does(path: Path) -> None:
    await recorded(path, "first")
    tape = Journal.load(path).tape(1, 1, "Ada")
    await tape.take("question", answering())
    with pytest.raises(Unrecorded):
        await tape.take("question", answering("never asked"))


async def test_another_question_at_the_same_place_is_refused(path: Path) -> None:
    await recorded(path, "first")
    with pytest.raises(JournalError, match="to match the one that Ada is asked now"):
        await Journal.load(path).tape(1, 1, "Ada").take("another question", answering())
    with pytest.raises(JournalError, match="recorded, for Ada"):
        await Journal.load(path).tape(1, 1, "Ben").take("question", answering())


async def test_every_truncation_is_read_to_a_prefix_or_refused(path: Path) -> None:
    content = await recorded(path, "first", "second")
    header_end = content.index(b"\n") + 1
    for size in range(len(content)):
        path.write_bytes(content[:size])
        if size < header_end:
            with pytest.raises(JournalError, match="header"):
                Journal.load(path)
            continue
        journal = Journal.reopen(path)
        texts = [entry["completion"]["text"] for entry in journal.recorded.values()]
        assert texts == ["first", "second"][: len(texts)]
        journal.close()
        assert content.startswith(path.read_bytes())
        assert path.read_bytes().endswith(b"\n")


async def test_every_flipped_byte_is_noticed(path: Path) -> None:
    content = await recorded(path, "first", "second")
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        if place == len(content) - 1:
            # A lost line end looks like a torn last line.
            assert len(Journal.load(path).recorded) == 1
            continue
        with pytest.raises(JournalError, match=r"line \d of game.jsonl|header"):
            Journal.load(path)


async def test_lines_that_are_missing_or_change_places_are_noticed(path: Path) -> None:
    """Begun and answer of two attempts follow the header: drop one of lines 1 to 4, or swap two."""
    lines = (await recorded(path, "first", "second")).splitlines(keepends=True)
    assert len(lines) == 5
    for gone in range(4):
        path.write_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))
        with pytest.raises(JournalError, match=f"line {gone + 1} of game.jsonl"):
            Journal.load(path)
        swapped = [*lines[:gone], lines[gone + 1], lines[gone], *lines[gone + 2 :]]
        path.write_bytes(b"".join(swapped))
        with pytest.raises(JournalError, match=f"line {gone + 1} of game.jsonl"):
            Journal.load(path)


async def test_what_is_written_after_a_journal_was_reopened_is_in_its_chain(
    path: Path,
) -> None:
    whole = await recorded(path, "first")
    path.write_bytes(whole + b'{"sum": "torn')
    journal = Journal.reopen(path)
    await journal.tape(1, 2, "Ben").take("question", answering("second"))
    journal.close()
    assert path.read_bytes().startswith(whole)
    assert [*Journal.load(path).recorded] == [(1, 1, 1), (1, 2, 1)]


def test_a_journal_of_the_first_format_is_refused_as_such(tmp_path: Path) -> None:
    """Its checksums stood each for itself: that of the header was the hash of the header alone."""
    body = json.dumps({"kind": "header", **HEADER}).encode()
    (tmp_path / "game.jsonl").write_bytes(b'{"sum": "%s", %s\n' % (checksum_of(body), body[1:]))
    with pytest.raises(JournalError, match="version 2 of the journal format: got version 1"):
        Journal.load(tmp_path / "game.jsonl")


async def test_a_sync_that_fails_reaches_the_game_whose_answer_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is in the file all the same, and is read from there: it was paid for."""
    good, bad = (Journal.create(tmp_path / name, HEADER) for name in ("good.jsonl", "bad.jsonl"))
    assert bad.file is not None
    broken, sync = bad.file.fileno(), os.fsync

    def fsync(descriptor: int) -> None:
        if descriptor == broken:
            raise OSError(5, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    tapes = [journal.tape(1, 1, "Ada") for journal in (good, bad)]
    took = [tape.take("question", answering("first")) for tape in tapes]
    fine, failed = await asyncio.gather(*took, return_exceptions=True)
    assert not isinstance(fine, BaseException)
    assert isinstance(failed, DiskError)
    assert str(failed) == f"{tmp_path}/bad.jsonl cannot be written: Input/output error"
    good.close()
    bad.close()
    assert Journal.load(tmp_path / "bad.jsonl").recorded.keys() == {(1, 1, 1)}


async def test_a_line_that_failed_half_way_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, write = Journal.create(tmp_path / "game.jsonl", HEADER), os.write
    journal.write({"kind": "begun", "at": [1, 1, 1]})
    before = (tmp_path / "game.jsonl").read_bytes()
    taken = iter((write, None))

    def half(descriptor: int, data: bytes) -> int:
        if next(taken) is None:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(DiskError, match="No space left"):
        await journal.save({"kind": "begun", "at": [1, 1, 2]})
    monkeypatch.undo()
    await journal.save({"kind": "stopped", "reason": "enough"})
    journal.close()
    assert (tmp_path / "game.jsonl").read_bytes().startswith(before)
    assert (Journal.load(tmp_path / "game.jsonl").status, before.count(b"\n")) == ("stopped", 2)


@pytest.mark.parametrize("gone", [False, True])
def test_a_journal_whose_header_cannot_be_written_is_not_begun(
    gone: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def write(descriptor: int, data: bytes) -> int:
        if gone:
            path.unlink()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(DiskError, match="No space left"):
        Journal.create(path, HEADER)
    assert not path.exists()


@pytest.mark.parametrize("header", [{"x": 1}, {"made_from": [1]}, {"made_from": {"config": 7}}])
def test_a_header_of_something_else_is_refused(tmp_path: Path, header: dict[str, object]) -> None:
    Journal.create(tmp_path / "game.jsonl", header).close()
    with pytest.raises(JournalError, match="to begin with a game's header"):
        Journal.load(tmp_path / "game.jsonl")


async def test_a_game_is_never_begun_over_another(tmp_path: Path) -> None:
    await recorded(tmp_path / "game.jsonl", "first")
    with pytest.raises(FileExistsError):
        Journal.create(tmp_path / "game.jsonl", HEADER)


PLAYING = """
import sys, time
from pathlib import Path
from engine.record.journal import Journal
journal = Journal.reopen(Path(sys.argv[1]))
print("playing", flush=True)
time.sleep(600)
"""


def test_a_process_that_is_killed_leaves_no_lock(path: Path) -> None:
    asyncio.run(recorded(path, "first"))
    command = [sys.executable, "-c", PLAYING, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"playing\n"
        with pytest.raises(JournalError, match="is being played by another process"):
            Journal.reopen(path)
        other.kill()
        other.wait()
        Journal.reopen(path).close()
