"""The states of people and talks: what they are made of, and the ranges they keep to."""

import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.archetypes import (
    Gender,
    Move,
    PersonalityArchetype,
    first_of_cast,
    roles_for,
)
from engine.games.talks.constants import constants_with
from engine.games.talks.state import (
    DialogueMove,
    Exchange,
    GroupDiscussionState,
    ParticipantState,
    plain_data,
)
from engine.games.talks.theory.choosing import MultiAgentGameTheory
from engine.games.talks.theory.effects import depth_after, speaker_after, talk_after, target_after
from engine.games.talks.theory.turn_taking import added_urgency, pick_speaker, turns_waited
from tests.support.talking import group, had, person

DELTAS = st.lists(st.floats(-3, 3), max_size=20)


def test_the_cast_is_of_twelve() -> None:
    assert [len(first_of_cast(count)) for count in (2, 12)] == [2, 12]
    with pytest.raises(ValueError, match="expected 2 to 12 participants: got 13"):
        first_of_cast(13)


@given(DELTAS)
def test_feelings_stay_in_their_ranges(deltas: list[float]) -> None:
    own = ParticipantState("a", "Ann", Gender.NON_BINARY, PersonalityArchetype.CREATIVE, "law")
    for delta in deltas:
        before = own
        own = own.update_relationship("b", delta).update_respect("b", delta)
        assert -1 <= own.relationships["b"] <= 1
        assert 0 <= own.respect_levels["b"] <= 1
        assert own is not before


def test_feelings_for_a_stranger_start_from_the_constants_of_the_talk() -> None:
    constants = constants_with({"affinity": 0.4, "respect": 0.2, "support_affinity": 0.1})
    own = person("a").update_relationship("b", 0.1, constants=constants)
    assert own.relationships["b"] == pytest.approx(0.5)  # .4 + .1, and not 0 + .1
    found = own.update_respect("b", 0.1, constants=constants).respect_levels["b"]
    assert found == pytest.approx(0.3)

    # The same where an exchange changes them: strangers, since no talk has introduced the two.
    said = Exchange(1, "a", Move.SUPPORT, "b", "Yes.")
    speaker = speaker_after(person("a"), said, constants)
    assert speaker.relationships["b"] == pytest.approx(0.5)  # .4 + .1
    assert speaker.respect_levels["b"] == pytest.approx(0.25)  # .2 + .05
    target = target_after(person("b"), said, constants)
    assert target.relationships["a"] == pytest.approx(0.5)  # both feel alike


def test_a_change_is_a_new_state() -> None:
    own = person("a")
    liked = own.update_relationship("b", 0.1).update_respect("b", -0.2)
    assert (own.relationships, own.respect_levels) == ({}, {})
    assert (liked.relationships, liked.respect_levels) == ({"b": 0.1}, {"b": 0.7 - 0.2})
    with pytest.raises(AttributeError):
        own.name = "Ben"  # type: ignore[misc]


def test_a_state_may_be_made_of_the_designs_own_types() -> None:
    own = ParticipantState(
        "a",
        "Ann",
        "female",  # type: ignore[arg-type]
        "skeptical",  # type: ignore[arg-type]
        "law",
        positions_taken=["x"],  # type: ignore[arg-type]
        agreements_made=[],  # type: ignore[arg-type]
        challenges_made=[],  # type: ignore[arg-type]
        aspects_covered={"z", "y"},  # type: ignore[arg-type]
    )
    assert (own.gender, own.personality) == (Gender.FEMALE, PersonalityArchetype.SKEPTICAL)
    assert own.gender.pronouns == "she/her"
    assert (own.confidence_level, own.curiosity_level, own.engagement_level) == (0.7, 0.8, 0.8)
    people = {name: replace(own, participant_id=name) for name in "ab"}
    assert GroupDiscussionState("Love", 3, people).order == ("a", "b")
    assert GroupDiscussionState("Love", 3, people, ("b", "a")).order == ("b", "a")
    assert json.loads(json.dumps(plain_data(own)))["aspects_covered"] == ["y", "z"]
    no = {"speaker": "b", "content": "No.", "move": "CHALLENGE", "target": "a"}
    said = [
        {"speaker": "a", "content": "Love is trust."},
        {**no, "aspects": ["trust"], "more": 1},
    ]
    people = {one.participant_id: one for one in (own, person("b"), person("c"))}
    talk = GroupDiscussionState(
        "love",
        3,
        people,
        ["a", "b", "c"],  # type: ignore[arg-type]
        2,
        said,  # type: ignore[arg-type]
        set(),  # type: ignore[arg-type]
        coalitions=[],  # type: ignore[arg-type]
    )
    assert talk.get_recent_speakers(2) == ["a", "b"]
    assert talk.exchanges[1] == Exchange(2, "b", Move.CHALLENGE, "a", "No.", aspects=("trust",))
    assert (talk.exchanges[0].turn, talk.exchanges[0].move) == (1, Move.QUESTION)
    theory = MultiAgentGameTheory()
    assert theory.recommend_move_and_target("a", talk).target in ("b", None)
    assert theory.select_next_speaker(talk) in ("a", "c")
    after_it = talk_after(talk, Exchange(3, "a", "SUPPORT", "b", "Yes."), {})  # type: ignore[arg-type]
    assert after_it.get_participant("a").agreements_made == ("b",)
    json.dumps(plain_data(after_it))


def test_what_an_orchestrator_returns_is_a_talk_again() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "CHALLENGE", "a"), novelty=0.4)
    assert replace(talk, exchanges=plain_data(talk.exchanges)) == talk


def test_what_is_no_move_or_exchange_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a move, one of DEEPEN, .*: got 'SHOUT'"):
        DialogueMove("SHOUT")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="expected an exchange, with its speaker at least: got 'hello'"
    ):
        GroupDiscussionState("love", 3, {}, exchanges=["hello"])  # type: ignore[arg-type]


def test_the_group_is_asked_by_id() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "CHALLENGE", "a"), ("c", "QUESTION", "b"))
    assert talk.get_participant("b").name == "B"
    assert [one.participant_id for one in talk.get_other_participants("b")] == ["a", "c"]
    assert talk.get_recent_speakers(2) == ["b", "c"]
    assert talk.get_recent_speakers(9) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="expected a participant, one of a, b, c: got 'z'"):
        talk.get_participant("z")


def test_nobody_speaks_twice_running() -> None:
    assert pick_speaker({"a": 0.9, "b": 0.2, "c": 0.3}, "a") == "c"
    assert pick_speaker({"a": 0.5, "b": 0.5}, None) == "a"
    with pytest.raises(ValueError, match="expected another speaker than the last one 'a'"):
        pick_speaker({"a": 1.0}, "a")


@pytest.mark.parametrize(
    ("speakers", "waited"),
    [
        (["a>b"], 1),
        (["a>b", "c"], 2),
        (["a>b", "c>b"], 2),  # since the first of the two
        (["a>b", "c", "a"], 3),
        (["a>b", "b"], 0),
        (["a>b", "b", "c>b"], 1),
        (["a", "c>a"], 0),
        ([], 0),
    ],
)
def test_how_long_somebody_waits_for_an_answer(speakers: list[str], waited: int) -> None:
    steps = [one.partition(">") for one in speakers]
    exchanges = [
        Exchange(turn, who, Move.SUPPORT, target or None, "Words.")
        for turn, (who, _, target) in enumerate(steps, 1)
    ]
    assert turns_waited(exchanges, "b") == waited


@pytest.mark.parametrize(
    ("waited", "unheard", "added"),
    [(0, 0, 0.0), (1, 0, 0.45), (2, 0, 0.45), (3, 0, 1.2), (9, 0, 1.2), (0, 20, 1.2), (1, 5, 0.75)],
)
def test_what_waiting_adds_to_urgency(waited: int, unheard: int, added: float) -> None:
    assert added_urgency(waited, unheard) == pytest.approx(added)


def test_who_never_spoke_is_heard_after_the_first_turns() -> None:
    talk = had(group(), *[("a", "DEEPEN", None), ("b", "DEEPEN", None)] * 3)
    theory = MultiAgentGameTheory()
    wishes = theory.wishes(talk, random.Random(1))
    assert [wish.unheard for wish in wishes.values()] == [False, False, True]
    quiet = MultiAgentGameTheory(constants_with({"unheard": 0.0}))
    # The sixth turn is the first past `patience`.
    expected = pytest.approx(quiet.calculate_speaking_urgency("c", talk) + 0.06 * 3)
    assert theory.calculate_speaking_urgency("c", talk) == expected


def test_the_draw_decides_between_equals() -> None:
    talk = group("abcd", kinds=("creative",))
    theory = MultiAgentGameTheory()
    first = Counter(theory.select_next_speaker(talk, random.Random(seed)) for seed in range(200))
    assert {*first} == {*"abcd"}
    again = [theory.select_next_speaker(talk, random.Random(3)) for _ in range(2)]
    assert again[0] == again[1]


@given(st.integers(2, 10), st.integers(1, 5), st.randoms(use_true_random=False))
def test_a_talk_of_any_size_keeps_every_number_in_its_range(
    people: int, depth: int, rng: random.Random
) -> None:
    theory, talk = MultiAgentGameTheory(), group("abcdefghij"[:people], depth)
    for turn in range(1, 3 * people):
        speaker = theory.select_next_speaker(talk, rng)
        assert speaker != talk.last_speaker
        choice = theory.choice(speaker, talk)
        assert choice.move.target != speaker
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in choice.payoffs.values())
        level = depth_after(choice.move.type, talk)
        move, target = choice.move.type, choice.move.target
        talk = talk_after(talk, Exchange(turn, speaker, move, target, "words", depth=level), {})
        assert 1 <= talk.max_depth_reached <= depth
        assert 0 <= talk.convergence_level <= 1
        for own in talk.participants.values():
            levels = (own.confidence_level, own.curiosity_level, own.engagement_level)
            assert all(0 <= level <= 1 for level in levels)
    if people == 2:
        turns = [own.speaking_turns for own in talk.participants.values()]
        assert max(turns) - min(turns) <= 1


def test_a_name_of_the_cast_keeps_its_gender() -> None:
    genders = [role.gender for role in roles_for(["Ada", "Sophia", "marcus", "Robin"])]
    assert genders == [Gender.NON_BINARY, Gender.FEMALE, Gender.MALE, Gender.NON_BINARY]
