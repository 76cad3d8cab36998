"""How the weights of foresight are learned, and which they are."""

import json
import sys
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

from engine.games.conversation.strategies.foresight.value import SIZE
from engine.games.conversation.strategies.foresight.weights import WEIGHTS, Learned, learned_weights
from engine.labs.conversation.selfplay import Setting, play_games
from engine.labs.conversation.training import (
    KERNELS,
    draw_chances,
    draw_settings,
    evolve,
    learn_weights,
    weights_text,
)


def test_evolution_finds_the_top_of_a_hill() -> None:
    pytest.importorskip("cmaes")
    top = np.array([1.0, -2.0, 0.5])

    def height(candidates: Any, generation: int) -> Any:
        return -((candidates - top) ** 2).sum(axis=1)

    found = evolve(height, np.zeros(3), 60, 1)
    assert found == pytest.approx(top, abs=0.1)
    assert (evolve(height, np.zeros(3), 60, 1) == found).all(), "the seed fixes it"


def test_no_generation_leaves_the_start() -> None:
    pytest.importorskip("cmaes")

    def untouched(candidates: Any, generation: int) -> Any:
        raise AssertionError("nothing is to be weighed")

    assert [*evolve(untouched, np.array([0.5, 0.25]), 0, 1)] == [0.5, 0.25]


def test_draws_are_fixed_by_their_seed() -> None:
    setting = Setting(2, 3, 4, 5)
    draws = draw_chances(setting, 2, (1, 2))
    assert len(draws) == 2 * (3 * 2 * 3 + (2 * 2 + 1) * 5)
    assert (draws == draw_chances(setting, 2, (1, 2))).all()
    assert (draws != draw_chances(setting, 2, (1, 3))).all()


def test_varied_settings_can_be_played_and_differ() -> None:
    settings = draw_settings(np.random.default_rng(3))
    assert len(set(settings)) > 4
    for setting in settings:
        scores = play_games(
            learned_weights().by_hand,
            setting._replace(length=4),
            0,
            [*draw_chances(setting, 1, (1,))],
            1,
        )
        assert len(scores) == 1


def test_the_file_of_weights_reads_back() -> None:
    weights = Learned(
        (0.25,) * SIZE, (0.5,) * SIZE, {(5, 10, 20, 20): tuple(map(float, range(SIZE)))}
    )
    data = json.loads(weights_text(weights))
    assert data["by hand"] == [0.25] * SIZE
    assert data["all"] == [0.5] * SIZE
    assert data["settings"] == {"5/10/20/20": [*range(SIZE)]}


def test_the_file_of_weights_is_as_the_command_leaves_it() -> None:
    assert WEIGHTS.read_text(encoding="utf-8") == weights_text(learned_weights())


def test_the_weights_in_the_repository_fit() -> None:
    weights = learned_weights()
    assert len(weights.by_hand) == len(weights.for_all) == SIZE
    assert weights.by_setting
    assert all(len(own) == SIZE for own in weights.by_setting.values())


def names_in(code: CodeType) -> set[str]:
    inner = [names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def test_all_that_a_game_in_numbers_calls_is_compiled_before_it() -> None:
    compiled: set[object] = set()
    for kernel in KERNELS:
        assert isinstance(kernel, FunctionType)
        own = [kernel.__globals__.get(name) for name in names_in(kernel.__code__)]
        calls = {one for one in own if isinstance(one, FunctionType)}
        assert calls <= compiled, f"{kernel.__name__} calls what is not compiled"
        compiled.add(kernel)


@pytest.mark.parametrize("package", ["numba", "cmaes"])
def test_what_is_missing_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RuntimeError, match="uv sync --extra compiled --extra training"):
        learn_weights(Setting(2, 2, 2, 2), generations=1, seed=0)


def test_one_generation_of_compiled_games() -> None:
    pytest.importorskip("numba")
    pytest.importorskip("cmaes")
    one = learn_weights(Setting(2, 4, 5, 12), generations=1, seed=3, games=20)
    setting = Setting(2, 4, 5, 12)
    draws = [*draw_chances(setting, 20, (3, 4, 0))]
    assert one.mean == pytest.approx(np.mean(play_games(one.weights, setting, 0, draws, 20)))
    assert one.error > 0.0
    assert one.weights != learned_weights().by_hand
