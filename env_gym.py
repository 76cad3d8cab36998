"""GuestEnv, a moderated conversation for Gymnasium; importing this module registers "Guest-v0"."""

import gymnasium as gym

from engine.games.guest.rules import ACTIONS
from labs.guest.environment import GuestEnv

__all__ = ["GuestEnv", "actions"]

actions = dict(ACTIONS)

# If this module is reloaded, the environment is already registered.
if "Guest-v0" not in gym.registry:
    gym.register(
        "Guest-v0",
        entry_point="env_gym:GuestEnv",
        vector_entry_point="labs.guest.vector:GuestVectorEnv",
    )

if __name__ == "__main__":
    from engine.cli.main import run_command

    raise SystemExit(run_command("env_gym.py"))
