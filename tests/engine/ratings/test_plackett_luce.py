"""The fit: hand-worked cases, those of other programs, and what must not change it."""

from math import exp, log, log10, sqrt
from typing import Any

import numpy as np
import pytest

from engine.ratings import Fit, Results, fit, intervals
from engine.ratings.direction import best_direction
from engine.ratings.estimate import tie_factor
from tests.support.placements import deal_orders, told_orders
from tests.support.planted.linked import exact_anchors

# The small sets of evalica (Ustalov 2024, simple.csv and food.csv), and its golden Bradley-Terry
# scores, which sum to 1; a tie is half a win each. `<`, `>` and `=` stand for right, left, tie.
SIMPLE = "0=1 0<2 0=2 0=4 1>0 1=2 1=2 1=3 2=4 3>0 3>1 3>2 3=4 3=4 4>0 4>3"
SIMPLE_SCORES = {
    "4": 0.34947527489923,
    "3": 0.33688868041573855,
    "2": 0.13168568070110523,
    "1": 0.1311506914535368,
    "0": 0.050799672530389396,
}
FOOD = (
    "Pizza>Sushi Burger<Pasta Tacos>Pizza Sushi<Tacos Burger>Pizza Pasta<Sushi Tacos>Burger "
    "Pizza=Pasta Sushi<Burger Pasta>Tacos Burger<Sushi Tacos>Pizza Sushi=Pasta Burger>Tacos "
    "Pizza<Burger Pasta<Tacos Burger<Sushi Tacos>Pasta Pizza<Tacos Sushi>Burger Pasta<Pizza "
    "Burger<Sushi Tacos>Pasta Pizza>Sushi Sushi<Burger Pasta<Tacos Tacos>Pizza Burger<Pasta "
    "Sushi>Tacos Pizza<Burger"
)
FOOD_SCORES = {
    "Tacos": 0.43428982771223773,
    "Sushi": 0.19060028489839073,
    "Burger": 0.14797665121689418,
    "Pasta": 0.1281534106031957,
    "Pizza": 0.09897982556928168,
}
# Nine orders of four, and what choix 0.4.1 finds: ilsr_rankings, opt_rankings with alpha=1/18 (a
# prior sd of 3), and ilsr_top1 of the winners alone, each with mean 0.
ORDERS = "abcd bacd acbd dabc bdca cabd abdc dcba bcad"
CHOIX = [0.2823759389623398, 0.4919541812092888, -0.0802179175686093, -0.6941122026030193]
CHOIX_PRIOR = [0.27421811648946937, 0.48133375489584607, -0.07968372014475862, -0.6758681512405568]
CHOIX_WINS = [0.3760193491940685, 0.3760193491940685, -0.7225929394740411, -0.029445758914095864]


def rate(*games: str, **options: Any) -> Fit:
    return fit(Results.from_rows(told_orders(*games)), **({"prior_sd": None} | options))


def spaced(duels: str) -> list[str]:
    """Return duels as orders: `a<b` is b > a."""
    told = []
    for duel in duels.split():
        left, _, right = duel.partition("<")
        told.append(f"{right} > {left}" if right else duel)
    return told


@pytest.mark.parametrize("target", ["pairs", "places", "wins"])
def test_three_wins_of_four_are_log_three_apart(target: str) -> None:
    found = rate("a > b", "a > b", "a > b", "b > a", target=target)
    assert found.entrants == ("a", "b")
    assert found.skill == pytest.approx([log(3) / 2, -log(3) / 2], abs=1e-9)
    assert found.loglik == pytest.approx(3 * log(3 / 4) + log(1 / 4))
    # A pair: V = 1 / (4 * 3/4 * 1/4), S = V * 4/3 (blocks over blocks less one), so sd = 4/3.
    assert found.hessian[0, 0] == pytest.approx(1 / 3)
    assert found.error == pytest.approx([2 / 3, 2 / 3])


@pytest.mark.parametrize("target", ["pairs", "places", "wins"])
def test_a_tie_is_half_a_win_each(target: str) -> None:
    with_tie = rate("a > b", "a = b", target=target)
    whole = rate("a > b", "a > b", "a > b", "b > a", target=target)
    assert with_tie.skill == pytest.approx(whole.skill, abs=1e-9)
    assert with_tie.loglik == pytest.approx(whole.loglik / 2)


def test_the_prior_holds_who_always_wins() -> None:
    """With d the difference and a prior variance of 9 a skill, (1 - p) = d / 18 for one win."""
    found = rate("a > b", prior_sd=3.0)
    apart = found.skill[0] - found.skill[1]
    assert 1 / (1 + exp(apart)) == pytest.approx(apart / 18, abs=1e-9)
    assert found.open_ends == {"a": "upper", "b": "lower"}
    limits = "the rating of a from above, and the rating of b from below"
    assert f"Only the prior, not the data, limits {limits}." in found.notes


@pytest.mark.parametrize(("games", "ends"), [(40, {}), (1000, {"a": "upper", "b": "lower"})])
def test_an_end_is_open_where_the_prior_moves_a_rating_by_a_quarter_of_its_error(
    games: int, ends: dict[str, str]
) -> None:
    """Even one defeat does not say how far above the others the best one is."""
    told = ["a > b"] * (games - 1) + ["b > a"]
    held, free = rate(*told, prior_sd=3.0), rate(*told)
    moved = abs(held.skill[0] - free.skill[0]) / held.error[0]
    assert (moved > 0.25) == bool(ends)
    assert held.open_ends == ends
    assert free.open_ends == {}


@pytest.mark.parametrize("direction", ["top", "bottom"])
def test_three_players_by_hand(direction: str) -> None:
    """Games a b c, b c a, c a b, each once, are the same for all: -log 6 a game."""
    found = rate("a > b > c", "b > c > a", "c > a > b", direction=direction)
    assert found.skill == pytest.approx([0, 0, 0], abs=1e-9)
    assert found.loglik == pytest.approx(-3 * log(6))


def test_wins_are_one_choice_each() -> None:
    """Of 6 games a wins 3, b 2, c 1 against both others: skills are the logs of these shares."""
    won = ["a > b > c"] * 3 + ["b > a > c"] * 2 + ["c > b > a"]
    logs = np.log([3, 2, 1])
    assert rate(*won, target="wins").skill == pytest.approx(logs - logs.mean(), abs=1e-9)


@pytest.mark.parametrize("target", ["pairs", "places", "wins"])
@pytest.mark.parametrize(
    ("duels", "scores"), [(SIMPLE, SIMPLE_SCORES), (FOOD, FOOD_SCORES)], ids=["simple", "food"]
)
def test_golden_scores_of_evalica(duels: str, scores: dict[str, float], target: str) -> None:
    found = rate(*spaced(duels), target=target)
    odds = np.exp(found.skill) / np.exp(found.skill).sum()
    assert dict(zip(found.entrants, odds, strict=True)) == pytest.approx(scores, abs=1e-12)


def test_choix_finds_the_same() -> None:
    games = [" > ".join(order) for order in ORDERS.split()]
    assert rate(*games).skill == pytest.approx(CHOIX, abs=1e-9)
    assert rate(*games, prior_sd=3.0).skill == pytest.approx(CHOIX_PRIOR, abs=1e-8)
    assert rate(*games, target="wins").skill == pytest.approx(CHOIX_WINS, abs=1e-9)
    upside_down = [" > ".join(order[::-1]) for order in ORDERS.split()]
    assert -rate(*upside_down, direction="bottom").skill == pytest.approx(CHOIX, abs=1e-9)


def test_who_has_no_place_is_below_all_that_have() -> None:
    games = ["b > c > a > d", "d > a > b > c", "c > a > b", "d > c > b"]
    unknown = rate("a > b ? c d", *games).skill
    # A tie for last is one more stage, at which each of the two is chosen half.
    assert unknown[2] != pytest.approx(rate("a > b > c = d", *games).skill[2], abs=1e-3)
    # One alone without a place is last: nobody is left to choose from after the others.
    alone = rate("a > b > d ? c", *games).skill
    assert alone == pytest.approx(rate("a > b > d > c", *games).skill, abs=1e-9)


def test_from_the_bottom_the_unknown_are_tied_for_last() -> None:
    games = ["a > b ? c d", "b > c > a ? d", "d > a ? b", "c > a > d ? b", "d > c ? b"]
    told = ["a > b > c = d", *(game.replace("?", ">") for game in games[1:])]
    found, same = rate(*games, direction="bottom"), rate(*told, direction="bottom")
    assert found.skill == pytest.approx(same.skill, abs=1e-9)


def test_games_that_tell_nothing_are_counted() -> None:
    found = rate("a > b", "b > a", "? a b", "? a c", prior_sd=3.0)
    assert (found.left_out, found.entrants, found.games.tolist()) == (2, ("a", "b"), [2, 2])
    assert "2 of 4 games have no information on places." in found.notes
    assert "Without any rated game: c." in found.notes
    with pytest.raises(ValueError, match="none of 1 has a first place"):
        rate("? a b", target="wins")


def test_pairs_want_tables_of_two() -> None:
    with pytest.raises(ValueError, match="tables of two for the target 'pairs': 'game 1' has 3"):
        rate("a > b", "a > b > c", target="pairs")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"target": "fame"}, "target to be one of wins, places, points, pairs: got 'fame'"),
        ({"direction": "left"}, "direction to be one of top, bottom, auto: got 'left'"),
        ({"lots": "drawn"}, "lots to be one of played, tie: got 'drawn'"),
        ({"prior_sd": 0.0}, "prior_sd to be above 0, or None: got 0.0"),
        ({"anchor": exact_anchors(z=0.0)}, "a rated anchor, with a game: got 'z'"),
    ],
)
def test_unknown_words_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        rate("a > b", "b > a", **options)


@pytest.mark.parametrize(
    ("games", "names"),
    [
        (["a > b"], "a"),
        (["a > b", "b > a", "c > d", "d > c"], "a, b|c, d"),
        (["a > b", "b > a", "a > c", "c > d", "d > c"], "a, b"),
        (["a > b > c", "b > a > c", "a > b ? c"], "a, b"),
    ],
)
def test_without_a_prior_all_must_be_within_reach(games: list[str], names: str) -> None:
    """Ford 1957: some of any group must have been beaten by somebody outside it."""
    with pytest.raises(ValueError, match=f"chosen before any of ({names}); give prior_sd=3"):
        rate(*games)
    assert np.isfinite(rate(*games, prior_sd=3.0).skill).all()


def test_gauge_is_the_mean_of_who_has_games() -> None:
    games = ["a > b", "b > a", "a > b", "c > a"]
    found = rate(*games, prior_sd=3.0, min_games=3)
    assert found.skill[:2].mean() == pytest.approx(0, abs=1e-12)
    plain = rate(*games, prior_sd=3.0)
    assert plain.skill.mean() == pytest.approx(0, abs=1e-12)
    assert "No entrant has 20 rated games, so the mean of all is 0." in plain.notes
    assert np.diff(found.skill) == pytest.approx(np.diff(plain.skill))
    anchored = rate(*games, prior_sd=3.0, anchor=exact_anchors(b=0.5))
    assert anchored.skill[1] == pytest.approx(0.5)
    assert anchored.error[1] == pytest.approx(0, abs=1e-9)
    # An anchor's error is 0, so that the error of another is that of the pair.
    assert anchored.error[0] == pytest.approx(pair_error(found, 0, 1))
    # Nor does it count where ties tell how wide the errors of the others are.
    tied = rate(*games, "b = c", "a = b", prior_sd=3.0, anchor=exact_anchors(b=0.0))
    ratios = np.delete(np.diag(tied.sandwich) / np.diag(tied.hessian).clip(1e-9), 1)
    assert tied.phi == pytest.approx(min(1.0, np.median(ratios)))


def pair_error(found: Fit, one: int, other: int) -> float:
    spread = found.covariance
    return sqrt(spread[one, one] + spread[other, other] - 2 * spread[one, other])


def test_parts_have_a_gauge_each() -> None:
    found = rate("a > b", "b > a", "a > b", "c > d", "d > c", "d > c", prior_sd=3.0)
    assert found.parts == (frozenset("ab"), frozenset("cd"))
    assert found.skill == pytest.approx([*found.skill[:2], *-found.skill[:2]])
    assert found.skill[:2].sum() == pytest.approx(0, abs=1e-12)
    assert "2 parts that never met" in " ".join(found.notes)


def test_covariance_follows_the_rule() -> None:
    found = fit(Results.from_rows(deal_orders(6, 3, 40, 1.0, seed=3)))
    alone = np.maximum(np.diag(found.hessian), np.diag(found.sandwich))
    assert np.diag(found.covariance) == pytest.approx(alone)
    assert found.error == pytest.approx(np.sqrt(alone))
    for one, other in ((0, 1), (2, 5)):
        contrast = np.zeros(6)
        contrast[[one, other]] = 1, -1
        model = contrast @ found.hessian @ contrast
        robust = contrast @ found.sandwich @ contrast
        assert pair_error(found, one, other) ** 2 == pytest.approx(max(model, robust))
    assert (found.phi, found.blocks) == (1.0, 40)


def test_with_ties_the_hessian_counts_less() -> None:
    found = rate(*["a = b"] * 30, *["a > b"] * 5, *["b > a"] * 5)
    # V = 4 / 40; ties have score 0: S = V * 10 / 40 * 40 / 39, which is below .3 V.
    assert found.phi == 0.3
    assert pair_error(found, 0, 1) ** 2 == pytest.approx(0.3 * 4 / 40)


def test_games_of_a_block_count_as_one_draw() -> None:
    rows = told_orders(*["a > b", "b > a", "a > b"] * 4)
    alone = fit(Results.from_rows(rows), prior_sd=None)
    for number, row in enumerate(rows):
        row["block"] = f"block {number // 6}"
    together = fit(Results.from_rows(rows), prior_sd=None)
    assert together.skill == pytest.approx(alone.skill)
    assert together.blocks == 4
    # Each block has 2 wins of 3, as the fit expects: its score is 0.
    assert together.sandwich == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    for row in rows:
        row["block"] = "one"
    single = fit(Results.from_rows(rows), prior_sd=None)
    assert "No interval for a, b: they are in too few independent blocks" in single.notes[-1]
    assert np.isnan([rating.low for rating in intervals(single)]).all()


def test_ties_of_one_block_do_not_narrow_the_error() -> None:
    """A tied duel of equals has the information 1/4 of the gap, and the prior 1/18: 1 / 11/36."""
    rows = told_orders("a > b")
    for row in rows:
        row["place"] = 1
    found = fit(Results.from_rows(rows))
    assert found.phi == 1
    gap = np.array([1, -1])
    assert gap @ found.covariance @ gap == pytest.approx(36 / 11)


def test_a_seat_effect_is_found_and_told() -> None:
    """The first seat wins 3 of 4 duels of equals: seats are 1 apart, so beta is -log 3."""
    rows = [*told_orders(*["a > b", "b > a"] * 30), *second_seat_wins(20)]
    found = fit(Results.from_rows(rows), prior_sd=None, covariates=["seat"])
    value, error = found.beta["seat"]
    assert found.skill == pytest.approx([0, 0], abs=1e-9)
    assert value == pytest.approx(-log(3), abs=1e-3)
    assert error == pytest.approx(sqrt(1 / (80 * 3 / 16) * 80 / 79), rel=1e-2)
    dummy = fit(Results.from_rows(rows), prior_sd=None, covariates=["seats"])
    assert fit(Results.from_rows(rows), covariates=["seat"]).beta.keys() == {"seat"}
    assert dummy.beta["seat 2"] == pytest.approx((value, error), abs=1e-6)


def second_seat_wins(games: int) -> list[dict[str, Any]]:
    rows = told_orders(*["a > b", "b > a"] * (games // 2))
    for row in rows:
        row["game_id"] = f"second {row['game_id']}"
        row["place"] = 3 - row["place"]
    return rows


def test_rows_in_any_order_give_the_same_bytes() -> None:
    rows = deal_orders(8, 4, 60, 1.0, seed=5)
    found = fit(Results.from_rows(rows), covariates=["seat"])
    order = np.random.default_rng(1).permutation(len(rows))
    moved = fit(Results.from_rows([rows[place] for place in order]), covariates=["seat"])
    assert moved.skill.tobytes() == found.skill.tobytes()
    assert moved.covariance.tobytes() == found.covariance.tobytes()
    assert (moved.beta, moved.loglik) == (found.beta, found.loglik)


def test_names_do_not_matter() -> None:
    rows = deal_orders(8, 4, 60, 1.0, seed=6)
    found = fit(Results.from_rows(rows))
    renamed = [row | {"entrant": row["entrant"][::-1]} for row in rows]
    moved = fit(Results.from_rows(renamed))
    skills = dict(zip(moved.entrants, moved.skill, strict=True))
    for name, skill in zip(found.entrants, found.skill, strict=True):
        assert skills[name[::-1]] == pytest.approx(skill, abs=1e-9)


@pytest.mark.parametrize(
    ("top", "bottom", "bottom_chance", "better"),
    [
        (-10, -9, -14, "bottom"),
        (-10, -9, -12, "top"),
        (-10, -11, -15, "top"),
        (-10, -11, -16, "bottom"),
    ],
)
def test_directions_are_judged_by_their_gain_over_chance(
    top: float, bottom: float, bottom_chance: float, better: str
) -> None:
    """From the top a chance has -14: a gain of 4."""
    held_out = {
        "top": top,
        "top by chance": -14,
        "bottom": bottom,
        "bottom by chance": bottom_chance,
    }
    assert best_direction(held_out) == better


@pytest.mark.parametrize(
    ("ratios", "ties", "phi"),
    [
        ((0.5, 0.6, 0.9), True, 0.6),
        ((0.5, 0.6, 0.9), False, 1.0),
        ((0.1, 0.2, 0.9), True, 0.3),
        ((0.5, 1.6, 1.9), True, 1.0),
    ],
)
def test_ties_narrow_the_model_by_the_median_and_never_widen_it(
    ratios: tuple[float, ...], ties: bool, phi: float
) -> None:
    model = np.diag([1.0, 2.0, 3.0])
    assert tie_factor(model, model * np.diag(ratios), ties) == pytest.approx(phi)


@pytest.mark.parametrize(("end", "sign"), [("top", 1), ("bottom", -1)])
def test_the_direction_that_predicts_better_is_taken(end: str, sign: int) -> None:
    """Luck is Gumbel's from the top, and its mirror image from the bottom."""
    rng = np.random.default_rng(8)
    rows = []
    for game in range(150):
        seated = rng.permutation(10)[:5]
        heard = np.linspace(-2, 2, 10)[seated] + sign * rng.gumbel(size=5)
        for entrant, place in zip(seated, (-heard).argsort().argsort() + 1, strict=True):
            rows.append({"game_id": f"{game}", "entrant": f"{entrant}", "place": int(place)})
    found = fit(Results.from_rows(rows), direction="auto")
    assert found.direction == end
    assert found.held_out[end] > found.held_out["bottom" if end == "top" else "top"]
    assert found.held_out["top by chance"] == pytest.approx(-150 * log(120))
    assert found.notes[0].startswith("Held-out log-likelihood: ")


def test_no_model_is_better_than_chance_where_all_are_alike() -> None:
    found = fit(Results.from_rows(deal_orders(10, 4, 30, 0.0, seed=2)), direction="auto")
    assert "No model predicts better than chance." in found.notes


def test_skills_come_back_with_many_games() -> None:
    found = fit(Results.from_rows(deal_orders(12, 4, 3000, 1.0, seed=4)))
    assert found.skill == pytest.approx(np.linspace(-1, 1, 12), abs=0.15)
    assert log10(found.error.max()) < -1
