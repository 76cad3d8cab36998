"""Measure the connections to other libraries: PettingZoo, OpenSpiel and the packages in `doors/`.

`uv run --extra pettingzoo --extra openspiel benchmarks/libraries.py [pettingzoo] [openspiel]
[overhead] [doors]`. The packages are installed from the package index (140 to 330 MB each) into
temporary environments, where their own tests run without a network.
"""

import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import ROOT, Row, main, none_of, row
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.runs.batch import Batch
from engine.runs.check import check_log
from engine.runs.rotation import seat_games
from player import PlayerConfig

GOALS = {"dilemma": 1e4, "conversation": 1e4, "deliberations": 6e3, "guest": 1e4, "talks": 3e3}
TALK = ("I hold that it depends on whom we ask.", "What follows from that in daily life?")
MOVES = ("move", "forced")
LONG, SECONDS, PAIRS = 8, 0.15, 3
FEW = ("tic_tac_toe", "kuhn_poker", "goofspiel", "hanabi", "backgammon", "connect_four")


def pettingzoo(short: bool) -> Iterator[Row]:
    """Play the arena's games in PettingZoo, computing everything that a policy sees.

    The text of a question is read only in talks, where it is the observation.
    """
    import numpy as np

    from engine.exchange.pettingzoo import env

    def play(games: Any, draws: Any) -> int:
        games.reset()
        steps = 0
        for _ in games.agent_iter():
            seen, _, terminated, truncated, _ = games.last()
            if terminated or truncated:
                games.step(None)
                continue
            if "action_mask" in seen:
                action = draws.choice(np.flatnonzero(seen["action_mask"]))
            else:
                action = TALK[steps % len(TALK)]
            games.step(action)
            steps += 1
        return steps

    for game, goal in GOALS.items():
        games, draws, best = env(game, seed=1), random.Random(1), 0.0
        # Templates are compiled, and vectors loaded, on first use.
        play(games, draws)
        for _ in range(2 if short else 12):
            steps, begun = 0, time.process_time()
            while time.process_time() - begun < 0.5:
                steps += play(games, draws)
            best = max(best, steps / (time.process_time() - begun))
        yield row(
            f"policies in PettingZoo: {game}", best, "steps/s", "all that they see", least=goal
        )


def config_of(word: str) -> GameEngineConfig:
    """Return the config of an OpenSpiel game: its usual number of seats, all playing at random."""
    from engine.games.openspiel.game import OpenSpielGame
    from engine.games.openspiel.library import read_word, usual_players

    players = [
        PlayerConfig(player_id=f"Player {number}", provider="scripted", model="random")
        for number in range(usual_players(read_word(word)))
    ]
    game = OpenSpielGame(game=word)
    return GameEngineConfig(player_configs=players, game=game, seed=7, logs_dir=None)


def openspiel(short: bool) -> Iterator[Row]:
    """Play each game to the end, and compare the log with OpenSpiel's replay of the actions."""
    from engine.games.openspiel.library import playable

    words = FEW if short else playable()
    bad, moves, begun = [], 0, time.perf_counter()
    for word in words:
        history = GameEngine(config_of(word)).run()
        breach = check_log(history)
        moves += sum(event.kind in MOVES for event in history.events)
        if history.status != "finished" or breach:
            bad.append(f"{word}: {history.status}, {breach}")
    basis = f"{moves:,} moves in {time.perf_counter() - begun:.0f} s"
    yield none_of("games that differ from OpenSpiel's replay", bad, len(words), basis)


def bare_batch(word: str, players: int, games: int) -> tuple[float, int]:
    """Return the CPU seconds and moves of OpenSpiel's own loop, which also names legal actions."""
    import pyspiel

    draws, moves, begun = random.Random(7), 0, time.process_time()
    for _ in range(games):
        state = pyspiel.load_game(word).new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draws.choices(outcomes, weights)[0])
                continue
            at_once = state.is_simultaneous_node()
            actions = []
            for player in range(players) if at_once else (state.current_player(),):
                legal = state.legal_actions(player)
                for action in legal:
                    state.action_to_string(player, action)
                actions.append(draws.choice(legal) if legal else 0)
                moves += bool(legal)
            if at_once:
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0])
        state.returns()
    return time.process_time() - begun, moves


def our_batch(word: str, games: int) -> tuple[float, int]:
    """Return the CPU seconds and moves of `games` games in the arena, with logs in memory."""
    configs = seat_games(config_of(word), games, rotate=False)
    begun = time.process_time()
    histories = Batch(configs, concurrency=8).run()
    took = time.process_time() - begun
    if any(history.status != "finished" for history in histories):
        sys.exit(f"a game of {word} did not finish")
    events = [event for history in histories for event in history.events]
    return took, sum(event.kind in MOVES for event in events)


def overhead(short: bool) -> Iterator[Row]:
    """Compare the time per move, in batches, with the time in OpenSpiel's own loop."""
    from engine.games.openspiel.library import playable, read_word, usual_players

    gc.set_threshold(50_000, 20, 50)
    found: dict[str, float] = {}
    for word in FEW if short else playable():
        if "SAMPLED" in str(read_word(word).kind.chance_mode):
            continue
        players = usual_players(read_word(word))
        games = min(60, max(2, int(SECONDS / bare_batch(word, players, 1)[0])))
        pairs, moves = [], 0.0
        for _ in range(PAIRS):
            (bare, bare_moves), (ours, our_moves) = (
                bare_batch(word, players, games),
                our_batch(word, games),
            )
            pairs.append(1e6 * (ours / our_moves - bare / bare_moves))
            moves = our_moves / games
        if moves >= LONG:
            found[word] = min(pairs)
    above = [f"{word} {over:.0f}" for word, over in found.items() if over > 60]
    basis = f"median of {len(found)} games; above 60: {', '.join(above) or 'none'}"
    yield row("a move over one of OpenSpiel's loop", median(found.values()), "us", basis, most=60)


def run(command: Sequence[str], folder: Path) -> tuple[str, float]:
    """Return a command's output and run time in seconds; raise CalledProcessError if it fails."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ARENA_")}
    environ = kept | {"ARENA_PYTHON": sys.executable}
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout, time.perf_counter() - begun


def doors(short: bool) -> Iterator[Row]:
    """Install each package in `doors/` as its users would, and run its tests."""
    del short
    for project in sorted(ROOT.glob("doors/*/pyproject.toml")):
        door = project.parent
        with tempfile.TemporaryDirectory() as scratch:
            python = f"{scratch}/bin/python"
            try:
                run(["uv", "venv", "--quiet", "--python", sys.executable, scratch], door)
                packages = ["--python", python, "-e", str(door), "pytest>=9,<10"]
                _, installing = run(["uv", "pip", "install", "--quiet", *packages], door)
                told, _ = run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], door)
            except subprocess.CalledProcessError as error:
                text = f"{door.name}: {error.stdout}{error.stderr}"
                yield none_of(f"the door to {door.name}", [text], 1)
                continue
        basis = f"its tests: {told.strip().splitlines()[-1].strip('= ')}"
        yield row(f"installing the door to {door.name}", installing, "s", basis)


if __name__ == "__main__":
    parts = {"pettingzoo": pettingzoo, "openspiel": openspiel, "overhead": overhead}
    main(str(__doc__), parts | {"doors": doors}, online="doors")
