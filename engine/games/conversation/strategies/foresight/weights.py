"""Which learned weights a conversation is played with."""

from functools import lru_cache
from math import log

from engine.games.conversation.strategies.foresight.learned import FOR_ALL, TRAINED

# Beyond this the weights for all settings do better than those of the nearest.
FARTHEST = 0.5


@lru_cache
def weights_for(players: int, bank_size: int, subjects: int, length: int) -> tuple[float, ...]:
    """Return the weights trained for the nearest setting, or those for all if none is near.

    The distance of two settings is the greatest of the differences of the logarithms of P, B, S and
    L.
    """
    setting = players, bank_size, subjects, length
    nearest = min(TRAINED, key=lambda known: distance(known, setting), default=setting)
    return (
        TRAINED[nearest]
        if nearest in TRAINED and distance(nearest, setting) <= FARTHEST
        else FOR_ALL
    )


def distance(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """Return how far two settings are from each other: 0.69 if one number is twice the other.

    >>> round(distance((5, 10, 20, 20), (10, 10, 20, 25)), 2)
    0.69
    """
    return max(
        abs(log(max(1, one) / max(1, other))) for one, other in zip(first, second, strict=True)
    )
