"""PPO on GuestEnv, trained with several seeds and judged on sessions not used in training."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from engine.games.guest.policies import POLICIES
from engine.games.guest.rules import Terms
from engine.games.guest.session import Frame, begin, play
from engine.report.charts import Lines
from labs.guest.comparison import start_of

try:
    import torch
    from stable_baselines3 import PPO

    from labs.guest.stable_baselines import GuestVecEnv
except ModuleNotFoundError as error:
    raise ValueError(f"training needs {error.name}: install it with uv sync --extra rl") from None

ROOMS, JUDGED, JUDGE_EVERY = 8, 20, 5_000
# The first seeds of the sessions that choose the best policy and of those that report its reward.
CHOOSING, REPORTING = 1_000_000, 2_000_000
BESIDE = ("wait", "random", "leader", "greedy")
# A short horizon suits rewards within a turn; a falling learning rate stabilizes the last policy.
SETTINGS: dict[str, Any] = {
    "n_steps": 128,
    "batch_size": 128,
    "gamma": 0.9,
    "ent_coef": 0.002,
    "learning_rate": lambda remaining: 1e-3 * remaining,
    "policy_kwargs": {"net_arch": [64, 64]},
}


class TrainingCourse(NamedTuple):
    """One training run.

    `rewards` contains the mean total reward after each of `steps`, in the sessions that choose the
    best `model`. `reward` is the mean total of that model in the reporting sessions.
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
) -> TrainingCourse:
    """Train for `steps` steps; the same seed gives the same course on the same machine."""
    torch.set_num_threads(1)
    terms: dict[str, Any] = {
        "imbalance_factor": imbalance_factor,
        "max_steps": max_steps,
    }
    rooms = GuestVecEnv(
        ROOMS,
        seed=seed * 1000,
        **terms,
    )
    model = PPO(
        "MlpPolicy",
        rooms,
        seed=seed,
        device="cpu",
        **SETTINGS,
    )
    judge = Judge(model, terms)

    def look(*_variables: object) -> bool:
        watch(model.num_timesteps)
        if model.num_timesteps % JUDGE_EVERY < ROOMS:
            judge.judge(model.num_timesteps)
        return True

    look()
    model.learn(steps, callback=look)
    watch(model.num_timesteps)
    judge.judge(model.num_timesteps)
    model.policy.load_state_dict(judge.best)
    return TrainingCourse(
        seed=seed,
        steps=judge.steps,
        rewards=judge.rewards,
        model=model,
        reward=mean_reward(model, REPORTING, **terms),
    )


class Judge:
    """Judges the model during training, and stores the weights of the best policy so far."""

    def __init__(self, model: Any, terms: dict[str, Any]) -> None:
        self.model = model
        self.terms = terms
        self.steps: list[int] = []
        self.rewards: list[float] = []
        self.best: dict[str, Any] = {}

    def judge(self, done: int) -> None:
        """Score the policy after `done` steps, and store it if it is the best so far."""
        reward = mean_reward(self.model, CHOOSING, **self.terms)
        self.steps.append(done)
        self.rewards.append(reward)
        if reward == max(self.rewards):
            self.best.update(deepcopy(self.model.policy.state_dict()))


def mean_reward(
    model: Any,
    first_seed: int,
    **terms: Any,
) -> float:
    """Return a model's mean total reward in sessions with fixed seeds not used in training."""
    rooms = GuestVecEnv(JUDGED, **terms)
    rooms.seed(first_seed)
    observed = rooms.reset()
    totals = np.zeros(JUDGED)
    for _ in range(rooms.rooms.max_steps):
        actions, _ = model.predict(observed, deterministic=True)
        observed, rewards, _, _ = rooms.step(actions)
        totals += rewards
    return float(totals.mean())


def baselines(*, imbalance_factor: float, max_steps: int) -> dict[str, float]:
    """Return the mean total reward of each policy in BESIDE in the reporting sessions."""
    frame = Frame(Terms(imbalance_factor), max_steps)
    starts = [begin(start_of(REPORTING + place), frame) for place in range(JUDGED)]
    means = {}
    for name in BESIDE:
        rewards = [play(POLICIES[name], start, Random(0)).reward for start in starts]
        means[name] = float(np.mean(rewards))
    return means


def learning_curve(
    courses: Sequence[TrainingCourse],
    imbalance_factor: float,
    beside: Mapping[str, float],
) -> Lines:
    """Return a chart of mean reward by step, with its standard deviation over the seeds."""
    rewards = np.array([course.rewards for course in courses])
    series = {"PPO, mean over seeds": rewards.mean(axis=0).tolist()}
    spreads = {"PPO, mean over seeds": rewards.std(axis=0).tolist()}
    if len(courses) > 1:
        for course in courses:
            series[f"seed {course.seed}"] = course.rewards
    return Lines(
        title=f"PPO on Guest-v0, imbalance factor {imbalance_factor:g}",
        x_label="steps",
        y_label="total reward of an episode",
        x=courses[0].steps,
        series=series,
        spreads=spreads,
        marks=beside,
    )


def save_models(courses: Sequence[TrainingCourse], folder: Path) -> list[Path]:
    """Write each model in the format of Stable-Baselines3, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for course in courses:
        path = folder / f"ppo-{course.seed}.zip"
        course.model.save(path)
        paths.append(path)
    return paths
