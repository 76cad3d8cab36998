"""A run whose only game is void fails, says why, and its log tells programs so."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import example
import logs
import talks
from engine.cli.main import ExitCode
from engine.engine import GameEngine
from engine.history import History
from engine.runs.replay import fork
from engine.spending.validity import void_sentence
from player import Console, PlayerConfig
from tests.support.fault_api import FaultApi
from tests.support.tables import config_for, play_game
from tests.support.terminal import Capture

SEAT = (
    "- {{player_id: {name}, provider: compatible, model: m,"
    ' client_kwargs: {{base_url: "{url}/v1", max_attempts: 1}}}}\n'
)
WORDS = "void: Ada answered 0 of 4"


def write_config(folder: Path, url: str, names: tuple[str, ...], rest: str) -> list[str]:
    """Write a config of models at `url`, and return the words that play it."""
    seats = "".join(SEAT.format(name=name, url=url) for name in names)
    path = folder / "game.yaml"
    path.write_text(f"player_configs:\n{seats}{rest}", encoding="utf-8")
    return ["--config", str(path), "--logs-dir", str(folder), "--seed", "3"]


async def play_void(folder: Path, *more: str) -> tuple[ExitCode, str]:
    """Play a conversation with a model that never obeys; return the exit code and the log's name.

    It is reached, so its fallbacks are counted, and the game comes to its end.
    """
    rest = "- {player_id: Ben, provider: scripted, model: greedy}\n"
    rest += "game: {name: conversation, length: 4}\n"
    async with FaultApi(fault="illegal") as api:
        words = write_config(folder, api.url, ("Ada",), rest)
        code = await asyncio.to_thread(example.main, [*words, *more])
    (log,) = folder.glob("*.json")
    return ExitCode(code), log.stem


async def test_a_void_game_fails_the_command(tmp_path: Path, capsys: Capture) -> None:
    code, name = await play_void(tmp_path)
    out, err = capsys.readouterr()
    assert code == ExitCode.FAILED
    assert f"\n{WORDS}\n" in out
    assert f"example.py: {WORDS}, so its scores come from fallbacks and do not count" in err
    assert f"uv run logs.py --filename {name} --logs-dir {tmp_path} --terminal" in err


async def test_programs_are_told(tmp_path: Path, capsys: Capture) -> None:
    code, name = await play_void(tmp_path, "--json")
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == ExitCode.FAILED
    assert (result["status"], result["void"]) == ("finished", "Ada answered 0 of 4")
    log = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert (log["status"], log["void"]) == ("finished", "Ada answered 0 of 4")


async def test_the_list_has_room_for_it(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns too, where the names of logs are long."""
    monkeypatch.setenv("COLUMNS", "80")
    await play_void(tmp_path)
    capsys.readouterr()
    words = ["--list", "--logs-dir", str(tmp_path)]
    assert await asyncio.to_thread(logs.main, words) == ExitCode.DONE
    header, _, row, *_ = capsys.readouterr().out.splitlines()
    assert header.split()[:5] == ["name", "title", "status", "void", "result"]
    assert "finished  Ada 0/4" in row


async def test_the_check_of_rules_says_it_too(tmp_path: Path, capsys: Capture) -> None:
    _, name = await play_void(tmp_path)
    capsys.readouterr()
    words = [name, "--check", "--logs-dir", str(tmp_path)]
    assert await asyncio.to_thread(logs.main, words) == ExitCode.DONE
    (line,) = capsys.readouterr().out.splitlines()
    assert line == f"{name} keeps its rules, but is void: Ada answered 0 of 4."


async def test_a_talk_that_nobody_took_part_in_is_not_complete(
    tmp_path: Path, capsys: Capture
) -> None:
    rest = "topic: What is love?\ndepth: 1\nmax_iterations: 4\n"
    async with FaultApi(fault="refusal") as api:
        words = write_config(tmp_path, api.url, ("Marcus", "Sophia"), rest)
        code = await asyncio.to_thread(talks.main, words)
    out, err = capsys.readouterr()
    assert code == ExitCode.FAILED
    assert "Discussion Complete" not in out
    assert "Quality" not in out
    assert "The discussion is void: Marcus answered 0 of" in out
    assert "talks.py: void: Marcus answered 0 of" in err

    (log,) = tmp_path.glob("*.json")
    review = [log.stem, "--logs-dir", str(tmp_path)]
    assert await asyncio.to_thread(logs.main, [*review, "--terminal"]) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    complete = [line for line in lines if "Discussion Complete" in line]
    assert len(complete) == 1
    assert "void: Discussion Complete" in complete[0]
    assert "Result (void)" in lines
    assert "Shared (void)" in lines
    assert lines[-1] == "The game is over."

    assert await asyncio.to_thread(logs.main, [*review, "--typst"]) == ExitCode.DONE
    document = log.with_suffix(".typ").read_text(encoding="utf-8")
    assert document.count("Discussion Complete") == 1
    assert '#sheet("Shared (void)"' in document
    assert document.count("#closing(") == 1
    assert '#closing("The game is over.")' in document


def leave(question: str) -> str:
    raise EOFError


async def play_with(seat: str, **more: Any) -> History:
    config = config_for("guest", f"{seat},scripted:leader", settings={"max_steps": 30})
    return await GameEngine(config, **more).play()


async def test_seats_of_every_kind_are_judged() -> None:
    """A person who left, and a script that answers nothing, have not played either."""
    left = await play_with("human", console=Console(leave, lambda _: None))
    assert void_sentence(left) == f"void: Ada answered 0 of {left.usage['Ada'].asks}"

    engine = GameEngine(config_for("guest", "scripted:leader", settings={"max_steps": 30}))
    engine.players[0].script = lambda turn, rng: None  # type: ignore[attr-defined]
    broken = await engine.play()
    assert void_sentence(broken) == f"void: Ada answered 0 of {broken.usage['Ada'].asks}"

    assert void_sentence(await play_with("scripted:wait")) == ""


async def test_a_fork_is_judged_by_all_that_its_seats_were_asked(tmp_path: Path) -> None:
    async with FaultApi(fault="illegal") as api:
        seats, short = "compatible:m,scripted:greedy", {"length": 4}
        log = await play_game("conversation", seats, tmp_path, at=api.url, settings=short)
    heir = PlayerConfig(player_id="Ada", provider="scripted", model="greedy")
    early = await asyncio.to_thread(fork, log, 0, [heir], tmp_path)
    late = await asyncio.to_thread(fork, log, len(log.events) - 1, [heir], tmp_path)
    assert void_sentence(log) == WORDS
    assert void_sentence(await early.play()) == ""
    assert void_sentence(await late.play()) == WORDS
