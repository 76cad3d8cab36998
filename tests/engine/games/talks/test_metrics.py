"""The figures of a talk, by hand, and who stands together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.metrics import (
    aspect_coverage,
    convergence_rate,
    depth_achievement,
    gini,
    novelty_maintenance,
    quality_score,
    stars,
)
from engine.games.talks.theory.coalitions import average_positive, find_coalitions


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12))
def test_gini_is_fair(turns: list[int]) -> None:
    found = gini(turns)
    assert 0 <= found < 1
    assert gini([*reversed(turns)]) == pytest.approx(found)
    assert gini([3 * count for count in turns]) == pytest.approx(found)
    total = sum(turns)
    if total:
        mean = sum(abs(one - other) for one in turns for other in turns) / len(turns) ** 2
        assert found == pytest.approx(mean / (2 * total / len(turns)))


def test_shares_of_the_target() -> None:
    assert depth_achievement(3, 3) == 1.0
    assert depth_achievement(2, 5) == pytest.approx(0.4)
    assert aspect_coverage(7, 3) == pytest.approx(7 / 9)
    assert aspect_coverage({"a", "b"}, 1) == pytest.approx(2 / 3)
    assert aspect_coverage(12, 3) == pytest.approx(12 / 9)  # raw: it may exceed 1


def test_means_over_the_turns() -> None:
    assert novelty_maintenance([1.0, 0.5, 0.3]) == pytest.approx(0.6)
    assert novelty_maintenance([]) == 1.0
    assert convergence_rate([0.1, 0.9, 0.4]) == pytest.approx(0.15)  # (.4 - .1) / 2
    assert convergence_rate([0.7]) == convergence_rate([]) == 0.0


def test_the_sample_report_scores_as_printed() -> None:
    score = quality_score(0.125, 1.0, 7 / 6, 0.67, 0.79)  # 100 * (.875 + 1 + 1 + .67 + .79) / 5
    assert score == pytest.approx(86.7)
    assert stars(score) == 4
    assert quality_score(0, 1, 1, 1, 1) == 100
    assert quality_score(1, 0, 0, 0, 0) == 0


def both_ways(*pairs: tuple[str, str, float]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {name: {} for pair in pairs for name in pair[:2]}
    for one, other, affinity in pairs:
        found[one][other] = found[other][one] = affinity
    return found


def test_coalitions_are_groups_in_which_all_like_all() -> None:
    affinities = both_ways(
        ("a", "b", 0.7), ("b", "c", 0.6), ("a", "c", 0.8), ("c", "d", 0.65), ("a", "d", 0.59)
    )
    assert find_coalitions(affinities) == (frozenset("abc"), frozenset("cd"))
    affinities["a"]["b"] = 0.2  # it takes both
    assert find_coalitions(affinities) == (frozenset("ac"), frozenset("bc"), frozenset("cd"))
    assert find_coalitions({"a": {}, "b": {}}) == ()


def test_a_hair_below_the_bound_is_a_friend() -> None:
    almost = both_ways(("a", "b", 0.4 - 0.2 + 0.4))  # .6000000000000001
    below = both_ways(("a", "b", 0.1 + 0.7 - 0.2))  # .5999999999999999
    assert find_coalitions(almost) == find_coalitions(below) == (frozenset("ab"),)
    assert find_coalitions(below, 0.6, hair=0.0) == ()


AFFINITIES = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([-0.5, 0.0, 0.3, 0.6]), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)


@given(AFFINITIES)
def test_coalitions_are_exactly_the_largest_cliques(rows: list[list[float]]) -> None:
    names = [str(number) for number in range(len(rows))]
    affinities = {
        one: {other: rows[int(one)][int(other)] for other in names if other != one} for one in names
    }

    def friends(group: frozenset[str]) -> bool:
        return all(
            affinities[one][other] >= 0.6 for one in group for other in group if one != other
        )

    subsets = [frozenset(n for n in names if bits >> int(n) & 1) for bits in range(2 ** len(names))]
    cliques = [group for group in subsets if len(group) > 1 and friends(group)]
    largest = {group for group in cliques if not any(group < other for other in cliques)}
    assert {*find_coalitions(affinities)} == largest


def test_only_liking_counts_as_positive() -> None:
    assert average_positive({"a": {"b": 0.2, "c": -0.9}, "b": {"a": 0.4}}) == pytest.approx(0.3)
    assert average_positive({"a": {"b": 0.0}}) == 0.0
