"""The oracle passes every fair conversation and names the rule that a planted fault breaks."""

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any
from zlib import crc32

import pytest

from engine.games import GAMES
from engine.history import History, history_from_json
from providers import CompletionRequest
from tests.oracles.judge import ORACLES, broken_rules
from tests.support.island import Model, engine_of, fields_in, seats
from tests.support.planted.conversation import PLANTED
from tests.support.planted.log import Log, assert_caught, tampered, verdict

CONVERSATION = GAMES["conversation"]


def some_items() -> Callable[[CompletionRequest], str]:
    """Return a model of own items, silence, and at times nothing that is legal.

    What it answers does not hang on how it is asked.
    """
    asked: Counter[str] = Counter()

    def answer(request: CompletionRequest) -> str:
        name = str(request.session)
        asked[name] += 1
        number = crc32(f"{name} {asked[name]}".encode())
        items = fields_in(request)["item"]["enum"]
        item = items[number % len(items)] if number % 2 else items[-1]
        if asked[name] in (9, 10, 11):
            item = "no such item"
        words = dict.fromkeys(fields_in(request), f"{name} says {number}")
        return json.dumps(words | {"item": item})

    return answer


def converse(*names: str, seed: int = 0, **settings: Any) -> History:
    model = Model(some_items())
    return engine_of("conversation", seats(*names), model, seed=seed, settings=settings).run()


@cache
def fair() -> str:
    """Return the log of a fair conversation of five, with pauses, repeats and fallbacks."""
    names = ("model", "model", "random-pause", "silent", "random-pause")
    return converse(*names, seed=0, length=30, bank_size=5, subjects=6).to_json()


def test_a_fair_conversation_breaks_no_rule() -> None:
    history = history_from_json(fair())
    kinds = {event.kind for event in history.events}
    assert kinds >= {"setup", "proposal", "speech", "pause", "fault"}
    assert broken_rules(history) == {}
    assert verdict(json.loads(fair())) == ""
    assert {*ORACLES["conversation"]} == {rule for _, rule, _ in PLANTED if rule}, (
        "every rule has a fault that it catches"
    )


@pytest.mark.parametrize(
    ("plant", "rule", "words"), PLANTED, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_fault_is_caught_by_the_check_and_by_the_rule_it_breaks(
    plant: Callable[[Log], None], rule: str, words: str
) -> None:
    assert_caught(plant, fair(), rule, words)


@pytest.mark.parametrize("part", range(4))
def test_scripted_conversations_break_no_rule(part: int) -> None:
    """Random tables of 1 to 10 players, with banks of 0 to 12 items and 2 to 150 subjects."""
    for seed in range(40 * part, 40 * part + 40):
        rng = random.Random(seed)
        players = rng.choices([*CONVERSATION.strategies], k=rng.choice((1, 2, 3, 4, 6, 10)))
        history = converse(
            *players,
            seed=seed,
            length=rng.choice((0, 1, 2, 5, 12, 30)),
            bank_size=rng.choice((0, 1, 2, 3, 5, 8, 12)),
            composition=("half", "coin")[seed % 2],
            subjects=rng.choice((2, 3, 4, 5, 6, 8, 20, 150, ["tea", "a", "C++", "x (y)"])),
        )
        assert broken_rules(history) == {}, seed


@pytest.mark.parametrize("advice", ["none", "deltas"])
@pytest.mark.parametrize("voice", [False, True])
def test_conversations_of_models_break_no_rule(advice: str, *, voice: bool) -> None:
    for seed in range(12):
        names = ("model", "random", "model", "weave", "model")[: 2 + seed % 4]
        settings = {"length": 12, "bank_size": 2 + seed % 6, "subjects": 3 + seed % 6}
        history = converse(*names, seed=seed, advice=advice, voice=voice, **settings)
        assert any(event.prompt for event in history.events)
        assert broken_rules(history) == {}, seed


def test_a_log_that_says_nothing_is_found_broken_and_crashes_nothing() -> None:
    log = json.loads(fair())
    for one in log["rounds"]:
        for event in one["events"]:
            event["data"] = {}
    assert {"deal", "speakers", "points", "shared score"} <= {*broken_rules(tampered(log))}
    log["rounds"] = []
    assert "end" in broken_rules(tampered(log))
