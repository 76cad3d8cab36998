"""Pairs by mutual preference: what holds for any rankings."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.round_phases.voting import pair_by_ranking

Rankings = Mapping[str, str]  # of players of one letter


def pairs_of(rankings: Rankings, seed: int = 0) -> list[str]:
    return ["".join(pair) for pair in pair_by_ranking(rankings, Random(seed))]


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
        assert cost(*made) == min(
            cost(one, other)
            for one, other in combinations(sorted(free), 2)
            if other in rankings[one] and one in rankings[other]
        )
        free -= {*made}
