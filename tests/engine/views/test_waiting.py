"""What the screen says of a game that waits: after a while whom it waits for, and where."""

import io
from typing import Any

from rich.console import Console

from engine.engine import GameEngine
from engine.spending.waiting import Waits
from engine.views.foot import LONG, WaitingLine
from tests.support.fake_api import FakeApi, legal
from tests.support.tables import config_for


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_long_wait_is_said_once_a_call() -> None:
    clock = Clock()
    waits = Waits(clock)
    said: list[str] = []
    line = WaitingLine(waits, "Ada thinks ...", None, said.append)
    with waits.call("Ada (ollama:llama3 at http://127.0.0.1:11434/v1)"):
        for second in range(int(LONG) + 5):
            clock.now = float(second)
            line.look()
    assert said == ["waiting for Ada (ollama:llama3 at http://127.0.0.1:11434/v1), 20 s"]
    with waits.call("Ben (local:smollm2)"):
        clock.now += LONG - 1
        line.look()
        assert len(said) == 1
        clock.now += 1
        line.look()
    assert said[1:] == ["waiting for Ben (local:smollm2), 20 s"]


def test_a_spinner_counts_the_seconds_and_then_says_who_thinks_again() -> None:
    clock = Clock()
    waits = Waits(clock)
    status = Console(file=io.StringIO()).status("...")
    line = WaitingLine(waits, "Ada thinks ...", status, lambda said: None)
    line.show_round(3)
    assert str(status.status) == "after round 3: Ada thinks ..."
    with waits.call("Ada"):
        clock.now = 25
        line.look()
        assert str(status.status) == "waiting for Ada, 25 s"
    line.look()
    assert str(status.status) == "after round 3: Ada thinks ..."


async def test_a_game_knows_whom_it_waits_for() -> None:
    seen = []

    def reply(body: dict[str, Any]) -> str:
        seen.append(engine.waits.longest())
        return legal(body)

    async with FakeApi(reply) as api:
        engine = GameEngine(
            config_for(
                "conversation", "compatible:m,scripted:random", at=api.url, settings={"length": 1}
            )
        )
        await engine.play()
    ((number, who, seconds),) = [wait for wait in seen if wait is not None]
    assert (number, who) == (1, f"Ada (compatible:m at {api.url}/v1)")
    assert seconds >= 0
    assert engine.waits.longest() is None
