"""Plurality: who votes for whom, hand-counted verdicts, and ties that fall evenly."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rng import stream
from engine.round_phases.voting import (
    Verdict,
    announcement,
    electorate,
    plurality,
    settle,
    still_tied,
    sum_ballots,
)

ABC = ("ann", "ben", "cleo")


@pytest.mark.parametrize(
    ("active", "eliminated", "final_round", "expected"),
    [
        (ABC, (), False, {"ann": ("ben", "cleo"), "ben": ("ann", "cleo"), "cleo": ("ann", "ben")}),
        (("ann", "ben"), ("cleo", "dan"), True, {"cleo": ("ann", "ben"), "dan": ("ann", "ben")}),
        (("ann", "ben"), ("cleo",), False, {"ann": ("ben",), "ben": ("ann",)}),
        (("ann", "ben"), (), True, {}),
    ],
)
def test_who_votes_for_whom(
    active: tuple[str, ...],
    eliminated: tuple[str, ...],
    final_round: bool,
    expected: dict[str, tuple[str, ...]],
) -> None:
    assert electorate(active, eliminated, final_round=final_round) == expected


def test_nobody_votes_for_nobody() -> None:
    with pytest.raises(
        ValueError, match=r"expected a candidate to vote for: the active players are \['ann'\]"
    ):
        electorate(["ann"], [], final_round=False)


@pytest.mark.parametrize(
    ("votes", "tally", "tied"),
    [
        ("ben cleo ben", {"ann": 0, "ben": 2, "cleo": 1}, ("ben",)),
        ("ben cleo ann", {"ann": 1, "ben": 1, "cleo": 1}, ABC),
        ("ben - cleo", {"ann": 0, "ben": 1, "cleo": 1}, ("ben", "cleo")),
        ("- - ann", {"ann": 1, "ben": 0, "cleo": 0}, ("ann",)),
        ("- - -", {"ann": 0, "ben": 0, "cleo": 0}, ABC),
        ("", {"ann": 0, "ben": 0, "cleo": 0}, ABC),
        ("ann ann ben ben cleo", {"ann": 2, "ben": 2, "cleo": 1}, ("ann", "ben")),
    ],
)
def test_verdicts_counted_by_hand(votes: str, tally: dict[str, int], tied: tuple[str, ...]) -> None:
    ballots = {f"voter {n}": None if vote == "-" else vote for n, vote in enumerate(votes.split())}
    verdict = plurality(ballots, ABC, Random(0))
    assert (verdict.tally, verdict.tied) == (tally, tied)
    assert verdict.selected in tied


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(
        ValueError, match="expected the vote of ann to be one of ben, cleo: got 'dan'"
    ):
        plurality({"ann": "dan"}, ["ben", "cleo"], Random(0))
    with pytest.raises(ValueError, match="expected at least one candidate"):
        plurality({}, [], Random(0))


@given(st.lists(st.none() | st.sampled_from("abcde"), max_size=12), st.integers(0, 99))
def test_the_verdict_is_one_with_most_votes_whoever_cast_them(
    votes: list[str | None], seed: int
) -> None:
    ballots = {f"voter {n}": vote for n, vote in enumerate(votes)}
    verdict = plurality(ballots, "abcde", Random(seed))
    valid = Counter(vote for vote in votes if vote is not None)
    assert sum(verdict.tally.values()) == valid.total()
    assert verdict.tally[verdict.selected] == max(valid.values(), default=0)
    assert plurality(dict(reversed(ballots.items())), "abcde", Random(seed)) == verdict


@pytest.mark.parametrize("tied", [2, 3, 5])
def test_ties_fall_evenly(tied: int) -> None:
    candidates = [f"p{n}" for n in range(6)]
    ballots: dict[str, str | None] = {f"voter {n}": candidates[n % tied] for n in range(2 * tied)}
    selected = Counter(
        plurality(ballots, candidates, stream(seed, "tie")).selected for seed in range(DRAWS)
    )
    assert set(selected) == set(candidates[:tied])
    assert_even(selected)


DRAWS = 3000


def assert_even(selected: Counter[str]) -> None:
    """Fail unless all who were ever selected were it about as often."""
    share = 1 / len(selected)
    deviation = (DRAWS * share * (1 - share)) ** 0.5
    assert all(abs(count - DRAWS * share) < 4 * deviation for count in selected.values())


@pytest.mark.parametrize("final_round", [False, True])
def test_ties_of_a_revote_fall_evenly(final_round: bool) -> None:
    selected = Counter(
        settle(TIED, {}, {}, stream(seed, "tie"), final_round=final_round).selected
        for seed in range(DRAWS)
    )
    assert set(selected) == set(ABC)
    assert_even(selected)


@pytest.mark.parametrize(
    ("tally", "final_round", "reveal_tally", "sentence"),
    [
        ({"ann": 2, "ben": 1}, False, False, "ann is eliminated with 2 votes."),
        ({"ann": 1, "ben": 0}, True, False, "ann wins the game with 1 vote."),
        (
            {"ben": 1, "ann": 2, "cleo": 0},
            True,
            True,
            "ann wins the game with 2 votes. ann: 2, ben: 1, cleo: 0.",
        ),
        (
            {"ben": 2, "cleo": 0, "ann": 2},
            False,
            True,
            "In a random draw between ben and ann, ann is eliminated with 2 votes. "
            "ben: 2, ann: 2, cleo: 0.",
        ),
        (
            {"ann": 0, "ben": 0, "cleo": 0},
            True,
            False,
            "In a random draw among ann, ben and cleo, ann wins the game with 0 votes.",
        ),
    ],
)
def test_announcements(
    tally: dict[str, int], final_round: bool, reveal_tally: bool, sentence: str
) -> None:
    most = tuple(name for name, votes in tally.items() if votes == tally["ann"])
    verdict = Verdict("ann", tally, most)
    assert announcement(verdict, final_round=final_round, reveal_tally=reveal_tally) == sentence


def test_only_those_standing_can_be_voted_for() -> None:
    assert electorate(ABC, [], final_round=False, standing=["ann", "ben"]) == {
        "ann": ("ben",),
        "ben": ("ann",),
        "cleo": ("ann", "ben"),
    }
    assert electorate(["ann", "ben"], [], final_round=False, standing=["ann"]) == {"ben": ("ann",)}


TIED = Verdict("ann", {"ann": 2, "ben": 2, "cleo": 2, "dan": 1}, ABC)
BEFORE = {"ann": 4, "ben": 1, "cleo": 1}


@pytest.mark.parametrize(
    ("votes", "final_round", "revote", "against", "tied"),
    [
        ("ben ben cleo", False, (0, 2, 1), None, ("ben",)),
        ("ben ben cleo", True, (0, 2, 1), None, ("ben",)),
        # Against ann 4 + 2 + 1, against ben 1 + 2 + 1.
        ("ann ben -", False, (1, 1, 0), {"ann": 7, "ben": 4}, ("ann",)),
        # In the final the fewest of the rounds win: ben has 1, ann 4.
        ("ann ben -", True, (1, 1, 0), {"ann": 4, "ben": 1}, ("ben",)),
        ("ben cleo -", False, (0, 1, 1), {"ben": 4, "cleo": 4}, ("ben", "cleo")),
        ("- - -", False, (0, 0, 0), {"ann": 6, "ben": 3, "cleo": 3}, ("ann",)),
        ("- - -", True, (0, 0, 0), BEFORE, ("ben", "cleo")),
    ],
)
def test_revotes_counted_by_hand(
    votes: str,
    final_round: bool,
    revote: tuple[int, int, int],
    against: dict[str, int] | None,
    tied: tuple[str, ...],
) -> None:
    ballots = {f"voter {n}": None if vote == "-" else vote for n, vote in enumerate(votes.split())}
    verdict = settle(TIED, ballots, BEFORE, Random(0), final_round=final_round)
    assert verdict.revote == dict(zip(ABC, revote, strict=True))
    assert (verdict.tally, verdict.against, verdict.tied) == (TIED.tally, against, tied)
    assert verdict.selected in tied
    assert verdict.last_tally == verdict.revote


def test_in_a_revote_only_the_tied_can_be_voted_for() -> None:
    with pytest.raises(ValueError, match="expected the vote of eva to be one of ann, ben, cleo"):
        settle(TIED, {"eva": "dan"}, {}, Random(0), final_round=False)


BALLOTS = st.lists(st.none() | st.sampled_from("abcd"), max_size=8)


@given(BALLOTS, st.data(), st.dictionaries(st.sampled_from("abcd"), st.integers(0, 9)))
def test_each_step_chooses_among_those_tied_in_the_step_before(
    votes: list[str | None], data: st.DataObject, before: dict[str, int]
) -> None:
    first = plurality({str(n): vote for n, vote in enumerate(votes)}, "abcd", Random(0))
    again = st.lists(st.none() | st.sampled_from(first.tied), max_size=8)
    revotes = {str(n): vote for n, vote in enumerate(data.draw(again))}
    final = data.draw(st.booleans())
    verdict = settle(first, revotes, before, Random(0), final_round=final)
    assert verdict.revote is not None
    assert {*verdict.tied} <= {*verdict.revote} == {*first.tied}
    assert verdict.revote[verdict.selected] == max(verdict.revote.values())
    counts = still_tied(first.tally, verdict.revote, verdict.against, final_round=final)
    assert counts == verdict.tied
    if verdict.against is not None:
        extreme = min if final else max
        assert verdict.against[verdict.selected] == extreme(verdict.against.values())
        assert len(verdict.against) > 1


LEVEL = {"ann": 1, "ben": 1}


def test_ballots_are_summed_over_rounds() -> None:
    assert sum_ballots([{"ann": 2, "ben": 0}, {}, {"ben": 3}]) == {"ann": 2, "ben": 3}


@pytest.mark.parametrize(
    ("verdict", "final_round", "reveal_tally", "sentence"),
    [
        (
            Verdict("ben", {"ann": 2, "ben": 2, "dan": 1}, ("ben",), {"ann": 1, "ben": 3}),
            False,
            False,
            "ann and ben tied with 2 votes each. In the revote, ben is eliminated with 3 votes.",
        ),
        (
            Verdict("ben", {"ann": 2, "ben": 2, "dan": 1}, ("ben",), {"ann": 1, "ben": 3}),
            False,
            True,
            "ann and ben tied with 2 votes each. ann: 2, ben: 2, dan: 1. "
            "In the revote, ben is eliminated with 3 votes. ben: 3, ann: 1.",
        ),
        (
            Verdict("ann", LEVEL, ("ann",), LEVEL, {"ann": 0, "ben": 4}),
            True,
            False,
            "ann and ben tied with 1 vote each. In the revote, ann and ben tied with 1 vote each. "
            "Votes against them in the rounds: ben: 4, ann: 0. By these, ann wins the game with 1 "
            "vote.",
        ),
        (
            Verdict("ann", LEVEL, ("ann", "ben"), LEVEL, {"ann": 4, "ben": 4}),
            False,
            False,
            "ann and ben tied with 1 vote each. In the revote, ann and ben tied with 1 vote each. "
            "Votes against them in all ballots so far: ann: 4, ben: 4. In a random draw between "
            "ann and ben, ann is eliminated with 1 vote.",
        ),
    ],
)
def test_every_step_of_a_tie_is_announced(
    verdict: Verdict, final_round: bool, reveal_tally: bool, sentence: str
) -> None:
    assert announcement(verdict, final_round=final_round, reveal_tally=reveal_tally) == sentence
