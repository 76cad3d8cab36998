"""A model measured in a suite: what its points rest on, and that none of it is lost."""

import asyncio
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import fmean

import pytest
from aiohttp import web

import tournament
from engine.cli.main import ExitCode
from engine.games import GAMES
from engine.ratings.ratios import RatioInterval
from engine.runs.seating import read_players
from engine.tournaments.measure.compare import compare_parts, games_to_settle
from engine.tournaments.measure.files import points_chart, write_measured
from engine.tournaments.measure.measured import (
    Measured,
    TaskResult,
    measured_folder,
    read_measured,
    task_figures,
    task_result,
    why_not_current,
)
from engine.tournaments.measure.report import (
    COLUMNS,
    opening_sentences,
    strength_in_words,
    task_table,
)
from engine.tournaments.measure.suite import DRAWS, Metric
from engine.tournaments.run import PlayOptions, TournamentRun
from tests.support.fake_api import FakeApi
from tests.support.fault_api import FaultApi
from tests.support.measured import SUITE, figures_with, only_small, small_suite
from tests.support.narrowing import not_none
from tests.support.paths import ROOT
from tests.support.sloppy import Sloppy
from tests.support.terminal import Capture

TASKS = [*SUITE.tasks]
TABLES = [name for name, task in SUITE.tasks.items() if task.tables]


def first_values(name: str, script: str, folder: Path) -> list[float]:
    """Return what a script has in the first two games of a task, the mean over its draws."""
    if GAMES.missing_extra(str(SUITE.tasks[name].game["name"])):
        pytest.skip("it needs an extra")
    (player,) = read_players(f"scripted:{script}")
    runs = []
    for draws in range(DRAWS):
        seat = player.model_copy(update={"draws": draws})
        settings = SUITE.settings(name, seat, draws=draws).model_copy(update={"games": 2})
        run = TournamentRun(settings, folder / str(draws), PlayOptions(processes=1))
        run.run()
        runs.append([game.value for game in task_figures(run, SUITE.tasks[name])])
    return [*map(fmean, zip(*runs, strict=True))]


@pytest.mark.parametrize("name", TABLES)
def test_references_are_what_the_scripts_do(name: str, tmp_path: Path) -> None:
    kept = SUITE.references.scripts[name]
    for script in (SUITE.tasks[name].floor, SUITE.tasks[name].ceilings[0]):
        assert first_values(name, script, tmp_path / script) == pytest.approx(kept[script][:2])


@pytest.mark.parametrize("name", TABLES)
def test_the_floor_has_no_points_and_the_ceiling_a_hundred(name: str) -> None:
    task, kept = SUITE.tasks[name], SUITE.references.scripts[name]
    assert task_result(SUITE, name, figures_with(kept[task.floor])).points == pytest.approx(0)
    seats = task.games_a_deal
    best = []
    for game in range(len(kept[task.floor])):
        script = task.ceilings[game // seats % len(task.ceilings)]
        best.append(kept[script][game])
    assert task_result(SUITE, name, figures_with(best)).points == pytest.approx(100)


@pytest.mark.parametrize("name", TABLES)
def test_who_does_nothing_has_at_most_60_points(name: str) -> None:
    task = SUITE.tasks[name]
    kept = SUITE.references.scripts[name]
    floor, ceiling = map(sum, task.ends(kept))
    idle = sum(task.by_deal(kept[not_none(task.idle)]))
    assert 100 * (idle - floor) / (ceiling - floor) <= 60


def test_every_model_plays_the_same_deals() -> None:
    settings = [SUITE.settings(TASKS[0], read_players(word)[0]) for word in ("local", "openai")]
    assert [*settings[0].draw()] == [*settings[1].draw()]
    other = SUITE.model_copy(update={"seed": 2}).settings(TASKS[0], read_players("local")[0])
    assert {draw.seed for draw in settings[0].draw()}.isdisjoint(draw.seed for draw in other.draw())


def test_a_metric_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="one of figure, shared and own"):
        Metric()


async def measure(*words: str, folder: Path) -> ExitCode:
    command = ["measure", *words, "--quick", "--logs-dir", str(folder)]
    return ExitCode(await asyncio.to_thread(tournament.main, command))


def found_in(folder: Path) -> list[Measured]:
    return [read_measured(path) for path in sorted(folder.rglob("measure.json"))]


@pytest.fixture
def small() -> Iterator[None]:
    with only_small():
        yield


async def test_a_budget_ends_it_and_the_same_command_goes_on(
    small: None, tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi() as api:
        word = f"compatible:m@{api.url}/v1"
        assert await measure(word, folder=tmp_path / "whole") == ExitCode.DONE
        asked = len(api.requests)
        for most in (30, 90):
            code = await measure(word, "--max-calls", str(most), folder=tmp_path / "cut")
            assert code == ExitCode.STOPPED
            error = capsys.readouterr().err
            assert "tokens and an unknown cost." in error
            step = "nothing is lost; continue with a larger budget: uv run tournament.py measure"
            assert f"{step} compatible" in error
        assert await measure(word, folder=tmp_path / "cut") == ExitCode.DONE
        assert len(api.requests) == 2 * asked
    ways = ("whole", "cut")
    texts = [(measured_folder("arena-1", word, tmp_path / way) / "measure.json") for way in ways]
    assert texts[0].read_bytes() == texts[1].read_bytes()
    plain = json.loads(texts[0].read_text())
    assert plain["tokens"] > 0
    assert plain["score"]["low"] < plain["score"]["value"] < plain["score"]["high"]


async def test_a_refused_key_is_a_fault_to_fix(
    small: None, tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi(reply=lambda body: web.json_response({}, status=401)) as api:
        word = f"compatible:m@{api.url}/v1"
        assert await measure(word, folder=tmp_path) == ExitCode.FAILED
    told = f"fix this, then continue: uv run tournament.py measure {word}"
    assert told in capsys.readouterr().err


async def test_who_answers_too_little_is_not_measured(
    small: None, tmp_path: Path, capsys: Capture
) -> None:
    async with FaultApi(fault="illegal") as api:
        assert await measure(f"compatible:m@{api.url}/v1", folder=tmp_path) == ExitCode.FAILED
    (found,) = found_in(tmp_path)
    assert found.score is None
    assert [task.points for task in found.tasks] == [None, None]
    asked = found.tasks[0].answers.asked
    shown = " ".join(capsys.readouterr().out.split())
    assert "has no arena score: 0 of 2 tasks are measured." in shown
    assert f"teamwork is not measured: answered 0 of {asked}." in shown
    assert "0.0 % of its questions were answered legally at the first attempt." in shown


async def test_some_tasks_have_points_but_no_score_and_no_report(
    small: None, tmp_path: Path, capsys: Capture
) -> None:
    code = await measure("scripted:random", "--task", "moderation", folder=tmp_path)
    assert code == ExitCode.DONE
    shown = capsys.readouterr()
    words = " ".join(shown.out.split())
    assert re.search(r"scripted:random has -?\d+ \[\S+, \S+\] points in moderation\.", words)
    assert "arena score of" not in words
    assert "leave out --task to write them" in words
    folder = measured_folder("arena-1", "scripted:random", tmp_path)
    assert f"logs.py --list --logs-dir {folder / 'moderation' / 'games'}" in shown.err
    assert [path.name for path in folder.iterdir()] == ["moderation"]


@pytest.mark.parametrize("one_in", [0, 10, 5, 1])
async def test_illegal_moves_are_reported_as_they_were_made(
    one_in: int, tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    sloppy = Sloppy("openspiel", lambda number: one_in > 0 and number % one_in == 0)
    async with FakeApi(reply=sloppy) as api:
        word = f"compatible:m@{api.url}/v1"
        code = await measure(word, "--task", "connect-four", folder=tmp_path)
    assert code == (ExitCode.FAILED if one_in == 1 else ExitCode.DONE)
    shown = " ".join(capsys.readouterr().out.split())
    found = re.search(r"connect-four: ([\d,]+) illegal moves in ([\d,]+) questions", shown)
    if one_in == 0:
        assert found is None
        assert "100.0 % of its questions were answered legally" in shown
        return
    illegal, questions = (int(count.replace(",", "")) for count in not_none(found).groups())
    assert illegal == sloppy.illegal
    if one_in == 1:
        assert (illegal, sloppy.asked) == (4 * questions, 4 * questions)
        assert f"connect-four is not measured: answered 0 of {questions}" in shown
    else:
        assert illegal / sloppy.asked == pytest.approx(1 / one_in, abs=0.02)


def with_points(measured: Measured, more: float) -> Measured:
    """Return a result with `more` points in its first task."""
    first, *rest = measured.tasks
    return replace(measured, tasks=(replace(first, points=not_none(first.points) + more), *rest))


async def test_scripts_compare_deal_by_deal(small: None, tmp_path: Path, capsys: Capture) -> None:
    words = ("scripted:greedy", "scripted:random")
    folder = tmp_path / "some logs"
    assert await measure(*words, "--suite", "small", folder=folder) == ExitCode.DONE
    logs = ["--logs-dir", str(folder)]
    where = f"--suite small --logs-dir '{folder}'"
    shown = capsys.readouterr().err
    assert f"tournament.py compare {' '.join(words)} {where}" in shown
    assert f"logs.py --list --logs-dir '{folder}/measure/" in shown
    assert tournament.main(["compare", *words, *logs]) == ExitCode.DONE
    shown = " ".join(capsys.readouterr().out.split())
    assert "scripted:greedy is ahead of scripted:random" in shown
    assert tournament.main(["compare", words[0], "local", *logs]) == ExitCode.USAGE
    told = capsys.readouterr().err
    assert f"uv run tournament.py measure local --quick --logs-dir '{folder}'" in told
    first, second = found_in(tmp_path)
    suite = small_suite()
    with pytest.raises(ValueError, match="arena-1 has changed since scripted:random"):
        [*compare_parts(suite, first, replace(second, suite_sha256="0"))]
    assert not why_not_current(suite, with_points(second, 1e-9))
    better = with_points(second, 1e-3)
    with pytest.raises(ValueError, match="scripted:random in teamwork do not match its games"):
        [*compare_parts(suite, first, better)]
    path, *_ = write_measured(suite, first, "measure", tmp_path / "again")
    assert read_measured(path) == first
    path.write_text('{"score": 1}')
    with pytest.raises(ValueError, match="to be the file of a measured model"):
        read_measured(path)


def test_wordings_that_differ_widen_the_interval() -> None:
    """Halfway between floor and ceiling, but 30 points more or less under two of three wordings."""
    task, kept = SUITE.tasks["teamwork"], SUITE.references.scripts["teamwork"]
    floor, ceiling = task.ends(kept)
    shift = {1: 0.2, 2: 0.5, 3: 0.8}
    games = []
    for deal, (low, high) in enumerate(zip(floor, ceiling, strict=True)):
        (game,) = figures_with([low + shift[1 + deal % 3] * (high - low)])
        games.append(replace(game, wording=1 + deal % 3))
    found = task_result(SUITE, "teamwork", games)
    assert [*found.by_wording.values()] == pytest.approx([20, 50, 80])
    alone = task_result(SUITE, "teamwork", [replace(game, wording=1) for game in games])
    assert found.points == alone.points
    # Of 20, 50 and 80 the deviation is 30; Student's t with two degrees of freedom is 4.303.
    low = not_none(found.low)
    assert not_none(found.points) - low == pytest.approx(4.303 * 30 / 3**0.5, rel=1e-3)
    assert low < not_none(alone.low)
    assert found.error == pytest.approx(30 / 3**0.5)
    assert found.freedom == 2
    assert task_result(SUITE, "teamwork", games) == found


def test_wordings_that_agree_leave_the_interval() -> None:
    kept = SUITE.references.scripts["teamwork"]["silent"]
    games = [replace(game, wording=1 + place % 2) for place, game in enumerate(figures_with(kept))]
    found = task_result(SUITE, "teamwork", games)
    alone = task_result(SUITE, "teamwork", figures_with(kept))
    assert not_none(found.low) <= not_none(alone.low)
    assert found.error >= alone.error


async def test_a_wording_that_is_not_there_is_refused(tmp_path: Path, capsys: Capture) -> None:
    words = ("local", "--wordings", "4", "--task", "teamwork")
    assert await measure(*words, folder=tmp_path) == ExitCode.USAGE
    assert "wording" in capsys.readouterr().err


@pytest.mark.parametrize(("wins", "points"), [(24, 100), (0, 0)])
def test_a_climber_is_never_beyond_floor_and_ceiling(wins: int, points: float) -> None:
    rungs = SUITE.tasks["hex"].ladder
    values = [1.0] * wins + [0.0] * (24 - wins)
    found = task_result(SUITE, "hex", figures_with(values, cycle(rungs)))
    assert found.points == pytest.approx(points, abs=0.5)
    assert (found.low is None, found.high is None) == (points == 0, points == 100)
    assert not_none(found.elo).beyond == ("above mcts-1024" if wins else "below mcts-1")


def test_a_climber_is_placed_between_the_rungs_it_beats_and_loses_to() -> None:
    """Twelve games each won by half: the Elo is halfway, and so are the points."""
    placed = SUITE.references.ladders["hex"].elo_of(("mcts-16", "mcts-64", "mcts-1024"))
    rungs = cycle(("mcts-16", "mcts-16", "mcts-64", "mcts-64"))
    found = task_result(SUITE, "hex", figures_with([1.0, 0.0] * 12, rungs))
    middle = (placed["mcts-16"] + placed["mcts-64"]) / 2
    elo = not_none(found.elo)
    assert elo.elo == pytest.approx(middle, abs=0.1)
    assert found.points == pytest.approx(100 * middle / placed["mcts-1024"], abs=0.1)
    assert "plays like mcts-3" in strength_in_words(SUITE, "hex", elo)


UNCLEAR = "No task is clearly its best or worst: the intervals of teamwork and moderation overlap."


@pytest.mark.parametrize(
    ("high", "sentence"),
    [
        (39.0, "It is best at teamwork (50) and worst at moderation (10)."),
        (41.0, UNCLEAR),
        (None, UNCLEAR),
    ],
)
def test_best_and_worst_are_named_where_their_intervals_differ(
    high: float | None, sentence: str
) -> None:
    best = TaskResult("teamwork", points=50.0, low=40.0, high=60.0)
    worst = TaskResult("moderation", points=10.0, low=0.0, high=high)
    measured = Measured("arena-1", True, "", "fake", False, {}, (worst, best))
    assert sentence in [*opening_sentences(SUITE, measured)]


def test_a_table_without_idle_points_has_no_column_of_them() -> None:
    games = tuple(replace(game, asks=9, legal=8) for game in figures_with([1.0, 0.0], cycle([""])))
    task = TaskResult("teamwork", points=50.0, low=40.0, high=60.0, games=games)
    table = task_table(Measured("arena-1", True, "", "fake", False, {}, (task,)))
    assert [row[0] for row in table.rows] == ["teamwork", "rules"]
    assert table.columns == tuple(name for name in COLUMNS if name != "idle")
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_the_chart_has_points_between_their_ends() -> None:
    """An open end is that of the axis."""
    closed = TaskResult("teamwork", points=50.0, low=40.0, high=60.0)
    opened = TaskResult("moderation", points=-10.0, low=None, high=0.0)
    shown = points_chart("fake", {"teamwork": closed, "moderation": opened})
    assert shown.ranges[0] == (40.0, 50.0, 60.0)
    low, points, high = shown.ranges[1]
    assert low < points == -10.0 < high


def test_games_to_settle_follow_from_the_interval() -> None:
    """The end is three times as far as the difference: nine times the games."""
    assert games_to_settle(RatioInterval(2.0, -4.0, 8.0, 1.0, 11), 12) == 12 * 9
    assert games_to_settle(RatioInterval(8.0, 2.0, 14.0, 1.0, 11), 12) is None


async def test_what_cannot_be_measured_is_refused(tmp_path: Path, capsys: Capture) -> None:
    for script, told in (("gredy", "did you mean 'greedy'?"), ("xyzzy", "see uv run tournament")):
        assert await measure(f"scripted:{script}", folder=tmp_path) == ExitCode.USAGE
        error = capsys.readouterr().err
        assert f"scripted:{script} can play none of these tasks" in error
        assert f"; {told}" in error
    assert not found_in(tmp_path)
    alone = ("scripted:wait", "--task", "moderation", "--task", "teamwork")
    where = ["--logs-dir", str(tmp_path)]
    assert await asyncio.to_thread(tournament.main, ["measure", *alone, *where]) == ExitCode.DONE
    assert "scripted:wait has no points in teamwork." in " ".join(capsys.readouterr().out.split())
    assert await measure(*alone, folder=tmp_path) == ExitCode.USAGE
    assert "all games of moderation have begun: leave out --quick" in capsys.readouterr().err


@pytest.mark.slow
async def test_twenty_kills_change_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        tasks = {name: SUITE.tasks[name] for name in ("moderation", "teamwork")}
        both = SUITE.model_copy(update={"tasks": tasks})
        monkeypatch.setattr("engine.cli.tournament.measuring.read_suite", lambda *_, **__: both)
        asked = len(api.requests)
        for way in ("whole", "cut"):
            assert await measure(words[1], folder=tmp_path / way) == ExitCode.DONE
        assert len(api.requests) == asked
    whole, cut = ((tmp_path / way).rglob("measure.json") for way in ("whole", "cut"))
    assert next(whole).read_bytes() == next(cut).read_bytes()
