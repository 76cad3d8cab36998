"""The scripted players, and the form in which all players move."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import Field

from engine.games.openspiel.library import MOST_SEED, Rules, spiel
from engine.games.openspiel.position import SpielPosition
from player import Script
from protocol.answer import Exact, Reason
from protocol.turn import A, Turn, search

UCT = 2.0
MEGABYTES = 500


class ChosenMove(Exact):
    """A move, exactly as it stands among the legal ones."""

    rationale: Reason = ""
    move: str = Field(description="your move, written exactly as it stands in the list")


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A question as a script sees it: the whole position, hidden parts too, and who is to move.

    `moves` are the legal actions by their words; `simulations` is the budget of a search.
    """

    position: SpielPosition
    player: int
    moves: Mapping[str, int]
    simulations: int


@search
def play_mcts(turn: Turn[A], rng: random.Random) -> A:
    """Search by UCT with random rollouts (Kocsis and Szepesvari 2006), `simulations` a move."""
    decision: MoveQuestion = turn.observation
    pyspiel = spiel()
    seed = rng.randrange(MOST_SEED)
    bot = pyspiel.MCTSBot(
        decision.position.rules.game,
        pyspiel.RandomRolloutEvaluator(1, seed),
        UCT,
        decision.simulations,
        MEGABYTES,
        False,
        seed,
        False,
    )
    action = bot.step(decision.position.state)
    for words, legal in decision.moves.items():
        if legal == action:
            return turn.answer(move=words)
    raise ValueError(f"expected a legal action of the search: got {action}")


def play_first_legal(turn: Turn[A], _rng: random.Random) -> A:
    """Play the first legal action in OpenSpiel's order: the plainest opponent that repeats."""
    return turn.answer(move=turn.choices["move"][0])


def play_random(turn: Turn[A], rng: random.Random) -> A:
    """Play any legal action: the baseline of any comparison."""
    return turn.answer(move=rng.choice(turn.choices["move"]))


STRATEGIES: Mapping[str, Script] = {
    "first_legal": play_first_legal,
    "mcts": play_mcts,
    "random": play_random,
}


def refuse_search(rules: Rules) -> str:
    """Return why a tree search cannot play a game, "" if it can: it reads the whole state."""
    pyspiel = spiel()
    kind = rules.game.get_type()
    perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    in_turns = kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    at_end = kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
    if perfect and in_turns and at_end and not rules.sampled:
        return ""
    needs = "perfect information, turns, and a reward at the end alone"
    return (
        f"expected a game of {needs} for scripted:mcts, which reads the whole state: "
        f"got {rules.word}; scripted:random plays it"
    )
