"""`example.py --check`: one tiny call a client, its provider's own words on failure, no game."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

import example
from engine.cli.main import ExitCode
from tests.support.fake_api import FakeApi, Reply, legal
from tests.support.fault_api import FaultApi
from tests.support.terminal import Capture

CANARY = "sk-canary-0123456789abcdef"
OTHER = "canary-of-a-header-98765"
PATHS = {"compatible": "/v1", "openai": "/v1", "anthropic": ""}
ROOM = {"completions": "max_tokens", "responses": "max_output_tokens", "messages": "max_tokens"}
REFUSAL = "Unsupported parameter: 'temperature' is not supported with this model."


def config_file(folder: Path, url: str, *seats: tuple[str, dict[str, Any]]) -> str:
    """Write a game of models and one script; a seat is its provider and its client_kwargs."""
    players: list[dict[str, Any]] = []
    for number, (provider, kwargs) in enumerate(seats):
        player = {"player_id": f"P{number}", "provider": provider, "model": "m", "api_key": CANARY}
        own = {"base_url": f"{url}{PATHS[provider]}", "headers": {"x-team": OTHER}}
        players.append({**player, "client_kwargs": own | kwargs})
    players.append({"player_id": "Zoe", "provider": "scripted", "model": "greedy"})
    config = {"game": {"name": "conversation", "length": 2}, "player_configs": players}
    path = folder / "game.yaml"
    path.write_text(yaml.safe_dump(config))
    return str(path)


async def check(path: str, *more: str) -> int:
    return await asyncio.to_thread(example.main, ["--config", path, "--check", *more])


def refusing(status: int, said: str) -> Reply:
    error = {"type": "invalid_request_error", "message": f"{said} Your key is {CANARY}."}
    return lambda body: web.json_response({"error": error}, status=status)


@pytest.fixture(autouse=True)
def _nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """No key, and no secret of a header, stands in any debug output, and no file is left behind."""
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG)
    yield
    assert clean_of_keys(caplog.text)
    assert {path.name for path in tmp_path.iterdir()} <= {"game.yaml"}


def clean_of_keys(text: str) -> bool:
    return not any(secret[:12] in text for secret in (CANARY, OTHER))


async def test_each_client_is_asked_once_and_nobody_plays(tmp_path: Path, capsys: Capture) -> None:
    """Six seats on four clients, all asked at once: none is answered before the last was asked."""
    all_four = asyncio.Barrier(4)

    class Gathering(FakeApi):
        async def _answer(self, request: web.Request) -> web.StreamResponse:
            await all_four.wait()
            return await super()._answer(request)

    plain: list[tuple[str, dict[str, Any]]] = [(one, {}) for one in (*PATHS, "openai", "openai")]
    seats = [*plain[:3], ("openai", {"temperature": 0}), *plain[3:]]
    async with Gathering() as api:
        path = config_file(tmp_path, api.url, *seats)
        assert await check(path) == ExitCode.DONE
    out, err = capsys.readouterr()
    assert len(api.requests) == 4
    for asked in api.requests:
        assert asked.body[ROOM[asked.path.split("/")[-1]]] == 16
        assert len(json.dumps(asked.body)) < 600
    assert [line.split()[:2] for line in out.splitlines()[2:6]] == [
        ["compatible:m", "P0"],
        ["openai:m", "P1,"],
        ["anthropic:m", "P2"],
        ["openai:m", "P3"],
    ]
    assert "4 clients answer; it took 480 tokens and cost unknown." in out
    assert out.endswith(f"Next:\n  uv run example.py --config {path}\n")
    assert err == ""


@pytest.mark.parametrize("provider", PATHS)
@pytest.mark.parametrize(
    "answer",
    [
        (400, REFUSAL, ExitCode.USAGE),
        (422, "Extra inputs are not permitted", ExitCode.USAGE),
        (401, "Incorrect API key provided.", ExitCode.USAGE),
        (404, "The model `m` does not exist.", ExitCode.USAGE),
        (402, "Insufficient credits.", ExitCode.USAGE),
        (429, "Slow down.", ExitCode.FAILED),
        (503, "Overloaded.", ExitCode.FAILED),
    ],
)
async def test_what_is_amiss_is_told_once_in_the_providers_words(
    provider: str, answer: tuple[int, str, int], tmp_path: Path, capsys: Capture
) -> None:
    status, said, code = answer
    async with FakeApi(reply=refusing(status, said)) as api:
        path = config_file(tmp_path, api.url, (provider, {"temperature": 0.3}))
        assert await check(path) == code
    out, err = capsys.readouterr()
    assert len(api.requests) == 1
    assert err.startswith(f"P0: m answered HTTP {status}: {said} Your key is (redacted)")
    assert err.count("\n") == 1
    assert "0 clients answer, 1 not; it took 0 tokens" in out
    assert out.endswith(f"Once that is fixed:\n  uv run example.py --config {path} --check\n")
    assert clean_of_keys(out + err)


async def test_a_refusal_weighs_more_than_a_failure(tmp_path: Path, capsys: Capture) -> None:
    def reply(body: dict[str, Any]) -> str | web.StreamResponse:
        return refusing(400, REFUSAL)(body) if "temperature" in body else legal(body)

    async with FakeApi(reply=reply) as api:
        seats: list[tuple[str, dict[str, Any]]] = [("openai", {}), ("openai", {"temperature": 1})]
        nowhere = {"base_url": "http://127.0.0.1:1/v1"}
        path = config_file(tmp_path, api.url, *seats, ("compatible", nowhere))
        assert await check(path) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert "1 client answers, 2 not; it took 120 tokens" in out
    assert sorted(line.split(":")[0] for line in err.splitlines()) == ["P1", "P2"]
    assert "P2: m could not be reached at http://127.0.0.1:1/v1: the connection was refused" in err


@pytest.mark.parametrize(
    "fault", ["length", "refusal", "illegal", "cut", "page", "broken", "empty", "400", "401", "500"]
)
async def test_an_answer_need_not_be_whole(fault: str, tmp_path: Path, capsys: Capture) -> None:
    """Some faults quote all that they were sent, keys included."""
    async with FaultApi(fault=fault) as api:
        code = await check(config_file(tmp_path, api.url, *((provider, {}) for provider in PATHS)))
    expected = dict.fromkeys(("length", "refusal", "illegal"), ExitCode.DONE)
    expected |= {"400": ExitCode.USAGE, "401": ExitCode.USAGE}
    assert code == expected.get(fault, ExitCode.FAILED)
    assert len(api.requests) == 3
    assert clean_of_keys("".join(capsys.readouterr()))


@pytest.mark.parametrize("provider", PATHS)
@pytest.mark.parametrize(
    "said", ["Yes, I am.", '{"ready": true}', '```json\n{"ready": "quite"}\n```']
)
async def test_an_endpoint_that_ignores_the_schema_is_named(
    provider: str, said: str, tmp_path: Path, capsys: Capture
) -> None:
    async with FakeApi(reply=lambda body: said) as api:
        path = config_file(tmp_path, api.url, (provider, {}), (provider, {"structured": False}))
        assert await check(path) == ExitCode.DONE
    out, err = capsys.readouterr()
    told = f"P0: {provider}:m answers, but ignores the schema: add ?structured=false to its seat\n"
    assert err == told
    assert "no schema" in out
    assert "2 clients answer;" in out


async def test_an_address_where_nobody_is_is_named(tmp_path: Path, capsys: Capture) -> None:
    path = config_file(tmp_path, "http://127.0.0.1:1", ("compatible", {}))
    assert await check(path) == ExitCode.FAILED
    assert "http://127.0.0.1:1/v1" in capsys.readouterr().err


async def test_no_answer_is_waited_for_beyond_the_limit(tmp_path: Path, capsys: Capture) -> None:
    async with FaultApi(fault="hang") as api:
        path = config_file(tmp_path, api.url, ("openai", {"timeout": 1.5}))
        assert await check(path) == ExitCode.FAILED
    assert len(api.requests) <= 1
    assert capsys.readouterr().err == f"P0: m did not answer within 1.5 s at {api.url}/v1\n"


def test_without_models_there_is_nothing_to_ask(capsys: Capture) -> None:
    assert example.main(["--offline", "--seed", "3", "--check"]) == ExitCode.DONE
    assert capsys.readouterr().out == (
        "No player at this table is a model: no client to call.\n"
        "Next:\n  uv run example.py --offline --seed 3\n"
    )


@pytest.mark.parametrize("words", [["--dry-run"], ["--resume", "x"], ["--replay", "x"]])
def test_it_goes_with_no_other_way(words: list[str], capsys: Capture) -> None:
    assert example.main([*words, "--check"]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("\n") == 1
