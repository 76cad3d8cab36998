"""Simulated players of known Elo that climb a ladder whose rungs have known errors."""

import numpy as np

from engine.ratings.ladder import BATCH, Ladder, LadderGame, ladder_rating, next_rungs
from engine.rng import number

# Rungs as in connect four; 2,000 games per pair of neighbours leave errors that add up.
CLIMB_GAMES, STEP_ERROR = 24, 9.0
RUNG_ELO = np.array([0.0, 241.0, 510.0, 811.0, 1112.0, 1413.0])
RUNGS = np.arange(6)
LADDER = Ladder(
    rungs=tuple(f"mcts-{4**rung}" for rung in range(6)),
    elo=RUNG_ELO,
    covariance=STEP_ERROR**2 * np.minimum.outer(RUNGS, RUNGS),
)


def climb(turn: int) -> tuple[bool, float]:
    """Rate one simulated player; return whether the interval holds its Elo, and how far it is."""
    rng = np.random.default_rng(number(0, "climb", turn))
    truth = rng.uniform(RUNG_ELO[0], RUNG_ELO[-1])
    steps = np.append(0.0, rng.normal(0, STEP_ERROR, len(RUNG_ELO) - 1))
    real = dict(zip(LADDER.rungs, RUNG_ELO + steps.cumsum(), strict=True))
    played: list[LadderGame] = []
    for _ in range(0, CLIMB_GAMES, BATCH):
        for rung in next_rungs(played, LADDER, turn):
            chance = 1 / (1 + 10 ** ((real[rung] - truth) / 400))
            played.append((rung, float(rng.random() < chance)))
    rating = ladder_rating(played, LADDER)
    low = -np.inf if rating.low is None else rating.low
    high = np.inf if rating.high is None else rating.high
    return bool(low <= truth <= high), abs(rating.elo - truth)
