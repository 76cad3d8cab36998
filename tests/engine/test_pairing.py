"""Pairs by mutual preference: tables worked out by hand, and what holds for any rankings."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.voting import pair_by_ranking

Rankings = Mapping[str, str]  # of players of one letter


def pairs_of(rankings: Rankings, seed: int = 0) -> list[str]:
    return ["".join(pair) for pair in pair_by_ranking(rankings, Random(seed))]


@pytest.mark.parametrize(
    ("rankings", "pairs"),
    [
        # Nobody ranks anybody; one ranks and is not ranked.
        ({"A": "", "B": "", "C": ""}, []),
        ({"A": "B", "B": "C", "C": "A"}, []),
        ({"A": "B", "B": "", "C": "AB"}, []),
        # Both first: 1 + 1.
        ({"A": "B", "B": "A"}, ["AB"]),
        ({"B": "A", "A": "B"}, ["BA"]),
        # BC costs 1 + 1, AB 1 + 2: A stays alone, and D, whom nobody ranks.
        ({"A": "BC", "B": "CA", "C": "B", "D": "A"}, ["BC"]),
        # AB costs 1 + 2, CD 1 + 1, AC 2 + 3: first CD, then AB.
        ({"A": "BC", "B": "DA", "C": "DBA", "D": "C"}, ["CD", "AB"]),
        # AB costs 2 + 2, AC 1 + 3: the sums are equal, and 2 is the smaller worse rank.
        ({"A": "CB", "B": "DA", "C": "DBA", "D": ""}, ["AB"]),
        # AC costs 1 + 1 and is taken first, though then B and D, who share nobody else, stay alone.
        ({"A": "CB", "B": "A", "C": "AD", "D": "C"}, ["AC"]),
        # A triangle of the like rank: A and B cost 1 + 2, B and C 1 + 2, C and A 1 + 2: by lot.
        ({"A": "BC", "B": "CA", "C": "AB", "D": "ABC"}, None),
    ],
)
def test_pairs_worked_out_by_hand(rankings: Rankings, pairs: list[str] | None) -> None:
    found = {tuple(pairs_of(rankings, seed)) for seed in range(40)}
    if pairs is None:
        assert found == {("AB",), ("BC",), ("AC",)}
    else:
        assert found == {tuple(pairs)}


def test_a_lot_is_even() -> None:
    """600 lots among three pairs: each 200 times, 11.5 to a standard deviation."""
    rankings = {"A": "BC", "B": "CA", "C": "AB"}
    drawn = Counter(pairs_of(rankings, seed)[0] for seed in range(600))
    assert {*drawn} == {"AB", "BC", "AC"}
    assert all(abs(count - 200) < 60 for count in drawn.values())


@st.composite
def some_rankings(draw: st.DrawFn) -> dict[str, str]:
    players = "ABCDEFGHIJKLMNOPQRST"[: draw(st.integers(2, 20))]
    rankings = {}
    for player in players:
        others = draw(st.permutations(players.replace(player, "")))
        rankings[player] = "".join(others[: draw(st.integers(0, len(others)))])
    return rankings


@given(some_rankings(), st.integers(0, 9))
def test_what_holds_for_any_rankings(rankings: dict[str, str], seed: int) -> None:
    pairs = pairs_of(rankings, seed)
    taken = "".join(pairs)
    assert len(set(taken)) == len(taken), "nobody is in two pairs"
    for one, other in pair_by_ranking(rankings, Random(seed)):
        assert other in rankings[one]
        assert one in rankings[other], "both rank each other"
    for one, other in combinations(rankings, 2):
        if one not in taken and other not in taken:
            assert not (other in rankings[one] and one in rankings[other]), "nobody is left over"
    assert pairs == pairs_of(rankings, seed), "the seed decides"


@given(some_rankings(), st.integers(0, 9))
def test_no_pair_is_made_while_a_better_one_may_be(rankings: dict[str, str], seed: int) -> None:
    def cost(one: str, other: str) -> tuple[int, int]:
        ranks = rankings[one].index(other) + 1, rankings[other].index(one) + 1
        return sum(ranks), max(ranks)

    free = {*rankings}
    for made in pair_by_ranking(rankings, Random(seed)):
        possible = [
            cost(one, other)
            for one, other in combinations(sorted(free), 2)
            if other in rankings[one] and one in rankings[other]
        ]
        assert cost(*made) == min(possible)
        free -= {*made}
