"""The journal: what is recorded is read back and never asked again; what is damaged is refused or read to a prefix."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine.journal import Journal, JournalError, Unrecorded
from providers import Completion, FatalError, ProviderError, RequestError, TransientError, Usage

HEADER = {"version": 1, "made_from": {"config": {"seed": 7}}}


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


async def test_recorded_answers_are_read_back_without_a_call(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    await recorded(path, "first\ud800", "second")
    journal = Journal.reopen(path)
    tape = journal.tape(1, 1, "Ada")
    assert journal.header == HEADER
    assert [(await tape.take("question", answering()))[0].text for _ in range(2)] == ["first\ud800", "second"]
    completion, _ = await tape.take("question", answering("third"))
    assert completion == Completion("third", reasoning="since", usage=Usage(3, 2, 1, 0))
    journal.close()


@pytest.mark.parametrize("fault", [TransientError("gave up"), RequestError("too long")])
async def test_recorded_faults_are_raised_again_without_a_call(tmp_path: Path, fault: ProviderError) -> None:
    path = tmp_path / "game.jsonl"
    await recorded(path, fault)
    with pytest.raises(type(fault), match=str(fault)):
        await Journal.load(path).tape(1, 1, "Ada").take("question", answering())


async def test_a_fatal_fault_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    await recorded(path, FatalError("bad key"))
    journal = Journal.reopen(path)
    assert (await journal.tape(1, 1, "Ada").take("question", answering("now it works")))[0].text == "now it works"
    journal.close()


async def test_a_replay_ends_where_the_record_does(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    await recorded(path, "first")
    tape = Journal.load(path).tape(1, 1, "Ada")
    await tape.take("question", answering())
    with pytest.raises(Unrecorded):
        await tape.take("question", answering("never asked"))


async def test_another_question_at_the_same_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    await recorded(path, "first")
    with pytest.raises(JournalError, match="to be the one that Ada is asked now"):
        await Journal.load(path).tape(1, 1, "Ada").take("another question", answering())
    with pytest.raises(JournalError, match="put to Ada"):
        await Journal.load(path).tape(1, 1, "Ben").take("question", answering())


async def test_every_truncation_is_read_to_a_prefix_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    content = await recorded(path, "first", "second")
    header_end = content.index(b"\n") + 1
    for size in range(len(content)):
        path.write_bytes(content[:size])
        if size < header_end:
            with pytest.raises(JournalError, match="header"):
                Journal.load(path)
            continue
        journal = Journal.reopen(path)
        assert [e["completion"]["text"] for e in journal.recorded.values()] == ["first", "second"][
            : len(journal.recorded)
        ]
        journal.close()
        assert content.startswith(path.read_bytes())
        assert path.read_bytes().endswith(b"\n")


async def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    content = await recorded(path, "first", "second")
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        if place == len(content) - 1:
            assert len(Journal.load(path).recorded) == 1, "a lost line end looks like a torn last line"
            continue
        with pytest.raises(JournalError, match=r"line \d of game.jsonl|header"):
            Journal.load(path)


@pytest.mark.parametrize("header", [{"x": 1}, {"made_from": [1]}, {"made_from": {"config": 7}}])
def test_a_header_of_something_else_is_refused(tmp_path: Path, header: dict[str, object]) -> None:
    Journal.create(tmp_path / "game.jsonl", header).close()
    with pytest.raises(JournalError, match="to begin with a game's header"):
        Journal.load(tmp_path / "game.jsonl")


async def test_a_game_is_never_begun_over_another(tmp_path: Path) -> None:
    await recorded(tmp_path / "game.jsonl", "first")
    with pytest.raises(FileExistsError):
        Journal.create(tmp_path / "game.jsonl", HEADER)
