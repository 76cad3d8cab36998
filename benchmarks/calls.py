"""Measure what the engine adds to model calls, and how much of a prompt a cache can reuse.

`uv run --group dev benchmarks/calls.py [path] [throughput] [prefixes]`. A model server in a
separate process answers after a fixed delay. The engine and the bare SDK send the same requests in
alternating rounds, so that other load affects both; each ratio is a median over rounds. If the SDK
makes fewer calls per second than the delay allows, the processor is the limit.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import openai

from benchmarks.figures import Row, digits, main, row
from benchmarks.serving import model_server
from client_factory import ClientFactory
from engine.cli.main import rare_garbage_collection
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.runs.batch import Batch
from engine.runs.rotation import seat_games
from engine.runs.seating import read_players
from providers import Completion, CompletionRequest
from providers.endpoint import Endpoint
from providers.openai import ResponsesClient
from providers.openai_chat import ChatClient
from tests.support.tables import config_for

# Seconds until a model answers.
QUICK, SLOW = 0.2, 2.0
MODEL = "compatible:m"
Client = ChatClient | ResponsesClient
Work = Callable[[], Awaitable[Any]]
Times = dict[str, list[tuple[float, float]]]


def game(address: str, seats: str, length: int, logs_dir: Path | None = None) -> GameEngineConfig:
    """Return the config of a conversation with all its models at `address`."""
    kwargs = {"base_url": address, "concurrency": 10_000}
    players = [
        player.model_copy(update={"client_kwargs": kwargs}) for player in read_players(seats)
    ]
    settings = {"name": "conversation", "length": length}
    return GameEngineConfig(player_configs=players, logs_dir=logs_dir, game=settings)


async def paired(works: dict[str, Work], rounds: int) -> Times:
    """Run `works` in alternating order; return each one's wall and processor seconds per round."""
    found: Times = {name: [] for name in works}
    for number in range(rounds):
        for name in (*works,) if number % 2 else reversed(works):
            began, processor = time.perf_counter(), time.process_time()
            await works[name]()
            took = time.perf_counter() - began, time.process_time() - processor
            found[name].append(took)
    return found


def over(found: Times, one: str, other: str, which: int = 0) -> float:
    """Return the rounds' median of `one`'s time over `other`'s: wall (0) or processor time (1)."""
    pairs = zip(found[one], found[other], strict=True)
    return statistics.median(a[which] / b[which] for a, b in pairs)


class Recorder:
    """A client that records each request as SDK arguments for `api` and passes it on."""

    def __init__(self, player: Any, api: Client, asked: list[dict[str, Any]]) -> None:
        self.inner = player.client
        self.api = api
        self.asked = asked

    async def complete(self, request: CompletionRequest) -> Completion:
        """Record a request and pass it on."""
        self.asked.append(self.api.body(request, {}))
        found: Completion = await self.inner.complete(request)
        return found


async def bodies_of(
    address: str, seats: str, turns: int, api: type[Client] = ChatClient
) -> list[dict[str, Any]]:
    """Play a game with models and return its requests as SDK arguments for `api`."""
    asked: list[dict[str, Any]] = []
    factory = ClientFactory()
    engine = GameEngine(game(address, seats, turns), factory=factory)
    for player in engine.players:
        client = api(Endpoint(player.config.model, address))
        player.client = Recorder(player, client, asked)  # type: ignore[attr-defined]
    await engine.play()
    await factory.aclose()
    return asked


async def bare(address: str, asked: Sequence[Sequence[dict[str, Any]]], games: int) -> None:
    """Send the requests of `games` concurrent games with the bare SDK, one group after another."""
    http = openai.DefaultAioHttpClient()
    sdk = openai.AsyncOpenAI(api_key="none", base_url=address, max_retries=0, http_client=http)

    def ask(body: dict[str, Any]) -> Awaitable[Any]:
        create: Any = sdk.responses.create if "input" in body else sdk.chat.completions.create
        return create(**body)  # type: ignore[no-any-return]

    async def send() -> None:
        for group in asked:
            await asyncio.gather(*map(ask, group))

    async with sdk:
        await asyncio.gather(*(send() for _ in range(games)))


async def critical_path(address: str, short: bool) -> list[Row]:
    """Compare the times of a game and of the bare SDK with the minimum time for their calls."""
    seats, turns = ",".join([MODEL] * 4), 5 if short else 20
    asked = await bodies_of(address, seats, turns)
    groups = [asked[begin : begin + 4] for begin in range(0, len(asked), 4)]

    async def played() -> None:
        with TemporaryDirectory() as folder:
            await GameEngine(game(address, seats, turns, Path(folder))).play()

    works: dict[str, Work] = {"game": played, "sdk": partial(bare, address, groups, 1)}
    found = await paired(works, 3)
    ideal = len(groups) * QUICK
    ours, theirs = (statistics.median(took for took, _ in found[name]) for name in works)
    basis = f"4 models at {QUICK:g} s, {turns} turns"
    what = "a conversation's time over its critical path"
    return [
        row(what, f"{ours / ideal:.3f}", "", basis, most=1.05),
        row("the same calls by the bare SDK", f"{theirs / ideal:.3f}", "", basis),
    ]


async def deliberation(address: str) -> list[Row]:
    """Compare a deliberation's time with the ideal: sequential pitches, one round trip per vote."""
    players, factory = 7, ClientFactory()
    for seats in (3, players):
        begun = time.perf_counter()
        named = ",".join([MODEL] * seats)
        config = config_for("deliberations", named, at=address.removesuffix("/v1"))
        await GameEngine(config, factory=factory).play()
    taken = time.perf_counter() - begun
    await factory.aclose()
    ideal = QUICK * (sum(range(2, players + 1)) + players - 1)
    basis = f"7 models at {QUICK:g} s"
    return [
        row("a deliberation's time over the ideal", f"{taken / ideal:.3f}", "", basis, most=1.1)
    ]


def path(short: bool) -> Iterator[Row]:
    """Measure the time of one game whose models answer after a fixed delay."""
    with model_server(QUICK) as url:
        yield from asyncio.run(critical_path(f"{url}/v1", short))
        yield from asyncio.run(deliberation(f"{url}/v1"))


async def many(address: str, turns: int, games: int, *, disk: bool) -> None:
    """Play `games` conversations of one model each, all at once."""
    with TemporaryDirectory() as folder:
        config = game(address, MODEL, turns, Path(folder) if disk else None)
        with rare_garbage_collection():
            configs = seat_games(config, games, rotate=False)
            await Batch(configs, concurrency=games).play()


async def calls_a_second(address: str, delay: float, turns: int, short: bool) -> list[Row]:
    """Compare the calls per second of many concurrent games with the bare SDK's."""
    games, rounds = (50, 1) if short else (200, 3)
    asked = [[body] for body in await bodies_of(address, MODEL, turns)]
    await bare(address, asked[:1], games)
    works: dict[str, Work] = {
        "sdk": partial(bare, address, asked, games),
        "nothing written": partial(many, address, turns, games, disk=False),
        "all on disk": partial(many, address, turns, games, disk=True),
    }
    found = await paired(works, rounds)
    calls = games * len(asked)
    sdk = statistics.median(took for took, _ in found["sdk"])
    basis = f"{games} games at once, models at {delay:g} s"
    told = f"{basis}; at most {digits(games / delay)}"
    rows = [row("calls a second of the bare SDK", calls / sdk, "calls/s", told)]
    for name in [*works][1:]:
        share = 100 * over(found, "sdk", name)
        what = "calls a second over the bare SDK's"
        rows.append(row(what, share, "%", f"{basis}, {name}", least=95))
        cost = over(found, name, "sdk", 1)
        what = "processor time of a call over the bare SDK's"
        rows.append(row(what, cost, "", f"{basis}, {name}", most=1.25))
    return rows


def throughput(short: bool) -> Iterator[Row]:
    """Play many games at once, with slow models and with more calls than the SDK can make."""
    for delay, turns in ((SLOW, 3), (QUICK, 3 if short else 10)):
        with model_server(delay) as url:
            yield from asyncio.run(calls_a_second(f"{url}/v1", delay, turns, short))


def reusable(history: History) -> float:
    """Return the mean share of turn 50's prompt that repeats the beginning of turn 49's."""
    shares = []
    for player_id in (seat.player_id for seat in history.players if seat.system):
        events = [
            event for event in history.events if event.player_id == player_id and event.prompt
        ]
        prompts = [prompt.text for event in events if (prompt := history.prompt_of(event))]
        before, now = prompts[48:50]
        pairs = enumerate(zip(before, now, strict=False))
        same = next(place for place, (old, new) in pairs if old != new)
        shares.append(same / len(now))
    return statistics.fmean(shares)


def prefixes(short: bool) -> Iterator[Row]:
    """Measure how much of a prompt a provider's cache can reuse."""
    del short
    seats = f"{MODEL},{MODEL},scripted:greedy,scripted:random,scripted:neighbourly"
    with model_server(0) as url:
        history = asyncio.run(GameEngine(game(f"{url}/v1", seats, 50)).play())
    share = 100 * reusable(history)
    yield row("what a cache can reuse of a prompt", share, "%", "turn 50", least=90)


if __name__ == "__main__":
    main(str(__doc__), {"path": path, "throughput": throughput, "prefixes": prefixes})
