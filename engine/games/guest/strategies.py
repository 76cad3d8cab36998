"""The policies as scripted players, including policies trained on the observations of Guest-v0."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.games.guest.policies import POLICIES
from engine.games.guest.record import CHOICES
from engine.games.guest.session import Policy, Session
from player import Script
from protocol.answer import Reason
from protocol.turn import A, Turn


class Action(BaseModel):
    """The Guest's action."""

    model_config = ConfigDict(frozen=True)

    rationale: Reason = ""
    action: str = Field(description="what you do")


@lru_cache(maxsize=256)
def action_answer(form: type[A], action: str) -> A:
    """Return the answer with this action, cached because few answers exist."""
    return form(action=action)


def moderator(policy: Policy) -> Script:
    """Return the policy as a script that waits if the chosen action would have no effect."""

    def answer_turn(turn: Turn[A], rng: Random) -> A:
        action = CHOICES[policy(turn.observation, rng)]
        if action not in turn.choices["action"]:
            action = CHOICES[0]
        answer: A = action_answer(turn.answer, action)
        return answer

    answer_turn.__doc__ = policy.__doc__
    return answer_turn


STRATEGIES: Mapping[str, Script] = {name: moderator(policy) for name, policy in POLICIES.items()}


@lru_cache(maxsize=8)
def load_policy(path: str) -> Policy:
    """Return the policy saved by `PPO.save(path)`; it always takes its likeliest action.

    The file contains code that runs on loading: load only files that you trust. Raises ValueError
    if the file or the library is missing, or if the policy's observation or action space differs.
    """
    model = saved_policy(path)
    seen = model.observation_space
    if seen.shape != (9,) or getattr(model.action_space, "n", None) != 8:
        raise ValueError(f"expected {path} to be a policy of Guest-v0: got one for {seen}")
    # NumPy is slow to import, and a game without a trained player does not need it.
    import numpy as np

    from engine.games.guest.observation import observation, shares

    # Policies trained directly on the environment saw unbounded counts; our training uses shares.
    form = np.asarray if np.isinf(seen.high).any() else shares

    def policy(session: Session, _rng: Random) -> int:
        numbers = observation(session.state, session.frame.terms)
        action, _ = model.predict(form(numbers), deterministic=True)
        return int(action)

    return policy


def saved_policy(path: str) -> Any:
    """Return the object saved by `PPO.save(path)`, or raise ValueError if it cannot be loaded."""
    if not Path(path).is_file():
        raise ValueError(
            f"expected a trained policy: there is no file {path!r}; "
            "train one with uv run --extra rl env_gym.py train"
        )
    try:
        from stable_baselines3 import PPO
    except ImportError:
        raise ValueError(
            f"expected Stable-Baselines3 for trained:{path}: install it with uv sync --extra rl"
        ) from None
    try:
        return PPO.load(path, device="cpu")
    except Exception as error:
        # For other files, the loader can raise any error from zip, pickle or torch.
        raise ValueError(
            f"expected {path} to be written by PPO.save: {type(error).__name__}: {error!s:.200}"
        ) from None
