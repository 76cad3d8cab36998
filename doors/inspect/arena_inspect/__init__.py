"""The arena's games for Inspect: each sample is one game played by the evaluated model."""

from arena_inspect.solver import play_arena
from arena_inspect.task import arena, rivals_beaten

__all__ = ["arena", "play_arena", "rivals_beaten"]
