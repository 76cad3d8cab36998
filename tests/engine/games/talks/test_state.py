"""What exchanges change: people, relationships, depth, turns; and who is chosen for what next."""

import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.archetypes import ARCHETYPES, Gender, Move, PersonalityArchetype
from engine.games.talks.constants import constants_with, is_depth_explored
from engine.games.talks.state import DialogueMove, Exchange, GroupDiscussionState, ParticipantState
from engine.games.talks.theory.choosing import (
    MultiAgentGameTheory,
    convergence_of,
    damp_repeats,
    is_circling,
)
from engine.games.talks.theory.effects import (
    depth_after,
    speaker_after,
    talk_after,
    target_after,
)
from engine.games.talks.theory.turn_taking import (
    back_and_forth,
    below_average,
    dominant_speaker,
    pick_speaker,
    time_factor,
)
from tests.support.talking import group, had, person

DELTAS = st.lists(st.floats(-3, 3), max_size=20)


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
    assert own.update_respect("b", 0.1, constants=constants).respect_levels["b"] == pytest.approx(
        0.3
    )

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
    assert (liked.relationships, liked.respect_levels) == (
        {"b": 0.1},
        {"b": 0.7 - 0.2},
    )
    with pytest.raises(AttributeError):
        own.name = "Ben"  # type: ignore[misc]


@pytest.mark.parametrize("personality", [*PersonalityArchetype])
def test_a_newcomer_is_as_its_archetype(personality: PersonalityArchetype) -> None:
    own = group("a", kinds=(personality,)).participants["a"]
    assert own.confidence_level == ARCHETYPES[personality].confidence
    assert own.curiosity_level == ARCHETYPES[personality].curiosity
    assert (own.depth_explored, own.speaking_turns, own.was_addressed) == (1, 0, False)


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
    assert json.loads(json.dumps(own.plain()))["aspects_covered"] == ["y", "z"]
    said = [
        {"speaker": "a", "content": "Love is trust."},
        {
            "speaker": "b",
            "content": "No.",
            "move": "CHALLENGE",
            "target": "a",
            "aspects": ["trust"],
            "more": 1,
        },
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
    after_it = talk_after(talk, Exchange(3, "a", "SUPPORT", "b", "Yes."))  # type: ignore[arg-type]
    assert after_it.get_participant("a").agreements_made == ("b",)
    json.dumps(after_it.plain())


def test_what_an_orchestrator_returns_is_a_talk_again() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "CHALLENGE", "a"), novelty=0.4)
    plain = [exchange.plain() for exchange in talk.exchanges]
    assert replace(talk, exchanges=plain) == talk  # type: ignore[arg-type]


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


def test_support_warms_both() -> None:
    people = had(group(), ("a", "DEEPEN", None), ("b", "SUPPORT", "a")).participants
    assert people["b"].relationships["a"] == pytest.approx(0.4)
    assert people["a"].relationships["b"] == pytest.approx(0.4)  # all of it comes back
    assert people["b"].respect_levels["a"] == pytest.approx(0.75)
    assert people["a"].respect_levels["b"] == pytest.approx(0.75)
    assert people["b"].agreements_made == ("a",)
    assert people["c"].relationships == {"a": 0.0, "b": 0.0}


def test_a_challenge_cools_both_and_shifts_confidence() -> None:
    before = group()
    people = had(before, ("a", "DEEPEN", None), ("b", "CHALLENGE", "a")).participants
    assert people["b"].relationships["a"] == pytest.approx(-0.2)
    assert people["a"].relationships["b"] == pytest.approx(-0.2)
    assert people["b"].confidence_level == pytest.approx(0.75 + 0.1)
    assert people["a"].confidence_level == pytest.approx(0.65 - 0.05)
    assert people["b"].challenges_made == ("a",)


def test_a_question_feeds_curiosity_and_anything_else_tires_it() -> None:
    people = had(
        group(), ("a", "QUESTION", None), ("b", "QUESTION", "a"), ("c", "CONCLUDE", None)
    ).participants
    assert people["a"].curiosity_level == pytest.approx(0.8)  # .7 + .1
    assert people["c"].curiosity_level == pytest.approx(0.45)  # .5 - .05
    assert (people["a"].questions_asked, people["c"].questions_asked) == (1, 0)


def test_who_speaks_is_counted() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "SUPPORT", "a"), ("a", "QUESTION", "b"))
    own = talk.participants["a"]
    assert (own.speaking_turns, own.words_spoken, own.last_spoke_turn, own.was_addressed) == (
        2,
        8,
        3,
        False,
    )
    assert own.positions_taken == ("position 1", "position 3")
    assert own.aspects_covered == {"aspect 1", "aspect 3"}
    assert talk.aspects_explored == {"aspect 1", "aspect 2", "aspect 3"}
    assert talk.participants["b"].was_addressed
    assert not had(talk, ("c", "DEEPEN", None)).participants["b"].was_addressed  # a question lapses


def test_only_deepen_goes_deeper_and_never_beyond_the_target() -> None:
    talk = had(
        group(depth=3),
        ("a", "DEEPEN", None),
        ("b", "SUPPORT", "a"),
        ("c", "DEEPEN", None),
        ("a", "DEEPEN", None),
    )
    assert talk.max_depth_reached == 3  # 1, then 2, 2, 3, and 3 again
    assert [talk.participants[one].depth_explored for one in "abc"] == [3, 2, 3]
    assert depth_after(Move.DEEPEN, group(depth=1)) == 1


def test_convergence_counts_moves_and_liking() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "SUPPORT", "a"), ("c", "CHALLENGE", "b"))
    # 1 of 2 moves agrees: .3; the positive entries are b->a .4 and a->b .4, so their mean .4 adds
    # .16
    assert talk.convergence_level == pytest.approx(0.46)
    assert convergence_of(group()) == 0.0


def test_a_challenge_stands_until_the_two_make_up() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "CHALLENGE", "a"))
    assert talk.active_disagreement
    assert not had(talk, ("a", "SUPPORT", "b")).active_disagreement
    assert had(talk, ("c", "SUPPORT", "b")).active_disagreement
    steps = (("c", "DEEPEN", None), ("a", "QUESTION", "c"), ("c", "CONCLUDE", None))
    assert not had(talk, *steps).active_disagreement  # three exchanges ago


def test_friends_become_a_coalition() -> None:
    once = had(group(), ("a", "SUPPORT", "b"))
    assert once.coalitions == ()  # .4
    talk = had(once, ("b", "SUPPORT", "a"))
    assert talk.coalitions == (frozenset("ab"),)  # both at .4 + .4
    steps = (("c", "SYNTHESIZE", None), ("b", "SYNTHESIZE", None))
    assert had(had(group(), ("a", "SUPPORT", "b")), *steps).coalitions == ()
    # c warms a; b warms c and a; a warms c and b: .4 + .1 + .1 between a and b
    talk = had(once, *steps, ("a", "SYNTHESIZE", None))
    assert talk.participants["a"].relationships["b"] == pytest.approx(0.6)
    assert talk.coalitions == (frozenset("ab"),)
    talk = had(once, ("b", "SUPPORT", "a"))
    assert talk.plain()["coalitions"] == [["a", "b"]]


@pytest.mark.parametrize(
    ("last", "now", "expected"), [(0, 9, 0.5), (4, 4, 0.0), (4, 6, 0.4), (1, 6, 1.0), (1, 30, 1.0)]
)
def test_time_since_the_last_turn(last: int, now: int, expected: float) -> None:
    assert time_factor(last, now) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ({"a": 3, "b": 1, "c": 1}, "a"),  # 3 > 1.5 * 5/3
        ({"a": 2, "b": 1, "c": 1}, None),  # 2 is not above 1.5 * 4/3
        ({"a": 2, "b": 0, "c": 0}, None),  # fewer turns than participants
        ({"a": 3, "b": 3, "c": 0, "d": 0, "e": 0}, None),  # not alone at the top
        ({"a": 3, "b": 0, "c": 0}, "a"),
        ({}, None),
    ],
)
def test_who_dominates(turns: dict[str, int], expected: str | None) -> None:
    assert dominant_speaker(turns) == expected


def test_below_the_mean() -> None:
    turns = {"a": 2, "b": 1, "c": 1}  # mean 4/3
    assert [below_average(turns, one) for one in turns] == [False, True, True]
    assert not below_average({"a": 1, "b": 1}, "a")


@pytest.mark.parametrize(
    ("speakers", "people", "expected"),
    [("aba", 3, "ab"), ("abc", 3, ""), ("ab", 3, ""), ("aba", 2, ""), ("caba", 4, "ab")],
)
def test_two_who_go_back_and_forth(speakers: str, people: int, expected: str) -> None:
    assert back_and_forth([*speakers], people) == frozenset(expected)


def test_nobody_speaks_twice_running() -> None:
    assert pick_speaker({"a": 0.9, "b": 0.2, "c": 0.3}, "a") == "c"
    assert pick_speaker({"a": 0.5, "b": 0.5}, None) == "a"
    with pytest.raises(ValueError, match="expected somebody beside the last speaker 'a'"):
        pick_speaker({"a": 1.0}, "a")


def test_urgency_by_hand() -> None:
    talk = had(group(), ("a", "DEEPEN", None), ("b", "CHALLENGE", "a"))
    theory = MultiAgentGameTheory()
    # a: baseline .4*.3, spoke 1 turn ago .2*.2, addressed .4, confidence (.65-.05)*.1, engagement
    # (.8-.05+.01)*.2
    assert theory.calculate_speaking_urgency("a", talk) == pytest.approx(
        0.12 + 0.04 + 0.4 + 0.06 + 0.152
    )
    # c never spoke, and less than the mean of 2/3: (.5*.3 + .5*.2 + .6*.1 + .82*.2) * 1.3
    assert theory.calculate_speaking_urgency(talk.participants["c"], talk) == pytest.approx(
        (0.15 + 0.1 + 0.06 + 0.164) * 1.3
    )
    again = had(talk, ("a", "CHALLENGE", "b"))
    wish = theory.wishes(again, random.Random(1))["b"]
    assert wish.addressed
    assert wish.ping_pong  # a, b, a: so b loses the bonus
    assert wish.urgency == pytest.approx(theory.calculate_speaking_urgency("b", again))
    assert wish.urgency < 0.6
    said = talk_after(again, again.exchanges[-1], {"b": wish, "c": replace(wish, urgency=1.5)})
    wanted = [said.participants[name].wants_to_speak for name in "bc"]
    assert wanted == [wish.urgency, 1.0]


@pytest.mark.parametrize("turns", range(16))
def test_a_talk_may_be_concluded_once_this_exchange_explores_its_depth(turns: int) -> None:
    theory = MultiAgentGameTheory(constants=constants_with({"move_noise": 0.5}))
    talk = replace(group(depth=3), turn_number=turns, aspects_explored=frozenset("abcdefgh"))
    chances = theory.choice("a", talk, random.Random(1)).chances
    assert chances is not None
    assert (Move.CONCLUDE in chances) is is_depth_explored(8, turns + 1, 3)


def test_payoffs_by_hand() -> None:
    talk = had(group(depth=3), ("a", "DEEPEN", None))
    payoffs = MultiAgentGameTheory().calculate_move_payoffs("b", talk)
    assert payoffs["DEEPEN"] == pytest.approx(0.6)  # type: ignore[index]  # 1*.3 + .5*.4 + 1/3*.3
    assert payoffs[Move.CHALLENGE] == pytest.approx(0.745)  # 1*.3 + .65*.3 + .5*.2 + .75*.2
    assert payoffs[Move.SUPPORT] == pytest.approx(0.47)  # .2*.3 + .5*.4 + .7*.3
    assert payoffs[Move.QUESTION] == pytest.approx(0.65)  # .5*.4 + .5*.3 + 1*.3
    assert payoffs[Move.SYNTHESIZE] == pytest.approx(0.25)  # .5*.3 + 1/3*.3 + 0
    assert payoffs[Move.CONCLUDE] == pytest.approx(0.075)  # 0 + 1/4*.3 + 0


def test_the_last_other_speaker_is_the_target() -> None:
    theory = MultiAgentGameTheory()
    talk = had(group(), ("a", "DEEPEN", None))
    move = theory.recommend_move_and_target("b", talk)
    assert (move.type, move.target, move.intensity) == (Move.CHALLENGE, "a", 0.7)
    first = theory.recommend_move_and_target("b", group())
    assert first.target is None
    assert first.type not in (Move.CHALLENGE, Move.SUPPORT)


def test_moves_wear_off() -> None:
    talk = had(
        group("ab"),
        ("a", "QUESTION", None),
        ("b", "SUPPORT", "a"),
        ("a", "QUESTION", "b"),
        ("b", "CHALLENGE", "a"),
    )
    payoffs = dict.fromkeys(Move, 1.0)
    assert damp_repeats(payoffs, "a", talk)[Move.QUESTION] == pytest.approx(
        0.4
    )  # own two, and the group's last of its kind
    assert damp_repeats(payoffs, "b", talk)[Move.QUESTION] == pytest.approx(0.8)
    assert damp_repeats(payoffs, "b", talk)[Move.SUPPORT] == pytest.approx(0.8)
    assert damp_repeats(payoffs, "a", talk)[Move.DEEPEN] == 1.0
    assert payoffs == dict.fromkeys(Move, 1.0)


def test_an_orbit_is_seen_in_moves_and_in_words() -> None:
    steps = (("a", "CHALLENGE", "b"), ("b", "CHALLENGE", "a"))
    assert not is_circling(had(group(), *steps).exchanges)
    assert is_circling(had(group(), *steps, *steps).exchanges)
    fresh = (
        ("a", "DEEPEN", None),
        ("b", "QUESTION", "a"),
        ("c", "SUPPORT", "b"),
        ("a", "SYNTHESIZE", None),
    )
    assert not is_circling(had(group(), *fresh).exchanges)
    assert not is_circling(had(group(), *fresh, novelty=0.5).exchanges)
    assert is_circling(had(group(), *fresh, novelty=0.49).exchanges)
    circling = had(group(), *steps, *steps)
    stale = damp_repeats(dict.fromkeys(Move, 1.0), "c", circling)
    assert (stale[Move.SUPPORT], stale[Move.CHALLENGE], stale[Move.DEEPEN]) == (0.8, 0.8, 1.0)


def test_the_draw_decides_between_equals() -> None:
    talk = group("abcd", kinds=("creative",))
    theory = MultiAgentGameTheory()
    first = Counter(theory.select_next_speaker(talk, random.Random(seed)) for seed in range(200))
    assert {*first} == {*"abcd"}
    assert theory.select_next_speaker(talk, random.Random(3)) == theory.select_next_speaker(
        talk, random.Random(3)
    )


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
        talk = talk_after(
            talk,
            Exchange(turn, speaker, choice.move.type, choice.move.target, "words", depth=level),
        )
        assert 1 <= talk.max_depth_reached <= depth
        assert 0 <= talk.convergence_level <= 1
        for own in talk.participants.values():
            assert all(
                0 <= x <= 1
                for x in (own.confidence_level, own.curiosity_level, own.engagement_level)
            )
    if people == 2:
        assert (
            abs(talk.participants["a"].speaking_turns - talk.participants["b"].speaking_turns) <= 1
        )
