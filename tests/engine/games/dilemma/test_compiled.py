"""The compiled way of a game between two tables: move for move and flip for flip the plain one."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.monitor import monitor
from engine.games.dilemma.referee import dispatch as ways
from engine.games.dilemma.referee.automata import automaton_of
from engine.games.dilemma.referee.match import play_match
from engine.games.dilemma.referee.walk import walk
from engine.games.dilemma.rules import draw_flips
from engine.rng import number, stream

pytest.importorskip("numba", reason="needs the extra `compiled`")
import numba
import numpy as np

from engine.games.dilemma.referee import compiled, twister
from tests.support.narrowing import not_none

FINITE = [name for name, agent in AGENTS.items() if automaton_of(agent, 1)]
CHANCES = st.sampled_from(
    [(0, 0), (0.25, 0.1), (0.25, 0.001), (0.1, 0), (0.03, 0.0), (1, 0), (1, 0.01), (1, 1)]
)
LENGTHS = st.one_of(st.integers(0, 70), st.sampled_from([599, 600, 601, 1000]))


@settings(max_examples=300)
@given(
    st.sampled_from(FINITE),
    st.sampled_from(FINITE),
    LENGTHS,
    st.sampled_from([1, 3]),
    CHANCES,
    st.integers(0),
)
def test_compiled_is_as_walked(  # noqa: PLR0917 - one argument for each thing that is drawn
    first: str, second: str, moves: int, block: int, flip_params: Any, seed: int
) -> None:
    one, two = automaton_of(AGENTS[first], block), automaton_of(AGENTS[second], block)
    assert one is not None
    assert two is not None
    flips = draw_flips(moves, flip_params, stream(seed, "flips"))
    plain = *walk(one, two, moves, flips), flips
    assert compiled.play_noisy(one, two, moves, flip_params, number(seed, "flips")) == plain


@given(st.integers(0, 2**200), CHANCES)
def test_flips_are_those_of_pythons_own_generator(seed: int, flip_params: Any) -> None:
    """Of any seed, 32 bits or 200, and beyond the 312 draws that one state of the generator is good
    for."""
    table = not_none(automaton_of(AGENTS["cooperator"], 1))
    found = compiled.play_noisy(table, table, 700, flip_params, seed)[3]
    assert found == draw_flips(700, flip_params, Random(seed))


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**64, 7 * 2**128])
def test_draws_by_hand(seed: int) -> None:
    """The first move of each side is flipped exactly when its draw is below the chance."""
    rng = Random(seed)
    for side, draw in enumerate((rng.random(), rng.random())):
        for chance, flipped in ((draw, False), (draw + 1e-12, True)):
            table = not_none(automaton_of(AGENTS["cooperator"], 1))
            found = 0 in compiled.play_noisy(table, table, 1, (chance, 0), seed)[3][side]
            assert found is flipped


def test_two_thousand_streams_of_three_makers_are_one() -> None:
    """Seeds of 0 to 299 bits, 660 draws each: as Python draws, and numpy by the same words."""
    for bits in range(300):
        for seed in {Random(f"{bits} {n}").getrandbits(bits) for n in range(8)}:
            key = twister.key_of(seed)
            flips = np.zeros((2, 330), np.uint8)
            twister.draw(key, 0.5, 0.0, flips)
            numpys = np.random.RandomState([*key]).random_sample(660)
            python = Random(seed)
            drawn = [python.random() for _ in range(660)]
            assert numpys.tolist() == drawn
            assert flips.T.ravel().tolist() == [draw < 0.5 for draw in drawn]


def test_what_is_played_a_lot_is_compiled_and_stays_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    original = compiled.play_noisy

    def counted(*terms: Any) -> Any:
        asked.append(terms[2])
        return original(*terms)

    monkeypatch.setattr(compiled, "play_noisy", counted)
    monkeypatch.setattr(ways, "TALLY", ways.Tally())
    monkeypatch.setattr(ways, "HOT", 10**9)
    plain = monitor((0.1, 0), (20, 20), FINITE, seed=5, max_rounds=1)
    assert asked == []
    pairs = len(FINITE) * (len(FINITE) - 1) // 2
    assert ways.TALLY.moves == 60 * pairs
    monkeypatch.setattr(ways, "TALLY", ways.Tally())
    monkeypatch.setattr(ways, "HOT", 60 * 100)
    assert monitor((0.1, 0), (20, 20), FINITE, seed=5, max_rounds=1) == plain
    assert asked == [60] * (pairs - 100)


def test_without_numba_all_is_played_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = AGENTS["tit_for_tat"], AGENTS["bully"]
    monkeypatch.setattr(ways, "HOT", -1)
    swift = play_match(one, two, 50, flip_params=(0.2, 0), seed=3)
    monkeypatch.setattr(ways, "compiled_if_there", lambda: None)
    assert play_match(one, two, 50, flip_params=(0.2, 0), seed=3) == swift


@pytest.mark.parametrize(
    ("moves", "flip_params", "noisy"),
    [(10, (0.25, 0.1), 3), (10, (0.1, 0), 10), (2, (1, 0.01), 2), (10, (0, 0.5), 0)],
)
def test_how_many_moves_may_be_flipped(moves: int, flip_params: Any, noisy: int) -> None:
    assert ways.noisy_moves(moves, flip_params) == noisy


def test_the_compiled_functions_are_the_plain_ones() -> None:
    """What numba compiles is Python: uncompiled it draws the same."""
    words = twister.start_words()
    twister.stir.py_func(words, twister.key_of(7))
    twister.twist.py_func(words)
    rng = Random(7)
    found = [twister.temper(int(word)) for word in words[:5]]
    assert found == [rng.getrandbits(32) for _ in range(5)]


def test_with_no_place_to_keep_it_all_is_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = numba.njit

    def homeless(*function: Any, cache: bool = False) -> Any:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return original(*function)

    monkeypatch.setattr(numba, "njit", homeless)
    assert twister.compile_cached(twister.temper)(5) == twister.temper(5)
