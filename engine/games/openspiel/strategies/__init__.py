"""The scripted players for OpenSpiel's games."""

import random
from collections.abc import Callable, Mapping

from engine.games.openspiel.library import Rules
from engine.games.openspiel.strategies.bargainers import play_fair, play_firm, refuse_bargain
from engine.games.openspiel.strategies.equilibrium import (
    play_best_to_equilibrium,
    play_best_to_random,
    play_equilibrium,
    refuse_unsolved,
)
from engine.games.openspiel.strategies.searches import (
    play_ismcts,
    play_mcts,
    refuse_ismcts,
    refuse_mcts,
)
from player import Script
from protocol.turn import A, Turn


def play_first_legal(turn: Turn[A], _rng: random.Random) -> A:
    """Play the first legal action in OpenSpiel's order, as the simplest deterministic opponent."""
    return turn.answer(move=turn.choices["move"][0])


def play_random(turn: Turn[A], rng: random.Random) -> A:
    """Play a random legal action: the baseline for every comparison."""
    return turn.answer(move=rng.choice(turn.choices["move"]))


STRATEGIES: Mapping[str, Script] = {
    "first_legal": play_first_legal,
    "mcts": play_mcts,
    "ismcts": play_ismcts,
    "equilibrium": play_equilibrium,
    "best_to_equilibrium": play_best_to_equilibrium,
    "best_to_random": play_best_to_random,
    "fair": play_fair,
    "firm": play_firm,
    "random": play_random,
}
# A number of simulations can follow these names after a dash, as in mcts-64.
NUMBERED = ("mcts", "ismcts")
# Functions that return why a script cannot play a game, or "" if it can. Other scripts play all.
REFUSALS: Mapping[str, Callable[[Rules], str]] = {
    "mcts": refuse_mcts,
    "ismcts": refuse_ismcts,
    "equilibrium": refuse_unsolved,
    "best_to_equilibrium": refuse_unsolved,
    "best_to_random": refuse_unsolved,
    "fair": refuse_bargain,
    "firm": refuse_bargain,
}
