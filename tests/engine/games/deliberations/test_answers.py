"""The answers of an island are read back from its log, whatever they were."""

import random

import pytest

from engine.runs.check import check_log
from tests.support.chatty import play_chatty


@pytest.mark.parametrize("part", range(4))
def test_answers_are_read_back_from_their_events(part: int) -> None:
    for seed in range(15 * part, 15 * part + 15):
        rng = random.Random(seed)
        pairing = rng.choice(("pick", "ranking"))
        settings = {
            "phases": ["sidebars", "confessionals", "immunity", "pitches", "votes"],
            "memory": rng.choice(("summary", "full")),
            "questions": rng.random() < 0.5,
            "debrief": rng.random() < 0.5,
            "messages": rng.randint(1, 3),
            "exchanges": rng.randint(1, 2),
            "pairing": pairing,
            "decline": pairing == "pick" and rng.random() < 0.5,
            "jurors_aside": rng.random() < 0.5,
            "ties": rng.choice(("lot", "revote")),
            "last_words": rng.random() < 0.5,
            "words": rng.choice((5, 60, 300)),
            "private_words": rng.choice((5, 40)),
        }
        history = play_chatty("deliberations", rng.randint(3, 7), seed, settings)
        assert check_log(history) == "", seed
