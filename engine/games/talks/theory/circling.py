"""Whether a talk orbits: it moves, yet comes back to the same tension again and again."""

from collections.abc import Sequence

from engine.games.talks.constants import CONSTANTS, Constants
from engine.games.talks.state import Exchange

LONGEST_PERIOD = 3


def orbit(exchanges: Sequence[Exchange], constants: Constants = CONSTANTS) -> bool:
    """Return whether a talk circles, by its moves or by its words.

    By moves: the last two to six exchanges are the same one, two or three steps (who, which move,
    towards whom) twice. By words: in each of the last four exchanges less than half is new, though
    none is as stale as to end the talk.
    """
    steps = [(exchange.speaker, exchange.move, exchange.target) for exchange in exchanges]
    periods = range(1, LONGEST_PERIOD + 1)
    moved = any(len(steps) >= 2 * p and steps[-p:] == steps[-2 * p : -p] for p in periods)
    last = exchanges[-constants.orbit_window :]
    worded = len(last) == constants.orbit_window and all(
        one.novelty < constants.orbit_novelty for one in last
    )
    return moved or worded
