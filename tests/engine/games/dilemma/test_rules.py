"""One game by the rules: payoffs, blocks, flips, cut blocks, faults, and what an agent is shown."""

import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.dilemma.monitor import AGENTS, as_block, play_match
from engine.games.dilemma.referee.match import draws_seed, own_stream
from engine.games.dilemma.rules import draw_flips, flip_chance, score_of, score_of_moves
from engine.rng import stream
from tests.support.chances import within

MOVES = st.text("CD", max_size=40)
NAMES = st.sampled_from(sorted(AGENTS))
CHANCES = st.sampled_from([(0, 0), (0.25, 0.1), (0.1, 0), (1, 0.01)])


def script(moves: str) -> Any:
    """Return an agent that plays `moves`, whatever happens."""
    return lambda history, _score: [*moves[len(history) :][:3].ljust(3, "C")]


def test_the_sources_own_example() -> None:
    """History ((C D) (D C) (D C)), score (10 5): 0 + 5 + 5 and 5 + 0 + 0."""
    match = play_match(script("CDD"), script("DCC"), 3)
    assert match.moves == [("C", "D"), ("D", "C"), ("D", "C")]
    assert match.score == score_of(match.moves) == (10, 5)


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        ("CCC", "CCC", (9, 9)),  # 3 + 3 + 3 each
        ("DDD", "CCC", (15, 0)),  # 5 + 5 + 5, 0 + 0 + 0
        ("DDD", "DDD", (3, 3)),  # 1 + 1 + 1 each
        ("CDCD", "CCDD", (9, 9)),  # 3 + 5 + 0 + 1, 3 + 0 + 5 + 1
        ("CDDCDD", "CCDDCC", (3 + 5 + 1 + 0 + 5 + 5, 3 + 0 + 1 + 5 + 0 + 0)),
        ("", "", (0, 0)),
    ],
)
def test_payoffs_add_up(first: str, second: str, score: tuple[int, int]) -> None:
    assert play_match(script(first), script(second), len(first)).score == score
    assert score_of_moves(first, second) == score


@given(MOVES, MOVES)
def test_both_ways_to_score_agree(first: str, second: str) -> None:
    pairs: Any = list(zip(first, second, strict=False))
    assert score_of_moves(first[: len(pairs)], second[: len(pairs)]) == score_of(pairs)


def test_an_agent_is_shown_history_and_score_and_nothing_inside_a_block() -> None:
    shown: list[tuple[list[Any], tuple[int, int]]] = []

    def spy(history: list[Any], score: tuple[int, int]) -> list[str]:
        shown.append((history, score))
        return ["C", "C", "D"]

    play_match(spy, script("DCCDDD"), 6, flips=({0}, {5}))
    # The first C is flipped to D: D/D 1-1, C/C 3-3, D/C 5-0.
    assert shown == [([], (0, 0)), ([("D", "D"), ("C", "C"), ("D", "C")], (9, 4))]


def test_what_a_strategy_does_to_the_moves_it_is_shown_spoils_nothing() -> None:
    def step_vandal(own: Any, opponent: Any) -> str:
        own.clear()
        opponent.clear()
        return "C"

    careless: Any = step_vandal
    assert play_match(as_block(careless), script("DCC" * 3), 9).second == "DCC" * 3


def test_the_last_block_is_cut_and_its_surplus_scores_nothing() -> None:
    asked: list[int] = []

    def spy(history: list[Any], _score: tuple[int, int]) -> str:
        asked.append(len(history))
        return "DDD"

    match = play_match(spy, AGENTS["cooperator"], 7)
    assert asked == [0, 3, 6]
    assert match.moves == [("D", "C")] * 7
    assert match.score == (35, 0)


def test_steps_of_one_are_the_classic_game() -> None:
    """Tit for Tat answers every D one move later: 0 + 1 * 5 against 5 + 1 * 5; in blocks it pays
    for three."""
    tft, defector = AGENTS["tit_for_tat"], AGENTS["defector"]
    assert play_match(tft, defector, 6, block=1).score == (5, 10)
    assert play_match(tft, defector, 6, block=3).score == (3, 18)


@pytest.mark.parametrize(
    "flips", [({1},), ({1}, set(), set()), (1, 2), ({"a"}, set()), ({0.5}, set()), 5]
)
def test_forced_flips_that_cannot_be_are_refused(flips: Any) -> None:
    for agent in (AGENTS["cooperator"], AGENTS["coin"]):
        with pytest.raises(
            ValueError, match="expected flips to be a pair of sets of flipped move numbers"
        ):
            play_match(agent, agent, 4, flips=flips)


def test_forced_flips_take_effect_for_both_and_are_seen() -> None:
    """TFT against TFT, blocks: the flipped second move of the first is not the last, so nobody
    answers it."""
    tft = AGENTS["tit_for_tat"]
    once = play_match(tft, tft, 9, flips=({1}, set()))
    assert (once.first, once.second) == ("CDCCCCCCC", "CCCCCCCCC")
    last = play_match(tft, tft, 9, flips=({2}, set()))
    assert (last.first, last.second) == ("CCDCCCDDD", "CCCDDDCCC")
    steps = play_match(tft, tft, 5, block=1, flips=(set(), {0, 4}))
    # the second's own D in move 5 is flipped to C
    assert (steps.first, steps.second) == ("CDCDC", "DCDCC")
    assert steps.flips == (set(), {0, 4})


@pytest.mark.parametrize(
    ("flip_params", "chances"),
    [
        ((0.25, 0.1), [0.25, 0.15, 0.05, 0, 0]),
        ((0.25, 0.001), [0.25, 0.249, 0.248, 0.247, 0.246]),
        ((0, 0), [0, 0, 0, 0, 0]),
        ((1, 1), [1, 0, 0, 0, 0]),
    ],
)
def test_the_chance_of_a_flip_falls_with_every_move(
    flip_params: tuple[float, float], chances: list[float]
) -> None:
    assert [flip_chance(flip_params, move) for move in range(5)] == pytest.approx(chances)


@pytest.mark.parametrize(
    ("flip_params", "noisy"), [((0.25, 0.1), 3), ((0.3, 0.02), 15), ((0.1, 0), 60)]
)
def test_flips_come_as_often_as_they_should(flip_params: tuple[float, float], noisy: int) -> None:
    """Each move's flips over 2000 games lie where an exact binomial puts all but one in a billion,
    and none beyond."""
    games = [draw_flips(60, flip_params, stream(seed, "flips")) for seed in range(2000)]
    for side in (0, 1):
        for move in range(60):
            came = sum(move in flips[side] for flips in games)
            assert within(came, 2000, flip_chance(flip_params, move)) if move < noisy else came == 0
    both = sum(0 in one and 0 in two for one, two in games)
    assert within(both, 2000, flip_chance(flip_params, 0) ** 2), "the sides are drawn separately"


def test_certain_flips_turn_every_move() -> None:
    cooperator = AGENTS["cooperator"]
    assert play_match(cooperator, cooperator, 10, flip_params=(1, 0)).moves == [("D", "D")] * 10


ILLEGAL: list[Any] = [
    lambda *_: "CC",
    lambda *_: ["C"] * 4,
    lambda *_: ["C", "X", "C"],
    lambda *_: ["C", ["C"], "C"],
    lambda *_: [["C"], "C", "C"],
    lambda *_: None,
    lambda *_: 3,
    lambda *_: {"C": 1, "D": 2},
    lambda *_: ["c", "c", "c"],
    lambda *_: 1 // 0,
    lambda: "CCC",
    lambda *_: sys.exit(),
]


@pytest.mark.parametrize("agent", ILLEGAL)
@pytest.mark.parametrize("block", [1, 3])
def test_an_illegal_answer_counts_as_ddd_and_as_a_fault(agent: Any, block: int) -> None:
    match = play_match(agent, AGENTS["cooperator"], 6, block=block)
    assert match.score == (30, 0)
    assert [fault.move for fault in match.faults[0]] == [*range(0, 6, block)]
    assert match.faults[1] == ()


def test_a_step_strategy_that_fails_fails_for_its_block_and_goes_on() -> None:
    def late(own: Sequence[Any], opponent: Sequence[Any]) -> Any:
        return "C" if len(own) != 4 else opponent[99]

    assert play_match(as_block(late), AGENTS["cooperator"], 9).first == "CCCDDDCCC"
    assert play_match(as_block(late), AGENTS["cooperator"], 9, block=1).first == "CCCCDCCCC"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"moves": -1}, "moves"),
        ({"moves": 2.5}, "moves"),
        ({"block": 2}, "block"),
        ({"flip_params": (1.1, 0)}, "flip_params"),
        ({"flip_params": (-0.1, 0)}, "flip_params"),
        ({"flip_params": (0.1, -0.1)}, "flip_params"),
        ({"flip_params": (float("nan"), 0)}, "flip_params"),
        ({"flip_params": (0.1,)}, "flip_params"),
        ({"flip_params": ("a", 0)}, "flip_params"),
        ({"flip_params": 0.1}, "flip_params"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_a_sentence(
    more: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=f"^expected {words} to be .*: .+$"):
        play_match(AGENTS["coin"], AGENTS["coin"], **({"moves": 3} | more))


@given(NAMES, NAMES, st.integers(0, 30), st.sampled_from([1, 3]), CHANCES, st.integers(0, 99))
def test_the_record_holds_together(  # noqa: PLR0917 - one argument for each thing that is drawn
    first: str, second: str, moves: int, block: int, flip_params: tuple[float, float], seed: int
) -> None:
    agents = (AGENTS[first], AGENTS[second])
    match = play_match(*agents, moves, block=block, flip_params=flip_params, seed=seed)
    assert len(match.moves) == moves
    assert match.score == score_of(match.moves)
    assert match.faults == ((), ())
    last = sum(flip_chance(flip_params, move) > 0 for move in range(moves))
    assert all(0 <= move < last for side in match.flips for move in side)
    assert play_match(*agents, moves, block=block, flip_params=flip_params, seed=seed) == match
    assert play_match(*agents, moves, block=block, seed=seed, flips=match.flips) == match


@given(
    NAMES,
    NAMES,
    st.integers(0, 30),
    st.sampled_from([1, 3]),
    st.sets(st.integers(0, 29)),
    st.integers(0, 9),
)
def test_seats_are_symmetric(  # noqa: PLR0917 - as above
    first: str, second: str, moves: int, block: int, flips: set[int], seed: int
) -> None:
    """Whoever draws no lot plays the same from either seat, when the flips change seats with it."""
    if {"coin", "random", "stoc", "generous_tit_for_tat", "zd_extort_2"} & {first, second}:
        return
    agents = (AGENTS[first], AGENTS[second])
    one = play_match(*agents, moves, block=block, seed=seed, flips=(flips, set()))
    two = play_match(*agents[::-1], moves, block=block, seed=seed, flips=(set(), flips))
    assert one.moves == [pair[::-1] for pair in two.moves]
    assert one.score == two.score[::-1]


def test_an_agent_cannot_foresee_the_flips() -> None:
    """The number that an agent's stream is made of gives other draws than the noise has."""
    noise = stream(7, "flips")
    own = [Random(draws_seed(7, side)).random() for side in ("first", "second")]
    assert len({noise.random(), *own}) == 3
    assert own_stream(7, "first").random() == own[0]
