"""GuestEnv for Stable-Baselines3: many sessions as a VecEnv that observes phoneme shares."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from engine.games.guest.observation import shares
from labs.guest.vector import GuestVectorEnv


# The library is an optional extra, so mypy does not follow its imports.
class GuestVecEnv(VecEnv):  # type: ignore[misc]
    """Runs `num_envs` sessions that restart automatically; parameters are as for GuestVectorEnv.

    Observations contain `shares` of phonemes, not counts, unless `raw` is set. The info of an
    episode's last step contains "terminal_observation" (the last observation),
    "TimeLimit.truncated" (True) and "episode" (the length and the sum of rewards).
    """

    def __init__(
        self,
        num_envs: int,
        *,
        raw: bool = False,
        **terms: Any,
    ) -> None:
        settings = {"histories": False} | terms
        self.rooms = GuestVectorEnv(
            num_envs,
            autoreset_mode="SameStep",
            **settings,
        )
        self.raw = raw
        seen: Any = spaces.Box(0.0, 1.0, (9,), np.float32)
        if raw:
            seen = self.rooms.single_observation_space
        super().__init__(num_envs, seen, self.rooms.single_action_space)
        self.actions = np.zeros(num_envs, np.int64)
        self._totals = np.zeros(num_envs)

    def reset(self) -> NDArray[np.float32]:
        """Begin all sessions, with the seeds that `seed` set for this reset, if any."""
        seeded = any(seed is not None for seed in self._seeds)
        seeds = self._seeds if seeded else None
        observed, _ = self.rooms.reset(seed=seeds)
        self._reset_seeds()
        self._totals[:] = 0
        return self._seen(observed)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions for `step_wait`."""
        self.actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Do the step with the stored actions."""
        observed, rewards, _, truncated, found = self.rooms.step(self.actions)
        self._totals += rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for place in np.flatnonzero(truncated).tolist():
            last = found["final_obs"][place]
            episode = {
                "r": float(self._totals[place]),
                "l": self.rooms.max_steps,
                "t": 0.0,
            }
            infos[place] = {
                "terminal_observation": self._seen(last),
                "TimeLimit.truncated": True,
                "episode": episode,
            }
            self._totals[place] = 0
        return self._seen(observed), rewards.astype(np.float32), truncated, infos

    def close(self) -> None:
        """Do nothing, because no resource is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return the attribute once per room; it is always the same, as rooms share their terms."""
        return [getattr(self.rooms, attr_name) for _ in self._get_indices(indices)]

    def set_attr(
        self,
        attr_name: str,
        value: Any,
        indices: Any = None,
    ) -> None:
        """Set an attribute of all rooms."""
        del indices
        setattr(self.rooms, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *args: Any,
        indices: Any = None,
        **kwargs: Any,
    ) -> list[Any]:
        """Call a method on all rooms at once; return its result once for each of `indices`."""
        values = getattr(self.rooms, method_name)(*args, **kwargs)
        return [values for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each room, because rooms have no wrappers."""
        del wrapper_class
        return [False for _ in self._get_indices(indices)]

    def _seen(self, observed: NDArray[np.float32]) -> NDArray[np.float32]:
        return observed if self.raw else shares(observed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next reset: seed + i for room i."""
        self._seeds = [None] * self.num_envs
        if seed is not None:
            self._seeds = [*range(seed, seed + self.num_envs)]
        return self._seeds
