"""The arena for OpenEnv: an episode is one game, and a step is one answer by a seat."""

from arena_openenv.environment import ArenaSeat
from arena_openenv.messages import SeatAction, SeatObservation, SeatState

__all__ = ["ArenaSeat", "SeatAction", "SeatObservation", "SeatState"]
