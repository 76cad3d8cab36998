"""A hall in its own folder, games to play there, and the frames sent to their watchers."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

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


def config_of(seats: str, **more: Any) -> GameEngineConfig:
    settings = {"game": SHORT, "seed": 7, "player_configs": read_players(seats)}
    return GameEngineConfig(**(settings | more))


@asynccontextmanager
async def models_asked(**more: Any) -> AsyncIterator[FakeApi]:
    """Run a model server of our own, which models of Ollama and OpenAI are asked at."""
    async with FakeApi(**more) as api:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OLLAMA_HOST", api.url)
            patch.setenv("OPENAI_BASE_URL", f"{api.url}/v1")
            patch.setenv("OPENAI_API_KEY", "sk-test")
            yield api


async def watch(hall: Hall, name: str, view: str = "*", after: int = -1) -> list[StreamFrame]:
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
    for _ in range(6000):
        if what():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came to be so")
