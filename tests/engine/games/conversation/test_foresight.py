"""The strategy that looks ahead: its arithmetic, its beliefs, and what it proposes."""

import pickle
from collections.abc import Sequence
from importlib import import_module
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.conversation.playout import play_out
from engine.games.conversation.points import subject_set
from engine.games.conversation.record import Conversation, Item
from engine.games.conversation.scoring import Tail, bonuses_of, score
from engine.games.conversation.state import Observation, after_turn, start_conversation
from engine.games.conversation.strategies import STRATEGIES, foresight
from engine.games.conversation.strategies.foresight.beliefs import (
    NOTHING,
    Beliefs,
    Said,
    hear,
    mean_items,
    new_beliefs,
    warmths,
)
from engine.games.conversation.strategies.foresight.groups import kinds_of
from engine.games.conversation.strategies.foresight.strategy import company_of, position_of
from engine.games.conversation.strategies.foresight.thresholds import (
    look_ahead,
    randomness,
    shared_threshold,
)
from engine.games.conversation.strategies.foresight.value import (
    SIZE,
    When,
    gain,
    pause_value,
    place_of,
    scene_of,
    worth_of,
)
from engine.games.conversation.strategies.foresight.weights import (
    WEIGHTS,
    distance,
    read_weights,
    weights_for,
)
from labs.conversation.selfplay import Setting, draw_banks, draws_needed, play_game
from tests.support.observations import item, observe, seen

PLAIN = (0.0,) * SIZE


def proposed(observation: Observation) -> str | None:
    item_id = foresight(observation, Random(0))
    return None if item_id is None else item_id.removeprefix("ann: ")


@pytest.mark.parametrize(
    ("bank", "line", "length", "expected"),
    [
        ({}, "a", 20, None),
        # the last turn: 0.2 + 1 and two are lifted; a again -1 + 2
        ({"a": 0.9, "a2": 0.2}, "a *a", 3, "a2"),
        ({"a": 0.9}, "a *a", 3, "a"),  # even a repeat: -1 + 2
        ({"ab": 0.5}, "c -", 3, "ab"),  # 0.5 - 1 + 2
        ({"a": 0.9}, "b", 2, None),  # 0.9 - 1: silence is worth 0.0 in the last turn
        # 0.9 - 1, but a third pause would end it with 16 turns left
        ({"a": 0.9}, "a - -", 20, "a"),
        ({"a": 0.9}, "a b", 2, None),  # it is over
        ({"a": 0.9}, "a b c", 2, None),
        ({"a": 0.9}, "", 0, None),
    ],
)
def test_foresight_proposes(
    bank: dict[str, float], line: str, length: int, expected: str | None
) -> None:
    assert proposed(seen(bank, line, length)) == expected


@pytest.mark.parametrize(
    ("bank", "bank_size", "expected"),
    [
        ({"a": 0.9}, 1, None),  # all is said: nothing lies behind the third pause
        ({"a": 0.9}, 3, None),  # what is left is for others to say
        ({"a": 0.9, "c": 0.1}, 2, "c"),  # 0.1 - 1 + 1, and what ben has left can still be said
    ],
)
def test_a_third_pause_costs_what_is_still_to_come(
    bank: dict[str, float], bank_size: int, expected: str | None
) -> None:
    assert proposed(seen(bank, "*a b - -", bank_size=bank_size)) == expected


def test_it_waits_for_those_who_spoke_less_often() -> None:
    line = "a b a2 b2"
    assert proposed(seen({"c": 0.0, "d": 0.1}, line, length=60, bank_size=20)) is None
    assert proposed(seen({"c": 0.9, "a": 0.9}, line, length=60)) == "a"
    bank = {"a": 0.1, "a2": 0.2, "a3": 0.3}
    spoke_more = seen(bank, "*a b *a2 b2 *a3 b3", length=60)
    assert threshold(spoke_more) < threshold(seen(bank, "a b a2 b2 a3 b3", length=60))


def threshold(observation: Observation) -> float:
    company = company_of(observation)
    return position_of(company, observation.turns).beliefs.thresholds[company.players.index("ann")]


ODD = [
    seen({"a": 0.5}, "a b", players=()),
    seen({"a": 0.5}, "a b", players=("zoe",)),
    seen({"a": 0.5}, "a b", players=("ann", "ann", "ben", "ben")),
    seen({"a": 0.5}, "a b", contributions={}),
    seen({"a": 0.5}, "a b", ranking=()),
    seen({"a": 0.5}, "a b", ranking=(0, 0, 9)),
    seen({"a": 0.5}, "a b", subjects=0, bank_size=0),
    seen({"a": 0.5}, "a a - - - - a a2 b - a b c d e f", length=4),
    seen({"a": 0.5}, "- - - - - - a", length=50),
    seen({"a": 0.5, "b": 0.1}, "a b", length=10**6),
    seen({}, "", length=0),
    seen({"a": 0.5}, "a b")._replace(bank=(item("a", 0.5, "ann"), item("a", 0.7, "ann"))),
    seen({"a": 0.5}, "a b")._replace(
        bank=(Item("7", "ann", (40,), 0.4), Item("8", "ann", (2, 90), 2.5))
    ),
]


@pytest.mark.parametrize("odd", ODD)
def test_no_observation_is_too_odd(odd: Observation) -> None:
    chosen = foresight(odd, Random(1))
    assert chosen is None or chosen in {own.id for own in odd.bank}


def test_foresight_is_pure() -> None:
    observation = seen({"a": 0.1, "ab": 0.2, "c": 0.9, "a2": 0.8}, "*a b - ab a b2")
    copy = pickle.loads(
        pickle.dumps(observation._replace(contributions=dict(observation.contributions)))
    )
    first = proposed(observation)
    proposed(seen({"b": 0.7}, "c d - e"))
    rng = Random(4)
    state = rng.getstate()
    assert foresight(copy, rng) == foresight(observation, rng)
    assert rng.getstate() == state, "it draws no lots"
    assert proposed(copy) == first
    assert observation == copy


def test_a_cold_look_at_a_long_conversation_does_not_recurse_too_deep() -> None:
    turns = [item(f"{'abcdef'[turn % 6]}{turn}", 0.3) for turn in range(1500)]
    long = seen({"a": 0.9, "b": 0.9}, length=1600)._replace(turns=tuple(turns))
    assert proposed(long) in {None, "a", "b"}


# The exact points of a turn


@given(st.lists(st.integers(-1, 7), max_size=25), st.integers(0, 99))
def test_gain_is_the_exact_change_of_the_score(turns: list[int], seed: int) -> None:
    state = start_conversation(("ann", "ben"), bank_size=4, subjects=3, length=26, rng=Random(seed))
    tail = Tail()
    items = [*state.items.values()]
    for turn in turns:
        spoken = None if turn < 0 else items[turn]
        tail = tail.after(spoken)
        state = after_turn(state, spoken)
    outlook = tail.outlook(bonuses_of(state.rankings))
    observation = observe(state, "ann")
    position = position_of(company_of(observation), observation.turns)
    for own in items:
        first = own.id not in position.spoken
        exact = outlook.delta(own)
        found = gain(position.ahead.valuation.scene, subject_set(own.subjects), first)
        assert found == pytest.approx(exact.shared - exact.importance)
    assert position.beliefs.spoke == [state.contributions["ann"], state.contributions["ben"]]


@pytest.mark.parametrize(("spoken", "left"), [("", 1.5), ("a", 1.0), ("a b", 0.5), ("a b ab", 0.0)])
def test_with_a_coin_what_a_seat_spoke_says_nothing_of_its_other_items(
    spoken: str, left: float
) -> None:
    seen_by_ann = seen({"c": 0.5, "d": 0.5, "cd": 0.5}, spoken, composition="coin")
    known = position_of(company_of(seen_by_ann), seen_by_ann.turns).beliefs
    assert (known.singles, known.pairs) == ([1.5, left], [1.5, left])
    assert mean_items(4, 3, 6, True) == 4 * 1.5 / 6


def test_worth_adds_importance_and_the_window() -> None:
    beliefs = new_beliefs(2, 4, 3)
    weights = [0.0] * SIZE
    # a lonely single; a subject in the newest item; KEEP
    weights[2], weights[15], weights[36] = (0.25, 0.5, 0.1)
    valuation = look_ahead(weights, beliefs, When(9, 8, 0), -1).valuation
    # -1 alone, 0.25 + 0.5 for the window, and 1 - 0.1 of the importance
    assert worth_of(valuation, 1, True, 0.8, [0.0] * 3) == pytest.approx(-1 + 0.75 + 0.9 * 0.8)
    last = look_ahead(weights, beliefs, When(0, 8, 0), -1).valuation
    assert worth_of(last, 1, True, 0.8, [0.0] * 3) == pytest.approx(-1 + 0.8), (
        "nothing comes after the last turn"
    )


@pytest.mark.parametrize("place", [0, 1, 7, 8, 63, 200])
def test_place_of(place: int) -> None:
    assert place_of(1 << place) == place


def test_pause_value() -> None:
    weights = [0.0] * SIZE
    weights[31], weights[32], weights[33], weights[34], weights[35] = 0.1, 0.2, 0.3, 1.0, -2.0
    weights[41], weights[42] = 1.2, 0.8
    start, later = [-1] * 6, [-1, 1, 1, 0, 6, 8]  # subjects 0 to 3 of the last five turns
    assert pause_value(weights, start, When(9, 9, 0), 20) == pytest.approx(0.1 + 9 / 10)
    found = pause_value(weights, later, When(9, 9, 0), 20)
    assert found == pytest.approx(0.2 + 9 / 10 - 2 * 4 / 20)
    assert pause_value(weights, later, When(9, 1, 1), 20) == pytest.approx(0.3 + 4 - 2 * 4 / 20), (
        "scarce: 4 at most"
    )
    assert pause_value(weights, later, When(9, 99, 2), 20) == pytest.approx(-1.2 * 9), (
        "the third ends it"
    )
    assert pause_value(weights, later, When(9, 3, 2), 20) == pytest.approx(-0.8 * 3), (
        "with no more than three items still to come"
    )
    assert pause_value(weights, later, When(9, 0, 2), 20) == 0.0, "all is said"
    assert pause_value(weights, later, When(0, 9, 2), 20) == 0.0


# The order of speaking


def test_who_speaks_last_compares_with_a_pause_and_who_speaks_first_with_all_others() -> None:
    beliefs = new_beliefs(3, 10, 6)
    beliefs.recent[:] = [1, 2, 1, 2, 1, 2]
    beliefs.spoke[:] = [5, 3, 1]
    look_ahead(PLAIN, beliefs, When(10, 20, 0), -1)
    assert beliefs.thresholds[0] == 0.0, "a pause is worth nothing here"
    assert 0.0 < beliefs.thresholds[1] < beliefs.thresholds[2]


def test_equals_ask_for_more_than_one_alone() -> None:
    tail = [0.5, 0.25, 0.0]  # half have more than 0.0, a quarter more than 0.2, none more than 0.4
    rest = [0.2 * (0.75 + 0.25) / 2, 0.2 * 0.25 / 2, 0.0]
    assert shared_threshold(tail, rest, 1, 0.0, 0.0) == 0.0
    # two, at 0.0: nobody else 0.5, drawn before the other (1 - 0.25) / (2 * 0.5) - 0.5 = 0.25; the
    # other has 0.1 / 0.5 = 0.2 on average: 0.25 * 0.2 / 0.75 = 0.0667 more than 0.0. at 0.2: 0.75
    # and (1 - 0.5625) / 0.5 - 0.75 = 0.125; 0.2 + 0.025 / 0.25 = 0.3: 0.0375 / 0.875 = 0.0429,
    # which is 0.1571 less. In between the line crosses at 0.2 - 0.2 * 0.1571 / (0.0667 + 0.1571).
    expected = pytest.approx(0.2 - 0.2 * 0.157143 / 0.223810, abs=1e-5)
    assert shared_threshold(tail, rest, 2, 0.0, 0.0) == expected


def after(beliefs: Beliefs, turns: Sequence[Said], weights: Sequence[float] = PLAIN) -> None:
    last_speaker = -1
    for said in turns:
        hear(beliefs, look_ahead(weights, beliefs, When(10, 20, 0), last_speaker), said)
        last_speaker = said.speaker if said.speaker >= 0 else last_speaker


def test_a_pause_tells_what_nobody_holds() -> None:
    beliefs = new_beliefs(2, 10, 6)
    after(beliefs, [Said(0, 1, True, 0.5), NOTHING])
    # A single of the same subject is worth 0 + 1 (it lifts), so hardly anybody holds one; of
    # another it is worth -1.
    assert beliefs.single_caps[0] == 0.0
    assert beliefs.single_caps[6] < 0.1
    assert beliefs.single_caps[1] == beliefs.single_caps[7] == 1.0
    assert beliefs.recent == [-1, -1, -1, -1, 1, 0]
    assert beliefs.missing == beliefs.wanting == [0, 0, 0], "nobody can help it any more"


def test_only_who_spoke_less_often_than_the_speaker_was_surely_silent() -> None:
    beliefs = new_beliefs(3, 10, 6)
    beliefs.spoke[:] = [2, 1, 4]
    beliefs.recent[:] = [1, 2, 1, 2, 1, 2]
    after(beliefs, [Said(0, 1, True, 0.9)])
    assert beliefs.single_caps[7] < 1.0, "seat 1 spoke less"
    assert beliefs.single_caps[1] == beliefs.single_caps[13] == 1.0
    assert beliefs.spoke == [3, 1, 4]
    assert beliefs.singles == [4.0, 5.0, 5.0]


def test_who_talks_nonsense_is_taken_as_random_and_who_keeps_silent_is_not() -> None:
    beliefs = new_beliefs(2, 20, 6)
    weights = weights_for(2, 20, 6, 40)
    for turn in range(4):
        ahead = look_ahead(weights, beliefs, When(30 - turn, 40 - turn, 0), 0 if turn else -1)
        hear(beliefs, ahead, Said(0, 1 << turn, turn < 3, 0.0))
    assert randomness(beliefs.doubts[0]) > 0.9
    assert randomness(beliefs.doubts[1]) == 0.0
    hear(beliefs, look_ahead(PLAIN, beliefs, When(20, 30, 0), 0), NOTHING)
    assert beliefs.doubts[0] < 4.0


def test_warmth_counts_own_items_and_expects_others() -> None:
    beliefs = new_beliefs(2, 4, 4)
    ahead = look_ahead(PLAIN, beliefs, When(5, 8, 0), -1)
    # Of the other's two singles and two pairs 2/4 + 2 * 2/4 = 1.5 hold each subject; all eight hold
    # 8 * 1.5 / 4 = 3.
    mean = mean_items(8, 4, 4)
    assert mean == 3.0
    due = pytest.approx([(1.5 + 2) / 3 - 1, (1.5 + 1) / 3 - 1, 1.5 / 3 - 1, 1.5 / 3 - 1])
    assert warmths(beliefs, ahead.expected, 0, [0b0001, 0b0011], mean) == due


def test_subjects_that_no_window_holds_are_alike() -> None:
    scene = scene_of([-1, -1, -1, 1, 2, 1], [0, 2, 0], [1, 2, 0])
    ahead = look_ahead(PLAIN, new_beliefs(2, 4, 9), When(9, 8, 0), -1)
    kinds = kinds_of(ahead.valuation._replace(scene=scene), 9)
    assert kinds.sizes == [1, 1, 7]
    assert kinds.of == [0, 1, 2, 2, 2, 2, 2, 2, 2]
    assert kinds.singles[2] == -1.0


@pytest.mark.parametrize(
    ("bank_size", "better"), [(5, "for_few"), (8, "for_many"), (10, "for_many")]
)
def test_each_kind_of_weights_plays_where_it_does_better(
    bank_size: int, better: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten players, 100 turns: the same four deals with the weights for few items and for many."""
    module = import_module("engine.games.conversation.strategies.foresight.strategy")
    learned = read_weights(WEIGHTS)
    table = {f"p{seat}": foresight for seat in range(10)}
    scores = {}
    for kind in ("for_few", "for_many"):
        monkeypatch.setattr(module, "weights_for", lambda *_, kind=kind: getattr(learned, kind))
        module._after.cache_clear()
        games = [play_out(table, bank_size=bank_size, length=100, seed=seed) for seed in range(4)]
        scores[kind] = sum(score(game.conversation).shared for game in games)
    module._after.cache_clear()
    assert max(scores, key=lambda kind: scores[kind]) == better
    assert weights_for(10, bank_size, 20, 100) == getattr(learned, better)


# Conversations of its own kind


@settings(max_examples=15)
@given(
    st.builds(Setting, st.integers(1, 4), st.integers(1, 6), st.integers(2, 7), st.integers(1, 14)),
    st.integers(0, 10**6),
)
def test_training_plays_what_the_strategy_plays(setting: Setting, seed: int) -> None:
    rng = Random(seed)
    draws = [rng.random() for _ in range(draws_needed(setting))]
    shared, turns = play_game(weights_for(*setting), setting, 0, draws, 0)
    banks = draw_banks(setting, draws, 0)
    ids = [f"p{seat}" for seat in range(setting.players)]
    items = []
    for place, (own, importance) in enumerate(zip(banks.own, banks.importance, strict=True)):
        subjects = tuple(x for x in range(7) if own >> x & 1)
        items.append(Item(f"{place}", ids[place // setting.bank_size], subjects, importance))
    state = start_conversation(
        ids, bank_size=0, subjects=setting.subjects, length=setting.length, rng=Random(0)
    )
    talk = Conversation(
        setting.length,
        setting.subjects,
        state.rankings,
        {item.id: item for item in items},
        [None if turn < 0 else items[turn].id for turn in turns],
    )
    for turn in turns:
        proposals = {}
        for seat, player_id in enumerate(ids):
            bank = tuple(items[seat * setting.bank_size : (seat + 1) * setting.bank_size])
            observation = observe(state, player_id)._replace(bank=bank, bank_size=setting.bank_size)
            proposals[player_id] = foresight(observation, Random(0))
        if turn < 0:
            assert set(proposals.values()) == {None}
        else:
            assert proposals[items[turn].player_id] == items[turn].id
        state = after_turn(state, None if turn < 0 else items[turn])
    assert score(talk).shared == pytest.approx(shared)


def self_play(name: str, seed: int, randoms: int = 0) -> float:
    seats = {f"p{seat}": STRATEGIES["random" if seat < randoms else name] for seat in range(8)}
    played = play_out(seats, bank_size=12, subjects=15, length=40, seed=seed)
    assert not played.faults
    return score(played.conversation).shared / 40


@pytest.mark.parametrize("randoms", [0, 2])
def test_foresight_beats_greedy_and_patience_at_every_deal(randoms: int) -> None:
    gaps = [
        self_play("foresight", seed, randoms)
        - max(self_play(name, seed, randoms) for name in ("greedy", "patient"))
        for seed in range(6)
    ]
    assert sum(gaps) / len(gaps) > 0.08
    assert sum(gap > 0 for gap in gaps) >= 5


@pytest.mark.parametrize(
    ("setting", "least"),
    [
        (Setting(10, 3, 20, 60), 0.6),
        (Setting(6, 6, 8, 60), 0.8),
        (Setting(10, 2, 20, 60), 0.4),
        (Setting(2, 1, 5, 10), 0.18),
    ],
)
def test_few_items_are_rationed(setting: Setting, least: float) -> None:
    """With fewer items than turns, pauses cost nothing up to two in a row, and freshen subjects."""
    scores = []
    for seed in range(12):
        seats = {f"p{seat}": foresight for seat in range(setting.players)}
        terms = {name: getattr(setting, name) for name in ("bank_size", "subjects", "length")}
        played = play_out(seats, **terms, seed=seed)
        scores.append(score(played.conversation).shared / setting.length)
        assert min(changes_by_repeats(played.conversation), default=0.0) >= 0.0
    assert sum(scores) / len(scores) > least


def changes_by_repeats(talk: Conversation) -> list[float]:
    """Return by how much each repeat changed the shared score when it was spoken."""
    tail = Tail()
    bonuses = bonuses_of(talk.rankings)
    changes = []
    for turn, item_id in enumerate(talk.turns):
        spoken = None if item_id is None else talk.items[item_id]
        if spoken is not None and item_id in talk.turns[:turn]:
            changes.append(tail.outlook(bonuses).delta(spoken).shared)
        tail = tail.after(spoken)
    return changes


def test_weights_of_the_nearest_setting() -> None:
    assert len(weights_for(10, 10, 20, 50)) == SIZE
    assert weights_for(10, 11, 20, 52) == weights_for(10, 10, 20, 50)
    _, for_many, for_few, _ = read_weights(WEIGHTS)
    assert weights_for(200, 3, 90, 7) == for_many, "600 items for 7 turns"
    assert weights_for(7, 1, 90, 300) == for_few, "7 items for 300 turns"
    assert distance((5, 10, 20, 20), (10, 10, 20, 20)) == pytest.approx(0.6931, abs=1e-4)
