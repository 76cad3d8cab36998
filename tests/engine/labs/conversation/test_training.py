"""How the weights of foresight are learned, and which they are."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.games.conversation.strategies.foresight import learned
from engine.games.conversation.strategies.foresight.value import SIZE
from engine.labs.conversation.selfplay import Setting, rehearse_all
from engine.labs.conversation.training import START, drawn, evolve, module_text, train, varied


def test_evolution_finds_the_top_of_a_hill() -> None:
    top = np.array([1.0, -2.0, 0.5])

    def height(candidates: Any, generation: int) -> Any:
        return -((candidates - top) ** 2).sum(axis=1)

    found = evolve(height, np.zeros(3), 60, np.random.default_rng(1))
    assert found == pytest.approx(top, abs=0.1)
    assert (evolve(height, np.zeros(3), 60, np.random.default_rng(1)) == found).all(), (
        "the seed fixes it"
    )


def test_no_generation_leaves_the_start() -> None:
    def untouched(candidates: Any, generation: int) -> Any:
        raise AssertionError("nothing is to be weighed")

    assert [*evolve(untouched, np.array([0.5, 0.25]), 0, np.random.default_rng(1))] == [0.5, 0.25]


def test_draws_are_fixed_by_their_seed() -> None:
    setting = Setting(2, 3, 4, 5)
    draws = drawn(setting, 2, (1, 2))
    assert len(draws) == 2 * (3 * 2 * 3 + (2 * 2 + 1) * 5)
    assert (draws == drawn(setting, 2, (1, 2))).all()
    assert (draws != drawn(setting, 2, (1, 3))).all()


def test_varied_settings_can_be_played_and_differ() -> None:
    settings = varied(np.random.default_rng(3))
    assert len(set(settings)) > 4
    for setting in settings:
        scores = rehearse_all(START, setting._replace(length=4), 0, [*drawn(setting, 1, (1,))], 1)
        assert len(scores) == 1


def test_the_module_of_weights_reads_back() -> None:
    names: dict[str, Any] = {}
    exec(module_text((0.5,) * SIZE, {(5, 10, 20, 20): [*range(SIZE)]}), names)
    assert names["FOR_ALL"] == (0.5,) * SIZE
    assert names["TRAINED"] == {(5, 10, 20, 20): tuple(range(SIZE))}


def test_the_module_of_weights_is_as_the_command_leaves_it() -> None:
    assert Path(learned.__file__).read_text(encoding="utf-8") == module_text(
        learned.FOR_ALL, learned.TRAINED
    )


def test_the_weights_in_the_repository_fit() -> None:
    assert len(START) == len(learned.FOR_ALL) == SIZE
    assert learned.TRAINED
    assert all(len(weights) == SIZE for weights in learned.TRAINED.values())


def test_what_is_missing_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(RuntimeError, match="uv sync --extra compiled"):
        train(Setting(2, 2, 2, 2), generations=1, seed=0)


def test_one_generation_of_compiled_games() -> None:
    pytest.importorskip("numba")
    one = train(Setting(2, 4, 5, 12), generations=1, seed=3, games=20)
    assert one.mean == pytest.approx(np.mean(rehearse_all(
        one.weights, Setting(2, 4, 5, 12), 0, [*drawn(Setting(2, 4, 5, 12), 20, (3, 4, 0))], 20
    )))  # fmt: skip
    assert one.error > 0.0
    assert one.weights != START
