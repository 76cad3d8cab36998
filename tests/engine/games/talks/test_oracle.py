"""The oracle passes every fair talk and names the rule that a planted fault breaks."""

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.games.talks.constants import CONSTANTS, PLAIN
from engine.history import History, history_from_json
from providers import CompletionRequest
from tests.oracles.judge import ORACLES, broken_rules
from tests.support.histories import of_kind
from tests.support.island import Model, engine_of, fields_in, seats
from tests.support.planted.hosts import PLANTED_HOST
from tests.support.planted.log import Plant, assert_caught, tampered, verdict
from tests.support.planted.talks import PLANTED
from tests.support.tables import config_for

TALKS = GAMES["talks"]
SAID = (Path(__file__).parents[3] / "support" / "utterances.txt").read_text(encoding="utf-8")
LED = 3
LABELS = ("trust", "habit", "Habit", "the cost of trust", "promises", "moral luck", "")


def some_words() -> Callable[[CompletionRequest], str]:
    """Return a model that says what others have said, with aspects, and at times nothing at all.

    What it answers does not hang on how it is asked.
    """
    asked: Counter[str] = Counter()
    said = SAID.split("\n\n")[0].splitlines() + SAID.split("\n\n")[1].splitlines()

    def answer(request: CompletionRequest) -> str:
        name = str(request.session)
        asked[name] += 1
        if asked[name] in (3, 4, 5):
            return "nothing"
        rng = random.Random(f"{name} {asked[name]}")
        fields = {}
        for field in fields_in(request):
            fields[field] = rng.choice(LABELS) if field.startswith("aspect") else rng.choice(said)
        return json.dumps(fields | {"position": f"{name} holds {asked[name]}"})

    return answer


def discuss(*names: str, seed: int = 0, **settings: Any) -> History:
    model = Model(some_words())
    return engine_of("talks", seats(*names), model, seed=seed, settings=settings).run()


@cache
def fair() -> str:
    """Return the log of a fair talk of three, one of them a model that once falls silent."""
    return discuss("in_character", "model", "fresh", seed=2, depth=3, theses="ask").to_json()


def test_a_fair_talk_breaks_no_rule() -> None:
    history = history_from_json(fair())
    kinds = {event.kind for event in history.events}
    assert kinds >= {"setup", "selection", "utterance", "check", "stop", "fault"}
    assert broken_rules(history) == {}
    assert verdict(json.loads(fair())) == ""
    assert {*ORACLES["talks"]} == {rule for _, rule, _ in [*PLANTED, *PLANTED_HOST] if rule}, (
        "every rule has a fault that it catches"
    )


@cache
def led() -> str:
    """Return the log of a fair talk of three that a model leads, which interjects."""
    models = ("in_character", "model", "repeating", "model")
    return discuss(*models, seed=LED, depth=3, host=True).to_json()


def test_a_fair_talk_with_a_host_breaks_no_rule() -> None:
    history = history_from_json(led())
    parts = [event.data["part"] for event in of_kind(history, "host")]
    assert {*parts} == {"introduction", "interjection", "synthesis", "coda"}
    assert broken_rules(history) == {}
    assert verdict(json.loads(led())) == ""


FAULTS = [(fair, *fault) for fault in PLANTED] + [(led, *fault) for fault in PLANTED_HOST]


@pytest.mark.parametrize(
    ("talk", "plant", "rule", "words"), FAULTS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_fault_is_caught_by_the_check_and_by_the_rule_it_breaks(
    talk: Callable[[], str], plant: Plant, rule: str, words: str
) -> None:
    assert_caught(plant, talk(), rule, words)


@pytest.mark.parametrize("part", range(4))
def test_talks_of_every_kind_break_no_rule(part: int) -> None:
    """Random talks of 2 to 10 scripts and models, at every depth, in every mode of ending."""
    reasons: set[str] = set()
    for seed in range(12 * part, 12 * part + 12):
        rng = random.Random(seed)
        names = rng.choices([*TALKS.strategies, "model"], k=rng.choice((2, 2, 3, 5, 10)))
        history = discuss(
            *names,
            seed=seed,
            depth=rng.randint(1, 5),
            turns=rng.choice(("theory", "theory", "round_robin")),
            theses=rng.choice(("none", "ask")),
            host=len(names) > 2 and rng.choice((True, False, False)),
            max_iterations=rng.choice((None, None, 1, 3, 30)),
            termination={
                "mode": rng.choice(("flowchart", "any", "all")),
                "min_novelty": rng.choice((0.1, 0.3, 0.6)),
                "min_convergence": rng.choice((0.2, 0.8)),
                "depth_threshold": rng.choice((0.3, 1.0)),
            },
            constants=some_constants(rng),
        )
        assert broken_rules(history) == {}, seed
        reasons |= {event.data["reason"] for event in of_kind(history, "stop")}
    assert len(reasons) > 1


def some_constants(rng: random.Random) -> dict[str, float]:
    """Return none or a few constants with other values."""
    changes: dict[str, float] = {}
    for name in rng.sample(PLAIN, rng.choice((0, 4))):
        value = getattr(CONSTANTS, name)
        changes[name] = rng.randint(1, 5) if isinstance(value, int) else value * rng.uniform(0.5, 2)
    return changes


def test_described_participants_are_those_of_the_settings() -> None:
    people = [
        {"name": "Dr. Elena Rodriguez", "gender": "female", "personality": "skeptical"},
        {"name": "Jim [the] Chen", "gender": "male", "personality": "assertive"},
    ]
    players = "Dr. Elena Rodriguez=scripted:fresh,Jim the Chen=scripted:terse"
    config = config_for("talks", players, settings={"participants": people, "depth": 2})
    assert broken_rules(GameEngine(config).run()) == {}


def test_a_log_that_says_nothing_is_found_broken_and_crashes_nothing() -> None:
    log = json.loads(fair())
    for one in log["rounds"]:
        for event in one["events"]:
            event["data"] = {}
    assert {"urgencies", "payoffs", "criteria", "stop"} <= {*broken_rules(tampered(log))}
    log["rounds"] = []
    assert {"stop", "quality"} <= {*broken_rules(tampered(log))}
