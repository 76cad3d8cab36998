"""PPO on GuestEnv: trained with several seeds, judged on sessions that it was not trained on, its course drawn."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.charts import Lines

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback

    from engine.gym.stable_baselines import GuestVecEnv
except ModuleNotFoundError as error:
    raise ValueError(f"training needs {error.name}: install it with uv sync --extra rl") from None

ROOMS, JUDGED, FIRST_JUDGED, JUDGE_EVERY = 8, 20, 1_000_000, 10_000
# A short horizon suits rewards that come within a turn; a rate that falls to nothing leaves the last policy settled.
SETTINGS: dict[str, Any] = {
    "n_steps": 128,
    "batch_size": 128,
    "gamma": 0.9,
    "ent_coef": 0.002,
    "learning_rate": lambda remaining: 1e-3 * remaining,
    "policy_kwargs": {"net_arch": [64, 64]},
}


class Course(NamedTuple):
    """How one training went: the mean total reward of the judged sessions after so many steps, and the model."""

    seed: int
    steps: list[int]
    rewards: list[float]
    model: Any


def train(
    steps: int, seed: int, watch: Callable[[int], None], *, imbalance_factor: float = 0.0, max_steps: int = 600
) -> Course:
    """Train for `steps` steps and return the course; the same seed gives the same one on the same machine.

    `watch` is called with the steps done so far.
    """
    torch.set_num_threads(1)
    terms: dict[str, Any] = {"imbalance_factor": imbalance_factor, "max_steps": max_steps}
    model = PPO("MlpPolicy", GuestVecEnv(ROOMS, seed=seed * 1000, **terms), seed=seed, device="cpu", **SETTINGS)
    course = Course(seed, [], [], model)

    def look(done: int) -> None:
        watch(done)
        if done % JUDGE_EVERY < ROOMS:
            course.steps.append(done)
            course.rewards.append(judge(model, **terms))

    look(0)
    model.learn(steps, callback=Look(look))
    course.steps.append(model.num_timesteps)
    course.rewards.append(judge(model, **terms))
    return course


def judge(model: Any, **terms: Any) -> float:
    """Return the mean total reward of a model in sessions of fixed seeds, none of which is trained on."""
    rooms = GuestVecEnv(JUDGED, **terms)
    rooms.seed(FIRST_JUDGED)
    observed, totals = rooms.reset(), np.zeros(JUDGED)
    for _ in range(rooms.rooms.max_steps):
        actions, _ = model.predict(observed, deterministic=True)
        observed, rewards, _, _ = rooms.step(actions)
        totals += rewards
    return float(totals.mean())


def waiting(**terms: Any) -> float:
    """Return the mean total reward of a Guest that only waits, in the same sessions as `judge`."""
    rooms = GuestVecEnv(JUDGED, **terms)
    rooms.seed(FIRST_JUDGED)
    rooms.reset()
    totals = np.zeros(JUDGED)
    for _ in range(rooms.rooms.max_steps):
        totals += rooms.step(np.zeros(JUDGED, np.int64))[1]
    return float(totals.mean())


def curve(courses: Sequence[Course], imbalance_factor: float, baseline: float) -> Lines:
    """Return the learning curve: the mean over the seeds, and how far they are from it."""
    rewards = np.array([course.rewards for course in courses])
    series = {"PPO, mean over seeds": rewards.mean(axis=0).tolist()}
    spreads = {"PPO, mean over seeds": rewards.std(axis=0).tolist()}
    series |= {f"seed {course.seed}": course.rewards for course in courses} if len(courses) > 1 else {}
    return Lines(
        f"PPO on Guest-v0, imbalance factor {imbalance_factor:g}",
        "steps",
        "total reward of an episode",
        courses[0].steps,
        series,
        spreads,
        {"wait": baseline},
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
