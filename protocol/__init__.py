"""What passes between a game and a player, and how it is read."""

from protocol.turn import Answerer, Released, SeatTimeout

__all__ = ["Answerer", "Released", "SeatTimeout"]
