"""What the engine adds to its calls: waiting, throughput lost, processor time, and prompts that caches can reuse.

`uv run benchmarks/concurrency.py` needs no key and no network: a server in a process of its own, on this machine,
answers every call after 200 ms. All ratios are measured in one run; the processor times are this process's own.
"""

import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import openai
from aiohttp import web

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.many import counted_up, play_many
from engine.seating import read_players
from providers import Completion, CompletionRequest
from providers.connection import Endpoint
from providers.openai_chat import ChatClient

DELAY = 0.2
GAMES, FEW = 200, 40
TURNS = 10
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


async def answer(request: web.Request) -> web.Response:
    """Give the first legal answer after the fixed time."""
    body = await request.json()
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    said = json.dumps({name: field["enum"][0] if "enum" in field else "so" for name, field in fields.items()})
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    await asyncio.sleep(DELAY)
    told = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": USAGE}
    return web.json_response(told)


def serve(ready: Connection) -> None:
    """Run the server and tell its address."""

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
        player_configs=[player.model_copy(update={"client_kwargs": kwargs}) for player in read_players(seats)],
        logs_dir=logs_dir,
        game={"name": "conversation", "length": length},
    )


async def timed(work: Awaitable[Any]) -> tuple[float, float, Any]:
    """Return seconds, seconds of this process's processor, and the result."""
    began, processor = time.perf_counter(), time.process_time()
    result = await work
    return time.perf_counter() - began, time.process_time() - processor, result


async def critical_path(address: str) -> float:
    """Return a game's time over that of its questions: 4 models are asked side by side, 20 times over."""
    factory = ClientFactory()
    with TemporaryDirectory() as folder:
        await GameEngine(game(address, "compatible:m", 1), factory=factory).play()
        engine = GameEngine(game(address, ",".join(["compatible:m"] * 4), 20, Path(folder)), factory=factory)
        seconds, _, history = await timed(engine.play())
    await factory.aclose()
    return float(seconds / (len(history.rounds) * DELAY))


async def bodies_of(address: str) -> list[dict[str, Any]]:
    """Return what a game of one model asks, as the SDK's arguments."""
    asked: list[dict[str, Any]] = []
    factory = ClientFactory()
    engine = GameEngine(game(address, "compatible:m", TURNS), factory=factory)
    client = ChatClient(Endpoint("m", address))
    metered = engine.players[0].client  # type: ignore[attr-defined]

    class Recorder:
        async def complete(self, request: CompletionRequest) -> Completion:
            asked.append(client.body(request))
            found: Completion = await metered.complete(request)
            return found

    engine.players[0].client = Recorder()  # type: ignore[attr-defined]
    await engine.play()
    await factory.aclose()
    return asked


async def bare(address: str, bodies: Sequence[dict[str, Any]], games: int) -> None:
    """Ask what `games` games ask, each its questions one after the other, with the SDK alone."""
    http = openai.DefaultAioHttpClient()
    sdk = openai.AsyncOpenAI(api_key="none", base_url=address, max_retries=0, http_client=http)

    async def one() -> None:
        for body in bodies:
            await sdk.chat.completions.create(**body)

    async with sdk:
        await asyncio.gather(*(one() for _ in range(games)))


async def many(address: str, games: int, turns: int, folder: Path | None) -> list[History]:
    """Play games of one model each, all at once."""
    configs = counted_up(game(address, "compatible:m", turns, folder), games)
    return await play_many(configs, concurrency=games)


async def throughput(address: str) -> dict[str, float]:
    """Return what 200 games at once reach, and the processor time of a call, beside the bare SDK's."""
    asked = await bodies_of(address)
    await bare(address, asked[:2], GAMES)
    sdk_seconds, sdk_processor, _ = await timed(bare(address, asked, GAMES))
    with TemporaryDirectory() as folder:
        seconds, processor, histories = await timed(many(address, GAMES, TURNS, Path(folder)))
    light_seconds, light_processor, _ = await timed(many(address, GAMES, TURNS, None))
    calls = sum(usage.attempts for history in histories for usage in history.usage.values())
    assert calls == GAMES * len(asked)
    few_seconds, _, _ = await timed(many(address, FEW, TURNS, None))
    sdk_few_seconds, _, _ = await timed(bare(address, asked, FEW))
    ideal = len(asked) * DELAY
    return {
        "calls": calls,
        "ideal": calls / ideal,
        "sdk": calls / sdk_seconds,
        "engine": calls / seconds,
        "light": calls / light_seconds,
        "few": sdk_few_seconds / few_seconds,
        "sdk_ms": sdk_processor / calls * 1000,
        "ms": processor / calls * 1000,
        "light_ms": light_processor / calls * 1000,
    }


def reusable(history: History) -> float:
    """Return which share of a player's prompts of turn 50 its prompt of turn 49 had word for word, from the start."""
    shares = []
    for player_id in (seat.player_id for seat in history.players if seat.system):
        own = [event for event in history.events if event.player_id == player_id and event.prompt is not None]
        before, now = [prompt.text for event in own if (prompt := history.prompt_of(event)) is not None][48:50]
        same = next(place for place, (old, new) in enumerate(zip(before, now, strict=False)) if old != new)
        shares.append(same / len(now))
    return statistics.fmean(shares)


async def prefixes(address: str) -> float:
    """Return the share of a prompt that the last one already had, by turn 50 of a game of two models."""
    seats = "compatible:m,compatible:m,scripted:greedy,scripted:random,scripted:neighbourly"
    return reusable(await GameEngine(game(address, seats, 50)).play())


def line(what: str, figure: str, goal: str = "") -> None:
    """Print one figure."""
    print(f"{what:<66}{figure:>10}  {goal}")


def report(measure: Callable[[str], Awaitable[Any]], address: str) -> Any:
    """Return what one measurement found, in an event loop of its own."""

    async def run() -> Any:
        return await measure(address)

    return asyncio.run(run())


def main() -> None:
    """Measure and print."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    address = here.recv()
    line(
        "a game's time over its critical path (4 models, 20 turns)", f"{report(critical_path, address):.3f}", "<= 1.05"
    )
    found = report(throughput, address)
    ceiling = min(found["ideal"], found["sdk"])
    line(f"calls a second, {GAMES} games: ideal at {DELAY * 1000:.0f} ms a call", f"{found['ideal']:.0f}")
    line("  the bare SDK, same prompts", f"{found['sdk']:.0f}")
    line("  the engine, nothing written", f"{found['light']:.0f}")
    line("  the engine, every reply on the disk", f"{found['engine']:.0f}")
    line(f"engine's throughput over the bare SDK's, {FEW} games", f"{found['few']:.1%}", ">= 95%")
    line("engine's throughput over the ceiling, nothing written", f"{found['light'] / ceiling:.1%}", ">= 95%")
    line("engine's throughput over the ceiling, every reply on the disk", f"{found['engine'] / ceiling:.1%}", ">= 95%")
    line("processor time of a call: bare SDK", f"{found['sdk_ms']:.2f} ms")
    line("  engine's over the bare SDK's, nothing written", f"{found['light_ms'] / found['sdk_ms']:.2f}", "<= 1.3")
    line("  engine's over the bare SDK's, every reply on the disk", f"{found['ms'] / found['sdk_ms']:.2f}", "<= 1.3")
    line("share of a prompt that a cache can reuse at turn 50", f"{report(prefixes, address):.1%}", ">= 90%")
    server.terminate()


if __name__ == "__main__":
    main()
