"""What a seat's own view has of its answers, and that it has nothing of another seat's."""

import json
from pathlib import Path
from typing import cast

import pytest

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.history import History
from providers import CompletionRequest
from tests.support.island import Model, seats
from tests.support.tables import config_for
from tests.support.web.real_server import Served

NAMES = ("Ada", "Ben", "Cleo")
ALL = "include_prompts=true&include_reasoning=true"
PRIVATE = ("character", "attempt", "reason", "plan")


def answer(request: CompletionRequest) -> str:
    """Answer illegally at first, then legally; what is private has the player's name in it."""
    assert request.schema is not None
    said = dict.fromkeys(request.schema["properties"], "Hello.")
    for name in {"explanation", "plan"} & {*said}:
        said[name] = f"canary{request.session}{'plan' if name == 'plan' else 'reason'}"
    if "vote" in said:
        is_first = len(request.messages) == 1
        legal = request.schema["properties"]["vote"]["enum"][0]
        said["vote"] = f"canary{request.session}attempt" if is_first else legal
    return json.dumps(said)


@pytest.fixture(scope="module")
def history() -> History:
    """A game in which each seat thinks, plans, is asked again and has a character."""
    config = config_for("deliberations", seats(*["model"] * 3), at="http://127.0.0.1:1")
    players = [
        seat.model_copy(update={"character_prompt": f"canary{seat.player_id}character"})
        for seat in config.player_configs
    ]
    config = config.model_copy(update={"player_configs": players})
    return GameEngine(config, factory=cast("ClientFactory", Model(answer))).run()


@pytest.fixture(scope="module")
def logs(logs: Path, history: History) -> Path:
    logs.mkdir()
    (logs / "game.json").write_text(history.to_json(), encoding="utf-8")
    return logs


def text_of(served: Served, way: str, view: str) -> str:
    found = served.get(f"/api/games/game/{way}?as={view}&{ALL}")
    assert found.status == 200
    return found.body.decode()


def secrets(text: str) -> set[str]:
    """Return whose private texts are in a text: a player and what it is."""
    found = {(name, what) for name in NAMES for what in PRIVATE if f"canary{name}{what}" in text}
    thinking = {(name, "thought") for name in NAMES if f"{name} thinks of" in text}
    return {f"{name} {what}" for name, what in found | thinking}


def own(*what: str) -> set[str]:
    return {f"Ada {one}" for one in what}


@pytest.mark.parametrize(
    ("way", "seen"),
    [
        ("log", own("character", "attempt", "reason", "plan", "thought")),
        ("events", own("reason", "thought")),
        ("log.csv", own("reason", "thought")),
        ("log.typ", own("character", "plan", "reason", "thought")),
        ("page.html", own("character", "reason", "thought")),
    ],
)
def test_a_seats_view_has_its_own_attempts_and_no_others(
    served: Served, way: str, seen: set[str]
) -> None:
    assert secrets(text_of(served, way, "Ada")) == seen
    assert secrets(text_of(served, way, "public")) == set()


def test_the_view_of_everything_has_the_attempts_of_all(served: Served, history: History) -> None:
    every = {f"{name} {what}" for name in NAMES for what in (*PRIVATE, "thought")}
    assert secrets(text_of(served, "log", "*")) == every
    asked = [event.index for event in history.events if event.attempts]
    for view, status in (("*", 200), ("Ada", 403), ("public", 403)):
        assert served.get(f"/api/games/game/events/{asked[0]}/prompt?as={view}").status == status
