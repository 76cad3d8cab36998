"""Compare steps a second of the arena's games in PettingZoo, with all that a policy is shown.

`uv run --extra pettingzoo benchmarks/pettingzoo_speed.py` needs no key and no network. Every step
takes an observation, its mask and its infos, and does a random legal action; games follow one
another, each with another seed, and to begin and end them counts too.
"""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from engine.exchange.pettingzoo import env

SECONDS = 0.5
ROUNDS = 12
GOALS = {"dilemma": 2000, "conversation": 2000, "deliberations": 2000, "guest": 1000}
TALK = ("I hold that it depends on whom we ask.", "What follows from that in daily life?")


def main() -> None:
    """Print each figure beside its goal."""
    for game, goal in GOALS.items():
        speed = rate(env(game, seed=1))
        print(f"{game:16}{speed:>10,.0f} steps/s   goal >= {goal:,}")
    speed = rate(env("talks", seed=1))
    print(f"{'talks':16}{speed:>10,.0f} steps/s   no goal: every utterance is embedded")


def rate(games: Any) -> float:
    """Return steps a second of processor time, the best of ROUNDS rounds."""
    draws = np.random.default_rng(1)
    # Templates are compiled, and vectors loaded, when they are first needed.
    play(games, draws)
    best = 0.0
    for _ in range(ROUNDS):
        steps = 0
        begun = time.process_time()
        while time.process_time() - begun < SECONDS:
            steps += play(games, draws)
        best = max(best, steps / (time.process_time() - begun))
    return best


def play(games: Any, draws: np.random.Generator) -> int:
    """Play one game at random, and return its steps."""
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


if __name__ == "__main__":
    main()
