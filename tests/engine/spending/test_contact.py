"""A provider that nobody reaches: fatal at a seat's first question, a counted fault later."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import example
import talks
from client_factory import ClientConfig, ClientFactory
from engine.cli.main import ExitCode
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History
from engine.spending.budget import Contact
from providers import (
    Completion,
    CompletionRequest,
    Message,
    RequestError,
    TransientError,
    UnreachableError,
)
from tests.support.fault_api import FaultApi
from tests.support.tables import config_for
from tests.support.terminal import Capture

REQUEST = CompletionRequest("You play.", (Message("user", ("Well?",)),))
SETTINGS: dict[str, dict[str, Any]] = {
    "conversation": {"length": 4},
    "guest": {"max_steps": 30, "every": 10},
    "talks": {"depth": 1, "max_iterations": 4},
}
SCRIPTS = {game: next(iter(GAMES[game].strategies)) for game in GAMES}


def game_at(api: FaultApi, game: str, folder: Path | None, **kwargs: Any) -> GameEngineConfig:
    """Return a game of two models at `api` and a script."""
    players = f"compatible:m,compatible:m,scripted:{SCRIPTS[game]}"
    config = config_for(game, players, folder, at=api.url, settings=SETTINGS.get(game, {}))
    seats = []
    for seat in config.player_configs:
        own = seat.client_kwargs | kwargs if seat.client_kwargs else {}
        seats.append(seat.model_copy(update={"client_kwargs": own}))
    return config.model_copy(update={"player_configs": seats})


async def play(config: GameEngineConfig, api: FaultApi, journal: Path | None = None) -> History:
    factory = ClientFactory(api.sleep)
    if journal is None:
        engine = GameEngine(config, factory=factory)
    else:
        engine = GameEngine.resume(journal, config, factory=factory)
    try:
        return await engine.play()
    finally:
        await factory.aclose()


def fallbacks_in(history: History) -> int:
    return sum(used.fallbacks for used in history.usage.values())


@pytest.mark.parametrize("game", GAMES)
async def test_an_absent_server_fails_the_game_until_it_is_up(game: str, tmp_path: Path) -> None:
    async with FaultApi(fault="refused") as api:
        config = game_at(api, game, tmp_path)
        failed = await play(config, api)
        assert (failed.status, fallbacks_in(failed)) == ("failed", 0)
        assert failed.reason == (
            f"m could not be reached at {api.url}/v1: the connection was refused "
            "(start the server there, or correct its address)"
        )
        assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]

        await api.opened()
        api.fault = ""
        mended = await play(config, api, tmp_path / "game.jsonl")
        whole = await play(game_at(api, game, tmp_path / "whole"), api)
    assert (mended.status, fallbacks_in(mended)) == ("finished", 0)
    for one in (mended, whole):
        for event in one.events:
            event.attempts = ()
        for used in one.usage.values():
            used.seconds = 0.0
    assert mended == whole


@pytest.mark.parametrize(("provider", "remedy"), [("ollama", "`ollama serve`"), ("groq", "check")])
async def test_each_provider_has_its_own_remedy(provider: str, remedy: str) -> None:
    async with FaultApi(fault="refused") as api:
        config = game_at(api, "conversation", None, max_attempts=1)
        update = {"provider": provider, "api_key": SecretStr("none")}
        seats = [config.player_configs[0].model_copy(update=update), *config.player_configs[1:]]
        failed = await play(config.model_copy(update={"player_configs": seats}), api)
    assert f"{api.url}/v1: the connection was refused (" in failed.reason
    assert remedy in failed.reason


async def test_no_answer_in_time_at_any_attempt_fails_the_game(tmp_path: Path) -> None:
    async with FaultApi(fault="hang") as api:
        config = game_at(api, "conversation", tmp_path, timeout=0.3, max_attempts=2)
        failed = await play(config, api)
    assert failed.status == "failed"
    assert f"did not answer within 0.3 s at {api.url}/v1 (is the address right?" in failed.reason


@pytest.mark.parametrize("faults", [["hang", "500"], ["500", "hang"]])
async def test_a_server_that_answered_one_attempt_is_there(faults: list[str]) -> None:
    """However it answered: that is a counted fallback, as at any later question."""
    async with FaultApi(fault=faults[0]) as api:

        async def sleep(seconds: float) -> None:
            api.fault = faults[1]

        factory = ClientFactory(sleep)
        kwargs = {"base_url": f"{api.url}/v1", "timeout": 0.5, "max_attempts": 2}
        client = factory.get(ClientConfig.for_player("compatible", "m", None, kwargs))
        with pytest.raises(TransientError) as caught:
            await client.complete(REQUEST)
        await factory.aclose()
    assert not isinstance(caught.value, UnreachableError)


async def test_later_in_a_game_it_is_a_counted_fallback(tmp_path: Path) -> None:
    async with FaultApi(fault="gone", first=3) as api:
        history = await play(game_at(api, "conversation", tmp_path, max_attempts=1), api)
    assert (history.status, len(api.requests)) == ("finished", 2)
    assert [history.usage[name].fallbacks for name in ("Ada", "Ben")] == [3, 3]


async def test_a_resumed_seat_that_answered_is_not_at_its_first_question(
    tmp_path: Path,
) -> None:
    async with FaultApi(fault="401", first=3) as api:
        config = game_at(api, "conversation", tmp_path, max_attempts=1)
        assert (await play(config, api)).status == "failed"
    history = await play(config, api, tmp_path / "game.jsonl")
    assert (history.status, len(api.requests)) == ("finished", 4)
    assert [history.usage[name].fallbacks for name in ("Ada", "Ben")] == [3, 3]


Ending = Callable[[], Completion]


def fail(error: Exception) -> Ending:
    def end() -> Completion:
        raise error

    return end


@pytest.mark.parametrize(
    ("endings", "made"),
    [
        ([fail(UnreachableError("no")), fail(UnreachableError("no"))], False),
        ([fail(UnreachableError("no")), lambda: Completion("yes")], True),
        ([fail(UnreachableError("no")), fail(RequestError("too long"))], True),
        ([lambda: Completion("yes"), fail(UnreachableError("no"))], True),
    ],
)
async def test_questions_at_once_are_all_first_ones(endings: list[Ending], made: bool) -> None:
    """Whoever cannot reach the provider waits for the others, which may still do so."""
    contact = Contact()
    gates = [asyncio.Event() for _ in endings]

    async def call(gate: asyncio.Event, ending: Ending) -> Completion:
        await gate.wait()
        return ending()

    async def ask(gate: asyncio.Event, ending: Ending) -> bool | None:
        try:
            await contact.watch(call(gate, ending))
        except UnreachableError:
            return await contact.was_made()
        except RequestError:
            return None
        return None

    asked = [asyncio.create_task(ask(*one)) for one in zip(gates, endings, strict=True)]
    for gate in gates:
        await asyncio.sleep(0)
        gate.set()
    told = [one for one in await asyncio.gather(*asked) if one is not None]
    assert told == [made] * len(told)
    assert told


async def test_the_command_says_how_to_start_it_and_go_on(tmp_path: Path, capsys: Capture) -> None:
    async with FaultApi(fault="refused") as api:
        seat = f"""
player_configs:
- {{player_id: Ada, provider: ollama, model: llama3,
   client_kwargs: {{base_url: "{api.url}/v1", max_attempts: 1}}}}
- {{player_id: Ben, provider: scripted, model: greedy}}
"""
        path = tmp_path / "game.yaml"
        path.write_text(seat, encoding="utf-8")
        words = ["--config", str(path), "--logs-dir", str(tmp_path), "--seed", "3"]
        alone = await asyncio.to_thread(example.main, words)
        told = capsys.readouterr().err
        many = await asyncio.to_thread(example.main, [*words, "--games", "2"])
    assert alone == many == ExitCode.FAILED
    assert "example.py: llama3 could not be reached at http://127.0.0.1:" in told
    assert "(start it with `ollama serve`, or " in told
    assert "Continue with:\n  uv run example.py --resume gameplay_" in told
    out = capsys.readouterr().out
    assert "2 games: 2 failed." in out
    assert "mean score" not in out


async def test_a_talk_of_two_dead_seats_is_no_discussion(tmp_path: Path, capsys: Capture) -> None:
    async with FaultApi(fault="refused") as api:
        seat = f"""
topic: What is love?
depth: 1
player_configs:
- {{player_id: Sophia, provider: ollama, model: llama3,
   client_kwargs: {{base_url: "{api.url}/v1", max_attempts: 1}}}}
- {{player_id: Marcus, provider: ollama, model: llama3,
   client_kwargs: {{base_url: "{api.url}/v1", max_attempts: 1}}}}
"""
        path = tmp_path / "talk.yaml"
        path.write_text(seat, encoding="utf-8")
        words = ["--config", str(path), "--logs-dir", str(tmp_path), "--seed", "3"]
        code = await asyncio.to_thread(talks.main, words)
    out, err = capsys.readouterr()
    assert code == ExitCode.FAILED
    assert "Complete" not in out
    assert "Quality" not in out
    assert "the connection was refused (start it with `ollama serve`" in err
    assert "--resume gameplay_" in err
