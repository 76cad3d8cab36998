"""Many games in one process: none affects another, budgets bound them all, all can be watched."""

import asyncio
import gc
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from rich.console import Console

import example
from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.games import GAMES
from engine.report.tables import Table
from engine.runs.batch import Batch
from engine.runs.board import COLUMNS, BatchGame, Board, board, line_of, states_of
from engine.runs.rotation import Spot, seat_games
from engine.spending.budget import Limits
from tests.support.fake_api import FakeApi, legal
from tests.support.paths import ROOT
from tests.support.tables import config_for

MODELS = "compatible:m,compatible:n,scripted:random"


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_games_played_together_are_the_games_played_alone(game: str, tmp_path: Path) -> None:
    script = f"scripted:{[*GAMES[game].strategies][-1]}"
    async with FakeApi() as api:
        seats = f"compatible:m,{script},{script}"
        config = config_for(game, seats, tmp_path, at=api.url, game_id=None)
        configs = seat_games(config, 6, rotate=False)
        batch = Batch(configs, concurrency=3)
        together = await batch.play()
        assert len(batch.factory.clients) == 1
        factory = ClientFactory()
        alone = [await GameEngine(one, factory=factory).play() for one in configs]
        await factory.aclose()
    assert [history.seed for history in together] == [*range(6)]
    assert [history.rounds for history in together] == [history.rounds for history in alone]
    ids = [history.game_id for history in together]
    assert len({*ids}) == 6
    assert ids == sorted(ids)
    assert all((tmp_path / f"{name}.json").exists() for name in ids)


async def test_no_more_games_than_allowed_are_under_way() -> None:
    under_way: list[int] = []

    def count(_: BatchGame) -> None:
        under_way.append(sum(game.state == "running" for game in batch.games))

    async with FakeApi(delay=0.01) as api:
        config = config_for("conversation", MODELS, at=api.url, settings={"length": 3})
        batch = Batch(seat_games(config, 7, rotate=False), concurrency=3, watch=count)
        await batch.play()
    assert max(under_way) == 3
    assert {game.state for game in batch.games} == {"finished"}


async def test_a_failed_game_touches_no_other(tmp_path: Path) -> None:
    """A refused key fails one game, a broken script another; the third is played."""

    def reply(body: dict[str, Any]) -> str | web.Response:
        refused = web.json_response({"error": {"message": "no such key"}}, status=401)
        return refused if body["model"] == "bad" else legal(body)

    async with FakeApi(reply=reply) as api:
        seats = [f"compatible:{model},scripted:random" for model in ("bad", "good", "good")]
        configs = [
            config_for("conversation", one, tmp_path, at=api.url, game_id=f"game{place}")
            for place, one in enumerate(seats)
        ]
        batch = Batch(configs, concurrency=8)
        batch.games[1].engine.state = None
        histories = await batch.play()
    assert [history.status for history in histories] == ["failed", "failed", "finished"]
    assert "no such key" in histories[0].reason
    assert histories[1].reason.startswith("AttributeError")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["game0.jsonl", "game1.jsonl", "game2.json"]


async def test_budgets_bound_all_games_together(tmp_path: Path) -> None:
    """4 games of 12 calls get 10 in all; then each goes on by itself and no call is made twice."""
    async with FakeApi() as api:
        terms: dict[str, Any] = {"game_id": None, "settings": {"length": 6}}
        config = config_for("conversation", MODELS, tmp_path, at=api.url, **terms)
        configs = seat_games(config, 4, rotate=False)
        histories = await Batch(configs, concurrency=2, limits=Limits(max_calls=10)).play()
        assert {history.status for history in histories} == {"stopped"}
        assert len(api.requests) == 10
        for journal in tmp_path.glob("*.jsonl"):
            assert (await GameEngine.resume(journal).play()).status == "finished"
    assert len(api.requests) == 48


async def test_two_batches_at_once_leave_garbage_collection_as_it_was() -> None:
    before = gc.get_threshold()
    configs = seat_games(config_for("conversation", settings={"length": 4}), 3, rotate=False)
    batches = [Batch(part, concurrency=8) for part in (configs[:1], configs)]
    await asyncio.gather(*(batch.play() for batch in batches))
    assert gc.get_threshold() == before


async def test_every_config_is_checked_before_the_first_call() -> None:
    async with FakeApi() as api:
        good = config_for("conversation", MODELS, at=api.url)
        with pytest.raises(ValueError, match="expected no person in a batch of games: Ada"):
            Batch([good, config_for("conversation", "human,scripted:random")], concurrency=8)
        with pytest.raises(ValueError, match="expected concurrency to be at least 1: got 0"):
            Batch([good], concurrency=0)
        with pytest.raises(ValueError, match="expected at least 1 game: got 0"):
            seat_games(good, 0, rotate=False)
    assert not api.requests
    assert await Batch([], concurrency=8).play() == []


@pytest.mark.parametrize("terminal", [False, True])
async def test_the_board_tells_where_every_game_is(terminal: bool) -> None:
    """On a terminal a table that lives, elsewhere one line for each game."""
    shown: list[Table] = []
    screen = Console(file=io.StringIO(), force_terminal=terminal, width=80)
    async with FakeApi() as api:
        config = config_for("conversation", MODELS, at=api.url, settings={"length": 2})
        batch = Batch(seat_games(config, 3, rotate=False), concurrency=1)
        with Board(screen, batch.games) as live:

            def watch(game: BatchGame) -> None:
                shown.append(board(batch.games))
                live(game)

            batch.watch = watch
            await batch.play()
    lines = screen.file.getvalue()  # type: ignore[attr-defined]
    assert [line_of(game) in lines for game in batch.games] == [not terminal] * 3
    assert [f"{count} of 3  " in lines for count in (1, 2, 3)] == [not terminal] * 3
    assert ("ETA" in lines) is terminal
    assert ("\n3 finished\n" in lines) is terminal
    assert shown[0].rows[0][:5] == ("0", 0, 0, 0, "")
    assert shown[0].rows[-1][4:6] == ("", 0)
    assert shown[-1].rows == (shown[-1].rows[-1],)
    assert shown[-1].rows[-1][4:7] == ("100 %", 3 * 4 * 120, "unknown")
    assert states_of(batch.games) == "3 finished"


async def test_the_board_fits_80_columns_and_says_what_it_rests_on(tmp_path: Path) -> None:
    """Ada's model answers nothing: each game that is over names her void seat."""

    async with FakeApi(lambda body: "nothing" if body["model"] == "m" else legal(body)) as api:
        config = config_for("conversation", MODELS, at=api.url, settings={"length": 2})
        batch = Batch(seat_games(config, 120)[:3], concurrency=8)
        batch.games[0].engine.meter.tokens = 123_456_789
        batch.games[0].engine.meter.cost = 1234.5
        await batch.play()
    screen = Console(file=io.StringIO(), width=80)
    many = [replace(game, spot=Spot(1000 + game.spot.game, 200, 10)) for game in batch.games]
    for game in many:
        game.history.status = "running"
        game.ended = None
    screen.print(Board(screen, many).look())
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, shown.splitlines())) <= 80
    header, _, *rows = shown.splitlines()
    assert header.split() == [*COLUMNS]
    # Ben and Cleo answered their two questions each, Ada none of hers.
    assert [len(row.split("  ")) > 5 for row in rows] == [True] * 4 + [False]
    assert rows[0].split()[:6] == ["1000", "200", "10", "2", "66.6", "%"]
    for game in batch.games:
        game.history.status, game.ended = "finished", game.began
    assert states_of(batch.games) == "3 finished"
    assert "; seat void: Ada answered 0 of 2; " in line_of(batch.games[0])


def test_the_command_line_plays_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--offline", "--seed", "3", "--length", "4", "--games", "3", "--concurrency", "2"]
    assert example.main(words) == 0
    shown = capsys.readouterr().out
    assert shown.count("finished after round 4") == 3
    assert "3 games: 3 finished." in shown
    assert example.main([*words, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["status"] for line in lines] == ["finished"] * 3
    assert len([*(tmp_path / "logs").glob("*.json")]) == 6
    assert example.main(["--games", "2", "--players", "human,scripted:random"]) == 2
    assert "expected no person in a batch" in capsys.readouterr().err


async def test_the_exit_code_tells_of_failed_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refusal = {"error": {"message": "no"}}
    async with FakeApi(reply=lambda body: web.json_response(refusal, status=401)) as api:
        words = [*words_at(tmp_path, api), "--games", "2"]
        assert await asyncio.to_thread(example.main, words) == 1
    assert "--resume gameplay_" in capsys.readouterr().err


def words_at(folder: Path, api: FakeApi) -> list[str]:
    """Write a game of a model and a script, and return the words that play it in `folder`."""
    ada: dict[str, Any] = {"player_id": "Ada", "provider": "compatible", "model": "m"}
    ada["client_kwargs"] = {"base_url": f"{api.url}/v1"}
    ben = {"player_id": "Ben", "provider": "scripted", "model": "random"}
    config = {"game": {"name": "conversation", "length": 4}, "player_configs": [ada, ben]}
    (folder / "game.yaml").write_text(json.dumps(config))
    return ["--config", "game.yaml"]


async def start(folder: Path, api: FakeApi, *words: str) -> asyncio.subprocess.Process:
    command = [sys.executable, str(ROOT / "example.py"), *words_at(folder, api), *words]
    pipe = subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=pipe, stderr=pipe)
