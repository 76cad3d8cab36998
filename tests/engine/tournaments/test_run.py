"""A tournament begins, stops, goes on, and comes to the same games whatever happened to it."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.ratings import Results, fit
from engine.spending.budget import Limits
from engine.tournaments.course.shard import Shard, read_shard
from engine.tournaments.ledger import read_ledgers
from engine.tournaments.row_cache import LostLog, rows_of_tournament
from engine.tournaments.run import PlayOptions, TournamentRun
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.sources.find import read_cup
from engine.tournaments.standings.closing import separation_of
from tests.support.fake_api import FakeApi
from tests.support.narrowing import not_none
from tests.support.placements import told_orders
from tests.support.tournaments.cups import short_cup

LOST = "cup_000002"


async def play(settings: TournamentSettings, folder: Path, **options: Any) -> TournamentRun:
    tournament = TournamentRun(settings, folder, PlayOptions(**options))
    await tournament.play()
    return tournament


async def test_a_tournament_is_played_once(tmp_path: Path) -> None:
    settings = short_cup()
    first = await play(settings, tmp_path)
    assert sorted(first.rows) == [*range(6)]
    assert first.results.games == 6
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert (await play(settings, tmp_path)).rows == first.rows
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


async def test_a_ledger_without_its_last_lines_is_refused_until_play_takes_the_logs_in(
    tmp_path: Path,
) -> None:
    settings = short_cup(games=3)
    whole = await play(settings, tmp_path)
    ledger = tmp_path / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        ledger.write_bytes(b"".join(lines[:kept]))
        with pytest.raises(
            LostLog, match="does not record its end, because its last lines are lost"
        ):
            read_cup(tmp_path)
    logs = {path: path.read_bytes() for path in (tmp_path / "games").iterdir()}
    for kept in (1, len(lines) // 2, len(lines) - 1):
        ledger.write_bytes(b"".join(lines[:kept]))
        assert (await play(settings, tmp_path)).rows == whole.rows
        assert read_cup(tmp_path).counts.statuses["finished"] == 3
    assert {path: path.read_bytes() for path in (tmp_path / "games").iterdir()} == logs


async def test_more_games_are_played_and_fewer_refused(tmp_path: Path) -> None:
    await play(short_cup(), tmp_path)
    assert sorted((await play(short_cup(games=9), tmp_path)).rows) == [*range(9)]
    with pytest.raises(ValueError, match="games was 9, now it is 6"):
        await play(short_cup(), tmp_path)


async def test_the_share_that_rates_may_change_meanwhile(tmp_path: Path) -> None:
    first = await play(short_cup(games=2), tmp_path)
    changed = short_cup(games=2, rated_from=0.5)
    assert changed.sha256 == first.settings.sha256
    assert (await play(changed, tmp_path)).rows == first.rows
    assert read_ledgers(tmp_path).settings.rated_from == 0.5


async def test_a_cup_begun_by_targets_that_are_refused_by_now_goes_on_by_others(
    tmp_path: Path,
) -> None:
    await play(short_cup("conversation", games=2, targets=["places"]), tmp_path)
    assert len((await play(short_cup("conversation", games=4), tmp_path)).rows) == 4
    assert read_ledgers(tmp_path).settings.targets == ("points",)
    with pytest.raises(ValueError, match=r"targets\.0 was 'points', now it is 'places'"):
        await play(short_cup("conversation", games=4, targets=["places"]), tmp_path)


async def test_changed_settings_are_refused_with_their_names(tmp_path: Path) -> None:
    await play(short_cup(), tmp_path)
    with pytest.raises(
        ValueError, match="cup was started with other settings: seed was 7, now it is 8"
    ):
        await play(short_cup(seed=8), tmp_path)


async def test_added_entrants_are_allowed_if_asked_for(tmp_path: Path) -> None:
    entrants = {name: one.model_dump() for name, one in short_cup().entrants.items()}
    await play(short_cup(entrants=dict([*entrants.items()][:3]), games=4), tmp_path)
    more = short_cup(entrants=entrants, games=8)
    with pytest.raises(ValueError, match="--allow-changed"):
        await play(more, tmp_path)
    done = await play(more, tmp_path, allow_changed=True)
    played = Counter(row["entrant"] for rows in done.rows.values() for row in rows)
    assert len(done.rows) == 8
    assert played[[*entrants][3]] == 4


async def test_a_lost_log_is_told_and_played_again_if_asked_for(tmp_path: Path) -> None:
    settings = short_cup()
    first = await play(settings, tmp_path)
    (tmp_path / "games" / f"{LOST}.json").unlink()
    with pytest.raises(LostLog, match=rf"the log of {LOST} is not in .*--replay-lost"):
        await play(settings, tmp_path)
    assert (await play(settings, tmp_path, replay_lost=True)).rows == first.rows
    assert (tmp_path / "ledger.jsonl").read_text().count('"kind": "done", "number": 2,') == 2


async def test_an_altered_log_is_told_and_moved_aside(tmp_path: Path) -> None:
    settings = short_cup()
    await play(settings, tmp_path)
    log = tmp_path / "games" / f"{LOST}.json"
    log.write_bytes(log.read_bytes().replace(b'"place"', b'"Place"') + b"\n")
    with pytest.raises(LostLog, match=f"{LOST}.json is not the log that the ledger records"):
        await play(settings, tmp_path)
    again = await play(settings, tmp_path, replay_lost=True)
    assert len(again.rows) == 6
    assert log.with_suffix(".json.other").exists()


async def test_rows_are_made_again_from_the_logs(tmp_path: Path) -> None:
    settings = short_cup()
    first = await play(settings, tmp_path)
    kept = tmp_path / "rows.jsonl"
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text(lines[0] + lines[1][:40])
    assert rows_of_tournament(tmp_path, read_ledgers(tmp_path), settings) == first.rows


async def test_a_budget_of_all_games_stops_them_and_more_goes_on(tmp_path: Path) -> None:
    async with FakeApi() as api:
        settings = short_cup(models=4, at=api.url, budgets={"max_calls": 20}, concurrency=2)
        stopped = await play(settings, tmp_path)
        assert len(api.requests) == 20
        assert stopped.stopped.startswith("the budget of 20 calls is used up")
        # Nothing is left: nobody is asked, though two games were stopped in the middle.
        assert (await play(settings, tmp_path)).stopped
        assert len(api.requests) == 20
        more = short_cup(models=4, at=api.url, budgets={"max_calls": 30}, concurrency=2)
        assert (await play(more, tmp_path)).stopped
        assert len(api.requests) == 30
        done = await play(short_cup(models=4, at=api.url), tmp_path)
        assert len(done.rows) == 6
        assert done.meter.calls == len(api.requests)
        assert max(Counter(str(one.body) for one in api.requests).values()) == 1


# What the fake server's answer costs at $0.75, $0.075 (cached) and $4.50 a million tokens.
A_CALL = 40 * 0.75e-6 + 60 * 0.075e-6 + 20 * 4.5e-6


@pytest.mark.parametrize(
    ("budget", "a_call"), [("max_calls", 1), ("max_tokens", 120), ("max_cost", A_CALL)]
)
async def test_each_run_counts_the_spending_of_all_runs_before(
    budget: str, a_call: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the other calls under way, of three seats two, may pass a budget."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    async with FakeApi() as api:
        seat: dict[str, Any] = {"provider": "openai", "model": "gpt-5.4-mini"}
        seat |= {"client_kwargs": {"base_url": f"{api.url}/v1"}}
        seats = {name: seat | {"character_prompt": f"You are {name}."} for name in "abc"}
        for calls in (20, 20, 30, 41):
            budgets = {budget: calls * a_call}
            run = await play(short_cup(entrants=seats, budgets=budgets, concurrency=1), tmp_path)
            assert run.stopped
            assert calls <= len(api.requests) <= calls + 2
            assert run.meter.calls == len(api.requests)
            assert run.meter.tokens == 120 * run.meter.calls
            assert run.meter.cost == pytest.approx(A_CALL * run.meter.calls)


async def test_what_a_lost_game_cost_stays_spent(tmp_path: Path) -> None:
    async with FakeApi() as api:
        settings = short_cup(models=4, at=api.url, games=2)
        first = await play(settings, tmp_path)
        (tmp_path / "games" / "cup_000001.json").unlink()
        again = await play(settings, tmp_path, replay_lost=True)
        assert first.meter.calls < again.meter.calls == len(api.requests)
        assert (await play(settings, tmp_path)).meter.calls == len(api.requests)


async def test_a_log_that_the_ledger_does_not_have_is_spent_too(tmp_path: Path) -> None:
    """The driver was killed between the last log and its line in the ledger."""
    async with FakeApi() as api:
        settings = short_cup(models=4, at=api.url, games=2)
        await play(settings, tmp_path)
        ledger = tmp_path / "ledger.jsonl"
        *kept, last = ledger.read_bytes().splitlines(keepends=True)
        assert b'"kind": "done"' in last
        ledger.write_bytes(b"".join(kept))
        again = await play(settings, tmp_path)
        assert again.meter.calls == len(api.requests)
        assert again.meter.tokens == 120 * len(api.requests)


async def test_an_interrupted_tournament_records_what_is_under_way(tmp_path: Path) -> None:
    async with FakeApi(delay=0.05) as api:
        settings = short_cup(models=3, at=api.url, games=4, concurrency=2)
        tournament = TournamentRun(settings, tmp_path)
        playing = asyncio.create_task(tournament.play())
        while len(api.requests) < 8:  # noqa: ASYNC110 - the server is no task of ours
            await asyncio.sleep(0.01)
        tournament.interrupt()
        await playing
        assert not any(done.status == "running" for done in tournament.state.done.values())
        done = await play(settings, tmp_path)
        assert len(done.rows) == 4
        assert max(Counter(str(one.body) for one in api.requests).values()) == 1


async def test_failing_games_end_a_tournament_that_would_fail_on(tmp_path: Path) -> None:
    settings = short_cup(models=4, at="http://127.0.0.1:9", games=60)
    for entrant in settings.entrants.values():
        entrant.client_kwargs["max_attempts"] = 1
    tournament = await play(settings, tmp_path)
    assert "games failed in a row" in tournament.broken
    assert 20 <= len(tournament.state.done) < 40
    assert {done.status for done in tournament.state.done.values()} == {"failed"}


async def test_a_full_disk_ends_a_tournament_that_then_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("engine.tournaments.run.play_draw", fail)
        with pytest.raises(OSError, match="No space left"):
            await play(short_cup(), tmp_path)
    assert len((await play(short_cup(), tmp_path)).rows) == 6


async def test_two_processes_come_to_the_same_rows(tmp_path: Path) -> None:
    settings = short_cup("conversation", games=12)
    alone = await play(settings, tmp_path / "one", processes=1)
    tournament = TournamentRun(settings, tmp_path / "two", PlayOptions(processes=2))
    # As if the first games had taken a quarter of an hour.
    tournament.benches.began -= 1000
    await tournament.play()
    assert tournament.benches.executor is not None
    assert tournament.rows == alone.rows


async def test_shards_play_the_same_games(tmp_path: Path) -> None:
    settings = short_cup(games=7)
    whole = await play(settings, tmp_path / "whole")
    for number in (3, 1, 2):
        shard = await play(settings, tmp_path / "parts", shard=Shard(number, 3))
        assert [one % 3 for one in shard.rows] == [number % 3] * len(shard.rows)
    state = read_ledgers(tmp_path / "parts")
    assert rows_of_tournament(tmp_path / "parts", state, settings) == whole.rows
    with pytest.raises(ValueError, match="as it began, in 3 shards: play it with --shard i/3"):
        await play(settings, tmp_path / "parts")
    with pytest.raises(ValueError, match="as a whole: play it without --shard"):
        await play(settings, tmp_path / "whole", shard=Shard(1, 3))


def test_a_shard_has_its_part_of_the_budgets() -> None:
    limits = Shard(3, 8).share(Limits(max_cost=20, max_tokens=1001, max_calls=80, max_time=60))
    assert limits == Limits(max_cost=2.5, max_tokens=125, max_calls=10, max_time=60)


async def test_shards_together_keep_budget_and_rates(tmp_path: Path) -> None:
    async with FakeApi() as api:
        settings = short_cup(models=4, at=api.url, budgets={"max_calls": 20})
        for number in (1, 2, 3):
            run = await play(settings, tmp_path, shard=Shard(number, 3))
            assert run.stopped.startswith("the budget of 6 calls is used up")
            assert run.gate.share == pytest.approx(1 / 3)
        assert len(api.requests) == 18


@pytest.mark.parametrize("text", ["0/8", "9/8", "3", "3/8/1", "-1/8", "a/b", "1/1001", "3/0"])
def test_a_shard_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a shard from 1/N to N/N"):
        read_shard(text)


async def test_shards_take_in_no_entrants_and_stay_as_they_were(tmp_path: Path) -> None:
    entrants = {name: one.model_dump() for name, one in short_cup().entrants.items()}
    fewer = short_cup(entrants=dict([*entrants.items()][:3]), games=4)
    for number in (1, 2):
        await play(fewer, tmp_path, shard=Shard(number, 2))
    more = short_cup(entrants=entrants, games=4)
    with pytest.raises(ValueError, match="but not to shards"):
        await play(more, tmp_path, shard=Shard(1, 2), allow_changed=True)
    assert len(read_ledgers(tmp_path).done) == 4


async def test_shards_refuse_what_needs_all_results(tmp_path: Path) -> None:
    adaptive = short_cup(schedule={"adaptive": {"top": 1}})
    with pytest.raises(ValueError, match="expected no --shard with an adaptive schedule"):
        await play(adaptive, tmp_path / "one", shard=Shard(1, 2))
    stops = short_cup(stop={"top": 1})
    with pytest.raises(ValueError, match="expected no --shard with a stop rule"):
        await play(stops, tmp_path / "two", shard=Shard(1, 2))
    # Nothing was begun, so it can still be played as it should be.
    assert not (tmp_path / "two").exists()
    assert (await play(stops, tmp_path / "two")).rows


@pytest.mark.parametrize("stop", [{"separated": ["silent", "random"]}, {"top": 1}])
async def test_a_tournament_ends_once_enough_is_known(stop: dict[str, Any], tmp_path: Path) -> None:
    """It looks after every tenth game, so that the end is the same at any speed."""
    settings = short_cup("conversation", games=200, stop=stop, targets=["places"], concurrency=4)
    quick = await play(settings, tmp_path / "quick")
    games = not_none(quick.state.stop)["games"]
    assert len(quick.rows) == games < 200
    assert games % 10 == 0
    assert (await play(settings, tmp_path / "slow", concurrency=1)).rows == quick.rows
    again = await play(settings, tmp_path / "slow")
    assert again.rows == quick.rows
    assert "significantly different" in not_none(again.state.stop)["reason"]


def test_no_games_tell_apart_whom_none_join() -> None:
    """a beats b 35 times of 40, and c beats d: a and d met nobody who leads to the other."""
    orders = [*["b > a"] * 5, *["a > b"] * 35, *["d > c"] * 5, *["c > d"] * 35]
    found = fit(Results.from_rows(told_orders(*orders)), min_games=1)
    assert not_none(separation_of(found, ("a", "b"), 1.0)).apart
    assert separation_of(found, ("a", "d"), 1.0) is None


async def test_an_adaptive_tournament_is_the_same_after_it_was_cut_short(tmp_path: Path) -> None:
    settings = short_cup("conversation", games=24, schedule={"adaptive": {"top": 1}}, concurrency=4)
    whole = await play(settings, tmp_path / "whole")
    assert len(whole.rows) == 24
    cut = tmp_path / "cut"
    await play(settings, cut)
    ledger = cut / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    batches = [place for place, line in enumerate(lines) if b'"kind": "batch"' in line]
    # In the middle of the draws of the fourth batch.
    ledger.write_bytes(b"".join(lines[: batches[3] - 2]))
    again = await play(settings, cut)
    assert again.rows == whole.rows
    assert again.state.draws == whole.state.draws
