"""Populations: fitness and shares by hand, properties of both processes."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.games.dilemma.agents import AGENTS
from engine.rng import stream
from labs.dilemma.evolution import fitness, moran, moran_step, payoff_table, replicator
from labs.dilemma.populations import Moran

DOVES_AND_HAWKS = [[3.0, 0.0], [5.0, 1.0]]


def test_payoffs_of_each_against_each_and_itself() -> None:
    """Six moves in steps: C against D gets 0 and 5; TFT against D gets (0 + 5 * 1) / 6 and D (5 + 5
    * 1) / 6."""
    agents = [AGENTS[name] for name in ("cooperator", "defector", "tit_for_tat")]
    assert payoff_table(agents, 6, block=1) == [[3, 0, 3], [5, 1, 10 / 6], [3, 5 / 6, 3]]


def test_fitness_is_the_mean_over_all_others() -> None:
    """Two of the first, one of the second: (1 * 3 + 1 * 0) / 2 and (2 * 5 + 0 * 1) / 2."""
    assert fitness(DOVES_AND_HAWKS, (2, 1)) == [1.5, 5.0]
    assert fitness(DOVES_AND_HAWKS, (3, 0)) == [3.0, 0.0]


def test_one_generation_by_hand() -> None:
    """Halves: f = 1.5 and 3, mean 2.25, so the shares become .5 * 1.5 / 2.25 = 1/3 and 2/3."""
    course = replicator(DOVES_AND_HAWKS, [1, 1], 1)
    assert course[0] == (0.5, 0.5)
    assert course[1] == pytest.approx((1 / 3, 2 / 3))


def test_births_are_in_proportion_to_fitness() -> None:
    """Two and two: f = (3 + 0 + 0)/3 = 1 and (5 + 5 + 1)/3 = 11/3; the second gives birth in 11/14
    of the steps."""
    rng = stream(1, "test")
    after = Counter(moran_step(DOVES_AND_HAWKS, (2, 2), rng) for _ in range(4000))
    # A third of the first: born of it, died of the other: 3/14 * 1/2; 4.5 standard deviations
    # either way.
    assert after[3, 1] / 4000 == pytest.approx(3 / 28, abs=0.022)
    assert after[1, 3] / 4000 == pytest.approx(11 / 28, abs=0.035)


@given(
    some.lists(some.lists(some.floats(0, 5), min_size=3, max_size=3), min_size=3, max_size=3),
    some.lists(some.integers(0, 3), min_size=3, max_size=3).filter(lambda counts: sum(counts) > 1),
    some.integers(0, 99),
)
def test_a_population_keeps_its_size_and_what_died_out_stays_out(
    payoffs: list[list[float]], counts: list[int], seed: int
) -> None:
    course = moran(payoffs, (*counts,), stream(seed, "moran"), longest=2000)
    assert {sum(now) for now in course} == {sum(counts)}
    for before, after in itertools.pairwise(course):
        assert all(now == 0 for was, now in zip(before, after, strict=True) if was == 0)
    assert sum(map(bool, course[-1])) == 1 or len(course) == 2001
    for shares in replicator(payoffs, [1, *(count + 1 for count in counts[1:])], 20):
        assert sum(shares) == pytest.approx(1)
        assert min(shares) >= 0


def test_a_population_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at least two individuals"):
        moran(DOVES_AND_HAWKS, (1, 0), stream(0))


@pytest.mark.parametrize(
    ("taken", "sentence"),
    [
        # P(X >= 5) of 8 populations of two kinds is 93 / 256: far above .05 / 2.
        ((5, 3), "No test shows a kind that takes over more than chance"),
        # P(X = 5) is 1 / 32 = .031, more than .05 / 2; P(X = 6) is 1 / 64 = .016, less.
        ((5, 0), "No test shows a kind that takes over more than chance"),
        ((6, 0), "bully (100%) took over more than chance"),
    ],
)
def test_a_takeover_is_told_only_if_a_test_shows_it(taken: tuple[int, int], sentence: str) -> None:
    bully = [(0, (1, 1)), (3, (2, 0))]
    random = [(0, (1, 1)), (5, (0, 2))]
    results = [bully] * taken[0] + [random] * taken[1]
    report = Moran(agents=("bully", "random"), copies=1).report(results)
    usual = "by chance a kind takes over 50% of the populations"
    assert report.findings[0] == f"{sentence}: {usual}."


def test_a_population_that_still_has_two_kinds_is_taken_over_by_none() -> None:
    course = [(0, (1, 1)), (7, (1, 1))]
    study = Moran(agents=("bully", "random"), copies=1)
    assert study.populations_taken([course]) == {"bully": 0, "random": 0}


def test_the_steps_of_populations_have_a_deviation_and_no_error() -> None:
    """Steps of 3 and 5: the mean is 4, the standard deviation 1.41; one population has none."""
    courses = [[(3, (2, 0))], [(5, (0, 2))]]
    study = Moran(agents=("bully", "random"), copies=1)
    ended = "A population took 4 steps (standard deviation 1)."
    assert study.report(courses).findings[1] == ended
    ended = "A population took 3 steps (standard deviation -)."
    assert study.report(courses[:1]).findings[1] == ended
