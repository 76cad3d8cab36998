"""PPO on GuestEnv: trained with several seeds, judged on sessions that it was not trained on, its course drawn."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from engine.games.guest.policies import POLICIES
from engine.games.guest.rules import Terms
from engine.games.guest.session import Frame, begin, play
from engine.labs.guest.comparison import start_of
from engine.report.charts import Lines

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback

    from engine.labs.guest.stable_baselines import GuestVecEnv
except ModuleNotFoundError as error:
    raise ValueError(f"training needs {error.name}: install it with uv sync --extra rl") from None

ROOMS, JUDGED, JUDGE_EVERY = 8, 20, 5_000
# The first seeds of the sessions by which the best policy of a training is chosen, and of those it
# is reported by.
CHOOSING, REPORTING = 1_000_000, 2_000_000
BESIDE = ("wait", "random", "leader", "greedy")
# A short horizon suits rewards that come within a turn; a rate that falls to nothing leaves the
# last policy settled.
SETTINGS: dict[str, Any] = {
    "n_steps": 128,
    "batch_size": 128,
    "gamma": 0.9,
    "ent_coef": 0.002,
    "learning_rate": lambda remaining: 1e-3 * remaining,
    "policy_kwargs": {"net_arch": [64, 64]},
}


class Course(NamedTuple):
    """How one training went: the mean total reward in the choosing sessions after so many steps, and what came of it.

    `model` is as it was when it was best there, `reward` its mean total reward in the reporting
    sessions.
    """

    seed: int
    steps: list[int]
    rewards: list[float]
    model: Any
    reward: float


def train(
    steps: int,
    seed: int,
    watch: Callable[[int], None],
    *,
    imbalance_factor: float = 0.0,
    max_steps: int = 600,
) -> Course:
    """Train for `steps` steps and return the course; the same seed gives the same one on the same machine.

    `watch` is called with the steps done so far.
    """
    torch.set_num_threads(1)
    terms: dict[str, Any] = {"imbalance_factor": imbalance_factor, "max_steps": max_steps}
    model = PPO(
        "MlpPolicy",
        GuestVecEnv(ROOMS, seed=seed * 1000, **terms),
        seed=seed,
        device="cpu",
        **SETTINGS,
    )
    steps_judged: list[int] = []
    rewards: list[float] = []
    best: dict[str, Any] = {}

    def look(done: int, *, last: bool = False) -> None:
        watch(done)
        if done % JUDGE_EVERY >= ROOMS and not last:
            return
        steps_judged.append(done)
        rewards.append(judge(model, CHOOSING, **terms))
        if rewards[-1] == max(rewards):
            best.update(deepcopy(model.policy.state_dict()))

    look(0)
    model.learn(steps, callback=Look(look))
    look(model.num_timesteps, last=True)
    model.policy.load_state_dict(best)
    return Course(seed, steps_judged, rewards, model, judge(model, REPORTING, **terms))


def judge(model: Any, first_seed: int, **terms: Any) -> float:
    """Return the mean total reward of a model in sessions of fixed seeds, none of which is trained on."""
    rooms = GuestVecEnv(JUDGED, **terms)
    rooms.seed(first_seed)
    observed, totals = rooms.reset(), np.zeros(JUDGED)
    for _ in range(rooms.rooms.max_steps):
        actions, _ = model.predict(observed, deterministic=True)
        observed, rewards, _, _ = rooms.step(actions)
        totals += rewards
    return float(totals.mean())


def baselines(*, imbalance_factor: float, max_steps: int) -> dict[str, float]:
    """Return the mean total reward of some policies that look at the state, in the reporting sessions."""
    frame = Frame(Terms(imbalance_factor), max_steps)
    starts = [begin(start_of(REPORTING + place), frame) for place in range(JUDGED)]
    return {
        name: float(np.mean([play(POLICIES[name], start, Random(0)).reward for start in starts]))
        for name in BESIDE
    }


def curve(courses: Sequence[Course], imbalance_factor: float, beside: Mapping[str, float]) -> Lines:
    """Return the learning curve: the mean over the seeds, and how far they are from it."""
    rewards = np.array([course.rewards for course in courses])
    series = {"PPO, mean over seeds": rewards.mean(axis=0).tolist()}
    spreads = {"PPO, mean over seeds": rewards.std(axis=0).tolist()}
    series |= (
        {f"seed {course.seed}": course.rewards for course in courses} if len(courses) > 1 else {}
    )
    return Lines(
        f"PPO on Guest-v0, imbalance factor {imbalance_factor:g}",
        "steps",
        "total reward of an episode",
        courses[0].steps,
        series,
        spreads,
        beside,
    )


def save(courses: Sequence[Course], folder: Path) -> list[Path]:
    """Write each model as Stable-Baselines3 does and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"ppo-{course.seed}.zip" for course in courses]
    for course, path in zip(courses, paths, strict=True):
        course.model.save(path)
    return paths


class Look(BaseCallback):  # type: ignore[misc]  # the library is not followed: it comes with an extra
    """Has someone look at each step, by how many are done."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        super().__init__()
        self.tell = tell

    def _on_step(self) -> bool:
        self.tell(self.num_timesteps)
        return True
