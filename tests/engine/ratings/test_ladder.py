"""Elo on a ladder: the estimate and its interval, what lies beyond the rungs, and who is next."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ratings import Results, fit
from engine.ratings.ladder import Ladder, LadderGame, ladder_of, ladder_rating, next_rungs
from tests.support.narrowing import not_none
from tests.support.placements import told_orders
from tests.support.planted.climbs import LADDER, climb

RUNGS = Ladder(("mcts-1", "mcts-4"), np.array([0.0, 400.0]), np.zeros((2, 2)))
GAMES = st.lists(st.tuples(st.sampled_from(LADDER.rungs), st.sampled_from([0.0, 0.5, 1.0])))


def games(rung: str, wins: int, losses: int) -> list[LadderGame]:
    return [(rung, 1.0)] * wins + [(rung, 0.0)] * losses


@pytest.mark.parametrize(
    ("wins", "losses", "elo"),
    [(5, 5, 0.0), (15, 5, 400 * np.log10(3)), (10, 1, 400.0)],
)
def test_estimate_against_one_rung_is_the_odds(wins: int, losses: int, elo: float) -> None:
    assert ladder_rating(games("mcts-1", wins, losses), RUNGS).elo == pytest.approx(elo, abs=0.01)


def test_interval_against_one_rung_is_wilsons() -> None:
    """15 of 20: Wilson's interval of the share is .5313 to .8881, as odds 1.1336 and 7.9375."""
    rating = ladder_rating(games("mcts-1", 15, 5), RUNGS)
    ends = 400 * np.log10([0.531300 / 0.468700, 0.888138 / 0.111862])
    assert (rating.low, rating.high) == pytest.approx(tuple(ends), abs=0.05)
    assert not rating.beyond


def test_draws_are_half_a_win() -> None:
    assert ladder_rating([("mcts-4", 0.5)] * 4, RUNGS).elo == pytest.approx(400, abs=0.01)


def test_errors_of_the_anchors_widen_the_interval() -> None:
    """100 even games: the score's variance is 25 + (25 / 173.7178 * 30)^2 at the rung's Elo."""
    unsure = replace(RUNGS, covariance=np.diag([0.0, 900.0]))
    played = games("mcts-4", 50, 50)
    sure_high, wide_high = ladder_rating(played, RUNGS).high, ladder_rating(played, unsure).high
    # A normal approximation: 173.7178 / 5 = 34.74 of the games alone, 45.91 with the anchor's 30.
    assert not_none(wide_high) - 400 == pytest.approx(1.96 * 45.91, rel=0.03)
    assert not_none(sure_high) - 400 == pytest.approx(1.96 * 34.74, rel=0.03)


def test_beyond_the_rungs_one_end_is_open() -> None:
    above = ladder_rating(games("mcts-4", 6, 0), RUNGS)
    assert (above.elo, above.high, above.beyond) == (400.0, None, "above mcts-4")
    # Six of six: Wilson's lower end is 6 / (6 + 1.96^2).
    assert above.low == pytest.approx(400 + 400 * np.log10(6 / 3.841459), abs=0.05)
    below = ladder_rating(games("mcts-1", 1, 5), RUNGS)
    assert (below.elo, below.low, below.beyond) == (0.0, None, "below mcts-1")
    assert below.high is not None


def test_what_cannot_be_rated_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one game"):
        ladder_rating([], RUNGS)
    with pytest.raises(ValueError, match="one of the rungs mcts-1, mcts-4: got 'mcts-2'"):
        ladder_rating([("mcts-2", 1.0)], RUNGS)
    with pytest.raises(ValueError, match="score from 0 to 1"):
        ladder_rating([("mcts-1", 2.0)], RUNGS)


@pytest.mark.parametrize(("weak", "strong"), ["ab", "ba"])
def test_ladder_of_a_fit_starts_at_0(weak: str, strong: str) -> None:
    """The strong one wins 30 of 40 games: 191 Elo, sqrt(40) / (30 * 10)^.5 logits of error."""
    rows = told_orders(*[f"{weak} > {strong}"] * 10, *[f"{strong} > {weak}"] * 30)
    ladder = ladder_of(fit(Results.from_rows(rows), prior_sd=None), weak)
    assert ladder.rungs == (weak, strong)
    assert ladder.elo.tolist() == pytest.approx([0, 400 * np.log10(3)])
    assert ladder.covariance[0].tolist() == pytest.approx([0, 0])
    assert ladder.covariance[1, 1] ** 0.5 == pytest.approx(173.7178 * (40 / 300) ** 0.5, rel=0.05)


@given(st.integers(0, 2**32), st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=6, max_size=6))
def test_six_games_are_spread_and_later_ones_near(seed: int, scores: list[float]) -> None:
    first = next_rungs([], LADDER, seed)
    assert sorted(first) == sorted(LADDER.rungs)
    played = [*zip(first, scores, strict=True)]
    (rung,) = {*next_rungs(played, LADDER, seed)}
    estimate = ladder_rating(played, LADDER).elo
    nearest = min(abs(LADDER.elo - estimate))
    assert abs(LADDER.elo[LADDER.rungs.index(rung)] - estimate) == nearest


@given(GAMES.filter(len), st.sampled_from(LADDER.rungs))
def test_a_win_never_lowers_a_rating(played: list[LadderGame], rung: str) -> None:
    before, after = (ladder_rating(each, LADDER) for each in (played, [*played, (rung, 1.0)]))
    assert after.elo >= before.elo - 0.02
    if before.low is not None and before.high is not None:
        assert before.low <= before.elo + 0.02
        assert before.elo <= before.high + 0.02


def test_intervals_hold_the_truth() -> None:
    climbs = [climb(turn) for turn in range(200)]
    assert 0.91 <= np.mean([held for held, _ in climbs]) <= 0.99
    assert np.mean([miss for _, miss in climbs]) <= 80
