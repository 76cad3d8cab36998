"""The arena's games for verifiers: tasks, the program that plays them, and where it runs."""

from arena_v1.harness import ArenaHarness
from arena_v1.taskset import ArenaTaskset
from arena_v1.world import ArenaWorld

__all__ = ["ArenaHarness", "ArenaTaskset", "ArenaWorld"]
