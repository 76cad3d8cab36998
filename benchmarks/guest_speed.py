"""Time GuestEnv and GuestVectorEnv against the same rules in plain NumPy.

`uv run --extra compiled benchmarks/guest_speed.py`. CPU times are the lowest of several runs.
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from benchmarks.figures import Row, best_seconds, main, row
from env_gym import GuestEnv
from labs.guest import arrays, vector
from labs.guest.vector import GuestVectorEnv
from tests.engine.games.guest.test_rules import reference

ROUNDS = 3


class Reference:
    """The environment in plain NumPy; each step creates arrays, an observation and an info dict."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {
            "energy": np.array([0.45, 0.5, 0.55]),
            "times": np.zeros(3, int),
            "phonemes": np.zeros(3, int),
            "speaker": -1,
        }
        self.stats = np.zeros(8, int)
        self.longest = np.array([4, 5, 6])

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Apply an action; return the five values of a Gymnasium step."""
        self.stats[action] += 1
        reward, inequality = reference(self.state, action, 0.0, (0.2, 0.1))
        observed = []
        for place in range(3):
            spoken = self.state["times"][place] / self.longest[place]
            observed += [self.state["energy"][place], spoken, self.state["phonemes"][place]]
        info = {
            "phoneme": self.state["phonemes"].copy(),
            "stats": self.stats.copy(),
            "env_reward": 1 - inequality,
        }
        return np.array(observed, dtype=np.float32), reward, False, False, info


def rate(step: Callable[[Any], Any], actions: list[Any], each: int = 1) -> float:
    """Return steps per second of processor time; each call of `step` counts as `each` steps."""

    def steps() -> None:
        for action in actions:
            step(action)

    return len(actions) * each / best_seconds(steps, ROUNDS)


def many(number: int, compiled: bool) -> float:
    """Return the steps per second of `number` sessions at once."""
    if not compiled:
        vector.fastest_backend = lambda: (arrays.step_rooms, arrays.observe_rooms)
    rooms = GuestVectorEnv(number, histories=False)
    rooms.reset(seed=1)
    draws = np.random.default_rng(1)
    actions = [draws.integers(0, 8, number) for _ in range(16)]
    rate(rooms.step, actions)
    return rate(rooms.step, actions * max(1, 200_000 // number), number)


def alone(number: int, *, compiled: bool) -> float:
    """Return `many`, run in a fresh process because earlier work changes memory allocation."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(many, number, compiled).result()


def env(short: bool) -> Iterator[Row]:
    """Time single and vector environments."""
    times = 4 if short else 1
    draws = np.random.default_rng(0)
    single = GuestEnv(histories=False, max_steps=10**9)
    single.reset(seed=1)
    plain = rate(Reference().step, draws.integers(0, 8, 20_000 // times).tolist())
    ours = rate(single.step, draws.integers(0, 8, 100_000 // times).tolist())
    yield row("GuestEnv", ours, "steps/s", "histories off")
    yield row("its speed over plain NumPy style", ours / plain, "times", least=5)
    ways = [(False, 3e6, 3e6)]
    if find_spec("numba") is not None:
        ways.append((True, 5e6, 2e7))
    for compiled, *goals in ways:
        for number, goal in zip((1024, 16384), goals, strict=True):
            speed = alone(number, compiled=compiled)
            basis = "compiled" if compiled else "NumPy"
            yield row(f"GuestVectorEnv({number})", speed, "steps/s", basis, least=goal)


if __name__ == "__main__":
    main(str(__doc__), {"env": env})
