"""Compare steps a second of GuestEnv, its vector form, and the same rules in plain NumPy style.

`uv run benchmarks/guest_speed.py` needs no key and no network. With the extra `compiled` it times
the compiled step too.
"""

import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from env_gym import GuestEnv
from labs.guest import arrays, vector
from labs.guest.vector import GuestVectorEnv
from tests.engine.games.guest.test_rules import reference

ROUNDS = 3


class Reference:
    """The environment as in the source's fragments: arrays, observation and info each step."""

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
        """Do a step."""
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
    """Return steps a second of processor time, the best of ROUNDS rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        begun = time.process_time()
        for action in actions:
            step(action)
        best = max(best, len(actions) * each / (time.process_time() - begun))
    return best


def many(number: int, compiled: bool) -> float:
    """Return the steps a second of `number` sessions at once."""
    if not compiled:
        vector.fastest_backend = lambda: (arrays.step_rooms, arrays.observe_rooms)
    rooms = GuestVectorEnv(number, histories=False)
    rooms.reset(seed=1)
    draws = np.random.default_rng(1)
    actions = [draws.integers(0, 8, number) for _ in range(16)]
    rate(rooms.step, actions)
    return rate(rooms.step, actions * max(1, 200_000 // number), number)


def alone(number: int, *, compiled: bool) -> float:
    """Return `many`, run in a fresh process: earlier work would change how memory is allocated."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(many, number, compiled).result()


def main() -> None:
    """Print each figure beside its goal."""
    draws = np.random.default_rng(0)
    single = GuestEnv(histories=False, max_steps=10**9)
    single.reset(seed=1)
    plain = rate(Reference().step, draws.integers(0, 8, 20_000).tolist())
    own = rate(single.step, draws.integers(0, 8, 100_000).tolist())
    print(f"{'plain NumPy style':44}{plain:>14,.0f} steps/s")
    print(
        f"{'GuestEnv(histories=False)':44}{own:>14,.0f} steps/s   {own / plain:.1f} x, goal >= 5 x"
    )
    if find_spec("numba") is not None:
        for number, goal in ((1024, 5e6), (16384, 2e7)):
            found = alone(number, compiled=True)
            label = f"GuestVectorEnv({number}), compiled"
            print(f"{label:44}{found:>14,.0f} steps/s   goal >= {goal:,.0f}")
    for number in (1024, 16384):
        found = alone(number, compiled=False)
        print(f"{f'GuestVectorEnv({number}), NumPy':44}{found:>14,.0f} steps/s   goal >= 3,000,000")


if __name__ == "__main__":
    main()
