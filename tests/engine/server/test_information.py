"""Equal information means equal answers: no way to look tells a seat what it could not observe."""

import json
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from engine.history import History
from engine.views.perspective import history_in
from tests.engine.server.test_stream import frames_in, messages_of, whole_stream
from tests.support.tables import NOON, play_with_models, run_game
from tests.support.web.real_server import Served, serving

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
pytest.importorskip("mcp", reason="comes with the extra mcp")

from tests.support.web.agents import agent_on_the_web

HEX = {"game": "dark_hex(num_rows=2,num_cols=2)"}
# Of a game that is over everybody may know the seed; a checksum is that of all there is.
OF_THE_GAME = ("seed", "checksum")


def play(seed: int, folder: Path | None = None) -> History:
    """Play a game whose clock goes on with each event, also with those that are hidden."""
    ticks = count()
    more: dict[str, Any] = {"clock": lambda: NOON + timedelta(seconds=next(ticks))}
    seats, folders = "scripted:random,scripted:random", [folder] if folder else []
    return run_game("openspiel", seats, *folders, seed=seed, settings=HEX, **more)


def twins() -> tuple[str, list[int]]:
    """Return a player, and the seeds of games that it cannot tell apart though one is longer."""
    found: dict[Any, dict[int, int]] = {}
    for seed in range(60):
        history = play(seed)
        for player in ("Ada", "Ben"):
            seen = tuple((one.kind, one.content) for one in history.seen_by(player))
            lengths = found.setdefault((player, seen), {})
            lengths.setdefault(len(history.events), seed)
            if len(lengths) > 1:
                return player, [*lengths.values()]
    raise AssertionError("no two games look the same to a player")


def bare(found: Any) -> Any:
    """Return an answer without what is the same for everybody once a game is over."""
    if isinstance(found, dict):
        return {name: bare(value) for name, value in found.items() if name not in OF_THE_GAME}
    return [*map(bare, found)] if isinstance(found, list) else found


async def answers_of(served: Served, player: str) -> dict[str, Any]:
    """Return what a seat is answered on every way to look at its game."""
    key = served.key_of("game", player)
    whole = served.get("/api/games/game/events?as=*").json["events"]
    last = sum(player in event["visibility"] for event in whole) - 1
    paths = ["", "/log", "/events", f"/events/{last}/prompt", f"/events/{last + 1}/prompt"]
    answers = {}
    for path in paths:
        answers[path] = bare(served.get(f"/api/games/game{path}", headers=key, bare=True).json)
    answers["table"] = served.get("/api/games/game/log.csv", headers=key, bare=True).body
    answers["sse"] = frames_in(whole_stream(served, "/api/games/game/events", key))
    answers["socket"] = messages_of(served, "/api/games/game/stream", key)
    async with agent_on_the_web(served.origin, key) as agent:
        answers["mcp"] = await agent.call("look")
    return answers


async def test_a_view_finds_what_its_player_read_by_its_own_numbers() -> None:
    seats, phantom = "scripted:random,compatible:m", {"game": "phantom_ttt"}
    history, _ = await play_with_models("openspiel", seats, settings=phantom)
    seen = history_in(history, "Ben")
    asked = [event for event in seen.events if event.prompt is not None]
    assert len(asked) > 1
    assert {event.prompt.number for event in asked if event.prompt} == {0}
    assert max(event.prompt.upto for event in asked if event.prompt) < len(seen.events)
    due = [history.prompt_of(event) for event in history.events if event.prompt is not None]
    found = [seen.prompt_of(event) for event in asked]
    assert [one.text for one in found if one] == [one.text for one in due if one]


async def test_equal_information_means_equal_events_on_every_way(tmp_path: Path) -> None:
    player, seeds = twins()
    answers = []
    for seed in seeds:
        play(seed, tmp_path / str(seed))
        with serving(tmp_path / str(seed)) as served:
            answers.append(await answers_of(served, player))
    first, second = answers
    assert first["/events"]["events"]
    for way, answer in first.items():
        assert json.dumps(answer, default=str) == json.dumps(second[way], default=str), way
