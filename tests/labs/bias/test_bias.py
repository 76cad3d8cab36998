"""The instruments of bias: worked by hand, and on votes whose bias was planted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from engine.ratings import Results, fit
from labs.bias import estimators as bias
from tests.support.narrowing import not_none
from tests.support.placements import deal_orders

Vote = dict[str, Any]


def vote(
    game: str,
    options: Sequence[str],
    chosen: str | None,
    own: str | None = None,
    providers: Sequence[str | None] | None = None,
) -> Vote:
    told = {"game": game, "voter": "v", "voter_provider": own, "chosen": chosen}
    return {**told, "options": [*options], "providers": [*providers] if providers else None}


def listed_votes(times: int) -> list[Vote]:
    """Return votes each in a game of its own: a is chosen by 30 of 40 if first, by 16 if second."""
    counts = {("ab", "a"): 30, ("ab", "b"): 10, ("ba", "a"): 16, ("ba", "b"): 24}
    votes: list[Vote] = []
    for (options, chosen), count in counts.items():
        for _ in range(count * times):
            votes.append(vote(f"g{len(votes)}", options, chosen))
    return votes


def test_a_choice_of_two_is_a_logistic_regression() -> None:
    """Both orders are fitted exactly: logit(30/40) = a + b and logit(16/40) = a - b.

    So b = (1.0986 + .4055) / 2 = .7520, with an error of half of
    sqrt(1 / (1200 * .75 * .25) + 1 / (1200 * .4 * .6)) = .0445 at thirty times the votes.
    """
    effect = bias.choice_effects(listed_votes(times=30))["listed_first"]
    assert effect.estimate == pytest.approx(0.7520, abs=5e-4)
    assert effect.error == pytest.approx(0.0445, abs=5e-5)
    assert (effect.votes, effect.games, effect.left_out) == (2400, 2400, 0)
    assert effect.share == pytest.approx((30 + 24) / 80)


def test_votes_of_a_game_that_agree_count_as_one() -> None:
    once = listed_votes(times=3)
    thrice = [dict(each) for each in once for _ in range(3)]
    one = bias.choice_effects(once)["listed_first"]
    other = bias.choice_effects(thrice)["listed_first"]
    assert (other.votes, other.games) == (3 * one.votes, one.games)
    assert other.error == pytest.approx(one.error, rel=0.01)
    assert other.share_interval == pytest.approx(one.share_interval)


def planted_votes(
    games: int, seed: int, own: float = 0.0, first: float = 0.0, words: float = 0.0
) -> list[Vote]:
    """Return six votes a game between two of 20 entrants of 4 providers, with biases in logits."""
    rng = np.random.default_rng(seed)
    appeal = rng.normal(0, 0.6, 20)
    votes = []
    for game in range(games):
        seated = rng.permutation(20)[:8].tolist()
        heard = rng.normal(0, 0.4)
        for voter in seated[2:]:
            options = rng.permutation(seated[:2]).tolist()
            said = rng.integers(20, 100, 2)
            merits = appeal[options] + heard * (np.array(options) == seated[0])
            merits += own * (np.array(options) % 4 == voter % 4)
            merits += first * np.array([1, 0]) + words * said / 25
            takes_first = rng.random() < 1 / (1 + np.exp(merits[1] - merits[0]))
            names = [f"e{option}" for option in options]
            cast = vote(f"g{game}", names, names[0 if takes_first else 1], f"p{voter % 4}")
            cast["providers"] = [f"p{option % 4}" for option in options]
            cast["words"] = said.tolist()
            votes.append(cast)
    return votes


def test_votes_of_data_frames_are_read_as_lists_are() -> None:
    votes = planted_votes(games=30, seed=2)
    votes[0]["words"] = votes[1]["providers"] = None
    frame = [{**each, "options": np.array(each["options"])} for each in votes]
    frame[0]["words"] = np.array([12.0, np.nan])
    frame[1]["providers"] = [np.nan, votes[1]["voter_provider"]]
    assert bias.choice_effects(frame) == bias.choice_effects(votes)
    with pytest.raises(ValueError, match="a list of 'options'"):
        bias.choice_effects([{**votes[0], "options": np.array([])}])


def test_planted_biases_are_found() -> None:
    votes = planted_votes(games=500, seed=1, own=0.5, first=0.3, words=0.4)
    effects = bias.choice_effects(votes)
    for name, planted in (("same_provider", 0.5), ("listed_first", 0.3)):
        low, high = effects[name].interval
        assert low < planted < high
        assert low > 0
    # The deviation of 20 to 99 words at random is sqrt((80^2 - 1) / 12) = 23.1.
    assert effects["words"].estimate == pytest.approx(0.4 * 23.1 / 25, abs=0.1)
    assert all(p < 0.01 for p in bias.adjust(effects).values())
    own = bias.choice_effects(votes)["same_provider"]
    assert own == effects["same_provider"]
    assert own.share_interval is not None
    assert 0.5 < own.share_interval[0] < not_none(own.share) < own.share_interval[1]
    assert own.votes < len(votes)


def test_votes_in_any_order_are_the_same_effects() -> None:
    votes = planted_votes(games=30, seed=4, own=0.3)
    assert bias.choice_effects(votes) == bias.choice_effects(votes[::-1])


def test_where_nothing_is_planted_intervals_hold_nothing() -> None:
    """Of 60 samples of votes without bias, intervals of .95 miss 0 in three, and hardly in ten."""
    misses = {"same_provider": 0, "listed_first": 0, "words": 0}
    for seed in range(60):
        for name, effect in bias.choice_effects(planted_votes(games=40, seed=seed)).items():
            low, high = effect.interval
            misses[name] += not low < 0 < high
    assert max(misses.values()) <= 9


def test_the_share_is_of_votes_with_one_of_the_own_provider() -> None:
    votes = [
        vote("g1", "ab", "a", "x", ["x", "y"]),
        vote("g1", "ab", "b", "y", ["x", "y"]),
        vote("g2", "ab", "a", "y", ["x", "y"]),
        vote("g2", "ac", "a", "x", ["x", "x"]),
        vote("g3", "ac", "c", "z", ["x", "x"]),
        vote("g3", "cb", "c", "x", ["x", "y"]),
    ]
    effect = bias.choice_effects(votes)["same_provider"]
    assert (effect.share, effect.votes, effect.games) == (0.75, 4, 3)
    assert effect.estimate > 0


@pytest.mark.parametrize(
    ("own", "providers"),
    [(None, ["x", "y"]), ("x", None), ("x", ["x", None]), ("z", ["x", "y"]), ("x", ["x", "x"])],
)
def test_a_vote_without_contrast_tells_appeal_alone(
    own: str | None, providers: Sequence[str | None] | None
) -> None:
    """A vote whose providers are not known moves the appeals, and through them the estimate."""
    told = planted_votes(games=30, seed=2, own=1.0)
    more = [vote(f"more {number}", ["e1", "e2"], "e1", own, providers) for number in range(200)]
    before = bias.choice_effects(told)["same_provider"]
    after = bias.choice_effects([*told, *more])["same_provider"]
    assert (after.votes, after.games, after.share) == (before.votes, before.games, before.share)
    assert after.estimate != before.estimate
    assert "same_provider" not in bias.choice_effects(more)


def test_votes_that_choose_nothing_are_left_out_and_counted() -> None:
    votes = planted_votes(games=30, seed=3)
    cases = (("ab", None), ("ab", "c"), ("aa", "a"), ("a", "a"))
    odd = [vote(f"o{number}", options, chosen) for number, (options, chosen) in enumerate(cases)]
    plain = bias.choice_effects(votes)["same_provider"]
    counted = bias.choice_effects([*odd, *votes])["same_provider"]
    assert (plain.left_out, counted.left_out) == (0, 4)
    assert (counted.estimate, counted.error) == (plain.estimate, plain.error)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"options": ["a", "b"]}, "expected vote 1 to have a 'game' and a list of 'options'"),
        ({"game": "g", "options": "ab"}, "expected vote 1 to have a 'game' and a list of"),
        (
            {"game": "g", "options": ["a", "b"], "providers": ["x"], "chosen": "a"},
            "expected 'providers' of vote 1 to have one value for each of its 2 options",
        ),
    ],
)
def test_votes_that_cannot_be_read(wrong: Mapping[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        bias.choice_effects([wrong])


def test_the_first_of_k_is_held_against_one_in_k() -> None:
    """Two of three votes between two, one of four between four: 3/7 - (3/2 + 4/4) / 7 = .0714."""
    lists = ["ab", "ab", "ba", "abcd", "badc", "cdab", "dcba"]
    chosen = ["a", "a", "a", "a", "d", "a", "a"]
    cast = enumerate(zip(lists, chosen, strict=True))
    votes = [vote(f"g{game % 3}", candidates, choice) for game, (candidates, choice) in cast]
    effect = bias.first_named(votes)
    assert effect.share == pytest.approx(3 / 7)
    assert effect.estimate == pytest.approx(3 / 7 - 2.5 / 7)
    assert (effect.votes, effect.games) == (7, 3)


def test_a_clustered_share_by_hand() -> None:
    """Games of 3 of 3, 0 of 3 and 2 of 4: half, with influences of .15, -.15 and 0.

    The error is sqrt(3/2 * .045) = .2598, worth n* = .25 / .0675 = 3.70 votes; with t = 4.3027 of 2
    degrees, Wilson's interval of them is .5 -+ sqrt(4.9986 * .25 + 4.9986^2 / 4) / 5.9986.
    """
    hits = [True] * 3 + [False] * 3 + [True, True, False, False]
    games = ["x"] * 3 + ["y"] * 3 + ["z"] * 4
    share, (low, high) = bias.cluster_share(hits, games)
    assert share == 0.5
    assert (low, high) == pytest.approx((0.5 - 0.4564, 0.5 + 0.4564), abs=1e-4)
    assert bias.mean_effect(hits, games).error == pytest.approx(0.2598, abs=1e-4)


def test_a_share_of_all_counts_each_game_once() -> None:
    """Ten games that all agree: from 10 / (10 + 2.2622^2) up, by Wilson with t of 9 degrees."""
    games = [f"g{number % 10}" for number in range(30)]
    share, (low, high) = bias.cluster_share([True] * 30, games)
    assert (share, high) == (1.0, 1.0)
    assert low == pytest.approx(10 / (10 + 2.262157**2), abs=1e-6)


def test_one_game_tells_no_error() -> None:
    told = "expected votes from at least two games, for a standard error: got 1"
    with pytest.raises(ValueError, match=told):
        bias.mean_effect([1.0, 0.0], ["g", "g"])


def test_how_alike_votes_of_a_game_are() -> None:
    """Games of (1, 1) and (0, 0) are wholly alike; of (1, 0) and (1, 0) as unlike as can be.

    Of (1, 1), (1, 0), (0, 0): between 1/2 * 2 * (1/4 + 0 + 1/4) = .5, within .5 / 3 = 1/6, so
    (1/2 - 1/6) / (1/2 + 1/6) = .5.
    """
    pairs = ["g1", "g1", "g2", "g2", "g3", "g3"]
    assert bias.alikeness([1, 1, 0, 0], pairs[:4]) == 1.0
    assert bias.alikeness([1, 0, 1, 0], pairs[:4]) == -1.0
    assert bias.alikeness([1, 1, 1, 0, 0, 0], pairs) == pytest.approx(0.5)
    assert bias.alikeness([1, 0], ["g1", "g2"]) == 0.0


def test_covariates_of_a_fit_are_instruments() -> None:
    rows = deal_orders(entrants=6, table=4, games=80, spread=0.5, seed=6)
    rated = fit(Results.from_rows(rows), covariates=["seat"])
    effect = bias.covariate_effects(rated)["seat"]
    assert (effect.estimate, effect.error) == rated.beta["seat"]
    assert (effect.votes, effect.games, effect.share) == (320, 80, None)
    # Student's t on 79 degrees of freedom, by SciPy.
    reach = 1.990450210 * effect.error
    assert effect.interval[1] - effect.estimate == pytest.approx(reach, rel=1e-6)
    assert effect.estimate - effect.interval[0] == pytest.approx(reach, rel=1e-6)


def effect_with(z: float, influence: Mapping[str, float] | None = None) -> bias.Effect:
    return bias.Effect(z, 1.0, None, None, votes=9, games=9, influence=influence or {})


def test_adjusted_chances_of_instruments() -> None:
    """Two that are independent: 1 - .95^2 = .0975; two that are the same: .05; none at all: 1."""
    apart = bias.adjust({"one": effect_with(1.96), "other": effect_with(0.5)})
    assert apart["one"] == pytest.approx(0.0975, abs=0.015)
    same = {"x": 1.0, "y": -1.0}
    together = bias.adjust({"one": effect_with(1.96, same), "other": effect_with(1.96, same)})
    assert together["one"] == together["other"] == pytest.approx(0.05, abs=0.012)
    still = bias.Effect(0.0, 0.0, None, None, votes=9, games=9)
    beside = bias.adjust({"still": still, "one": effect_with(1.96)})
    assert beside == {"one": pytest.approx(0.05, abs=0.012), "still": 1.0}
    assert bias.adjust({}) == {}
