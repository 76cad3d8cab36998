"""`tournament.py jury`: what it asks, how it ends, and what it says."""

import asyncio
import json
from pathlib import Path

import pytest

from engine.cli.main import run_command
from tests.support.fake_api import FakeApi
from tests.support.terminal import Capture
from tests.support.tournaments.cups import short_cup
from tests.support.tournaments.juries import island_cup, model_cup, play_cup, play_whole

SCRIPTS = ("loyal", "random", "grudge", "bandwagon", "contrarian")


def jury(folder: Path, *words: str) -> int:
    return run_command("tournament.py", ["jury", "cup", *words, "--logs-dir", str(folder)])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    play_whole(island_cup(5, 6, *SCRIPTS), folder / "cup")
    return folder


def test_scripts_show_nothing_and_the_next_command_follows(played: Path, capsys: Capture) -> None:
    assert jury(played, "--json") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["finals"], found["jurors"], found["answers"]) == (6, 18, 90)
    assert found["noise"] == 0
    for effect in found["effects"].values():
        assert effect["estimate"] == 0
        assert effect["interval"] == [0, 0]
    assert "6 finals, 90 questions" in err
    assert f"uv run tournament.py rate cup --bias --html --logs-dir {played}" in err


def test_the_table_says_what_it_rests_on(played: Path, capsys: Capture) -> None:
    assert jury(played) == 0
    out = capsys.readouterr().out
    assert "The jury, asked again" in out
    assert "90 answers of 18 jurors in 6 finals" in out
    assert "finals for 10 points" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--permutations", "6"], "expected 1 to 5 permutations: got 6"),
        (["--permutations", "0"], "expected 1 to 5 permutations: got 0"),
        (["--max-cost", "-1"], "max_cost"),
        (["--concurrency", "0"], "expected concurrency to be at least 1: got 0"),
        (["--config", "nowhere.yaml"], "there is no nowhere.yaml"),
    ],
)
def test_bad_options_are_told_before_anybody_is_asked(
    played: Path, capsys: Capture, words: list[str], sentence: str
) -> None:
    assert jury(played, *words) == 2
    assert sentence in capsys.readouterr().err


def test_a_game_without_a_jury_is_refused(tmp_path: Path, capsys: Capture) -> None:
    play_whole(short_cup("dilemma", games=1), tmp_path / "cup")
    assert jury(tmp_path) == 2
    assert "cup plays dilemma, which has no jury" in capsys.readouterr().err


def test_nothing_finished_and_no_tournament(tmp_path: Path, capsys: Capture) -> None:
    assert jury(tmp_path) == 2
    assert "expected a tournament in" in capsys.readouterr().err
    assert not (tmp_path / "cup").exists()
    play_whole(island_cup(5, 1, *SCRIPTS), tmp_path / "cup", games=0)
    assert jury(tmp_path) == 1
    assert "no game of cup is finished" in capsys.readouterr().err


async def test_a_budget_ends_it_with_4_and_the_command_that_goes_on(
    tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=2), tmp_path / "cup")
        api.requests.clear()
        assert await asyncio.to_thread(jury, tmp_path, "--max-calls", "5") == 4
        err = capsys.readouterr().err
        assert "the budget of 5 calls is used up" in err
        assert f"uv run tournament.py jury cup --logs-dir {tmp_path} --max-calls 10" in err
        assert await asyncio.to_thread(jury, tmp_path, "--max-calls", "20") == 0
        assert len(api.requests) == 20
        assert await asyncio.to_thread(jury, tmp_path, "--max-calls", "20") == 0
        assert len(api.requests) == 20


async def test_an_unknown_price_refuses_a_budget_in_dollars(
    tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=1), tmp_path / "cup")
        assert await asyncio.to_thread(jury, tmp_path, "--max-cost", "1") == 2
    assert "expected known prices for max_cost" in capsys.readouterr().err
