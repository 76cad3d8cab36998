"""Agents that play at random, each with its own random stream in every game."""

from random import Random

from engine.games.dilemma.agents.forms import Drawing, Strategy
from engine.games.dilemma.rules import Move, Moves, Pair

ZD_EXTORT_2: dict[Pair, float] = {
    ("C", "C"): 8 / 9,
    ("C", "D"): 1 / 2,
    ("D", "C"): 1 / 3,
    ("D", "D"): 0,
}


def cooperating(rng: Random, chance: float) -> Strategy:
    """Return a strategy that plays C with probability `chance` on every move."""
    draw = rng.random
    return lambda _own, _opponent: "C" if draw() < chance else "D"


@Drawing
def random(rng: Random) -> Strategy:
    """Play C or D, each with probability 1/2.

    RANDOM of Axelrod's first tournament, 1980; the source's `random`.
    """
    return cooperating(rng, 0.5)


@Drawing
def coin(rng: Random) -> Strategy:
    """Play C with probability 1/2 (the source's `coin`)."""
    return cooperating(rng, 0.5)


@Drawing
def stoc(rng: Random) -> Strategy:
    """Play C with probability 0.7, chosen by this project (the source's `stoc`)."""
    return cooperating(rng, 0.7)


@Drawing
def generous_tit_for_tat(rng: Random) -> Strategy:
    """Play C, then C after the opponent's C, and C with probability 1/3 after its D.

    By Nowak and Sigmund 1992.
    """
    draw = rng.random

    def strategy(own: Moves, opponent: Moves) -> Move:
        if not opponent or opponent[-1] == "C":
            return "C"
        return "C" if draw() < 1 / 3 else "D"

    return strategy


@Drawing
def zd_extort_2(rng: Random) -> Strategy:
    """Play C, then C with probability 8/9, 1/2, 1/3 or 0 after CC, CD, DC or DD.

    In the long run, its points per move exceed 1 by twice as much as the opponent's do. By Press
    and Dyson 2012; Stewart and Plotkin 2012.
    """
    draw = rng.random

    def strategy(own: Moves, opponent: Moves) -> Move:
        if not own:
            return "C"
        chance = ZD_EXTORT_2[own[-1], opponent[-1]]
        return "C" if draw() < chance else "D"

    return strategy
