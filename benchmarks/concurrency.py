"""Print what the engine adds to its calls: waiting, lost throughput, processor time, cache reuse.

`uv run benchmarks/concurrency.py` needs no key and no network: a separate process on this machine
serves each answer after a fixed time. Engine and bare SDK send the same requests, alternating for
several rounds, so that other load on the machine affects both; a ratio is the median over the
rounds. Processor times are those of this process. If the bare SDK makes fewer calls a second than
the delay allows, the processor is the limit, and ratio and processor time measure the same thing.
"""

import asyncio
import json
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import openai
from aiohttp import web

from client_factory import ClientFactory
from engine.cli.main import rare_garbage_collection
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.runs.batch import play_many, vary_seed
from engine.runs.seating import read_players
from providers import Completion, CompletionRequest
from providers.connection import Endpoint
from providers.openai_chat import ChatClient

# A model's name here is the seconds after which it answers.
QUICK, SLOW = "0.2", "2"
GAMES = 200
TURNS, FEW_TURNS = 10, 3
ROUNDS = 3
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
Work = Callable[[], Awaitable[Any]]


async def answer(request: web.Request) -> web.Response:
    """Give the first legal answer after a delay: the model's name is the number of seconds."""
    body = await request.json()
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    said = json.dumps(
        {name: field["enum"][0] if "enum" in field else "so" for name, field in fields.items()}
    )
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": said},
        "finish_reason": "stop",
    }
    await asyncio.sleep(float(body["model"]))
    body = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": USAGE,
    }
    return web.json_response(body)


def serve(ready: Connection) -> None:
    """Run the server and send its address to `ready`."""

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        ready.send(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        await asyncio.Event().wait()

    asyncio.run(run())


def game(address: str, seats: str, length: int, logs_dir: Path | None = None) -> GameEngineConfig:
    """Return a conversation whose models are all at `address`."""
    kwargs = {"base_url": address, "concurrency": 10_000}
    return GameEngineConfig(
        player_configs=[
            player.model_copy(update={"client_kwargs": kwargs}) for player in read_players(seats)
        ],
        logs_dir=logs_dir,
        game={"name": "conversation", "length": length},
    )


async def timed(work: Work) -> tuple[float, float]:
    """Return the seconds of `work`: wall clock, and this process's processor."""
    began, processor = time.perf_counter(), time.process_time()
    await work()
    return time.perf_counter() - began, time.process_time() - processor


async def paired(works: dict[str, Work]) -> dict[str, list[tuple[float, float]]]:
    """Return the times of each work in ROUNDS rounds, alternating so that load hits all."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for number in range(ROUNDS):
        for name in (*works,) if number % 2 else reversed(works):
            found[name].append(await timed(works[name]))
    return found


def over(
    found: dict[str, list[tuple[float, float]]], one: str, other: str, which: int = 0
) -> float:
    """Return the median ratio of `one` to `other` in a round (0: wall clock, 1: processor)."""
    return statistics.median(
        a[which] / b[which] for a, b in zip(found[one], found[other], strict=True)
    )


async def bodies_of(address: str, seats: str, turns: int) -> list[dict[str, Any]]:
    """Return the requests of a game of models, as arguments of the SDK."""
    asked: list[dict[str, Any]] = []
    factory = ClientFactory()
    engine = GameEngine(game(address, seats, turns), factory=factory)

    class Recorder:
        def __init__(self, player: Any) -> None:
            self.inner, self.client = (
                player.client,
                ChatClient(Endpoint(player.config.model, address)),
            )

        async def complete(self, request: CompletionRequest) -> Completion:
            asked.append(self.client.body(request))
            found: Completion = await self.inner.complete(request)
            return found

    for player in engine.players:
        player.client = Recorder(player)  # type: ignore[attr-defined]
    await engine.play()
    await factory.aclose()
    return asked


async def bare(address: str, asked: Sequence[Sequence[dict[str, Any]]], games: int) -> None:
    """Send the requests of `games` games with the SDK alone, each game's group by group."""
    http = openai.DefaultAioHttpClient()
    sdk = openai.AsyncOpenAI(api_key="none", base_url=address, max_retries=0, http_client=http)

    async def one() -> None:
        for group in asked:
            if len(group) == 1:
                await sdk.chat.completions.create(**group[0])
            else:
                await asyncio.gather(*(sdk.chat.completions.create(**body) for body in group))

    async with sdk:
        await asyncio.gather(*(one() for _ in range(games)))


async def critical_path(address: str) -> tuple[float, float]:
    """Return the time of a game, and of the bare SDK, over the least its calls can take.

    The game asks 4 models at once, 20 times.
    """
    seats = ",".join([f"compatible:{QUICK}"] * 4)
    asked = await bodies_of(address, seats, 20)
    groups = [asked[begin : begin + 4] for begin in range(0, len(asked), 4)]

    async def played() -> None:
        with TemporaryDirectory() as folder:
            await GameEngine(game(address, seats, 20, Path(folder))).play()

    found = await paired({"game": played, "sdk": partial(bare, address, groups, 1)})
    ideal = len(groups) * float(QUICK)
    game_seconds, sdk_seconds = (
        statistics.median(took for took, _ in found[name]) for name in ("game", "sdk")
    )
    return game_seconds / ideal, sdk_seconds / ideal


async def many(address: str, model: str, turns: int, *, disk: bool) -> None:
    """Play games of one model each, all at once."""
    with TemporaryDirectory() as folder:
        config = game(address, f"compatible:{model}", turns, Path(folder) if disk else None)
        with rare_garbage_collection():
            await play_many(vary_seed(config, GAMES), concurrency=GAMES)


async def throughput(address: str, model: str, turns: int) -> dict[str, float]:
    """Return the calls a second of GAMES games at once beside the bare SDK, and processor times."""
    asked = [[body] for body in await bodies_of(address, f"compatible:{model}", turns)]
    await bare(address, asked[:1], GAMES)
    works: dict[str, Work] = {
        "sdk": partial(bare, address, asked, GAMES),
        "light": partial(many, address, model, turns, disk=False),
        "disk": partial(many, address, model, turns, disk=True),
    }
    found = await paired(works)
    calls = GAMES * len(asked)
    return {
        "ideal": GAMES / float(model),
        "sdk": calls / statistics.median(took for took, _ in found["sdk"]),
        "light": over(found, "sdk", "light"),
        "disk": over(found, "sdk", "disk"),
        "ms": statistics.median(processor for _, processor in found["sdk"]) / calls * 1000,
        "light_processor": over(found, "light", "sdk", 1),
        "disk_processor": over(found, "disk", "sdk", 1),
    }


def reusable(history: History) -> float:
    """Return the mean share of a prompt of turn 50 that is a common prefix with turn 49."""
    shares = []
    for player_id in (seat.player_id for seat in history.players if seat.system):
        own = [
            event
            for event in history.events
            if event.player_id == player_id and event.prompt is not None
        ]
        before, now = [
            prompt.text for event in own if (prompt := history.prompt_of(event)) is not None
        ][48:50]
        same = next(
            place for place, (old, new) in enumerate(zip(before, now, strict=False)) if old != new
        )
        shares.append(same / len(now))
    return statistics.fmean(shares)


async def prefixes(address: str) -> float:
    """Return that share of a prompt at turn 50 in a game of two models and three scripts."""
    seats = "compatible:0,compatible:0,scripted:greedy,scripted:random,scripted:neighbourly"
    return reusable(await GameEngine(game(address, seats, 50)).play())


def line(what: str, figure: str, goal: str = "") -> None:
    """Print one figure."""
    print(f"{what:<66}{figure:>10}  {goal}", flush=True)


def report(measure: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Run one measurement in its own event loop and return its result."""

    async def run() -> Any:
        return await measure(*arguments)

    return asyncio.run(run())


def tell(address: str, model: str, turns: int) -> dict[str, float]:
    """Measure and print the throughput with a server of one delay."""
    found: dict[str, float] = report(throughput, address, model, turns)
    line(f"{GAMES} games, answers after {model} s: calls a second at most", f"{found['ideal']:.0f}")
    line("  the bare SDK reaches, with the same prompts", f"{found['sdk']:.0f}")
    line("  the engine reaches of that, nothing written", f"{found['light']:.1%}", ">= 95%")
    line("  the engine reaches of that, every reply on the disk", f"{found['disk']:.1%}", ">= 95%")
    return found


def main() -> None:
    """Measure and print."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    address = here.recv()
    line(
        "processors, and how many are wanted by now", f"{os.cpu_count()}, {os.getloadavg()[0]:.1f}"
    )
    path, sdk_path = report(critical_path, address)
    line("a game's time over its critical path (4 models, 20 turns)", f"{path:.3f}", "<= 1.05")
    line("  the bare SDK's time over it", f"{sdk_path:.3f}")
    tell(address, SLOW, FEW_TURNS)
    found = tell(address, QUICK, TURNS)
    line("processor time of a call: bare SDK", f"{found['ms']:.2f} ms")
    line(
        "  engine's over the bare SDK's, nothing written",
        f"{found['light_processor']:.2f}",
        "<= 1.3",
    )
    line(
        "  engine's over the bare SDK's, every reply on the disk",
        f"{found['disk_processor']:.2f}",
        "<= 1.3",
    )
    line(
        "share of a prompt that a cache can reuse at turn 50",
        f"{report(prefixes, address):.1%}",
        ">= 90%",
    )
    line("processors wanted at the end", f"{os.getloadavg()[0]:.1f}")
    server.terminate()


if __name__ == "__main__":
    main()
