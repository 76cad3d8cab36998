"""Sentences about a leader are written only where a test supports them."""

from math import isnan, nan

import pytest

from engine.report.statistics import estimate_of
from engine.report.tables import Table
from engine.rng import array_stream
from labs.conversation.studies import ByLength
from labs.dilemma.repetitions import RankedAgent
from labs.dilemma.studies import best_rank_in_words
from labs.study import leader_in_words


def test_equal_rows_have_no_leader() -> None:
    equal = dict.fromkeys("abcdef", (2.0, 0.1))
    told = "a has 2.00 (± 0.10), and 5 of 5 others do not differ significantly from it"
    assert leader_in_words(equal, 50) == told
    assert "leads" not in leader_in_words(dict.fromkeys("abc", (2.0, 0.0)), 50)
    assert leader_in_words(equal | {"f": (3.0, 0.1)}, 50) == "f leads with 3.00 (± 0.10)"


@pytest.mark.parametrize(("names", "samples"), [(2, 2), (2, 5), (6, 40)])
def test_equals_seldom_have_a_leader(names: int, samples: int) -> None:
    rng = array_stream(samples)
    leaders = 0
    for _ in range(400):
        draws = rng.normal(size=(names, samples)).tolist()
        means = {str(place): estimate_of(each) for place, each in enumerate(draws)}
        leaders += " leads " in leader_in_words(means, samples)
    assert leaders <= 0.05 * 400


def test_one_game_has_no_error_and_compares_nothing() -> None:
    one = {name: estimate_of([score]) for name, score in (("a", 1.0), ("b", 3.0))}
    assert isnan(one["a"].error)
    assert leader_in_words(one, 1) == "b has 3.00 (-); nothing is compared"
    table = Table("", ("who", "mean", "±"), (("a", 1.5, nan), ("b", 2.0, 0.25)))
    assert table.texts() == [["a", "1.5", "-"], ["b", "2.0", "0.25"]]


def test_a_study_of_one_game_has_no_leader() -> None:
    study = ByLength(strategies=("greedy", "silent"), lengths=(4,), games=1)
    report = study.report([study.work(task) for task in study.tasks()])
    (finding,) = report.findings
    assert finding.endswith("(-); nothing is compared.")
    assert {row[1] for row in report.sheets[0].texts()} == {"-"}


def test_one_repetition_ranks_nobody_first() -> None:
    best = RankedAgent("bully", 1, 1, 1, 4.0, nan, 0.5, 0, 0)
    assert " leads " not in best_rank_in_words(best, 1)
    assert best_rank_in_words(best, 9).startswith("bully leads with 4.000 points a move")
    assert " leads " not in best_rank_in_words(best._replace(high=2), 9)
