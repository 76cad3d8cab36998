"""A model measured in a suite: what its points rest on, and that none of it is lost."""

import asyncio
import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tournament
from engine.cli.main import ExitCode
from engine.cli.tournament.measure import measured_folder
from engine.history import history_from_json
from engine.ratings.ratios import RatioInterval
from engine.runs.seating import read_players
from engine.spending.validity import SeatAnswers
from engine.tournaments.measure.compare import compare_parts, games_to_settle
from engine.tournaments.measure.measured import (
    GameFigures,
    Measured,
    read_measured,
    read_references,
    task_figures,
    task_result,
    write_measured,
)
from engine.tournaments.measure.suite import Metric, read_suite
from engine.tournaments.run import TournamentRun
from tests.support.fake_api import FakeApi
from tests.support.fault_api import FaultApi
from tests.support.paths import ROOT

SUITE = read_suite("arena-1")
REFERENCES = read_references(SUITE)
TASKS = [*SUITE.tasks]


def figures_of(name: str, script: str, folder: Path) -> tuple[GameFigures, ...]:
    """Return what a script does in the first half of a task's deals."""
    (player,) = read_players(f"scripted:{script}")
    run = TournamentRun(SUITE.settings(name, player, quick=True), folder)
    run.run()
    return task_figures(run, SUITE.tasks[name])


@pytest.mark.parametrize("name", TASKS)
def test_references_are_what_the_scripts_do(name: str, tmp_path: Path) -> None:
    task = SUITE.tasks[name]
    for script, points in ((task.floor, 0), (task.ceiling, 100)):
        games = figures_of(name, script, tmp_path / script)
        values = [game.value for game in games]
        assert values == pytest.approx(REFERENCES[name][script][: task.deals // 2])
        found = task_result(name, task, games, REFERENCES[name])
        assert found.points == pytest.approx(points)
        assert found.answers == SeatAnswers("model", *[sum(game.asks for game in games)] * 2)


@pytest.mark.parametrize("name", TASKS)
def test_who_does_nothing_has_at_most_60_points(name: str) -> None:
    task = SUITE.tasks[name]
    assert task.idle is not None
    scripts = {script: sum(values) for script, values in REFERENCES[name].items()}
    floor, ceiling, idle = scripts[task.floor], scripts[task.ceiling], scripts[task.idle]
    assert 100 * (idle - floor) / (ceiling - floor) <= 60


def test_every_model_plays_the_same_deals() -> None:
    settings = [SUITE.settings(TASKS[0], read_players(word)[0]) for word in ("local", "openai")]
    assert [*settings[0].draw()] == [*settings[1].draw()]
    other = SUITE.model_copy(update={"seed": 2}).settings(TASKS[0], read_players("local")[0])
    assert {draw.seed for draw in settings[0].draw()}.isdisjoint(draw.seed for draw in other.draw())


def test_the_fingerprint_covers_settings_and_references() -> None:
    before = SUITE.sha256(REFERENCES)
    assert SUITE.sha256(REFERENCES) == before
    assert SUITE.model_copy(update={"seed": 2}).sha256(REFERENCES) != before
    changed = {**REFERENCES, TASKS[0]: {"random": [0.0]}}
    assert SUITE.sha256(changed) != before


def test_a_metric_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="either a figure or shared"):
        Metric()


async def measure(*words: str, folder: Path) -> ExitCode:
    command = ["measure", *words, "--quick", "--logs-dir", str(folder)]
    return ExitCode(await asyncio.to_thread(tournament.main, command))


def found_in(folder: Path) -> list[Measured]:
    return [read_measured(path) for path in sorted(folder.rglob("measure.json"))]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of its two shortest tasks, of eight deals each."""
    tasks = {
        name: SUITE.tasks[name].model_copy(update={"deals": 8})
        for name in ("teamwork", "moderation")
    }
    suite = SUITE.model_copy(update={"tasks": tasks})
    monkeypatch.setattr("engine.tournaments.measure.suite.read_suite", lambda name: suite)
    monkeypatch.setattr(
        "engine.tournaments.measure.measured.read_references", lambda suite: REFERENCES
    )


async def test_a_budget_ends_it_and_the_same_command_goes_on(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with FakeApi() as api:
        word = f"compatible:m@{api.url}/v1"
        assert await measure(word, folder=tmp_path / "whole") == ExitCode.DONE
        asked = len(api.requests)
        for most in (30, 90):
            code = await measure(word, "--max-calls", str(most), folder=tmp_path / "cut")
            assert code == ExitCode.STOPPED
            assert "uv run tournament.py measure compatible" in capsys.readouterr().err
        assert await measure(word, folder=tmp_path / "cut") == ExitCode.DONE
        assert len(api.requests) == 2 * asked
    ways = ("whole", "cut")
    texts = [(measured_folder("arena-1", word, tmp_path / way) / "measure.json") for way in ways]
    assert texts[0].read_bytes() == texts[1].read_bytes()
    plain = json.loads(texts[0].read_text())
    assert plain["tokens"] > 0
    assert plain["score"]["low"] < plain["score"]["value"] < plain["score"]["high"]


async def test_who_answers_too_little_is_not_measured(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with FaultApi(fault="illegal") as api:
        assert await measure(f"compatible:m@{api.url}/v1", folder=tmp_path) == ExitCode.DONE
    (found,) = found_in(tmp_path)
    assert found.score is None
    assert [task.points for task in found.tasks] == [None, None]
    asked = found.tasks[0].answers.asked
    shown = " ".join(capsys.readouterr().out.split())
    assert "has no arena score: 0 of 2 tasks are measured." in shown
    assert f"teamwork is not measured: answered 0 of {asked}." in shown
    assert "0.0 % of its questions were answered legally at the first attempt." in shown


async def test_scripts_compare_deal_by_deal(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("scripted:greedy", "scripted:random")
    assert await measure(*words, folder=tmp_path) == ExitCode.DONE
    capsys.readouterr()
    logs = ["--logs-dir", str(tmp_path)]
    assert tournament.main(["compare", *words, *logs]) == ExitCode.DONE
    shown = " ".join(capsys.readouterr().out.split())
    assert "scripted:greedy is ahead of scripted:random" in shown
    assert tournament.main(["compare", words[0], "local", *logs]) == ExitCode.USAGE
    assert f"uv run tournament.py measure local --logs-dir {tmp_path}" in capsys.readouterr().err
    first, second = found_in(tmp_path)
    now = SUITE.sha256(REFERENCES)
    sides = replace(first, suite_sha256=now), replace(second, suite_sha256="0")
    with pytest.raises(ValueError, match="arena-1 has changed since scripted:random"):
        [*compare_parts(SUITE, REFERENCES, *sides)]
    (path,) = {write_measured(first, tmp_path / "again")}
    assert read_measured(path) == first
    path.write_text('{"score": 1}')
    with pytest.raises(ValueError, match="to be of a measured model"):
        read_measured(path)


def test_games_to_settle_follow_from_the_interval() -> None:
    """The end is three times as far as the difference: nine times the games."""
    assert games_to_settle(RatioInterval(2.0, -4.0, 8.0, 1.0, 11), 12) == 12 * 9
    assert games_to_settle(RatioInterval(8.0, 2.0, 14.0, 1.0, 11), 12) is None


async def test_what_cannot_be_measured_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await measure("scripted:nope", folder=tmp_path) == ExitCode.USAGE
    assert "scripted:nope can play none of these tasks" in capsys.readouterr().err
    assert not found_in(tmp_path)
    alone = ("scripted:wait", "--task", "moderation", "--task", "teamwork")
    where = ["--logs-dir", str(tmp_path)]
    assert await asyncio.to_thread(tournament.main, ["measure", *alone, *where]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert "1 of 4 tasks are measured" in " ".join(shown.split())
    assert await measure(*alone, folder=tmp_path) == ExitCode.USAGE
    assert "moderation has all its games begun: leave out --quick" in capsys.readouterr().err


@pytest.mark.slow
async def test_twenty_kills_change_no_byte(tmp_path: Path) -> None:
    """Each process is killed after some calls, of which those in flight may be asked again."""
    rng = random.Random(20)
    async with FakeApi() as api:
        words = ["measure", f"compatible:m@{api.url}/v1", "--quick", "--task", "moderation"]
        words += ["--task", "teamwork", "--logs-dir"]
        assert await asyncio.to_thread(tournament.main, [*words, str(tmp_path / "whole")]) == 0
        asked = len(api.requests)
        api.delay = 0.01
        killed = 0
        for _ in range(20):
            begun = len(api.requests)
            process = await asyncio.create_subprocess_exec(
                sys.executable, "tournament.py", *words, str(tmp_path / "cut"), cwd=ROOT
            )
            most = begun + rng.randint(1, asked // 20)
            while len(api.requests) < most and process.returncode is None:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            if process.returncode is None:
                process.kill()
                killed += 1
            await process.wait()
        api.delay = 0
        assert await asyncio.to_thread(tournament.main, [*words, str(tmp_path / "cut")]) == 0
        assert killed == 20
        # Eight games at a time have a question under way each, of one seat or two.
        assert len(api.requests) <= 2 * asked + 16 * killed
    logs = [sorted((tmp_path / way).rglob("*_*.json")) for way in ("whole", "cut")]
    assert len(logs[0]) == len(logs[1]) == 12
    for whole, cut in zip(*logs, strict=True):
        before, after = (history_from_json(path.read_bytes()) for path in (whole, cut))
        assert before.outcome == after.outcome
        assert [event.content for event in before.events] == [
            event.content for event in after.events
        ]
