"""A small seat reads its own templates and gives shorter reasons; its config says that it does."""

import json
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.runs.replay import Replay
from player import PlayerConfig
from tests.support.fake_api import FakeApi, legal
from tests.support.tables import config_for


@pytest.mark.parametrize(
    ("settings", "small"),
    [
        ({}, True),
        ({"provider": "local"}, True),
        ({"provider": "local", "small": False}, False),
        ({"provider": "openai"}, False),
        ({"provider": "openai", "small": True}, True),
        ({"provider": "scripted", "model": "random"}, False),
        ({"provider": "human", "small": None}, False),
    ],
)
def test_a_config_says_whether_its_seat_is_small(settings: dict[str, Any], small: bool) -> None:
    seat = PlayerConfig(player_id="Ada", **settings)
    assert seat.small is small
    assert seat.model_dump()["small"] is small
    assert PlayerConfig.model_validate(seat.model_dump()) == seat


def thorough(body: dict[str, Any]) -> str:
    """Answer with a reason that is longer than any may be."""
    return json.dumps(json.loads(legal(body)) | {"rationale": "since it rains " * 100})


async def test_each_seat_has_its_own_room_for_reasons() -> None:
    async with FakeApi(reply=thorough) as api:
        seats, settings = "compatible:m,compatible:m", {"length": 2, "reasons": 90}
        config = config_for("conversation", seats, at=api.url, settings=settings)
        small = config.player_configs[1].model_copy(update={"small": True})
        config = config.model_copy(update={"player_configs": [config.player_configs[0], small]})
        history = await GameEngine(config).play()
        assert (await Replay(history).play()).to_json() == history.to_json()
    lengths = {}
    for event in history.events:
        if event.kind == "proposal":
            assert event.data["rationale"].endswith("…")
            lengths[event.player_id] = len(event.data["rationale"])
    assert 75 < lengths["Ada"] <= 90
    assert 45 < lengths["Ben"] <= 60
    assert history.config["game"]["reasons"] == 90
    assert [seat.small for seat in history.players] == [False, True]
    sent = sorted({json.dumps(request.body).count("13 words at most") for request in api.requests})
    assert sent == [0, 2]
