"""The formulas of talks, each against numbers by hand, with the arithmetic beside them."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.archetypes import Move, PersonalityArchetype
from engine.games.talks.constants import CONSTANTS, NAMES, PAYOFFS, Constants, constants_with
from engine.games.talks.game_theory import convergence, final_score, payoff, urgency
from engine.games.talks.theory import factors

SHARE = st.floats(0, 1)


@pytest.mark.parametrize(
    ("baseline", "time", "addressed", "confidence", "engagement", "dominant", "below", "expected"),
    [
        (0.5, 0.5, 0, 0.6, 0.8, False, False, 0.47),  # .15 + .10 + 0 + .06 + .16
        (0.5, 0.5, 1, 0.6, 0.8, False, False, 0.87),  # .47 + .4
        (
            0.7,
            1.0,
            1,
            0.85,
            1.0,
            False,
            False,
            1.095,
        ),  # .21 + .2 + .4 + .085 + .2: above 1, and not clamped
        (0.5, 0.5, 0, 0.6, 0.8, True, False, 0.329),  # .47 * .7
        (0.5, 0.5, 0, 0.6, 0.8, False, True, 0.611),  # .47 * 1.3
        (0.5, 0.5, 0, 0.6, 0.8, True, True, 0.4277),  # .47 * .7 * 1.3
        (1, 1, 1, 1, 1, False, False, 1.2),  # the weights sum to 1.2
        (1, 1, 1, 1, 1, False, True, 1.56),
        (0, 0, 0, 0, 0, True, True, 0.0),
    ],
)
def test_urgency(
    *,
    baseline: float,
    time: float,
    addressed: float,
    confidence: float,
    engagement: float,
    dominant: bool,
    below: bool,
    expected: float,
) -> None:
    assert urgency(
        personality_baseline=baseline,
        time_factor=time,
        addressed_bonus=addressed,
        confidence=confidence,
        engagement=engagement,
        is_dominant_speaker=dominant,
        below_avg_turns=below,
    ) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("wish", "noise", "expected"), [(0.5, 0.1, 0.5), (1.2, 0.0, 0.96), (0.0, 0.19, 0.19)]
)
def test_final_score(wish: float, noise: float, expected: float) -> None:
    assert final_score(wish, noise) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("move", "told", "expected"),
    [
        (
            "DEEPEN",
            {"depth_gap": 0.5, "curiosity": 0.7, "novelty_bonus": 1 / 3},
            0.53,
        ),  # .15 + .28 + .1
        (
            "CHALLENGE",
            {
                "skeptical_bonus": 1,
                "target_confidence": 0.6,
                "negative_relationship": 0.5,
                "own_confidence": 0.75,
            },
            0.73,  # .3 + .18 + .1 + .15
        ),
        (
            "SUPPORT",
            {"collaborative_bonus": 1, "positive_relationship": 0.5, "respect": 0.5},
            0.65,
        ),  # .3 + .2 + .15
        (
            "QUESTION",
            {"analytical_bonus": 0.5, "curiosity": 0.5, "saturation": 1 / 3},
            0.55,
        ),  # .2 + .15 + .3 * 2/3
        ("QUESTION", {"analytical_bonus": 1, "curiosity": 1, "saturation": 0}, 1.0),
        (
            "SYNTHESIZE",
            {"creative_bonus": 0.5, "num_perspectives": 2 / 3, "sweet_spot_disagreement": 0.8},
            0.67,  # .15 + .2 + .32
        ),
        (
            "CONCLUDE",
            {"depth_complete": 1, "aspects_sufficient": 0.5, "low_novelty": 0.5},
            0.7,
        ),  # .4 + .15 + .15
    ],
)
def test_payoffs(move: str, told: dict[str, float], expected: float) -> None:
    assert payoff(move, **told) == pytest.approx(expected)
    assert payoff(Move(move), **told) == payoff(move, **told)


def test_a_payoff_takes_its_own_factors_only() -> None:
    with pytest.raises(ValueError, match=r"expected a move, one of DEEPEN, .*: got 'SHOUT'"):
        payoff("SHOUT")
    with pytest.raises(
        ValueError, match=r"expected the factors of SUPPORT, collaborative_bonus, .*: got respect"
    ):
        payoff("SUPPORT", respect=1.0)


@given(st.sampled_from([*Move]), st.data())
def test_every_payoff_lies_between_0_and_1(move: Move, data: st.DataObject) -> None:
    told = {name: data.draw(SHARE) for name in PAYOFFS[move]}
    assert 0 <= payoff(move, **told) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("support", "challenge", "positive", "expected"),
    [
        (3, 1, 0.2, 0.53),  # 3/4 * .6 + .2 * .4
        (0, 0, 0.5, 0.2),  # nothing to agree about yet: 0 + .5 * .4
        (2, 0, 0.0, 0.6),
        (0, 4, 0.0, 0.0),
        (5, 0, 1.0, 1.0),
    ],
)
def test_convergence(support: int, challenge: int, positive: float, expected: float) -> None:
    found = convergence(
        support_moves=support, challenge_moves=challenge, avg_positive_relationships=positive
    )
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (factors.depth_gap(1, 3), 1.0),  # (3 - 1) / 2
        (factors.depth_gap(2, 3), 0.5),
        (factors.depth_gap(1, 1), 0.0),  # 0 / max(1, 0)
        (factors.depth_gap(2, 5), 0.75),
        (factors.novelty_bonus([]), 1.0),
        (factors.novelty_bonus([Move.DEEPEN, *[Move.SUPPORT] * 3]), 1.0),
        (factors.novelty_bonus([Move.DEEPEN, *[Move.SUPPORT] * 2]), 1 / 3),
        (factors.positive(0.0), 0.5),
        (factors.positive(-0.4), 0.3),
        (factors.saturation(2), 2 / 3),
        (factors.saturation(7), 1.0),
        (factors.num_perspectives(["a", "b", "a"]), 2 / 3),
        (factors.num_perspectives(["a", "b", "c"]), 1.0),
        (factors.num_perspectives(["a"]), 1 / 3),
        (factors.num_perspectives([]), 0.0),
        (factors.sweet_spot_disagreement(0.5), 1.0),
        (factors.sweet_spot_disagreement(0.0), 0.0),  # nobody agrees
        (factors.sweet_spot_disagreement(0.3), 0.6),  # 1 - 2 * |.7 - .5|
        (factors.aspects_sufficient(2, 3), 0.5),
        (factors.aspects_sufficient(9, 3), 1.0),
        (factors.low_novelty(0.48), 0.0),
        (factors.low_novelty(0.33), 0.5),  # (.48 - .33) / .3
        (factors.low_novelty(0.1), 1.0),
        (factors.personality_bonus("skeptical_bonus", PersonalityArchetype.SKEPTICAL), 1.0),
        (
            factors.personality_bonus("skeptical_bonus", PersonalityArchetype.CAUTIOUS),
            0.4,
        ),  # 1 - .6
        (factors.personality_bonus("collaborative_bonus", PersonalityArchetype.CREATIVE), 0.6),
        (factors.personality_bonus("analytical_bonus", PersonalityArchetype.CAUTIOUS), 0.5),
        (factors.personality_bonus("creative_bonus", PersonalityArchetype.ANALYTICAL), 1.0),
    ],
)
def test_factors(found: float, expected: float) -> None:
    assert found == pytest.approx(expected)


def test_constants_are_overridden_by_name() -> None:
    changed = constants_with({"damper": 0.1, "patience": 3, "SUPPORT.respect": 0.9})
    assert (changed.damper, changed.patience, changed.payoffs[Move.SUPPORT]["respect"]) == (
        0.1,
        3,
        0.9,
    )
    assert CONSTANTS.payoffs[Move.SUPPORT]["respect"] == 0.3
    assert constants_with({}) == CONSTANTS
    assert len(NAMES) == len(fields(Constants)) - 1 + sum(map(len, PAYOFFS.values()))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"dampr": 1}, "unknown constant 'dampr': did you mean 'damper'?"),
        ({"damper": "much"}, "expected damper to be a number: got 'much'"),
        ({"patience": 0}, "expected patience to be a whole number from 1 on: got 0"),
        ({"patience": 2.5}, "expected patience to be a whole number from 1 on: got 2.5"),
        ({"damper": True}, "expected damper to be a number: got True"),
    ],
)
def test_constants_that_are_none_are_refused(changes: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        constants_with(changes)
