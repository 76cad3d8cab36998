"""Policies for PettingZoo environments that draw from what is legal."""

from typing import Any

import numpy as np

WORDS = ("I hold that it depends on whom we ask.", "What follows from that in daily life?")


def play(games: Any, seed: int | None = None) -> int:
    """Play a game at random, hold every observation to its space, and return the steps."""
    draws = np.random.default_rng(seed)
    games.reset(seed=seed)
    steps = 0
    for agent in games.agent_iter():
        seen, _, terminated, truncated, _ = games.last()
        if terminated or truncated:
            games.step(None)
            continue
        assert games.observation_space(agent).contains(seen), (agent, seen)
        games.step(draw_action(seen, draws))
        steps += 1
    return steps


def draw_action(seen: dict[str, Any], draws: np.random.Generator) -> Any:
    if "action_mask" not in seen:
        return str(draws.choice(WORDS))
    return int(draws.choice(np.flatnonzero(seen["action_mask"])))
