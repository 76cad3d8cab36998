"""Random sessions of GuestEnv keep the rules of the oracle."""

import random
from typing import Any

import pytest

from engine.games import GAMES
from tests.oracles.guest.room import NAMES
from tests.oracles.judge import broken_rules
from tests.support.tables import run_game


@pytest.mark.parametrize("part", range(4))
def test_sessions_of_every_kind_break_no_rule(part: int) -> None:
    """Random rooms of 1 to 4 scripts, with skewed starts and agents of all kinds."""
    for seed in range(12 * part, 12 * part + 12):
        rng = random.Random(seed)
        scripts = rng.choices([*GAMES["guest"].strategies], k=rng.randint(1, 4))
        seats = ",".join(f"scripted:{script}" for script in scripts)
        settings = {
            "max_steps": rng.choice((1, 2, 7, 30)),
            "every": rng.choice((1, 2, 3, 5)),
            "imbalance_factor": rng.choice((0.0, 0.25, 1.0)),
            "energy_imbalance": rng.choice((0.0, 0.0, 0.3, 1.0)),
            "agent_params": rng.choice((None, some_agents(rng))),
        }
        assert broken_rules(run_game("guest", seats, seed=seed, settings=settings)) == {}, seed


def some_agents(rng: random.Random) -> dict[int, dict[str, Any]]:
    """Return three agents of random parameters."""
    agents: dict[int, dict[str, Any]] = {}
    for number in range(3):
        values = (
            rng.choice((0.0, 0.25, 0.5)),
            rng.choice((0.05, 0.1, 0.5)),
            rng.choice((0.0, 0.05, 0.2)),
            rng.randint(1, 8),
            rng.randint(0, 3),
        )
        agents[number] = dict(zip(NAMES, values, strict=True))
    return agents
