"""When a talk ends: the criteria, and the order in which they are looked at."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.constants import is_depth_explored, min_aspects
from engine.games.talks.game_theory import payoff
from engine.games.talks.state import GroupDiscussionState
from engine.games.talks.termination import (
    ConversationTerminator,
    EndTerms,
    Mode,
    NoveltySensor,
    check_convergence,
    check_game_theory_consensus,
    consensus,
)
from tests.support.talking import person


@pytest.mark.parametrize(
    ("depth", "share", "expected"), [(5, 0.8, 4), (4, 0.8, 4), (3, 0.5, 2), (1, 0.0, 0), (5, 1, 5)]
)
def test_a_share_of_the_aspects_is_rounded_up(depth: int, share: float, expected: int) -> None:
    assert min_aspects(depth, share) == expected  # such as ceil(4 * .8) = ceil(3.2) = 4


@pytest.mark.parametrize("depth", [0, 6, -1])
def test_a_depth_that_is_none_is_refused(depth: int) -> None:
    nearest = 1 if depth < 1 else 5
    with pytest.raises(
        ValueError, match=f"expected a depth from 1 to 5, such as {nearest}: got {depth}"
    ):
        is_depth_explored(set(), 3, depth)


def test_a_sum_that_is_the_bound_is_not_above_it() -> None:
    wish = payoff("CONCLUDE", depth_complete=1, aspects_sufficient=0.5, low_novelty=0.5)
    assert wish == pytest.approx(0.7)  # .4 + .15 + .15, added one by one: 0.7000000000000001
    assert not consensus([wish, wish])
    assert not check_convergence(0.7 + 0.1 + 2e-16, 10, 3)
    assert consensus([0.700001, 0.700001])


def talk_of(depths: list[int], convergence: float = 0.0) -> GroupDiscussionState:
    """Return a stale talk of target depth 2 with 3 aspects; each participant is at its depth."""
    people = {}
    for number, depth in enumerate(depths):
        name = f"p{number}"
        people[name] = replace(person(name), depth_explored=depth)
    return GroupDiscussionState(
        "love",
        2,
        people,
        aspects_explored=frozenset({"trust", "time", "loss"}),
        novelty_score=0.3,
        convergence_level=convergence,
    )


@pytest.mark.parametrize(
    ("depths", "expected"),
    # CONCLUDE pays .4 * depth complete + .3 * 3/3 aspects + .3 * low novelty: 1 at depth 2, else .6
    [([2, 2], True), ([2, 1], False), ([2, 2, 2, 1], True), ([2, 2, 1], False), ([1, 1], False)],
)
def test_the_designs_own_consensus(depths: list[int], expected: bool) -> None:
    talk = talk_of(depths)
    assert check_game_theory_consensus(talk.participants.values(), talk) is expected
    assert check_game_theory_consensus([*talk.participants], talk) is expected


@given(st.integers(1, 400), st.integers(0, 400))
def test_consensus_counts_exactly(participants: int, votes: int) -> None:
    votes = min(votes, participants)
    payoffs = [1.0] * votes + [0.0] * (participants - votes)
    assert consensus(payoffs) is (votes > 0 and 10 * votes >= 7 * participants)


def test_fewer_than_two_exchanges_are_new() -> None:
    assert NoveltySensor().calculate_novelty([1.0], 1) == 1.0
    assert NoveltySensor().calculate_novelty([1.0], 2) == 0.0
    assert NoveltySensor().calculate_novelty([]) == 1.0
    assert NoveltySensor().calculate_novelty([0.2, 0.75]) == 0.25  # 1 - .75
    assert NoveltySensor(0.3).is_exhausted(0.29)
    assert not NoveltySensor(0.3).is_exhausted(0.3)


STALE = {"novelty_score": 0.1}
WANTED = {"conclude_payoffs": [0.9, 0.9]}
AGREED = {"convergence_level": 0.9}


@pytest.mark.parametrize(
    ("mode", "exchanges", "aspects", "changes", "reason"),
    [
        ("flowchart", 10, 4, STALE | WANTED | AGREED, "repetitive"),
        ("flowchart", 10, 4, WANTED | AGREED, "consensus"),
        ("flowchart", 10, 4, AGREED, "convergence"),
        ("flowchart", 10, 4, {}, None),
        ("flowchart", 10, 3, STALE | WANTED | AGREED, None),  # depth is a gate
        ("flowchart", 12, 3, {}, "max_reached"),  # the cap holds even where depth never completes
        ("flowchart", 12, 4, WANTED, "consensus"),
        ("any", 2, 0, WANTED, "consensus"),
        ("any", 2, 0, {}, None),
        ("all", 10, 4, STALE | WANTED, None),
        ("all", 10, 4, STALE | WANTED | AGREED, "convergence"),
        ("all", 12, 0, STALE, "max_reached"),
    ],
)
def test_the_first_criterion_that_is_met_ends_it(
    mode: Mode, exchanges: int, aspects: int, changes: dict[str, float], reason: str | None
) -> None:
    told: dict[str, Any] = {"novelty_score": 1.0, "convergence_level": 0.0}
    told |= {"conclude_payoffs": [0.0, 0.0]} | changes
    terminator = ConversationTerminator(EndTerms(3, mode=mode))
    check = terminator.check(aspects=aspects, exchange_count=exchanges, **told)
    assert check.reason == reason
    assert check.depth_complete is (aspects >= 4)
    assert check.cap == 12


def test_a_depth_stands_for_its_usual_terms() -> None:
    assert ConversationTerminator(3).terms == EndTerms(3)
    with pytest.raises(ValueError, match="expected a depth from 1 to 5, such as 5: got 9"):
        ConversationTerminator(9)


def test_every_criterion_is_told_whichever_decides() -> None:
    check = ConversationTerminator(EndTerms(3, max_iterations=30)).check(
        aspects=4,
        exchange_count=10,
        novelty_score=0.1,
        convergence_level=0.9,
        conclude_payoffs=[0.9, 0.9],
    )
    assert check.novelty_exhausted
    assert check.want_conclude
    assert check.high_convergence
    assert (check.needed_aspects, check.needed_exchanges, check.cap) == (4, 9, 30)
