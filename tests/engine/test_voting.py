"""Plurality: who votes for whom, hand-counted verdicts, and ties that fall evenly."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rng import stream
from engine.voting import Verdict, announcement, electorate, plurality

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
        ValueError, match=r"expected somebody to vote for: the active players are \['ann'\]"
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
    draws = 3000
    selected = Counter(
        plurality(ballots, candidates, stream(seed, "tie")).selected for seed in range(draws)
    )
    assert set(selected) == set(candidates[:tied])
    deviation = (draws * (1 / tied) * (1 - 1 / tied)) ** 0.5
    assert all(abs(count - draws / tied) < 4 * deviation for count in selected.values())


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
            "By lot among ben and ann, ann is eliminated with 2 votes. ben: 2, ann: 2, cleo: 0.",
        ),
        (
            {"ann": 0, "ben": 0, "cleo": 0},
            True,
            False,
            "By lot among ann, ben and cleo, ann wins the game with 0 votes.",
        ),
    ],
)
def test_announcements(
    tally: dict[str, int], final_round: bool, reveal_tally: bool, sentence: str
) -> None:
    most = tuple(name for name, votes in tally.items() if votes == tally["ann"])
    verdict = Verdict("ann", tally, most)
    assert announcement(verdict, final_round=final_round, reveal_tally=reveal_tally) == sentence
