"""Compute and store an equilibrium: python -m engine.games.openspiel.strategies.solve GAME N."""

import gzip
import json
import sys
from hashlib import sha256
from typing import Any

from engine.games.openspiel.library import example_of, spiel
from engine.games.openspiel.strategies.equilibrium import (
    INDEX,
    SCALE,
    SUITES,
    Policy,
    read_policy,
)
from engine.prompting import read_data
from engine.record.files import write_whole


def solve(game: str, iterations: int) -> Any:
    """Run CFR+ for `iterations` iterations; return its average `pyspiel.TabularPolicy`."""
    solver = spiel().CFRPlusSolver(example_of(game).game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def packed_policy(policy: Any) -> bytes:
    """Return a policy as gzipped JSON: a list of [action, SCALE * probability] for each state."""
    weights = {}
    for sight, actions in sorted(policy.policy_table().items()):
        weights[sight] = [(action, round(part * SCALE)) for action, part in actions]
    return gzip.compress(json.dumps(weights, separators=(",", ":")).encode(), mtime=0)


def store(game: str, iterations: int) -> dict[str, Any]:
    """Compute and store a game's policy, and return its index entry."""
    packed = packed_policy(solve(game, iterations))
    write_whole(SUITES / f"{game}.json.gz", packed)
    policy = read_policy(packed)
    line = {
        "iterations": iterations,
        "states": len(policy),
        "nash_conv": nash_conv(game, policy),
        "sha256": sha256(packed).hexdigest(),
    }
    index = read_data(INDEX) if INDEX.exists() else {}
    write_whole(INDEX, json.dumps({**index, game: line}, indent=2) + "\n")
    return line


def nash_conv(game: str, policy: Policy) -> float:
    """Return the gain of best responses to a policy, summed over seats and rounded to 6 digits."""
    pyspiel = spiel()
    gain = pyspiel.nash_conv(example_of(game).game, pyspiel.TabularPolicy(policy))
    return round(float(gain), 6)


if __name__ == "__main__":
    print(store(sys.argv[1], int(sys.argv[2])))
