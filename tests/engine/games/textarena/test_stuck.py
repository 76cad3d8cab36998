"""A game of TextArena whose step never ends: it alone is given up, and no replay waits for it."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.textarena.library import find_text_game
from engine.games.textarena.library import workers as workers_module
from engine.games.textarena.library.session import TextSession
from engine.games.textarena.library.workers import MOST_GAMES, StuckStep
from engine.history import Event, History
from engine.runs.check import check_log
from tests.support.fake_api import FakeApi
from tests.support.histories import of_kind
from tests.support.paths import ROOT
from tests.support.tables import config_for

pytest.importorskip("textarena", reason="needs the extra textarena")

# Once everybody is eliminated it looks for the next player for ever, as these moves of three show.
ENDLESS = "PublicGoodsGame-v0"
MOVES = ("[5]", "nothing", "nothing", "nothing")
VERDICT = "TextArena needs more than 1 s for one step"


@pytest.fixture(autouse=True)
def _short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "LONGEST_STEP", 1.0)


def get_stuck(session: TextSession) -> None:
    """Eliminate everybody."""
    for number in range(20):
        session.step(MOVES[number % 4])
    with pytest.raises(StuckStep, match="needs more than"):
        session.step(MOVES[0])


def test_other_games_of_a_worker_go_on_in_another() -> None:
    poker = find_text_game("Poker-v0-small")
    actions = [("call", "check", "bet 10", "fold")[number % 4] for number in range(12)]

    def steps(session: TextSession, first: int, last: int) -> list[Any]:
        found = []
        for action in actions[first:last]:
            session.step(f"[{action}]")
            found.append((session.current, session.done, session.drain()))
        return found

    alone = steps(TextSession(poker, 3, 5), 0, 12)
    beside = TextSession(poker, 3, 5)
    stuck = TextSession(find_text_game(ENDLESS), 3, 1)
    assert beside._worker is stuck._worker
    begun = steps(beside, 0, 6)
    get_stuck(stuck)
    assert beside._worker.is_gone
    assert begun + steps(beside, 6, 12) == alone
    assert not beside._worker.is_gone


def test_a_worker_has_a_bounded_number_of_games() -> None:
    dice = find_text_game("LiarsDice-v0-small")
    games = [TextSession(dice, 2, seed) for seed in range(MOST_GAMES + 1)]
    assert max(len(game._worker.games) for game in games) == MOST_GAMES
    assert len({game._worker.process_id for game in games}) > 1


async def test_the_verdict_is_recorded_and_no_replay_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "copy.jsonl"

    def copy_journal(event: Event) -> None:
        if event.kind == "verdict":
            journal.write_bytes((tmp_path / "game.jsonl").read_bytes())

    moves = cycle(MOVES)
    async with FakeApi(reply=lambda _: json.dumps({"action": next(moves)})) as api:
        seats = ",".join(["compatible:m"] * 3)
        config = config_for("textarena", seats, tmp_path, at=api.url, settings={"game": ENDLESS})
        engine = GameEngine(config)
        engine.subscribe(copy_journal)
        history = await engine.play()

    assert history.status == "finished"
    (told,) = of_kind(history, "verdict")
    assert (told.content, told.visibility) == (VERDICT, ())
    (result,) = of_kind(history, "result")
    assert (result.data["reason"], result.data["rewards"]) == (VERDICT, [0.0] * 3)
    # A replay that made the step again would have another limit in its verdict, if any.
    monkeypatch.setattr(workers_module, "LONGEST_STEP", 5.0)
    assert check_log(history) == ""
    assert outline(GameEngine.replay(journal)) == outline(history)
    assert outline(await GameEngine.resume(journal).play()) == outline(history)


def outline(history: History) -> list[tuple[str, str]]:
    return [(event.kind, event.content) for event in history.events]


def test_no_worker_outlives_its_program() -> None:
    program = (
        "import os, signal\n"
        "from engine.games.textarena.library import find_text_game\n"
        "from engine.games.textarena.library.session import TextSession\n"
        "session = TextSession(find_text_game('TicTacToe-v0'), 2, 1)\n"
        "print(session._worker.process_id, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    worker = Path(f"/proc/{int(done.stdout)}")
    latest = time.monotonic() + 60
    while worker.exists() and os.path.exists("/proc"):
        assert time.monotonic() < latest
        time.sleep(0.05)
