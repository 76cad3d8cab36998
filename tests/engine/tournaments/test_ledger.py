"""The ledger: only appended, sealed line by line, locked, and joined over shards."""

from datetime import timedelta
from pathlib import Path

import pytest

from engine.record.journal import utc_now
from engine.tournaments.course.restore import idle_seconds
from engine.tournaments.ledger import Ledger, LedgerError, LedgerState, LedgerTaken, read_ledgers
from engine.tournaments.play_game import Done
from tests.support.tournaments.cups import short_cup

SETTINGS = short_cup()
DRAWS = list(SETTINGS.draw())


async def written(path: Path, numbers: tuple[int, ...] = (0, 1, 2)) -> Path:
    """Write a ledger in which the first of some drawn games is over."""
    ledger = Ledger.open(path)
    await ledger.begin(SETTINGS)
    await ledger.draw([DRAWS[number] for number in numbers])
    await ledger.done(Done(numbers[0], "finished", "", "ab" * 32, 0.25, 3, 360, [{"place": 1}]))
    ledger.close()
    return path


async def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    await written(tmp_path / "ledger.jsonl")
    state = read_ledgers(tmp_path)
    assert state.settings == SETTINGS
    assert state.in_order() == DRAWS[:3]
    # Rows are no part of the ledger: they are made from the log.
    assert state.done == {0: Done(0, "finished", "", "ab" * 32, 0.25, 3, 360)}
    assert [state.is_over(number) for number in range(3)] == [True, False, False]
    assert state.began <= state.ended


def test_a_tournament_is_idle_since_its_last_line(tmp_path: Path) -> None:
    """A clock that was set back gives no negative time, and a game that may run gives none."""
    assert idle_seconds(LedgerState(), tmp_path) is None
    now = utc_now()
    past = LedgerState(ended=(now - timedelta(hours=1)).isoformat())
    assert idle_seconds(past, tmp_path) == pytest.approx(3600, abs=60)
    assert idle_seconds(LedgerState(ended=(now + timedelta(hours=1)).isoformat()), tmp_path) == 0
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "cup_000000.jsonl").touch()
    assert idle_seconds(past, tmp_path) == 0


async def test_a_later_done_replaces_one_and_void_takes_it_back(tmp_path: Path) -> None:
    await written(tmp_path / "ledger.jsonl")
    ledger = Ledger.open(tmp_path / "ledger.jsonl")
    await ledger.void(0)
    assert 0 not in ledger.state.done
    await ledger.done(Done(0, "void", "A answered 0 of 3", "cd" * 32))
    await ledger.done(Done(1, "stopped", "the budget is used up"))
    ledger.close()
    state = read_ledgers(tmp_path)
    assert {number: done.status for number, done in state.done.items()} == {0: "void", 1: "stopped"}
    assert state.is_over(0)
    assert not state.is_over(1)


async def test_a_torn_last_line_goes_and_the_next_follows_the_whole_ones(tmp_path: Path) -> None:
    path = await written(tmp_path / "ledger.jsonl")
    path.write_bytes(path.read_bytes()[:-7])
    assert read_ledgers(tmp_path).done == {}
    ledger = Ledger.open(path)
    await ledger.done(Done(1, "finished", "", "ef" * 32))
    ledger.close()
    assert [*read_ledgers(tmp_path).done] == [1]


@pytest.mark.parametrize(("kept", "drawn"), [(3, 3), (4, 1)])
async def test_draws_without_the_end_of_their_batch_do_not_count(
    kept: int, drawn: int, tmp_path: Path
) -> None:
    """No draw of a torn batch passes for one of the next."""
    path = await written(tmp_path / "ledger.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:kept]))
    assert read_ledgers(tmp_path).draws == {}
    ledger = Ledger.open(path)
    await ledger.draw(DRAWS[:drawn])
    assert ledger.state.in_order() == DRAWS[:drawn]
    ledger.close()
    assert read_ledgers(tmp_path).in_order() == DRAWS[:drawn]


@pytest.mark.parametrize("number", [1, 2, 3, 5])
async def test_a_damaged_line_is_refused_with_its_number(number: int, tmp_path: Path) -> None:
    path = await written(tmp_path / "ledger.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b'"kind"', b'"Kind"')
    path.write_bytes(b"".join(lines))
    told = f"expected line {number} of .*ledger.jsonl to be unchanged"
    with pytest.raises(LedgerError, match=told):
        Ledger.open(path)


async def test_a_line_that_vanished_is_noticed(tmp_path: Path) -> None:
    path = await written(tmp_path / "ledger.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(LedgerError, match="expected line 3"):
        read_ledgers(tmp_path)


async def test_one_driver_at_a_time(tmp_path: Path) -> None:
    first = Ledger.open(tmp_path / "ledger.jsonl")
    with pytest.raises(LedgerTaken, match="played by another process"):
        Ledger.open(tmp_path / "ledger.jsonl")
    first.close()
    Ledger.open(tmp_path / "ledger.jsonl").close()


async def test_shards_are_read_together_by_number(tmp_path: Path) -> None:
    await written(tmp_path / "ledger-2of2.jsonl", (0, 2))
    await written(tmp_path / "ledger-1of2.jsonl", (1, 3))
    state = read_ledgers(tmp_path)
    assert state.in_order() == DRAWS[:4]
    assert sorted(state.done) == [0, 1]


async def test_shards_of_two_tournaments_are_refused(tmp_path: Path) -> None:
    await written(tmp_path / "ledger-1of2.jsonl")
    other = Ledger.open(tmp_path / "ledger-2of2.jsonl")
    await other.begin(short_cup(seed=8))
    other.close()
    with pytest.raises(LedgerError, match=r"ledger-2of2\.jsonl was started with other settings"):
        read_ledgers(tmp_path)


def test_a_folder_without_a_ledger_is_none_of_a_tournament(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"there is no ledger\.jsonl"):
        read_ledgers(tmp_path)


async def test_no_key_is_in_the_header(tmp_path: Path) -> None:
    seat = {"provider": "openai", "model": "m", "api_key": "sk-secret"}
    settings = short_cup("dilemma", entrants={"A": seat, "B": {**seat, "model": "n"}}, table=2)
    ledger = Ledger.open(tmp_path / "ledger.jsonl")
    await ledger.begin(settings)
    ledger.close()
    assert b"sk-secret" not in (tmp_path / "ledger.jsonl").read_bytes()
