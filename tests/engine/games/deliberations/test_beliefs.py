"""Scores of beliefs, by hand: Brier, log, calibration, and the gap between belief and ballot."""

from math import inf, isclose, log

import pytest

from engine.games.deliberations.beliefs import (
    Bin,
    Foreseen,
    brier_score,
    calibrate,
    gap_of,
    log_score,
    normalise,
    score_vote,
)
from engine.history.social import Ballot

SURE = {"ann": 1.0, "ben": 0.0, "cleo": 0.0, "dan": 0.0}
EVEN = dict.fromkeys(SURE, 0.25)
LEANING = {"ann": 0.5, "ben": 0.3, "cleo": 0.2, "dan": 0.0}


@pytest.mark.parametrize(
    ("said", "odds"),
    [
        ({"ann": 40, "ben": 60}, {"ann": 0.4, "ben": 0.6}),
        ({"ann": 30, "ben": 90}, {"ann": 0.25, "ben": 0.75}),
        ({"ann": 33, "ben": 33, "cleo": 33}, {"ann": 1 / 3, "ben": 1 / 3, "cleo": 1 / 3}),
        ({"ann": 0, "ben": 0}, {"ann": 0.5, "ben": 0.5}),
    ],
)
def test_per_cents_become_probabilities(said: dict[str, int], odds: dict[str, float]) -> None:
    assert normalise(said) == pytest.approx(odds)


@pytest.mark.parametrize(
    ("odds", "selected", "brier", "logs"),
    [
        (SURE, "ann", 0.0, 0.0),
        (SURE, "ben", 2.0, -log(0.005)),
        # (n - 1)/n and ln n of four: .75^2 + 3 * .25^2 = .5625 + .1875
        (EVEN, "dan", 0.75, log(4)),
        # .5^2 + .3^2 + .2^2 = .25 + .09 + .04
        (LEANING, "ann", 0.38, log(2)),
        # .5^2 + .7^2 + .2^2 = .25 + .49 + .04
        (LEANING, "ben", 0.78, -log(0.3)),
        # .5^2 + .3^2 + .2^2 + 1 = 1.38
        (LEANING, "dan", 1.38, -log(0.005)),
    ],
)
def test_scores_by_hand(odds: dict[str, float], selected: str, brier: float, logs: float) -> None:
    assert isclose(brier_score(odds, selected), brier, abs_tol=1e-12)
    assert isclose(log_score(odds, selected), logs, abs_tol=1e-12)


@pytest.mark.parametrize("n", range(2, 12))
def test_who_always_says_one_in_n_has_the_same_score_whatever_happens(n: int) -> None:
    even = {str(place): 1 / n for place in range(n)}
    assert {round(brier_score(even, name), 12) for name in even} == {round((n - 1) / n, 12)}


@pytest.mark.parametrize("truth", [0.1, 0.5, 0.8])
def test_nobody_gains_by_saying_other_than_it_believes(truth: float) -> None:
    """The scores are proper: of all beliefs the truth has the least on average."""
    scores = {}
    for step in range(1, 20):
        odds = {"ann": step / 20, "ben": 1 - step / 20}
        for name, score in (("brier", brier_score), ("log", log_score)):
            scores[name, step] = truth * score(odds, "ann") + (1 - truth) * score(odds, "ben")
    for name in ("brier", "log"):
        best = min(range(1, 20), key=lambda step: scores.get((name, step), inf))
        assert isclose(best / 20, truth)


@pytest.mark.parametrize(
    ("vote", "loss", "gain"),
    [
        # (.9 - 1)^2 = .01; by chance (1/3 - 1)^2 = 4/9
        (Foreseen(0.9, 1 / 3, True), 0.01, 4 / 9 - 0.01),
        # (.4 - 0)^2 = .16; by chance (1/3)^2 = 1/9
        (Foreseen(0.4, 1 / 3, False), 0.16, 1 / 9 - 0.16),
        (Foreseen(0.25, 0.25, True), 0.5625, 0.0),
    ],
)
def test_votes_foreseen(vote: Foreseen, loss: float, gain: float) -> None:
    score = score_vote(vote)
    assert (score.value, score.gain) == pytest.approx((loss, gain))


def test_calibration_is_by_tenths_and_one_is_of_the_last() -> None:
    cases = [(0.0, False), (0.09, True), (0.1, False), (0.95, True), (1.0, True), (1.0, False)]
    bins = calibrate(Foreseen(odds, 0.5, happened) for odds, happened in cases)
    due = {
        "0 to 10 %": Bin(2, 0.045, 0.5),
        "10 to 20 %": Bin(1, 0.1, 0.0),
        "90 to 100 %": Bin(3, 2.95 / 3, 2 / 3),
    }
    assert [*bins] == [*due]
    for name, found in bins.items():
        assert found == pytest.approx(due[name])


@pytest.mark.parametrize(
    ("vote", "gap"), [("ann", 0.0), ("ben", 0.2), ("cleo", 0.3), (None, None), ("eva", None)]
)
def test_the_gap_between_belief_and_ballot(vote: str | None, gap: float | None) -> None:
    found = gap_of(LEANING, Ballot(vote, ("cleo", "ann", "ben")))
    assert found == (None if gap is None else pytest.approx(gap))


def test_oneself_is_no_candidate_whom_one_could_have_voted_for() -> None:
    assert gap_of(LEANING, Ballot("ben", ("ben", "cleo", "dan"))) == 0.0
    assert gap_of(LEANING, None) is None
