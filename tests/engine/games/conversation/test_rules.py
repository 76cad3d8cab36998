"""The rules of a conversation: names, settings, proposals, and what each player sees."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

from engine.games.conversation.record import COMPOSITIONS
from engine.games.conversation.rules import (
    SILENCE,
    check_settings,
    choose_speaker,
    deal,
    item_name,
    subject_names,
)
from engine.games.conversation.state import (
    ConversationState,
    after_turn,
    choose_item,
    proposal_fault,
    start_conversation,
)
from tests.support.observations import observe

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


def test_item_ids_are_words_numbered_within_one_bank() -> None:
    banks, _ = deal(["ann", "ben"], bank_size=4, subjects=("rivers", "jazz"), rng=Random(0))
    for player_id, bank in banks.items():
        names = [item_name(item) for item in bank]
        assert names[2:] == ["rivers & jazz", "rivers & jazz (2)"], (
            "ben's numbers tell nothing of ann's bank"
        )
        assert [item.id for item in bank] == [f"{player_id}: {name}" for name in names]
        assert len(set(names)) == 4


def test_a_coin_decides_for_each_item_how_many_subjects_it_has() -> None:
    players = [f"p{seat}" for seat in range(400)]
    lengths = {}
    for composition in COMPOSITIONS:
        rng = Random(0)
        banks, _ = deal(players, bank_size=3, subjects="abcde", rng=rng, composition=composition)
        lengths[composition] = [[len(one.subjects) for one in own] for own in banks.values()]
    assert lengths["half"] == [[1, 2, 2]] * 400
    for place in range(3):
        # 200 expected, with a standard deviation of 10.
        assert 160 < sum(own[place] == 1 for own in lengths["coin"]) < 240
    assert {sum(own) for own in lengths["coin"]} == {3, 4, 5, 6}


@pytest.mark.parametrize("subjects", [2, 3, 20, 21, 22, 60])
def test_items_and_rankings_are_drawn_by_choice_and_sample(subjects: int) -> None:
    names, everything = subject_names(subjects), [*range(subjects)]
    banks, rankings = deal(["ann"], bank_size=40, subjects=names, rng=Random(3))
    rng = Random(3)
    for place, item in enumerate(banks["ann"]):
        own = [rng.choice(everything)] if place < 20 else sorted(rng.sample(everything, 2))
        assert (item.subjects, item.importance) == (tuple(own), rng.random())
    assert rankings["ann"] == tuple(rng.sample(everything, subjects))


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


def test_a_lone_proposer_speaks_without_a_draw() -> None:
    rng = Random(4)
    before = rng.getstate()
    assert choose_speaker(["a"], "a", {"a": 3}, rng) == "a"
    assert rng.getstate() == before
    with pytest.raises(ValueError, match="at least one proposer"):
        choose_speaker([], None, {}, rng)


def test_proposals_lead_to_the_item_of_the_one_who_speaks() -> None:
    state = started("ann", "ben", "cai")
    first = state.banks["ben"][2]
    assert choose_item(state, {"ann": None, "ben": first.id}, no_draw) == first
    state = after_turn(state, first)
    offers = {"cai": state.banks["cai"][0].id, "ben": first.id, "ann": state.banks["ann"][0].id}
    rng = Random(6)
    spoken = Counter(choose_item(state, offers, lambda: rng) for _ in range(DRAWS))
    assert spoken[first] / DRAWS == pytest.approx(1 / 2, abs=0.03)  # the coin
    # 1/2 x 1/2: ann and cai have 0
    assert spoken[state.banks["ann"][0]] / DRAWS == pytest.approx(1 / 4, abs=0.03)
    in_seat_order = dict(sorted(offers.items()))
    one, other = (
        [choose_item(state, given, partial(Random, n)) for n in range(50)]
        for given in (offers, in_seat_order)
    )
    assert one == other, "seat order counts, not the order in which proposals came"


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
