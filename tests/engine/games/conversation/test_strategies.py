"""What the players without a model propose, and whole conversations between them."""

import pickle
from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.conversation.playout import PlayedOut, play_out
from engine.games.conversation.record import Conversation
from engine.games.conversation.rules import is_over
from engine.games.conversation.scoring import Tail, bonuses_of
from engine.games.conversation.state import (
    Observation,
    Strategy,
    after_turn,
    choose_item,
    start_conversation,
)
from engine.games.conversation.strategies import STRATEGIES, outlook_of
from engine.rng import stream
from tests.support.observations import observe, seen


def proposed(strategy: str, observation: Observation, seed: int = 0) -> str | None:
    item_id = STRATEGIES[strategy](observation, Random(seed))
    return None if item_id is None else item_id.removeprefix("ann: ")


@pytest.mark.parametrize(
    ("strategy", "bank", "line", "expected"),
    [
        ("greedy", {}, "a", None),
        ("greedy", {"a": 0.9}, "", None),  # 0.9 - 1: alone as yet
        ("greedy", {"a": 0.9}, "b", None),
        ("greedy", {"a": 0.1, "b": 0.9}, "a", "a"),  # 0.1 + 0, and ben's a rises by 1; b 0.9 - 1
        # 0.2 + 1 and both a rise by 1; a again 0 + 0 - 1 + 2
        ("greedy", {"a": 0.9, "a2": 0.2}, "a *a", "a2"),
        ("greedy", {"a": 0.9}, "a *a", "a"),  # even a repeat: 0 + 0 - 1 + 2
        ("greedy", {"a": 0.9}, "b -", "a"),  # 0.9 - 1 + 1 novel
        ("greedy", {"ab": 0.5}, "c -", "ab"),  # 0.5 - 1 + 2
        # 0.6 + 1 - 1; of ab, ac and ad the other subject is still missing
        ("greedy", {"a": 0.6}, "ab ac ad", "a"),
        # 0.5 + 0, and ab, which lacked it, rises by 1
        ("greedy", {"a": 0.6, "b": 0.5}, "ab ac ad", "b"),
        # 0.25 - 1 and 0.75 - 1: neither is novel
        ("greedy", {"a": 0.25, "b": 0.75}, "a b b2 c -", None),
        ("greedy", {"b": 0.9, "a": 0.9}, "a b", "a"),  # 0.9 + 0 + 1 both: the first id
        # 0 - 1 + 2 and 1 - 1 + 1: the more important
        ("greedy", {"ab": 0.0, "d": 1.0}, "c -", "d"),
        ("greedy", {"b": 0.9, "a": 0.1}, "b b2 b3 a", "b"),  # 0.9 + 1; a 0.1 + 0 + 1
        ("neighbourly", {"a": 0.9}, "", None),
        # lifts the lonely a; the b are at their best already
        ("neighbourly", {"b": 0.9, "a": 0.1}, "b b2 b3 a", "a"),
        ("neighbourly", {"ab": 0.2, "a": 0.9, "b": 0.9}, "a b", "ab"),  # lifts two
        ("neighbourly", {"a": 0.1, "a2": 0.9}, "a", "a2"),  # both lift one: what earns more itself
        ("neighbourly", {"ac": 0.0}, "a", None),  # 0 - 1, and a rises by 1: the table gains nothing
        ("neighbourly", {"a": 0.25, "bc": 0.5}, "d -", "bc"),  # nobody to lift: 0.5 - 1 + 2
        # 0.9 + 1 is more than 1 - 19 / (1 * 2) turns, which is 0 at least
        ("patient", {"a": 0.9}, "a", "a"),
        # one turn left: 0.2 - 1
        ("patient", {"a": 0.2, "b": 0.1}, "a a2 b b2 c - c2" + " d - d2" * 4, None),
        # one turn left: 0.5 + 0 + 1 > 1 - 1 / 4
        ("patient", {"a": 0.5, "b": 0.2}, "b - " * 8 + "b c a2", "a"),
        ("patient", {"a": 0.7, "b": 0.2}, "b - " * 8 + "b - c", None),  # one turn left: -0.3
        # one turn left: 0.1 - 1 + 2 > 1 - 1 / 2
        ("patient", {"ab": 0.1}, "a b -" + " c -" * 8, "ab"),
        ("patient", {"a": 0.4}, "d " + "b - " * 9, None),  # 0.4 - 1 + 1 is less than 1 - 1 / 2
        ("weave", {}, "a b", None),
        ("weave", {"ab": 0.9, "c": 0.2, "d": 0.1}, "", "c"),  # a thread begins with one subject
        ("weave", {"a": 0.9, "b": 0.1}, "a", "b"),  # and another beside it
        ("weave", {"a": 0.1, "b": 0.9}, "c a b", "a"),  # what was spoken of two turns ago
        ("weave", {"b": 0.9, "c": 0.9}, "c a b", None),  # not of the last, and of nothing else
        ("weave", {"ab": 0.2, "ac": 0.9}, "a b", "ab"),  # both threads; c would be a third
        ("weave", {"a": 0.2}, "a b *a b2", None),  # spoken already
        ("weave", {"a": 0.2, "c": 0.1}, "a b -", "a"),  # a pause cuts the threads
        ("selfish", {}, "a", None),
        ("selfish", {"b": 0.1, "c": 0.9}, "c c2", "b"),  # 1 - 2/6, more than 1 - 3/6
        ("selfish", {"b": 0.1, "c": 0.9}, "*b *b *b", "b"),  # again and again
        # (5/6 + 3/6) / 2 = 4/6, as much: the more important
        ("selfish", {"ac": 0.1, "b": 0.2}, "", "b"),
        ("selfish", {"f": 0.9}, "", None),  # 1 - 6/6: nothing
    ],
)
def test_what_strategies_propose(
    strategy: str, bank: dict[str, float], line: str, expected: str | None
) -> None:
    assert proposed(strategy, seen(bank, line)) == expected


def test_random_strategies_draw_from_their_own_stream() -> None:
    observation = seen({"a": 0.1, "b": 0.2, "c": 0.3}, "*a d")
    uniform = Counter(proposed("random", observation, seed) for seed in range(3000))
    assert set(uniform) == {"a", "b", "c"}, "items spoken before, too"
    assert all(count == pytest.approx(1000, rel=0.12) for count in uniform.values())
    pausing = Counter(proposed("random-pause", observation, seed) for seed in range(3000))
    assert pausing[None] == pytest.approx(1500, rel=0.08)
    assert pausing["b"] == pytest.approx(500, rel=0.2)
    assert proposed("silent", observation) is None


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_are_pure(name: str) -> None:
    observation = seen({"a": 0.1, "ab": 0.2, "c": 0.9}, "*a b - ab a")
    plain = observation._replace(contributions=dict(observation.contributions))
    copy = pickle.loads(pickle.dumps(plain))
    assert len({proposed(name, observation, seed=3) for _ in range(5)}) == 1
    assert proposed(name, copy, seed=3) == proposed(name, observation, seed=3)
    assert observation == copy


@given(st.lists(st.integers(-1, 7), max_size=25), st.integers(0, 99))
def test_outlook_of_an_observation_weighs_like_the_tail(turns: list[int], seed: int) -> None:
    state = start_conversation(("ann", "ben"), bank_size=4, subjects=3, length=25, rng=Random(seed))
    tail = Tail()
    items = [*state.items.values()]
    for turn in turns:
        spoken = None if turn < 0 else items[turn]
        tail = tail.after(spoken)
        state = after_turn(state, spoken)
    after = tail.outlook(bonuses_of(state.rankings))
    for player_id in state.player_ids:
        outlook = outlook_of(observe(state, player_id))
        found = [outlook.delta(own) for own in state.banks[player_id]]
        assert found == [after.delta(own) for own in state.banks[player_id]]


# Whole conversations


def table(*names: str) -> dict[str, Strategy]:
    return {f"p{seat}": STRATEGIES[name] for seat, name in enumerate(names)}


def test_the_same_seed_plays_the_same_conversation() -> None:
    seats = table("random", "random-pause", "greedy", "neighbourly")
    played = play_out(seats, length=40, seed=5)
    assert play_out(seats, length=40, seed=5) == played
    assert play_out(seats, length=40, seed=6) != played
    assert pickle.loads(pickle.dumps(played)) == played, "results can come from another process"
    # A copy is checked as it is made.
    assert repr(replace(played.conversation)) == repr(played.conversation)


def test_draws_are_addressed_by_start_round_and_seat() -> None:
    seats = table("random", "random-pause", "greedy")
    ids = tuple(seats)
    state = start_conversation(ids, bank_size=6, subjects=5, length=30, rng=stream(9, "start"))
    streams = {player_id: stream(9, "seat", player_id) for player_id in ids}
    while not is_over(state.turns, 30):
        proposals = {
            player_id: seats[player_id](observe(state, player_id), streams[player_id])
            for player_id in ids
        }
        state = after_turn(
            state, choose_item(state, proposals, partial(stream, 9, "round", len(state.turns) + 1))
        )
    spoken = tuple(None if turn is None else turn.id for turn in state.turns)
    assert play_out(seats, bank_size=6, subjects=5, length=30, seed=9).conversation.turns == spoken


def test_what_one_seat_draws_moves_no_other() -> None:
    def wasteful(observation: Observation, rng: Random) -> str | None:
        rng.random()
        return None

    seats = table("random", "random", "silent")
    assert play_out(seats, seed=2) == play_out(seats | {"p2": wasteful}, seed=2)


def raises(observation: Observation, rng: Random) -> str | None:
    raise RuntimeError("no idea")


def steals(observation: Observation, rng: Random) -> str | None:
    return next((turn.id for turn in observation.turns if turn is not None), None)


def rewrites(observation: Any, rng: Random) -> str | None:
    observation.contributions[observation.player_id] = -1
    return None


def answers_a_list(observation: Observation, rng: Random) -> Any:
    return [observation.bank[0].id]


@pytest.mark.parametrize(
    ("faulty", "reason", "first"),
    [
        (raises, "no idea", 0),
        (steals, "own bank", 1),
        (rewrites, "TypeError", 0),
        (answers_a_list, "own bank", 0),
    ],
)
def test_a_faulty_strategy_is_silent_and_the_fault_is_told(
    faulty: Strategy, reason: str, first: int
) -> None:
    played = play_out({"ann": STRATEGIES["random"], "bad": faulty}, length=6)
    found = [(fault.turn, fault.player_id) for fault in played.faults]
    assert found == [(turn, "bad") for turn in range(first, 6)]
    assert all(reason in fault.reason for fault in played.faults)
    silent = play_out({"ann": STRATEGIES["random"], "bad": STRATEGIES["silent"]}, length=6)
    assert played.conversation == silent.conversation


def test_an_id_of_any_string_type_is_spoken() -> None:
    class Name(str):
        __slots__ = ()

    def renamed(observation: Observation, rng: Random) -> str:
        return Name(STRATEGIES["random"](observation, rng))

    assert play_out({"ann": renamed}) == play_out({"ann": STRATEGIES["random"]})


def test_an_interrupt_is_no_fault() -> None:
    def interrupted(observation: Observation, rng: Random) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_out({"ann": interrupted})


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="expected players to be"):
        play_out({})
    with pytest.raises(ValueError, match="expected subjects to be"):
        play_out(table("random"), subjects=1)


@given(
    st.lists(st.sampled_from([*STRATEGIES]), min_size=1, max_size=5),
    st.integers(0, 50),
    st.integers(2, 8),
)
def test_every_conversation_keeps_the_rules(names: list[str], seed: int, subjects: int) -> None:
    played: PlayedOut = play_out(
        table(*names), bank_size=5, subjects=subjects, length=12, seed=seed
    )
    talk: Conversation = played.conversation
    assert not played.faults
    assert is_over(talk.turns, 12)
    assert not any(is_over(talk.turns[:turn], 12) for turn in range(len(talk.turns)))
