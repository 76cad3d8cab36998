"""Tree searches: UCT if a player knows the whole state, information-set MCTS otherwise."""

import random

from engine.games.openspiel.library import MOST_SEED, Rules, spiel
from engine.games.openspiel.strategies.question import MoveQuestion, play_action, resamples
from protocol.turn import A, Turn, search

UCT = 2.0
MEGABYTES = 500


@search
def play_mcts(turn: Turn[A], rng: random.Random, number: int = 0) -> A:
    """Search by UCT with random rollouts (Kocsis and Szepesvari 2006).

    The script mcts-64 runs 64 simulations per move. In connect_four, four times as many
    simulations gain about 250 Elo.
    """
    decision: MoveQuestion = turn.observation
    pyspiel = spiel()
    seed = rng.randrange(MOST_SEED)
    bot = pyspiel.MCTSBot(
        decision.state.get_game(),
        pyspiel.RandomRolloutEvaluator(1, seed),
        UCT,
        number or decision.simulations,
        MEGABYTES,
        False,
        seed,
        False,
    )
    return play_action(turn, bot.step(decision.state))


@search
def play_ismcts(turn: Turn[A], rng: random.Random, number: int = 0) -> A:
    """Search the states that fit the player's view (ISMCTS; Cowling, Powley and Whitehouse 2012).

    The search never sees a hidden card: it starts from positions that OpenSpiel draws at random.
    """
    import numpy

    # OpenSpiel's C++ search breaks ties by the order of a hash table, which varies between runs.
    from open_spiel.python.algorithms import ismcts, mcts

    decision: MoveQuestion = turn.observation
    game = decision.state.get_game()
    draws = numpy.random.RandomState(rng.randrange(MOST_SEED))
    bot = ismcts.ISMCTSBot(
        game,
        mcts.RandomRolloutEvaluator(1, draws),
        UCT,
        number or decision.simulations,
        random_state=draws,
        use_observation_string=not game.get_type().provides_information_state_string,
    )
    bot.set_resampler(lambda state, seat: state.resample_from_infostate(seat, rng.random))
    return play_action(turn, int(bot.step(decision.state)))


def refuse_mcts(rules: Rules) -> str:
    """Return why a search that reads the whole state cannot play a game; "" if it can play."""
    kind = rules.game.get_type()
    if kind.information == spiel().GameType.Information.PERFECT_INFORMATION and is_tree(rules):
        return ""
    needs = "perfect information, turns, and a reward only at the end"
    return (
        f"expected a game of {needs} for scripted:mcts, which reads the whole state: "
        f"got {rules.word}; scripted:random plays it"
    )


def refuse_ismcts(rules: Rules) -> str:
    """Return why an information-set search cannot play a game; "" if it can play."""
    if is_tree(rules) and not rules.is_open and resamples(rules.plain_word):
        return ""
    return (
        "expected a turn-based game with hidden information that OpenSpiel can draw again, for "
        f"scripted:ismcts: got {rules.word}; scripted:random plays it"
    )


def is_tree(rules: Rules) -> bool:
    """Return whether players take turns, rewards come only at the end, and chance is explicit."""
    pyspiel = spiel()
    kind = rules.game.get_type()
    in_turns = kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    at_end = kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
    return bool(in_turns and at_end) and not rules.sampled
