"""How the weights of foresight are learned, and which they are."""

import json
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from engine.games.conversation.strategies.foresight.strategy import best_place
from engine.games.conversation.strategies.foresight.thresholds import look_ahead
from engine.games.conversation.strategies.foresight.value import SIZE
from engine.games.conversation.strategies.foresight.weights import (
    WEIGHTS,
    Learned,
    read_weights,
)
from engine.runs.processes import spread
from labs.conversation import training
from labs.conversation.lessons import Train, weights_of
from labs.conversation.selfplay import Setting, draw_speaker, play_game, play_games


def test_evolution_finds_the_top_of_a_hill() -> None:
    pytest.importorskip("cmaes")
    top = np.array([1.0, -2.0, 0.5])

    def height(candidates: Any, generation: int) -> Any:
        return -((candidates - top) ** 2).sum(axis=1)

    found = training.evolve(height, np.zeros(3), 60, 1)
    assert found == pytest.approx(top, abs=0.1)
    assert (training.evolve(height, np.zeros(3), 60, 1) == found).all(), "the seed fixes it"


def test_no_generation_leaves_the_start() -> None:
    pytest.importorskip("cmaes")

    def untouched(candidates: Any, generation: int) -> Any:
        raise AssertionError("nothing is to be weighed")

    assert [*training.evolve(untouched, np.array([0.5, 0.25]), 0, 1)] == [0.5, 0.25]


def test_draws_are_fixed_by_their_seed() -> None:
    setting = Setting(2, 3, 4, 5)
    draws = training.draw_chances(setting, 2, (1, 2))
    assert len(draws) == 2 * (3 * 2 * 3 + (2 * 2 + 1) * 5)
    assert (draws == training.draw_chances(setting, 2, (1, 2))).all()
    assert (draws != training.draw_chances(setting, 2, (1, 3))).all()


@pytest.mark.parametrize("few", [False, True])
def test_varied_settings_can_be_played_and_differ(few: bool) -> None:
    settings = training.draw_settings(few, np.random.default_rng(3))
    assert len(set(settings)) > 4
    assert all(map(training.has_few_items, settings)) or not few
    for setting in settings:
        draws = [*training.draw_chances(setting, 1, (1,))]
        short = setting._replace(length=4)
        assert len(play_games(read_weights(WEIGHTS).for_many, short, 0, draws, 1)) == 1


def test_the_file_of_weights_reads_back() -> None:
    by_setting = {(5, 10, 20, 20): tuple(map(float, range(SIZE)))}
    weights = Learned({"seed": 3}, (0.25,) * SIZE, (0.5,) * SIZE, by_setting)
    data = json.loads(training.weights_text(weights))
    assert data["record"] == {"seed": 3}
    assert data["many"] == [0.25] * SIZE
    assert data["few"] == [0.5] * SIZE
    assert data["settings"] == {"5/10/20/20": [*range(SIZE)]}


def test_the_file_of_weights_is_as_the_command_leaves_it() -> None:
    assert WEIGHTS.read_text(encoding="utf-8") == training.weights_text(read_weights(WEIGHTS))


def test_the_command_as_it_stands_makes_the_weights_in_the_repository() -> None:
    assert read_weights(WEIGHTS).record == Train().record()
    assert Train(seed=1).record() != Train().record()
    assert Train(generations=1).record()["lessons"] != Train().record()["lessons"]
    assert {*read_weights(training.START).by_setting} == {*read_weights(WEIGHTS).by_setting}


@pytest.mark.parametrize("path", [training.START, WEIGHTS])
def test_the_weights_in_the_repository_fit(path: Path) -> None:
    weights = read_weights(path)
    assert len(weights.for_many) == len(weights.for_few) == SIZE
    assert weights.by_setting
    assert all(len(own) == SIZE for own in weights.by_setting.values())


def test_all_that_a_game_in_numbers_calls_is_compiled_before_it() -> None:
    compiled: set[object] = set()
    for kernel in training.kernels_of(play_games):
        names = [*kernel.__code__.co_names]
        for inner in kernel.__code__.co_consts:
            names += getattr(inner, "co_names", ())
        own = [kernel.__globals__.get(name) for name in names]
        calls = {one for one in own if isinstance(one, FunctionType)}
        assert calls <= compiled, f"{kernel.__name__} calls what is not compiled"
        compiled.add(kernel)
    assert {play_game, draw_speaker, look_ahead, best_place} <= compiled


TINY = Train(settings=(Setting(2, 4, 5, 12),), generations=1, seed=3)


@pytest.mark.parametrize("package", ["numba", "cmaes"])
def test_missing_packages_are_one_sentence(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    training.compile_games.cache_clear()
    with pytest.raises(RuntimeError, match="uv sync --extra compiled --extra training"):
        training.learn_weights(TINY.tasks()[0])


@pytest.mark.slow
def test_one_seed_makes_the_same_weights_on_any_number_of_processes() -> None:
    pytest.importorskip("numba")
    pytest.importorskip("cmaes")
    # Without the one for many items, whose games take longest.
    setting, _, few = TINY.tasks()
    alone = spread(TINY.work, [few, setting], processes=1)
    shared = spread(TINY.work, [few, setting], processes=2)
    texts = {
        training.weights_text(weights_of(results, TINY.record())) for results in (alone, shared)
    }
    assert len(texts) == 1
    assert alone == shared

    lesson, weights, mean, error = alone[1]
    assert lesson.generations == 2, "twice as many for two players"
    assert error > 0.0
    draws = [*training.draw_chances(Setting(2, 4, 5, 12), 1000, (3, training.SHOWN, 0))]
    scores = play_games(weights, Setting(2, 4, 5, 12), 0, draws, 1000)
    assert mean == pytest.approx(np.mean(scores)), "the interpreter plays the same games"
