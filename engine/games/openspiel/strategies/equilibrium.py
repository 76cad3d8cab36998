"""Precomputed average policies of CFR+, and exact best responses to them and to random play."""

import random
from collections.abc import Mapping
from functools import cache
from hashlib import sha256

from engine.games.openspiel.library import Rules, example_of, spiel
from engine.games.openspiel.strategies.question import MoveQuestion, play_action
from engine.prompting import PROMPTS, read_data
from engine.record.archives import unpack_gzip
from engine.record.files import read_json, read_regular
from protocol.turn import A, Turn

SUITES = PROMPTS.parent / "configs" / "suites"
# For each game: iterations, states, nash_conv (of the policy as read from the file), and sha256.
INDEX = SUITES / "equilibria.json"
LARGEST = 1 << 20
MOST_UNPACKED = 16 << 20
# Probabilities are multiplied by this and stored as whole numbers.
SCALE = 10_000
Policy = Mapping[str, list[tuple[int, float]]]


@cache
def stored_policy(game: str) -> Policy:
    """Return a game's stored action probabilities by state; raise ValueError for a wrong hash."""
    packed = read_regular(SUITES / f"{game}.json.gz", LARGEST)
    if sha256(packed).hexdigest() != read_data(INDEX)[game]["sha256"]:
        raise ValueError(f"expected the stored policy of {game} to have the hash in {INDEX.name}")
    return read_policy(packed)


def read_policy(packed: bytes) -> Policy:
    """Return a packed policy by information state; raise ValueError if it cannot be unpacked."""
    policy = {}
    for sight, weights in read_json(unpack_gzip(packed, MOST_UNPACKED)).items():
        total = sum(weight for _, weight in weights)
        policy[sight] = [(action, weight / total) for action, weight in weights]
    return policy


def play_equilibrium(turn: Turn[A], rng: random.Random) -> A:
    """Draw a move from a CFR+ average policy (Tammelin 2014), almost unbeatable on average.

    The policy's NashConv, a perfect opponent's total gain over both seats, is 0.005 chips in
    leduc_poker and 0.01 of a win in liars_dice.
    """
    decision: MoveQuestion = turn.observation
    actions, weights = zip(*stored_policy(decision.game)[decision.sight], strict=True)
    return play_action(turn, rng.choices(actions, weights)[0])


@cache
def best_actions(game: str, player: int, opponent: str) -> Mapping[str, int]:
    """Return the exact best responses to `equilibrium` or `random`: an action for each state."""
    pyspiel = spiel()
    rules = example_of(game).game
    # `policy` keeps the object alive, since the response holds no reference to it.
    policy = pyspiel.UniformRandomPolicy(rules)
    if opponent == "equilibrium":
        policy = pyspiel.TabularPolicy(stored_policy(game))
    response = pyspiel.TabularBestResponse(rules, player, policy)
    response.value_from_state(rules.new_initial_state())
    return dict(response.get_best_response_actions())


def play_best_to_random(turn: Turn[A], _rng: random.Random) -> A:
    """Play the exact best response to `random`: no policy wins more against it on average."""
    return play_best_to(turn, "random")


def play_best_to_equilibrium(turn: Turn[A], _rng: random.Random) -> A:
    """Play the exact best response to `equilibrium`: no policy wins more against it on average."""
    return play_best_to(turn, "equilibrium")


def play_best_to(turn: Turn[A], opponent: str) -> A:
    """Play the exact best response to a script."""
    decision: MoveQuestion = turn.observation
    actions = best_actions(decision.game, decision.player, opponent)
    return play_action(turn, actions[decision.sight])


def refuse_unsolved(rules: Rules) -> str:
    """Return why no stored policy plays a game; "" if one does."""
    solved = read_data(INDEX)
    game = rules.plain_word
    if game in solved:
        return ""
    return (
        f"expected a game whose equilibrium is stored, of {', '.join(solved)}: got {game}; "
        "scripted:random plays it"
    )
