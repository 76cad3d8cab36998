"""Agents of finite memory as automata, and games walked through them: the same as by asking."""

from collections.abc import Sequence
from functools import partial, wraps
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.dilemma.agents import AGENTS, NATIVES
from engine.games.dilemma.agents.forms import Machine, as_block, name_of, recalls, starting
from engine.games.dilemma.referee.asking import ask_both
from engine.games.dilemma.referee.automata import STATES, automaton_of, explore
from engine.games.dilemma.referee.match import Match, own_stream, play_match
from engine.games.dilemma.referee.responders import call_each_turn
from engine.games.dilemma.referee.walk import walk
from engine.games.dilemma.rules import TRIPLES, draw_flips, score_of_moves
from engine.rng import stream
from tests.support.narrowing import not_none

OPEN = {"coin", "random", "stoc", "generous_tit_for_tat", "zd_extort_2"}  # these draw
OPEN |= {"soft_majority", "hard_majority", "gradual", "accountant"}  # these count without end
CHANCES = st.sampled_from([(0, 0), (0.25, 0.1), (0.3, 0.02), (0.1, 0), (1, 0)])
LENGTHS = st.one_of(st.integers(0, 70), st.sampled_from([599, 600, 601]))


def by_asking(
    first: Any, second: Any, moves: int, block: int, flips: Any, *, seed: int = 0
) -> Match:
    """Play the game by calling both agents in every turn."""
    one, two = (
        call_each_turn(agent, block, partial(own_stream, seed, side))
        for agent, side in ((first, "first"), (second, "second"))
    )
    played, answered, faults = ask_both(one, two, moves, block, flips)
    return Match(played, answered, score_of_moves(played, answered), flips, faults)


@pytest.mark.parametrize("block", [1, 3])
def test_who_is_an_automaton(block: int) -> None:
    assert {name for name, agent in AGENTS.items() if automaton_of(agent, block) is None} == OPEN


def test_an_automaton_by_hand() -> None:
    """Tit for Tat has seen nothing, C or D: its states 0, 1, 2; it does not look at its own
    move."""
    steps = not_none(automaton_of(AGENTS["tit_for_tat"], 1))
    assert steps.answers == ("C", "C", "D")
    assert steps.after == ((1, 2, 1, 2),) * 3
    blocks = not_none(automaton_of(AGENTS["tit_for_tat"], 3))
    assert blocks.answers == ("CCC", "CCC", "DDD")
    assert (blocks.turns[0]["CCCDDC"], blocks.turns[0]["CCCCCD"]) == (1, 2)
    assert len(blocks.turns[0]) == len(TRIPLES) ** 2


def test_only_what_has_few_states_is_an_automaton() -> None:
    def counter(most: int) -> Machine:
        return Machine(("C", 0), lambda state, own, other: ("C", min(most, state[1] + 1)))

    assert automaton_of(as_block(counter(STATES - 1)), 1) is not None
    assert automaton_of(as_block(counter(STATES)), 1) is None
    assert automaton_of(as_block(lambda own, opponent: "C"), 1) is None
    assert automaton_of(lambda history, score: "CCC", 3) is None


def test_who_is_wrapped_is_asked() -> None:
    """A wrapper bears its function's declaration too, but hides more than that looks at."""
    asked_for: list[int] = []
    tit_for_tat = AGENTS["tit_for_tat"].strategy  # type: ignore[attr-defined]

    @wraps(tit_for_tat)
    def spy(own: Any, opponent: Any) -> Any:
        asked_for.append(len(own))
        return tit_for_tat(own, opponent)

    assert play_match(as_block(spy), AGENTS["defector"], 4, block=1).first == "CDDD"
    assert asked_for == [0, 1, 2, 3]


def test_who_cannot_answer_is_no_automaton_and_its_faults_are_counted() -> None:
    @starting("C", 0)
    def failing(state: Any, own: str, opponent: str) -> Any:
        return ("C" if state[1] < 3 else state[99], state[1] + 1)

    @starting("X")
    def illegal(state: Any, own: str, opponent: str) -> Any:
        return state

    @recalls(opponent=1)
    def short(history: list[Any], score: Any) -> str:
        return "CC"

    @starting([])
    def unhashable(state: Any, own: str, opponent: str) -> Any:
        return state

    for agent in (as_block(failing), as_block(illegal), short, as_block(unhashable)):
        assert automaton_of(agent, 1) is None
        assert play_match(agent, AGENTS["cooperator"], 9, block=1).faults[0]
    assert explore("C", lambda *_: "C", lambda state: "", {"C", "D"}) is None
    silent: Any = recalls()(lambda own, opponent: "" if own else "CCC")
    assert automaton_of(as_block(silent), 3) is None


@settings(max_examples=200)
@given(
    st.sampled_from(sorted(AGENTS)),
    st.sampled_from(sorted(AGENTS)),
    LENGTHS,
    st.sampled_from([1, 3]),
    CHANCES,
    st.integers(0, 9),
)
def test_a_seat_plays_as_it_would_if_asked_against_anyone(  # noqa: PLR0917 - one for each thing drawn
    first: str, second: str, moves: int, block: int, flip_params: Any, seed: int
) -> None:
    match = play_match(
        AGENTS[first], AGENTS[second], moves, block=block, flip_params=flip_params, seed=seed
    )
    assert match == by_asking(AGENTS[first], AGENTS[second], moves, block, match.flips, seed=seed)
    assert match.flips == draw_flips(moves, flip_params, stream(seed, "flips"))


@given(st.data(), st.integers(1, 6), st.sampled_from([1, 3]), LENGTHS, st.sets(st.integers(0, 99)))
def test_any_machine_of_few_states(
    data: Any, states: int, block: int, moves: int, flips: set[int]
) -> None:
    """Machines drawn at random: a move for each state, and by each pair of moves a state to go on
    with."""

    def machine() -> Any:
        means = data.draw(st.lists(st.sampled_from("CD"), min_size=states, max_size=states))
        onward = data.draw(
            st.lists(st.integers(0, states - 1), min_size=4 * states, max_size=4 * states)
        )

        def advance(state: Any, own: str, opponent: str) -> Any:
            after = onward[4 * state[1] + 2 * (own == "D") + (opponent == "D")]
            return means[after], after

        return as_block(Machine((means[0], 0), advance))

    one, two = machine(), machine()
    assert automaton_of(one, block) is not None
    found = play_match(one, two, moves, block=block, flips=(flips, set()))
    assert found == by_asking(one, two, moves, block, (flips, set()))


def test_a_game_of_a_million_moves_is_walked_only_once_around() -> None:
    """Two bullies: D D, then the opposite of the other for ever: 500 000 times 1 and 3, and D once
    more."""
    bully = not_none(automaton_of(AGENTS["bully"], 1))
    first, second, score = walk(bully, bully, 1_000_001, (set(), set()))
    assert first == second == "DC" * 500_000 + "D"
    assert score == score_of_moves(first, second) == (2_000_001, 2_000_001)


@pytest.mark.parametrize("agent", NATIVES, ids=name_of)
def test_what_is_declared_to_recall_little_does(agent: Any) -> None:
    """Nothing before the declared moves changes an answer; the accountant, who reads the score,
    declares nothing."""
    if not hasattr(agent, "recalls"):
        assert name_of(agent) == "accountant"
        return
    own, opponent = agent.recalls
    assert own == 0
    for number in range(4 ** (opponent // 2)):
        recent = [("C", "CD"[number >> bit & 1]) for bit in range(opponent)]
        assert len({tuple(agent([("D", past)] * 9 + recent, (0, 0))) for past in "CD"}) == 1


def test_an_agent_keeps_what_it_was_shown_and_may_change_it() -> None:
    """Whoever keeps or changes its history has a list of its own then; else it is one list that
    grows."""
    kept: list[Any] = []
    shown: list[int] = []

    def keeper(history: list[Any], score: Any) -> str:
        kept.append(history)
        return "CCD"

    def reverser(history: list[Any], score: Any) -> str:
        assert history == [("D", "C"), ("C", "C"), ("C", "D")] * (len(history) // 3)
        history.reverse()
        return "DCC"

    def looker(history: list[Any], score: Any) -> str:
        shown.append(id(history))
        return "CCC"

    assert play_match(keeper, reverser, 12).moves == [("C", "D"), ("C", "C"), ("D", "C")] * 4
    assert kept == [[("C", "D"), ("C", "C"), ("D", "C")] * turns for turns in range(4)]
    play_match(looker, keeper, 300)
    assert len(set(shown)) == 1


CHANGES: dict[str, Sequence[Any]] = {
    "append": ("X",),
    "clear": (),
    "extend": ("XY",),
    "insert": (0, "X"),
    "pop": (),
    "remove": (("C", "C"),),
    "reverse": (),
    "sort": (),
    "__delitem__": (0,),
    "__iadd__": (["X"],),
    "__imul__": (2,),
    "__init__": (["X"],),
    "__setitem__": (0, "X"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("block", [1, 3])
def test_no_change_of_its_history_lasts(change: str, block: int) -> None:
    told: list[Any] = []

    def meddler(history: list[Any], score: Any) -> str:
        told.append([*history])
        if history:
            getattr(history, change)(*CHANGES[change])
        return "CDC"

    match = play_match(meddler, AGENTS["tit_for_tat"], 9, block=block)
    assert told == [match.moves[:known] for known in range(0, 9, block)]
    assert not match.faults[0]


def test_every_way_to_change_a_list_is_noted() -> None:
    methods = {name for name in dir(list) if not name.startswith("_")} - {"copy", "count", "index"}
    expected = set(CHANGES)
    assert methods | {"__delitem__", "__iadd__", "__imul__", "__init__", "__setitem__"} == expected
