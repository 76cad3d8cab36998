"""The messages between a game and a player, and how they are read."""

from protocol.turn import Answerer, Released, SeatTimeout

__all__ = ["Answerer", "Released", "SeatTimeout"]
