"""PettingZoo's own tests hold of every game, and its own loops play them."""

import asyncio
import gc
import subprocess
import sys
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="comes with the extra pettingzoo")

from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.test.seed_test import parallel_seed_test
from pettingzoo.utils import average_total_reward

from engine.exchange.pettingzoo import ArenaEnv, env, parallel_env
from engine.exchange.pettingzoo.encoders import ENCODERS
from tests.support.paths import ROOT
from tests.support.policies import play

# The library warns of each space that is no Box, and of counts without a bound.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo")

ALL_ASKED = {
    "words": 20,
    "phases": ["sidebars", "confessionals", "immunity", "pitches", "votes"],
    "pairing": "ranking",
    "ties": "revote",
    "reveal_tally": True,
    "last_words": True,
    "questions": True,
    "debrief": True,
}
TABLES: dict[str, dict[str, Any]] = {
    "dilemma": {"game": "dilemma"},
    "dilemma, one move": {"game": "dilemma", "block": 1, "players": "policy,scripted:grudger"},
    "conversation": {"game": "conversation", "length": 6},
    "conversation aloud": {"game": "conversation", "length": 6, "voice": True},
    "guest": {"game": "guest", "max_steps": 12},
    "deliberations": {"game": "deliberations"},
    "deliberations, all asked": {
        "game": "deliberations",
        "says": "scripted:loyal",
        **ALL_ASKED,
    },
    "deliberations, anonymous": {
        "game": "deliberations",
        "players": "policy,scripted:loyal,Zoe=policy,policy",
        "anonymous": True,
        "phases": ["sidebars", "pitches", "votes"],
        "decline": True,
        "jurors_aside": True,
    },
    "talks": {"game": "talks", "players": 3, "max_iterations": 4},
    "talks, led": {"game": "talks", "max_iterations": 3, "theses": "ask", "host": True},
}
TOGETHER = ["conversation", "conversation aloud", "guest"]


def test_every_game_is_tried() -> None:
    assert {table["game"] for table in TABLES.values()} == ENCODERS.keys()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_library_is_content(table: dict[str, Any]) -> None:
    games = env(**table)
    api_test(games, num_cycles=60)
    seed_test(partial(env, **table), num_cycles=60)
    assert games.metadata["is_parallelizable"] == (table["game"] in {"conversation", "guest"})


@pytest.mark.parametrize("table", [TABLES[name] for name in TOGETHER], ids=TOGETHER)
def test_those_who_are_asked_together_step_together(table: dict[str, Any]) -> None:
    games = parallel_env(**table)
    parallel_api_test(games, num_cycles=60)
    parallel_seed_test(partial(parallel_env, **table), num_cycles=60)
    assert games.metadata["is_parallelizable"]


@pytest.mark.parametrize("game", ["dilemma", "deliberations", "talks"])
def test_a_game_that_asks_one_after_the_other_has_no_parallel_form(game: str) -> None:
    with pytest.raises(ValueError, match=r"conversation or guest: got .*; use env\("):
        parallel_env(game)


def test_the_library_plays_it_at_random(capsys: pytest.CaptureFixture[str]) -> None:
    average_total_reward(env("conversation", length=5), max_episodes=3)
    assert "Average total reward" in capsys.readouterr().out


def test_misuse_is_refused() -> None:
    games = env("dilemma")
    with pytest.raises(Exception, match=r"reset\(\)"):
        games.step(0)
    games.reset(seed=1)
    with pytest.raises(ValueError, match="from 0 to 7: got 8"):
        games.step(8)
    games.close()


def test_it_plays_where_another_loop_runs_as_in_a_notebook() -> None:
    async def cell() -> tuple[int, asyncio.AbstractEventLoop]:
        return play(ArenaEnv("dilemma"), seed=1), asyncio.get_running_loop()

    steps, loop = asyncio.run(cell())
    assert steps == play(ArenaEnv("dilemma"), seed=1)
    assert loop.is_closed()


def test_without_the_extra_one_sentence_says_how_to_get_it() -> None:
    code = """
import sys
sys.modules["pettingzoo"] = None
try:
    import engine.exchange.pettingzoo
except ModuleNotFoundError as error:
    print(error)
"""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == (
        "PettingZoo comes with the extra pettingzoo: uv run --extra pettingzoo python YOUR.py\n"
    )


def test_who_forgets_an_open_game_leaves_no_task_and_no_loop(tmp_path: Path) -> None:
    games = ArenaEnv("deliberations", logs_dir=tmp_path)
    games.reset(seed=1)
    games.step(0)
    game = games._running()
    gone = weakref.ref(games)
    del games
    gc.collect()
    assert gone() is None
    assert game.task.cancelled()
    assert game.loop.is_closed()
    (journal,) = tmp_path.glob("*.jsonl")
    assert journal.stat().st_size > 0


def test_a_game_closed_at_a_question_leaves_no_other_question_behind() -> None:
    games = ArenaEnv("dilemma", players="ollama:m,policy,policy")
    games.reset(seed=1)
    games.close()
    # A question to the model that was prepared and never asked would be a warning, so an error.
    gc.collect()
    assert games._running().task.cancelled()


def test_a_game_that_ends_before_its_end_says_so() -> None:
    games = ArenaEnv("dilemma")
    games.reset(seed=1)
    game = games._running()
    game.engine.interrupt()
    with pytest.raises(RuntimeError, match="it is running, without a reason"):
        game.run()


def test_a_closed_game_says_so() -> None:
    games = ArenaEnv("dilemma")
    games.reset(seed=1)
    games.close()
    games.close()
    with pytest.raises(RuntimeError, match=r"it was closed, so call reset\(\)"):
        games.step(0)
    assert play(games, seed=2) > 0
