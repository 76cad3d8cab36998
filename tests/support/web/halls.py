"""A hall in a folder of its own, games to play there, and what watchers of them are sent."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from engine.config import GameEngineConfig
from engine.runs.seating import read_players
from engine.server.frames import StreamFrame
from engine.server.hall import Hall
from engine.server.settings import ServerSettings
from tests.support.fake_api import FakeApi

SHORT = {"name": "conversation", "length": 6}


@asynccontextmanager
async def open_hall(folder: Path, **more: Any) -> AsyncIterator[Hall]:
    hall = Hall(ServerSettings(logs_dir=folder, **more))
    await hall.open()
    try:
        yield hall
    finally:
        await hall.close()


def config_of(seats: str, api: FakeApi | None = None, **more: Any) -> GameEngineConfig:
    """Return a short conversation; models without a price of their own are asked at `api`."""
    players = read_players(seats)
    if api is not None:
        kwargs = {"base_url": f"{api.url}/v1"}
        players = [
            seat.model_copy(update={"client_kwargs": kwargs}) if seat.kind.asks == "model" else seat
            for seat in players
        ]
    settings = {"game": SHORT, "seed": 7, "player_configs": players}
    return GameEngineConfig(**(settings | more))


async def watch(hall: Hall, name: str, view: str = "*", after: int = -1) -> list[StreamFrame]:
    """Return all frames of a game until its end."""
    found: list[StreamFrame] = []

    async def follow() -> None:
        feed = await hall.feed(name)
        async for frames in feed.follow(view, after):
            found.extend(frames)

    await asyncio.wait_for(follow(), 60)
    return found


def events_in(frames: list[StreamFrame]) -> list[dict[str, Any]]:
    return [json.loads(frame.data) for frame in frames if frame.kind == "event"]


def end_of(frames: list[StreamFrame]) -> dict[str, Any]:
    assert frames[-1].kind == "end"
    data: dict[str, Any] = json.loads(frames[-1].data)
    return data


async def until(what: Any) -> None:
    """Wait until something is so."""
    for _ in range(6000):
        if what():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came to be so")
