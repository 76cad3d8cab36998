"""A log replays byte for byte without a call; a fork goes on from an event with other players."""

import asyncio
import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import example
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import Event, History, history_from_json
from engine.record.files import DiskError
from engine.record.journal import JournalError
from engine.runs.catalogue import find_game
from engine.runs.replay import Replay, finished_log, fork, unfinished_journal
from engine.runs.seating import read_players
from engine.views.framing import closing_blocks
from player import Console
from tests.support.fake_api import FakeApi, chat, legal
from tests.support.tables import config_for, own_games, play_with_models, players_at, run_game

GAME = pytest.mark.parametrize("game", own_games())


def script(game: str, place: int = -1) -> str:
    return f"scripted:{[*GAMES[game].strategies][place]}"


def troublesome() -> Callable[[dict[str, Any]], str | web.Response]:
    """Return a model that in turn answers, thinks aloud, babbles, refuses, is cut off and fails."""
    turn = count()

    def reply(body: dict[str, Any]) -> str | web.Response:
        good = legal(body)
        ways: list[str | web.Response] = [
            good,
            f"<think>hm \u200b \x1b[31m</think>{good}",
            "no answer at all \ud800",
            web.json_response(chat(good, reasoning_content="because")),
            web.json_response(chat("", refusal="never")),
            web.json_response(chat('{"item": ', finish_reason="length")),
            web.json_response({"error": {"message": "too long"}}, status=400),
            good.replace("some", "so\ud800me"),
            web.json_response(
                chat(f"<think>twice</think>{good}", reasoning_content="first\ntwice")
            ),
        ]
        return ways[next(turn) % len(ways)]

    return reply


async def test_a_log_tells_which_model_really_answered(tmp_path: Path) -> None:
    """The server names a model with control characters, then the asked one, a number, and none."""
    told = iter(["one-2026\x1b[31m", "one", 7, None])

    def reply(body: dict[str, Any]) -> web.Response:
        return web.json_response(chat(legal(body)) | {"model": next(told)})

    terms: dict[str, Any] = {"logs_dir": tmp_path, "settings": {"length": 4}}
    log, _ = await play_with_models("conversation", "compatible:one", reply, **terms)
    attempts = [attempt for event in log.events for attempt in event.attempts]
    assert [attempt.served for attempt in attempts] == ["one-2026[31m", "", "7", ""]
    assert "one-2026[31m" in str([*closing_blocks(log)])
    assert await Replay(history_from_json(log.to_json())).play() == log


async def played(api: FakeApi, game: str, folder: Path, seats: str = "") -> History:
    seats = seats or f"compatible:one,compatible:two,{script(game)}"
    return await GameEngine(config_for(game, seats, folder, at=api.url, seed=5)).play()


def facts(event: Event) -> tuple[object, ...]:
    return (event.index, event.kind, event.player_id, event.content, event.data)


@GAME
async def test_a_replay_is_the_same_game_and_makes_no_call(game: str, tmp_path: Path) -> None:
    async with FakeApi(reply=troublesome()) as api:
        await played(api, game, tmp_path)
        asked = len(api.requests)
        before = (tmp_path / "game.json").read_bytes()
        again = await Replay(finished_log(tmp_path, "game")).play()
        assert len(api.requests) == asked
    assert again.to_json().encode() == before == (tmp_path / "game.json").read_bytes()
    assert [*tmp_path.iterdir()] == [tmp_path / "game.json"]
    assert sum(usage.fallbacks for usage in again.usage.values()) > 0


@GAME
async def test_a_replay_of_another_game_is_refused(game: str, tmp_path: Path) -> None:
    async with FakeApi() as api:
        log = await played(api, game, tmp_path)
    changed = log.events[-1]
    changed.content += " and more"
    with pytest.raises(JournalError, match=f"event {changed.index}, .*content: the log has"):
        await Replay(log).play()
    again = history_from_json(log.to_json())
    beside = again.events[-1]
    beside.content = beside.content.removesuffix(" and more")
    beside.data = {"more": 1}
    with pytest.raises(JournalError, match=f"event {beside.index}, .*more: the log has 1"):
        await Replay(again).play()


def test_a_person_is_not_asked_again(tmp_path: Path) -> None:
    lines = iter(["1", "stay silent", "2"])

    def read(prompt: str) -> str:
        for line in lines:
            return line
        raise EOFError

    seats = "Me=human,scripted:random"
    config = config_for("conversation", seats, tmp_path, settings={"length": 6})
    played = GameEngine(config, console=Console(read, lambda text: None)).run()
    assert played.usage["Me"].fallbacks == 3
    nobody = Console(lambda prompt: pytest.fail("asked"), lambda text: pytest.fail("told"))
    assert Replay(played, console=nobody).run().to_json() == played.to_json()


@GAME
@pytest.mark.parametrize("part", [0.0, 0.4, 1.0])
def test_a_fork_keeps_what_was_and_asks_others_then(game: str, part: float, tmp_path: Path) -> None:
    """Model and script swap seats; no question up to the event is asked again."""

    async def play() -> None:
        async with FakeApi() as api:
            log = await played(api, game, tmp_path)
            after = round(part * (len(log.events) - 1))
            heirs = players_at(api.url, f"Ada={script(game, 0)},Cleo=compatible:three")
            before = len(api.requests)
            engine = await asyncio.to_thread(fork, log, after, heirs, tmp_path)
            assert len(api.requests) == before
            history = await engine.play()
            assert history.status == "finished"
            kept = [facts(event) for event in log.events[: after + 1]]
            assert [facts(event) for event in history.events[: after + 1]] == kept
            new = [event for event in history.events if event.prompt and event.prompt.upto > after]
            assert len(api.requests) - before == sum(len(event.attempts) for event in new)
            models = {request.body["model"] for request in api.requests[before:]}
            assert models == {"two", "three"} if new else not models
            own = script(game, 0).partition(":")[2]
            assert [seat.model for seat in history.players] == [own, "two", "three"]
            text = history.to_json()
        assert (await Replay(history_from_json(text)).play()).to_json() == text

    asyncio.run(play())


async def test_a_fork_goes_on_after_a_kill(tmp_path: Path) -> None:
    """A fork's journal holds the replies it took over, so it resumes without the log."""
    async with FakeApi() as api:
        log = await played(api, "conversation", tmp_path)
        heirs = players_at(api.url, "Ada=scripted:random,Ben=compatible:new")
        engine = await asyncio.to_thread(fork, log, 30, heirs, tmp_path)
        expected = await (await asyncio.to_thread(fork, log, 30, heirs, tmp_path / "whole")).play()
        assert engine.journal is not None
        engine.journal.close()
        (tmp_path / "game.json").unlink()
        resumed = await GameEngine.resume(tmp_path / f"{engine.history.game_id}.jsonl").play()
    assert [facts(event) for event in resumed.events] == [facts(event) for event in expected.events]
    assert resumed.outcome == expected.outcome


@pytest.mark.parametrize(
    ("after", "players", "sentence"),
    [
        (-1, "Ada=scripted:random", "expected an event from 0 to"),
        (10_000, "Ada=scripted:random", "expected an event from 0 to"),
        (3, "Zoe=scripted:random", "expected a player for each of the seats Ada, Ben"),
        (3, "Ada=scripted:rndom", "did you mean 'random'"),
    ],
)
def test_bad_forks_are_refused(after: int, players: str, sentence: str, tmp_path: Path) -> None:
    log = run_game("conversation", "scripted:random,scripted:greedy")
    with pytest.raises(ValueError, match=sentence):
        fork(log, after, read_players(players), tmp_path)
    assert not [*tmp_path.iterdir()]


def test_the_command_line_shows_the_same_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert example.main(["--offline", "--seed", "7", "--length", "6"]) == 0
    shown = capsys.readouterr().out
    (name,) = (log.stem for log in (tmp_path / "logs").glob("*.json"))
    assert example.main(["--replay", name]) == 0
    assert capsys.readouterr().out.partition("Next:")[0] == shown.partition("Next:")[0]
    to_ben = ["--players", "Ben=scripted:silent"]
    assert example.main(["--fork", name, "--at", "20", *to_ben, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["log"] != name
    assert lines[:21] != lines[21:42]
    for words, sentence in (
        (["--replay", "nothing"], "unknown finished game 'nothing'"),
        (["--replay", name, "--seed", "1"], "--seed cannot change a finished game"),
        (["--replay", name, "--games", "2"], "expected only one of --replay and --games"),
        (["--fork", name, "--at", "3"], "expected --at EVENT and --players LIST"),
    ):
        assert example.main(words) == 2
        assert sentence in capsys.readouterr().err


def test_last_is_the_newest_game_of_the_kind_that_the_option_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "logs"
    for game_id in ("newer", "older"):
        run_game("conversation", "", folder, settings={"length": 2}, game_id=game_id)
    os.utime(folder / "older.json", (0, 0))
    assert example.main(["--resume", "last"]) == 2
    assert capsys.readouterr().err == "example.py: there is no unfinished game in logs\n"
    (folder / "begun.jsonl").write_text("{}")
    assert find_game(folder, "last", "finished game") == "newer"
    assert find_game(folder, "last", "unfinished game") == "begun"
    for word in ("last", "beg"):
        with pytest.raises(ValueError, match=f"unknown unfinished game '{word}'"):
            unfinished_journal(folder, word)
    for word in ("last", "new"):
        with pytest.raises(ValueError, match=f"unknown finished game '{word}'"):
            finished_log(folder, word)
    assert example.main(["--replay", "last"]) == 0
    to_ben = ["--players", "Ben=scripted:silent"]
    assert example.main(["--fork", "last", "--at", "2", *to_ben]) == 0


def test_a_game_that_comes_out_differently_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log = run_game("conversation")
    log.events[-1].content = "something else"
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "game.json").write_text(log.to_json(), encoding="utf-8")
    assert example.main(["--replay", "game"]) == 1
    assert "game cannot be replayed: event" in capsys.readouterr().err


def test_a_fork_into_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    log = run_game("conversation", "", tmp_path, settings={"length": 2})
    taken = tmp_path / "taken"
    taken.write_text("")
    with pytest.raises(DiskError, match=r"taken/logs/gameplay_\w+\.jsonl cannot be written: "):
        fork(log, 1, read_players("Ada=scripted:silent"), taken / "logs")
    with pytest.raises(DiskError, match="cannot be written"):
        fork(log, 1, read_players("Ada=scripted:silent"), taken)
