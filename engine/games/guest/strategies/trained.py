"""A policy that was trained with Stable-Baselines3: it sees what the environment shows."""

from functools import lru_cache
from pathlib import Path
from random import Random

from engine.games.guest.session import Policy, Session


@lru_cache(maxsize=8)
def load_policy(path: str) -> Policy:
    """Return the policy that `PPO.save(path)` wrote, which takes its likeliest action.

    Such a file holds code that runs when it is read: load only what you trust. ValueError says
    what is missing: the file, the library, or a policy for these spaces.
    """
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
    # NumPy is slow to import, and a game without a trained player needs none of it.
    import numpy as np

    from engine.games.guest.observation import observation, shares

    try:
        model = PPO.load(path, device="cpu")
    except Exception as error:
        # A file of another kind makes the loader raise anything that zip, pickle or torch raises.
        raise ValueError(
            f"expected {path} to be what PPO.save wrote: {type(error).__name__}: {error!s:.200}"
        ) from None
    if model.observation_space.shape != (9,) or getattr(model.action_space, "n", None) != 8:
        raise ValueError(
            f"expected {path} to be a policy of Guest-v0: got one for {model.observation_space}"
        )

    # Policies trained on the environment itself saw unbounded counts; our own training sees shares.
    form = np.asarray if np.isinf(model.observation_space.high).any() else shares

    def policy(session: Session, _rng: Random) -> int:
        seen = form(observation(session.state, session.frame.terms))
        action, _ = model.predict(seen, deterministic=True)
        return int(action)

    return policy
