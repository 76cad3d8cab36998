"""The payoffs of talks by hand, with the arithmetic beside them, and the constants."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import CONSTANTS, NAMES, PAYOFFS, Constants, constants_with
from engine.games.talks.game_theory import payoff

SHARE = st.floats(0, 1)


@pytest.mark.parametrize(
    ("move", "told", "expected"),
    [
        # .15 + .28 + .1
        ("DEEPEN", {"depth_gap": 0.5, "curiosity": 0.7, "novelty_bonus": 1 / 3}, 0.53),
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
        # .3 + .2 + .15
        ("SUPPORT", {"collaborative_bonus": 1, "positive_relationship": 0.5, "respect": 0.5}, 0.65),
        # .2 + .15 + .3 * 2/3
        ("QUESTION", {"analytical_bonus": 0.5, "curiosity": 0.5, "saturation": 1 / 3}, 0.55),
        ("QUESTION", {"analytical_bonus": 1, "curiosity": 1, "saturation": 0}, 1.0),
        (
            "SYNTHESIZE",
            {"creative_bonus": 0.5, "num_perspectives": 2 / 3, "sweet_spot_disagreement": 0.8},
            0.67,  # .15 + .2 + .32
        ),
        # .4 + .15 + .15
        ("CONCLUDE", {"depth_complete": 1, "aspects_sufficient": 0.5, "low_novelty": 0.5}, 0.7),
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


def test_constants_are_overridden_by_name() -> None:
    changed = constants_with({"damper": 0.1, "patience": 3, "SUPPORT.respect": 0.9})
    assert (changed.damper, changed.patience) == (0.1, 3)
    assert changed.payoffs[Move.SUPPORT]["respect"] == 0.9
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
