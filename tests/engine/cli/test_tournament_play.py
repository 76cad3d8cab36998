"""`tournament.py play` and `list`: what they say, the files they leave, and their exit codes."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import logs
import tournament
from engine.cli.main import ExitCode
from engine.tournaments.ledger import Ledger, read_ledgers
from engine.tournaments.run import TournamentRun
from engine.tournaments.settings import read_tournament
from tests.support.fake_api import FakeApi
from tests.support.paths import ROOT
from tests.support.terminal import Capture, assert_refused
from tests.support.tournaments.cups import short_cup, write_cup


def words_of(folder: Path, **more: Any) -> list[str]:
    """Write a tournament as YAML, and return the words that name it and its folder of logs."""
    return [str(write_cup(folder, short_cup(**more))), "--logs-dir", str(folder)]


def played(folder: Path) -> list[str]:
    """Play a tournament without a screen, and return the words of the command that goes on."""
    words = words_of(folder)
    TournamentRun(short_cup(), folder / "cup").run()
    return words


def test_a_tournament_is_played_rated_and_listed(tmp_path: Path, capsys: Capture) -> None:
    words = words_of(tmp_path)
    assert tournament.main(["play", *words]) == ExitCode.DONE
    shown = capsys.readouterr()
    assert "6 of 6 games done" in shown.err
    assert f"uv run tournament.py rate cup --html --logs-dir {tmp_path}" in shown.err
    assert "By wins" in shown.out
    ratings = tmp_path / "cup" / "ratings.json"
    first = ratings.read_bytes()
    # The same command again plays nothing, and comes to the same bytes.
    assert tournament.main(["play", *words]) == ExitCode.DONE
    assert ratings.read_bytes() == first
    assert len([*(tmp_path / "cup" / "games").iterdir()]) == 6

    capsys.readouterr()
    assert tournament.main(["list", "--logs-dir", str(tmp_path)]) == ExitCode.DONE
    listed = " ".join(capsys.readouterr().out.split())
    assert "cup deliberations 6 of 6 over 4 $0.0000" in listed
    assert logs.main(["--list", "--logs-dir", str(tmp_path / "cup" / "games")]) == ExitCode.DONE
    last = next(line for line in capsys.readouterr().out.splitlines() if "cup_000005" in line)
    assert "finished" in last


def test_a_second_driver_is_refused(tmp_path: Path, capsys: Capture) -> None:
    words = words_of(tmp_path)
    ledger = Ledger.open(tmp_path / "cup" / "ledger.jsonl")
    assert tournament.main(["play", *words]) == ExitCode.FAILED
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "is being played by another process: wait until that one ends" in told
    asyncio.run(ledger.begin(short_cup()))
    assert tournament.main(["list", "--logs-dir", str(tmp_path)]) == ExitCode.DONE
    assert "0 of 6  playing" in capsys.readouterr().out
    ledger.close()


def test_a_lost_log_is_named(tmp_path: Path, capsys: Capture) -> None:
    words = played(tmp_path)
    (tmp_path / "cup" / "games" / "cup_000003.json").unlink()
    assert tournament.main(["play", *words]) == ExitCode.FAILED
    assert "the log of cup_000003 is not in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--shard", "0/3"], "expected a shard from 1/N to N/N"),
        (["--processes", "0"], "expected --processes to be from 1 to 256: got 0"),
        (["--concurrency", "0"], "expected --concurrency to be at least 1: got 0"),
        (["--max-cost", "-1"], "max_cost"),
        (["--games", "3"], "unknown option '--games': the file sets the number of games"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(
    words: list[str], told: str, tmp_path: Path, capsys: Capture
) -> None:
    assert tournament.main(["play", *words_of(tmp_path), *words]) == ExitCode.USAGE
    assert_refused(capsys, told)
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize("word", ["cup", "cup.yaml", "./cup", "own", "own.yaml"])
def test_a_tournament_is_found_by_its_name(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words_of(tmp_path)
    cups = tmp_path / "configs" / "cups"
    cups.mkdir(parents=True)
    (cups / "own.yaml").write_bytes((tmp_path / "cup.yaml").read_bytes())
    assert read_tournament(Path(word)).name == "cup"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("dilemna", "there is no dilemna; did you mean 'dilemma'?"),
        ("simple", "configs/cups/mixed.yaml"),
        ("typo", "typo: games: field required; unknown setting 'gmes': did you mean 'games'?"),
    ],
)
def test_a_misspelt_name_or_setting_gets_a_suggestion(
    word: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = short_cup().public()
    settings["gmes"] = settings.pop("games")
    Path("typo.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    assert tournament.main(["play", word]) == ExitCode.USAGE
    assert told in capsys.readouterr().err


def test_a_damaged_ledger_is_refused_with_the_line(tmp_path: Path, capsys: Capture) -> None:
    words = played(tmp_path)
    ledger = tmp_path / "cup" / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b'"number": 4', b'"number": 5', 1))
    assert tournament.main(["play", *words]) == ExitCode.USAGE
    assert "expected line 6 of" in capsys.readouterr().err
    assert tournament.main(["list", "--logs-dir", str(tmp_path)]) == ExitCode.DONE
    assert "unreadable" in capsys.readouterr().out


async def test_a_used_up_budget_ends_with_code_4_and_the_command_to_go_on(
    tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi() as api:
        words = words_of(tmp_path, models=4, at=api.url)
        bounded = [*words, "--max-calls", "20"]
        assert await asyncio.to_thread(tournament.main, ["play", *bounded]) == ExitCode.STOPPED
        told = capsys.readouterr().err
        assert "Stopped: the budget of 20 calls is used up: 20 calls" in told
        assert f"uv run tournament.py play {words[0]} --max-calls 20" in told
        assert len(api.requests) == 20
        ends = read_ledgers(tmp_path / "cup").done.values()
        assert "stopped" in {done.status for done in ends} <= {"finished", "stopped"}


async def test_offline_leaves_out_who_would_be_asked(tmp_path: Path, capsys: Capture) -> None:
    async with FakeApi() as api:
        words = words_of(tmp_path, models=1, at=api.url)
        code = await asyncio.to_thread(tournament.main, ["play", *words, "--offline"])
        assert code == ExitCode.DONE
        assert not api.requests
    assert "--offline leaves out" in capsys.readouterr().err
    assert len(read_ledgers(tmp_path / "cup-offline").done) == 6


async def test_ctrl_c_ends_with_code_5_and_the_same_command_goes_on(tmp_path: Path) -> None:
    async with FakeApi(delay=0.1) as api:
        words = words_of(tmp_path, models=4, at=api.url, concurrency=2, games=2)
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, str(ROOT / "tournament.py"), "play", *words]
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
        while len(api.requests) < 8 and process.returncode is None:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, told = await process.communicate()
        assert process.returncode == ExitCode.INTERRUPTED, told
        assert b"Interrupted, but nothing is lost. Continue with:" in told
        api.delay = 0
        await TournamentRun(read_tournament(Path(words[0])), tmp_path / "cup").play()
        assert len(read_ledgers(tmp_path / "cup").done) == 2
        questions = [json.dumps(one.body, sort_keys=True) for one in api.requests]
        assert len({*questions}) == len(questions)


async def test_no_game_to_rate_is_a_failure(tmp_path: Path, capsys: Capture) -> None:
    async with FakeApi(reply=lambda body: "I will not.") as api:
        words = words_of(tmp_path, models=3, at=api.url, games=2)
        assert await asyncio.to_thread(tournament.main, ["play", *words]) == ExitCode.FAILED
    told = capsys.readouterr().err
    assert "no game can be rated" in told
    assert "2 of 2 games done, 0 running, 2 void" in told


async def test_a_provider_that_is_not_there_fails_with_a_sentence(
    tmp_path: Path, capsys: Capture
) -> None:
    words = words_of(tmp_path, models=4, at="http://127.0.0.1:9", games=2)
    path = Path(words[0])
    settings = yaml.safe_load(path.read_text())
    for entrant in settings["entrants"].values():
        entrant["client_kwargs"]["max_attempts"] = 1
    path.write_text(yaml.safe_dump(settings))
    assert await asyncio.to_thread(tournament.main, ["play", *words]) == ExitCode.FAILED
    assert "2 games failed, such as: " in capsys.readouterr().err
