"""Linking: ratings on another tournament's scale, their errors, and anchors that moved."""

from math import log, sqrt

import numpy as np
import pytest

from engine.ratings import Results, fit, intervals
from engine.ratings.linking import Anchors, kept_distances, link_weights
from tests.support.narrowing import not_none
from tests.support.placements import deal_orders
from tests.support.planted.linked import (
    anchors_from,
    duel_results,
    exact_anchors,
    join_two,
    link_figures,
)

THREE = dict(zip("abcd", (0.5, 0.0, -0.5, 0.2), strict=True))


def duels(games: int = 400, seed: int = 1) -> Results:
    return duel_results(THREE, games, np.random.default_rng(seed))


def test_one_exact_anchor_sets_the_level_alone() -> None:
    free = fit(duels(), "pairs")
    known = fit(duels(), "pairs", anchor=exact_anchors(b=0.25))
    assert known.skill - known.skill[1] == pytest.approx(free.skill - free.skill[1])
    assert known.skill[1] == pytest.approx(0.25)
    assert known.error[1] == pytest.approx(0, abs=1e-9)
    assert known.link is not None
    assert (known.link.freedom, known.link.moved) == (0, "")


def test_the_error_of_one_anchor_is_added_to_every_rating_and_to_no_pair() -> None:
    sure = fit(duels(), "pairs", anchor=exact_anchors(b=0.25))
    unsure = Anchors(("b",), np.array([0.25]), np.array([[0.3**2]]), "other")
    found = fit(duels(), "pairs", anchor=unsure)
    assert found.skill == pytest.approx(sure.skill)
    assert found.error == pytest.approx(np.sqrt(sure.error**2 + 0.09))
    for wide, narrow in zip(intervals(found), intervals(sure), strict=True):
        assert wide.high - wide.low > narrow.high - narrow.low
    gap = found.covariance[0, 0] + found.covariance[2, 2] - 2 * found.covariance[0, 2]
    old = sure.covariance[0, 0] + sure.covariance[2, 2] - 2 * sure.covariance[0, 2]
    assert gap == pytest.approx(old)


def test_weights_are_the_inverse_variances() -> None:
    """Of errors .1 and .2 the weights are 4 to 1, whatever the two have in common."""
    part = np.array([0, 0])
    spread = np.diag([0.01, 0.04])
    assert link_weights(spread, part)[0] == pytest.approx([0.8, 0.2])
    assert link_weights(spread + 5.0, part)[0] == pytest.approx([0.8, 0.2])
    assert link_weights(spread, np.array([0, 1])) == pytest.approx(np.eye(2))


def test_an_anchor_with_a_large_error_hardly_counts() -> None:
    anchors = Anchors(("a", "b"), np.array([5.0, 0.25]), np.diag([1e4, 0.0]), "other")
    assert fit(duels(), "pairs", anchor=anchors).skill[1] == pytest.approx(0.25, abs=0.01)


def test_the_test_of_two_anchors_is_the_squared_z_of_their_gap() -> None:
    """A gap .5 wider with variances .01 + .04 + .05 is sqrt(2.5) errors off: chi-square 2.5."""
    anchors = Anchors(("a", "b"), np.array([0.0, 1.0]), np.diag([0.02, 0.03]), "other")
    model = np.diag([0.01, 0.04])
    link = kept_distances(anchors, np.array([0.3, 1.8]), model, model, np.array([0, 0]))
    assert link.freedom == 1
    assert link.squares == pytest.approx(0.25 / 0.1)
    assert link.chance == pytest.approx(0.1138, abs=0.01)
    assert abs(link.by) == pytest.approx(0.5)
    assert link.by_error == pytest.approx(sqrt(0.1))


def test_blocks_that_share_luck_make_the_test_more_careful() -> None:
    anchors = exact_anchors(a=0.0, b=1.0)
    model = np.diag([0.05, 0.05])
    skill, part = np.array([0.0, 1.5]), np.array([0, 0])
    plain = kept_distances(anchors, skill, model, model, part)
    careful = kept_distances(anchors, skill, model, 4 * model, part)
    assert careful.squares == pytest.approx(plain.squares / 4)
    tighter = kept_distances(anchors, skill, model, model / 4, part)
    assert tighter.squares == pytest.approx(plain.squares)


def test_the_anchor_that_moved_is_named_with_how_far() -> None:
    first = fit(duels(3000), "pairs")
    games = duel_results(THREE | {"c": THREE["c"] + 1.0}, 3000, np.random.default_rng(2))
    link = not_none(fit(games, "pairs", anchor=anchors_from(first)).link)
    assert link.moved == "c"
    assert abs(link.by - 1.0) < 3 * link.by_error
    assert link.chance < 1e-6
    assert link.freedom == 3


def test_a_part_without_an_anchor_keeps_its_own_mean() -> None:
    rows = deal_orders(3, 3, 40, 0.5, seed=1)
    rows += [
        row | {"entrant": f"z{row['entrant']}", "game_id": f"z{row['game_id']}"} for row in rows
    ]
    found = fit(Results.from_rows(rows), anchor=exact_anchors(e00=2.0))
    skills = dict(zip(found.entrants, found.skill.tolist(), strict=True))
    assert skills["e00"] == pytest.approx(2.0)
    assert sum(skills[name] for name in ("ze00", "ze01", "ze02")) == pytest.approx(0, abs=1e-9)


def test_anchors_from_elsewhere_that_are_not_here_link_nothing() -> None:
    away = Anchors(("nobody",), np.zeros(1), np.zeros((1, 1)), "other")
    found = fit(duels(), "pairs", anchor=away)
    assert found.link is None
    assert found.skill.mean() == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="expected a rated anchor, with a game: got 'nobody'"):
        fit(duels(), "pairs", anchor=exact_anchors(nobody=log(2)))


@pytest.mark.slow
def test_intervals_hold_on_the_other_scale_and_moves_are_noticed() -> None:
    held, false, noticed = link_figures(300)
    assert 0.93 <= held <= 0.97
    assert false <= 0.08
    assert noticed >= 0.8


def test_joined_tournaments_hold_the_truth() -> None:
    assert 0.85 <= float(np.mean([join_two(turn, games=300)[0] for turn in range(12)])) <= 1.0
