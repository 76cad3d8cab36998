"""The jurors of finals are asked again: each reads what it read, but for one change."""

import asyncio
import json
import re
import sys
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.history import history_from_json
from engine.spending.budget import BudgetReached, Limits
from engine.tournaments.ledger import read_ledgers
from labs.jury.cases import cases_in, likely_cost, whole_settings
from labs.jury.final import CHANGES, TELLS_MODEL
from labs.jury.jury import Case, Jury
from labs.jury.record import JuryRecord, JuryResults, read_jury
from tests.support.fake_api import FakeApi, legal
from tests.support.paths import ROOT
from tests.support.tournaments.juries import (
    DELIBERATIONS,
    island_cup,
    model_cup,
    play_cup,
    take_first,
)

SCRIPTS = ("loyal", "random", "grudge", "bandwagon", "contrarian", "random")


def cases_of(folder: Path, config: Path | None = None) -> list[Case]:
    state = read_ledgers(folder)
    return cases_in(folder, state, whole_settings(state, config))


async def judge(folder: Path, config: Path | None = None, **more: Any) -> JuryResults:
    await Jury(cases_of(folder, config), JuryRecord.open(folder, "cup"), **more).ask()
    return read_jury(folder)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the game have a script that takes the first of every list."""
    scripts = {**DELIBERATIONS.strategies, "first": take_first}
    monkeypatch.setattr(DELIBERATIONS, "strategies", scripts)


async def test_scripts_choose_as_they_did_whatever_is_changed(tmp_path: Path) -> None:
    await play_cup(island_cup(5, 12, *SCRIPTS), tmp_path)
    results = await judge(tmp_path)
    assert len(results.opinions) == 12 * 3 * 5
    assert not results.gaps
    assert {opinion.chosen == opinion.voted for opinion in results.opinions} == {True}
    paired = [opinion for opinion in results.opinions if opinion.change != "placebo"]
    lists = Counter(opinion.listed[0] == opinion.chosen for opinion in paired)
    assert lists[True] == lists[False]


@pytest.mark.usefixtures("planted")
async def test_a_juror_that_takes_the_first_follows_the_list_and_no_name(tmp_path: Path) -> None:
    await play_cup(island_cup(4, 8, *["first"] * 5), tmp_path)
    results = await judge(tmp_path)
    assert len(results.opinions) == 8 * 2 * 5
    for opinion in results.opinions:
        assert opinion.chosen == opinion.listed[0]
        same = opinion.change in ("again", "label", "placebo")
        assert (opinion.chosen == opinion.voted) is same


async def asked_so_often(api: FakeApi, times: int) -> None:
    while len(api.requests) < times:  # noqa: ASYNC110 - the server of the tests has no event for it
        await asyncio.sleep(0.01)


def kinds_in(folder: Path) -> Counter[str]:
    """Return how many whole lines of each kind jury.jsonl has."""
    lines = (folder / "jury.jsonl").read_text().split("\n")[:-1]
    return Counter(json.loads(line)["kind"] for line in lines)


async def test_models_read_the_question_of_the_game_again(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=2), tmp_path)
        finals = [asked.body for asked in api.requests if "win the game:" in text_of(asked.body)]
        api.requests.clear()
        results = await judge(tmp_path)
    again = [asked.body for asked in api.requests]
    assert len(finals) == 2 * 2
    assert len(again) == 5 * len(finals)
    for body in finals:
        assert again.count(body) == 1
    unchanged = {one.chosen for one in results.opinions if one.change == "again"}
    assert unchanged == {one.voted for one in results.opinions}
    for opinion in results.opinions:
        assert opinion.chosen == opinion.listed[0]


async def test_killed_and_gone_on_with_no_recorded_call_is_repeated(tmp_path: Path) -> None:
    async with FakeApi() as api:
        folder = tmp_path / "cup"
        await play_cup(model_cup(api), folder)
        api.requests.clear()
        api.delay = 0.02
        words = ["tournament.py", "jury", "cup", "--logs-dir", str(tmp_path), "--concurrency", "1"]
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, cwd=ROOT, stderr=asyncio.subprocess.DEVNULL
        )
        await asked_so_often(api, 20)
        process.kill()
        await process.wait()
        begun = len(api.requests)
        recorded = kinds_in(folder)["answer"]
        assert 8 <= recorded <= begun < 60
        results = await judge(folder)
        assert len(api.requests) - begun == 60 - recorded
    assert len(results.opinions) == 60
    assert kinds_in(folder)["answer"] == 60


async def test_a_budget_stops_the_jury_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api), tmp_path)
        api.requests.clear()
        with pytest.raises(BudgetReached, match="the budget of 10 calls is used up: 10 calls"):
            await judge(tmp_path, limits=Limits(max_calls=10))
        assert len(api.requests) == 10
        # What was asked before counts.
        with pytest.raises(BudgetReached):
            await judge(tmp_path, limits=Limits(max_calls=10))
        assert len(api.requests) == 10
        results = await judge(tmp_path, limits=Limits(max_calls=60))
        assert len(api.requests) == 60
    assert len(results.opinions) == 60


async def test_an_interrupted_jury_asks_nobody_anything_more(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api), tmp_path)
        api.requests.clear()
        jury = Jury(cases_of(tmp_path), JuryRecord.open(tmp_path, "cup"), concurrency=1)
        jury.watch = Jury.interrupt
        await jury.ask()
        assert jury.interrupted
        begun = len(api.requests)
        assert kinds_in(tmp_path)["answer"] == begun < 60
        assert len((await judge(tmp_path)).opinions) == 60
        assert len(api.requests) == 60


async def test_failures_are_counted_and_told(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=2), tmp_path)
        api.reply = lambda body: "I would rather not."
        results = await judge(tmp_path, changes=CHANGES[:1])
    assert [opinion.chosen for opinion in results.opinions] == [None] * 4
    assert all("expected" in opinion.fault for opinion in results.opinions)


async def test_who_read_a_models_name_is_not_asked_with_other_names(tmp_path: Path) -> None:
    boast = "As Claude I never lie."
    async with FakeApi(lambda body: legal(body).replace("some text", boast)) as api:
        await play_cup(model_cup(api, games=1), tmp_path)
        results = await judge(tmp_path)
    assert Counter(one.change for one in results.opinions) == {"again": 2, "order": 2, "placebo": 2}
    gaps = Counter((one.change, one.why) for one in results.gaps)
    assert gaps == {("label", TELLS_MODEL): 2, ("both", TELLS_MODEL): 2}


async def test_offline_asks_scripts_alone_and_leaves_models_for_later(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=4, scripts=("loyal", "random")), tmp_path)
        api.requests.clear()
        scripted = await judge(tmp_path, offline=True)
        assert not api.requests
        whole = await judge(tmp_path)
    assert {opinion.juror for opinion in scripted.opinions} <= {"loyal-0", "random-1"}
    assert 0 < len(scripted.opinions) < len(whole.opinions) == 4 * 2 * 5
    assert not whole.gaps


async def test_a_log_that_is_gone_or_another_is_left_out(tmp_path: Path) -> None:
    await play_cup(island_cup(4, 3, *SCRIPTS), tmp_path)
    (tmp_path / "games" / "cup_000000.json").unlink()
    log = tmp_path / "games" / "cup_000001.json"
    log.write_text(log.read_text().replace("I came here", "I went there"))
    results = await judge(tmp_path)
    assert {opinion.game for opinion in results.opinions} == {2}
    assert [(gap.game, gap.why) for gap in results.gaps] == [
        (0, "its log cannot be read: No such file or directory"),
        (1, "its log is not the one that the ledger records"),
    ]


async def test_no_key_is_kept_and_lost_secrets_are_asked_for(tmp_path: Path) -> None:
    async with FakeApi() as api:
        secret = {"extra_headers": {"X-Key": "sk-canary-12345678"}}
        settings = model_cup(api, games=1, kwargs=secret)
        await play_cup(settings, tmp_path)
        with pytest.raises(ValueError, match="headers and secrets of m0, m1, m2, m3"):
            await judge(tmp_path)
        file = tmp_path / "cup.yaml"
        file.write_text(json.dumps(settings.model_dump(mode="json")))
        api.requests.clear()
        await judge(tmp_path, config=file)
    assert len(api.requests) == 10
    for asked in api.requests:
        assert "sk-canary-12345678" in asked.headers.values()
    assert "canary" not in (tmp_path / "jury.jsonl").read_text()


async def test_a_file_with_other_entrants_is_refused(tmp_path: Path) -> None:
    await play_cup(island_cup(4, 1, *SCRIPTS), tmp_path)
    other = island_cup(4, 1, "random", *SCRIPTS[1:]).public()
    other["entrants"]["loyal-0"] = other["entrants"].pop("random-0")
    file = tmp_path / "cup.yaml"
    file.write_text(json.dumps(other))
    with pytest.raises(ValueError, match=r"loyal-0\.model was 'loyal', now it is 'random'"):
        await judge(tmp_path, config=file)


async def test_what_asking_will_cost_follows_from_the_votes_in_the_games(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=3), tmp_path)
    cases = cases_of(tmp_path)
    assert likely_cost(cases, 4) is None
    priced = []
    for case in cases:
        # As a provider writes it that tells what each answer cost: a cent.
        told = case.log.read_text().replace('"cost": null', '"cost": 0.01')
        log = history_from_json(re.sub(r'"checksum": "\w+"', '"checksum": ""', told)).to_json()
        case.log.write_text(log)
        priced.append(replace(case, sha256=sha256(log.encode()).hexdigest()))
    assert likely_cost(priced, 4) == pytest.approx(3 * 2 * 4 * 0.01)


def text_of(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


async def test_a_tournament_with_finals_of_three_is_refused(tmp_path: Path) -> None:
    game = {"name": "deliberations", "finalists": 3}
    await play_cup(island_cup(5, 2, *SCRIPTS, game=game), tmp_path)
    with pytest.raises(ValueError, match=r"expected finals of two: .* has finalists: 3, and only"):
        cases_of(tmp_path)
