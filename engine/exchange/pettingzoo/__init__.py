"""The arena's games as PettingZoo environments: `env(game="dilemma")`, or `parallel_env`."""

from importlib.util import find_spec

if find_spec("pettingzoo") is None:
    raise ModuleNotFoundError(
        "PettingZoo comes with the extra pettingzoo: uv run --extra pettingzoo python YOUR.py",
        name="pettingzoo",
    )

from engine.exchange.pettingzoo.arena_env import ArenaEnv, env, parallel_env, raw_env

__all__ = ["ArenaEnv", "env", "parallel_env", "raw_env"]
