"""Random tournaments keep the rules of the oracle."""

import random

import pytest

from engine.games import GAMES
from tests.oracles.judge import broken_rules
from tests.support.tables import run_game


@pytest.mark.parametrize("part", range(4))
def test_tournaments_of_every_kind_break_no_rule(part: int) -> None:
    """Random tables of 2 to 8 agents, with flips, in moves and in blocks, of any length."""
    for seed in range(25 * part, 25 * part + 25):
        rng = random.Random(seed)
        agents = rng.sample([*GAMES["dilemma"].strategies], rng.randint(2, 8))
        seats = ",".join(f"A{place}=scripted:{name}" for place, name in enumerate(agents))
        least = rng.randint(1, 6)
        settings = {
            "game_length": (least, least + rng.randint(0, 4)),
            "block": rng.choice((1, 3)),
            "unit": rng.choice(("moves", "turns")),
            "flip_params": rng.choice(((0.0, 0.0), (0.25, 0.1), (0.5, 0.0))),
            "max_rounds": rng.choice((1, 3, 10)),
        }
        assert broken_rules(run_game("dilemma", seats, seed=seed, settings=settings)) == {}, seed
