"""The rules of a conversation: the deal, who speaks, when it ends, what each player sees."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

from engine.games.conversation.record import Item
from engine.games.conversation.rules import (
    SILENCE,
    check_settings,
    choose_speaker,
    deal,
    is_over,
    item_name,
    subject_names,
)
from engine.games.conversation.state import (
    ConversationState,
    after_turn,
    choose_item,
    conversation_of,
    observe,
    proposal_fault,
    start_conversation,
)

DRAWS = 6000  # a frequency of one half then has a standard error of 0.0065


def started(
    *player_ids: str, bank_size: int = 4, subjects: int = 5, length: int = 20, seed: int = 1
) -> ConversationState:
    return start_conversation(
        player_ids, bank_size=bank_size, subjects=subjects, length=length, rng=Random(seed)
    )


def no_draw() -> Random:
    raise AssertionError("no lot is drawn here")


# Setting up


@pytest.mark.parametrize(("bank_size", "singles"), [(0, 0), (1, 0), (2, 1), (5, 2), (10, 5)])
def test_half_of_a_bank_has_one_subject(bank_size: int, singles: int) -> None:
    bank = deal(["ann"], bank_size=bank_size, subjects=subject_names(6), rng=Random(3)).banks["ann"]
    assert [len(item.subjects) for item in bank] == [1] * singles + [2] * (bank_size - singles)
    assert all(len(set(item.subjects)) == len(item.subjects) for item in bank)
    assert all(0 <= item.importance <= 1 and item.player_id == "ann" for item in bank)


def test_what_is_dealt_is_uniform() -> None:
    players = [f"p{number}" for number in range(1000)]
    banks, rankings = deal(players, bank_size=10, subjects=("x", "y", "z"), rng=Random(5))
    items = [item for bank in banks.values() for item in bank]
    counts = Counter(item.subjects for item in items)
    assert set(counts) == {(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)}
    for count in counts.values():
        assert count == pytest.approx(5000 / 3, rel=0.1)
    for decile in range(10):
        assert sum(decile <= 10 * item.importance < decile + 1 for item in items) == pytest.approx(
            1000, rel=0.15
        )
    orders = Counter(rankings.values())
    assert len(orders) == 6
    for count in orders.values():
        assert count == pytest.approx(1000 / 6, rel=0.3)


def test_the_same_stream_deals_the_same() -> None:
    assert started("ann", "ben") == started("ann", "ben")
    assert started("ann", "ben") != started("ann", "ben", seed=2)


def test_item_ids_are_words_numbered_within_one_bank() -> None:
    banks = deal(["ann", "ben"], bank_size=4, subjects=("rivers", "jazz"), rng=Random(0)).banks
    for player_id, bank in banks.items():
        names = [item_name(item) for item in bank]
        assert names[2:] == ["rivers & jazz", "rivers & jazz (2)"], (
            "ben's numbers tell nothing of ann's bank"
        )
        assert [item.id for item in bank] == [f"{player_id}: {name}" for name in names]
        assert len(set(names)) == 4


def test_subject_names_beyond_the_list_are_numbered() -> None:
    names = subject_names(250)
    assert names[:2] == ("rivers", "jazz")
    assert names[120:122] == ("rivers 2", "jazz 2")
    assert names[240] == "rivers 3"
    assert len(set(names)) == 250
    assert subject_names(names) == names, "the built-in names are held to the same rules"
    assert subject_names(["tea", "rain"]) == ("tea", "rain")


@pytest.mark.parametrize(
    ("subjects", "got"),
    [
        (-1, "-1"),
        (["tea", ""], "''"),
        (["tea", " "], "' '"),
        (["tea", SILENCE], "'stay silent'"),
        (["tea & rain", "rain"], "'tea & rain'"),
        (["tea", "tea (2)"], r"'tea \(2\)'"),
        (["tea", "tea"], r"\['tea', 'tea'\]"),
    ],
)
def test_subject_names_that_mislead_are_refused(subjects: Any, got: str) -> None:
    with pytest.raises(ValueError, match=f"expected subjects to be .*: {got}"):
        subject_names(subjects)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"players": 0}, "expected players to be a whole number of at least 1: 0"),
        ({"bank_size": -1}, "expected bank_size to be a whole number of at least 0: -1"),
        ({"length": -3}, "expected length to be a whole number of at least 0: -3"),
        ({"length": 2.5}, "expected length to be a whole number of at least 0: 2.5"),
        (
            {"subjects": 1},
            "expected subjects to be a whole number of at least 2 "
            "where banks hold two-subject items: 1",
        ),
    ],
)
def test_impossible_settings_are_refused(change: dict[str, Any], sentence: str) -> None:
    settings = {"players": 1, "bank_size": 1, "subjects": 2, "length": 0}
    check_settings(**settings)
    with pytest.raises(ValueError, match=sentence):
        check_settings(**settings | change)


def test_empty_banks_need_no_subjects() -> None:
    assert started("ann", bank_size=0, subjects=0, length=0).banks == {"ann": ()}


@pytest.mark.parametrize("player_ids", [("ann", "ann"), ("ann", "ann: jazz")])
def test_player_ids_that_blur_item_ids_are_refused(player_ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected player_ids"):
        started(*player_ids)


# A turn


@pytest.mark.parametrize(
    ("proposers", "last", "contributions", "expected"),
    [
        ("a", "b", "a5 b0", {"a": 1}),  # alone
        ("ab", "a", "a5 b1", {"a": 1 / 2, "b": 1 / 2}),  # the coin, then the fewest: b
        ("ab", "a", "a1 b5", {"a": 1}),  # the coin or the fewest
        (
            "ab",
            "a",
            "a1 b1",
            {"a": 3 / 4, "b": 1 / 4},
        ),  # 1/2 + 1/2 x 1/2: it takes part in the draw too
        ("abc", "c", "a1 b1 c1", {"a": 1 / 6, "b": 1 / 6, "c": 2 / 3}),
        ("abc", "c", "a1 b1 c9", {"a": 1 / 4, "b": 1 / 4, "c": 1 / 2}),
        ("ab", "c", "a0 b3 c0", {"a": 1}),  # the last speaker proposes nothing: the fewest
        ("abc", None, "a1 b1 c2", {"a": 1 / 2, "b": 1 / 2}),
        (
            "bc",
            None,
            "a0 b3 c3",
            {"b": 1 / 2, "c": 1 / 2},
        ),  # the fewest of the proposers, not of all
    ],
)
def test_frequencies_of_speakers(
    proposers: str, last: str | None, contributions: str, expected: Any
) -> None:
    counts = {entry[0]: int(entry[1:]) for entry in contributions.split()}
    rng = Random(8)
    spoken = Counter(choose_speaker(tuple(proposers), last, counts, rng) for _ in range(DRAWS))
    assert set(spoken) == set(expected)
    for player_id, share in expected.items():
        assert spoken[player_id] / DRAWS == pytest.approx(share, abs=0.03)


def test_a_lone_proposer_speaks_without_a_draw() -> None:
    rng = Random(4)
    before = rng.getstate()
    assert choose_speaker(["a"], "a", {"a": 3}, rng) == "a"
    assert rng.getstate() == before
    with pytest.raises(ValueError, match="at least one proposer"):
        choose_speaker([], None, {}, rng)


X = Item("x", "ann", (0,), 0.5)


@pytest.mark.parametrize(
    ("turns", "length", "over"),
    [
        ([], 0, True),
        ([], 1, False),
        ([X], 1, True),
        ([X, None, None], 9, False),
        ([None, None, None], 9, True),
        ([X, None, None, None], 9, True),
        ([None, None, X, None], 9, False),
        ([None, None], 2, True),
    ],
)
def test_three_pauses_or_turn_l_end_the_game(
    turns: list[Item | None], length: int, over: bool
) -> None:
    assert is_over(turns, length) is over
    assert is_over(tuple(turns), length) is over


@pytest.mark.parametrize("proposals", [{}, {"ann": None}, {"ann": None, "ben": None}])
def test_no_proposal_is_a_pause(proposals: dict[str, str | None]) -> None:
    assert choose_item(started("ann", "ben"), proposals, no_draw) is None


def test_proposals_lead_to_the_item_of_the_one_who_speaks() -> None:
    state = started("ann", "ben", "cai")
    first = state.banks["ben"][2]
    assert choose_item(state, {"ann": None, "ben": first.id}, no_draw) == first
    state = after_turn(state, first)
    offers = {"cai": state.banks["cai"][0].id, "ben": first.id, "ann": state.banks["ann"][0].id}
    rng = Random(6)
    spoken = Counter(choose_item(state, offers, lambda: rng) for _ in range(DRAWS))
    assert spoken[first] / DRAWS == pytest.approx(1 / 2, abs=0.03)  # the coin
    assert spoken[state.banks["ann"][0]] / DRAWS == pytest.approx(
        1 / 4, abs=0.03
    )  # 1/2 x 1/2: ann and cai have 0
    in_seat_order = dict(sorted(offers.items()))
    one, other = (
        [choose_item(state, given, partial(Random, n)) for n in range(50)]
        for given in (offers, in_seat_order)
    )
    assert one == other, "seat order counts, not the order in which proposals came"


def test_the_right_to_speak_again_survives_pauses() -> None:
    state = started("ann", "ben")
    for item in (state.banks["ann"][0], None, None):
        state = after_turn(state, item)
    assert state.last_speaker == "ann"
    assert state.turns == (state.banks["ann"][0], None, None)


@pytest.mark.parametrize(
    ("proposal", "fair"),
    [
        (lambda state: None, True),
        (lambda state: state.banks["ann"][0].id, True),
        (lambda state: state.banks["ben"][0].id, False),
        (lambda state: item_name(state.banks["ann"][0]), False),
        (lambda state: state.banks["ann"][0], False),
        (lambda state: [], False),
    ],
)
def test_only_own_items_are_proposals(
    proposal: Callable[[ConversationState], object], fair: bool
) -> None:
    state = started("ann", "ben")
    assert (proposal_fault(state, "ann", proposal(state)) is None) is fair


# ConversationState


def test_advance_replaces_the_state() -> None:
    state = started("ann", "ben")
    first, second = state.banks["ann"][:2]
    later = after_turn(after_turn(after_turn(state, first), None), first)
    assert (state.turns, dict(state.contributions), state.last_speaker) == (
        (),
        {"ann": 0, "ben": 0},
        None,
    )
    assert later.turns == (first, None, first)
    assert dict(later.contributions) == {"ann": 2, "ben": 0}, "repeats count"
    assert after_turn(state, second) == after_turn(state, second)


def test_a_player_sees_its_own_and_what_was_spoken() -> None:
    state = started("ann", "ben", bank_size=5, subjects=6, length=9)
    state = after_turn(state, state.banks["ben"][0])
    seen = observe(state, "ann")
    assert (seen.player_id, seen.players) == ("ann", ("ann", "ben"))
    assert (seen.bank, seen.ranking) == (state.banks["ann"], state.rankings["ann"])
    assert (seen.length, seen.subjects, seen.bank_size) == (9, 6, 5)
    assert seen.turns == (state.banks["ben"][0],)
    assert dict(seen.contributions) == {"ann": 0, "ben": 1}
    hidden = {item.id for item in state.banks["ben"][1:]}
    assert not hidden & {item.id for item in (*seen.bank, *seen.turns) if item is not None}


def test_what_is_handed_out_cannot_be_changed() -> None:
    state = started("ann", "ben")
    seen: Any = observe(state, "ann")
    held: Any = state
    with pytest.raises(TypeError):
        seen.contributions["ann"] = 9
    with pytest.raises(TypeError):
        seen.bank[0] = None
    with pytest.raises(AttributeError):
        seen.bank[0].importance = 9.0
    with pytest.raises(AttributeError):
        held.turns = ()
    with pytest.raises(TypeError):
        held.banks["ann"] = ()


def test_the_conversation_so_far_is_plain_data() -> None:
    state = started("ann", "ben", length=7)
    state = after_turn(after_turn(state, state.banks["ben"][0]), None)
    talk = conversation_of(state)
    assert talk.turns == (state.banks["ben"][0].id, None)
    assert (talk.length, talk.subjects) == (7, 5)
    assert talk.rankings == dict(state.rankings)
    assert set(talk.items.values()) == {item for bank in state.banks.values() for item in bank}
