"""Promises of docs/server.md that only the whole server can keep, each tried from outside."""

import json
from concurrent.futures import Future
from typing import Any

import pytest

from engine.config import GameEngineConfig
from engine.record.journal import Journal
from engine.server.live import LiveGame, Loops
from tests.support.web.floods import open_stream
from tests.support.web.real_server import Served, config_of

ADA, BEN = ({"player_id": name, "provider": "human"} for name in ("Ada", "Ben"))
HOSTED = {"player_id": "Cleo", "provider": "groq", "model": "llama-3.3-70b-versatile"}
OPTIONS = {"max_cost": 3.0}
LIMITS = {"max_cost": 0.25, "max_calls": 5, "max_tokens": 1000, "max_time": 60.0}


@pytest.mark.parametrize(
    ("seats", "limits", "most"),
    [
        ((HOSTED, ADA), {}, 1.0),
        ((HOSTED, ADA), {"max_calls": 9}, 1.0),
        ((HOSTED, ADA), {"max_cost": 2.5}, 2.5),
        ((ADA, BEN), {}, None),
    ],
)
def test_a_game_of_hosted_models_has_a_dollar_unless_it_sets_more(
    served: Served, seats: Any, limits: dict[str, float], most: float | None
) -> None:
    body = {"config": config_of(*seats, limits=limits)}
    assert served.post("/api/games?dry_run=1", body).json["limits"].get("max_cost") == most


@pytest.mark.parametrize("raised", [{}, {"max_calls": 9}, {"max_cost": 2.5, "max_tokens": 5000}])
def test_a_resumed_game_keeps_each_limit_that_is_not_raised(
    served: Served, raised: dict[str, float]
) -> None:
    name = f"left_{len(raised)}"
    config = GameEngineConfig.model_validate(config_of(ADA, BEN, limits=LIMITS))
    Journal.create(served.settings.logs_dir / f"{name}.jsonl", config.header()).close()
    # More than the server may spend is refused, and changes nothing.
    assert served.post(f"/api/games/{name}/resume", {"max_cost": 3.5}).status == 422
    assert served.post(f"/api/games/{name}/resume", raised).status == 200
    limits = served.hall.games[name].engine.config.limits
    assert {field: getattr(limits, field) for field in LIMITS} == LIMITS | raised
    served.post(f"/api/games/{name}/stop")


def test_a_game_of_hosted_models_is_resumed_within_the_servers_budget(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of somebody else may say that it has no limit, or a larger one."""
    played = []

    def over_at_once(_: Loops, game: LiveGame) -> "Future[None]":
        played.append(game.engine.config.limits.max_cost)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    monkeypatch.setattr(Loops, "play", over_at_once)
    for limits in ({}, {"max_cost": 99.0}):
        config = GameEngineConfig.model_validate(config_of(ADA, HOSTED, limits=limits))
        path = served.settings.logs_dir / f"hosted_{len(limits)}.jsonl"
        Journal.create(path, config.header()).close()
    assert served.post("/api/games/hosted_1/resume").status == 422
    assert served.post("/api/games/hosted_0/resume").status == 200
    assert played == [1.0]


def test_a_player_is_not_told_who_else_is_thinking(served: Served) -> None:
    name = served.begin(config_of(ADA, BEN))["name"]
    keys = {seat: served.key_of(name, seat) for seat in ("Ada", "Ben")}
    for seat, key in keys.items():
        served.question(f"/api/games/{name}/seats/{seat}", key)
    assert thinkers_told(served, name, served.bearer, 2) == ["Ada", "Ben"]
    # Whoever comes later is told first how the game stands now.
    viewers = {"": served.key_of(name), **keys}
    thinking = {view: thinkers_told(served, name, key) for view, key in viewers.items()}
    served.post(f"/api/games/{name}/stop")
    assert thinking == {"": [], "Ada": ["Ada"], "Ben": ["Ben"]}


def thinkers_told(served: Served, name: str, key: dict[str, str], least: int = 0) -> list[str]:
    """Return whom a viewer's stream first names as thinking, at least so many."""
    with open_stream(served, f"/api/games/{name}/events", key) as client:
        for line in client.makefile("rb"):
            if line.startswith(b"data: ") and b'"thinking"' in line:
                told: list[str] = json.loads(line.removeprefix(b"data: "))["thinking"]
                if len(told) >= least:
                    return told
    raise AssertionError("the stream has no status")
