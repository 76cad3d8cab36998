"""The answers of a talk are read back from its log, whatever they were."""

import random

import pytest

from engine.runs.check import check_log
from tests.support.chatty import play_chatty


@pytest.mark.parametrize("part", range(4))
def test_answers_are_read_back_from_their_events(part: int) -> None:
    for seed in range(15 * part, 15 * part + 15):
        rng = random.Random(seed)
        players = rng.randint(2, 4)
        settings = {
            "depth": rng.randint(1, 4),
            "theses": rng.choice(("none", "ask")),
            "words": rng.choice((20, 60, 120)),
            "host": players > 2 and rng.random() < 0.5,
        }
        history = play_chatty("talks", players, seed, settings)
        assert check_log(history) == "", seed
