"""Points between a floor and a ceiling: Fieller's interval of a ratio of paired means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ratings.ratios import mean_interval, points_interval, ratio_interval
from tests.support.narrowing import not_none

FLOOR = [1.0, 2.0, 3.0, 2.0]
CEILING = [5.0, 6.0, 7.0, 6.0]


def test_floor_is_0_and_ceiling_100() -> None:
    assert points_interval(FLOOR, FLOOR, CEILING)[:4] == (0.0, 0.0, 0.0, 0.0)
    assert points_interval(CEILING, FLOOR, CEILING)[:4] == (100.0, 100.0, 100.0, 0.0)


def test_with_an_exact_scale_it_is_the_interval_of_a_mean() -> None:
    """Ceiling - floor is 4 in each deal: so 25 times the t interval of 2, 0, 1, 1 (t 3.182446)."""
    found = points_interval([3.0, 2.0, 4.0, 3.0], FLOOR, CEILING)
    reach = 25 * 3.182446 * np.std([2, 0, 1, 1], ddof=1) / 2
    assert found.value == pytest.approx(25)
    assert (found.low, found.high) == pytest.approx((25 - reach, 25 + reach), rel=1e-6)
    assert found.freedom == 3


def test_ends_solve_fiellers_equation() -> None:
    over, under = np.array([1.0, 2.5, 0.5, 3.0, 2.0]), np.array([4.0, 6.0, 3.0, 7.0, 4.0])
    found = ratio_interval(over.tolist(), under.tolist())
    for end in (found.low, found.high):
        rest = over - not_none(end) * under
        # Student's t at .975 with 4 degrees of freedom.
        assert abs(rest.mean()) == pytest.approx(2.776445 * rest.std(ddof=1) / 5**0.5, rel=1e-6)


def test_a_scale_that_cannot_be_told_from_0_leaves_the_interval_open() -> None:
    found = ratio_interval([1.0, 2.0, 3.0], [1.0, -2.0, 2.0])
    assert (found.low, found.high) == (None, None)
    with pytest.raises(ValueError, match="mean other than 0"):
        ratio_interval([1.0, 2.0], [1.0, -1.0])
    with pytest.raises(ValueError, match="two pairs"):
        ratio_interval([1.0], [1.0])


@given(st.floats(-50, 50), st.floats(0.1, 50))
def test_points_do_not_depend_on_unit_or_zero(shift: float, unit: float) -> None:
    values = [3.0, 1.0, 4.0, 2.5]
    before = points_interval(values, FLOOR, CEILING)
    after = points_interval(
        *([shift + unit * one for one in row] for row in (values, FLOOR, CEILING))
    )
    assert after[:4] == pytest.approx(before[:4], rel=1e-6, abs=1e-6)


def test_it_holds_the_truth_in_95_of_100() -> None:
    """12 deals whose luck floor, model and ceiling share in part."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(2000):
        luck = rng.normal(0, 1, 12)
        floor, ceiling = luck + rng.normal(0, 0.5, 12), 4 + luck + rng.normal(0, 0.8, 12)
        found = points_interval(
            (2.4 + luck + rng.normal(0, 1, 12)).tolist(), floor.tolist(), ceiling.tolist()
        )
        assert found.high is not None
        held += not_none(found.low) <= 60 <= found.high
    assert 0.93 <= held / 2000 <= 0.97


def test_the_mean_of_ratios_is_as_sure_as_its_parts() -> None:
    """Errors of 3 and 4: 2.5 of their mean, with 6.25^2 / (2.25^2 / 11 + 4^2 / 11) freedom."""
    parts = [points_interval(FLOOR, FLOOR, CEILING)._replace(value=10, error=3, freedom=11)]
    parts.append(parts[0]._replace(value=20, error=4))
    found = mean_interval(parts)
    assert found.value == 15
    assert found.error == pytest.approx(2.5)
    assert found.freedom == int(6.25**2 / (2.25**2 / 11 + 4**2 / 11))
    assert not_none(found.high) - 15 == pytest.approx(2.5 * 2.0866, rel=1e-2)
