"""Mean payoffs, with errors by block: pairs of a block are compared within it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from engine.ratings import Results, compare, fit, intervals, pair_errors


def paid(*blocks: Mapping[str, float | None], key: str = "payoff") -> Results:
    """Return one game a block, with what each entrant got."""
    rows: list[dict[str, Any]] = []
    for number, payoffs in enumerate(blocks):
        for entrant, payoff in payoffs.items():
            rows.append({"game_id": f"game {number}", "entrant": entrant, key: payoff})
    return Results.from_rows(rows)


@pytest.mark.parametrize("key", ["payoff", "score"])
def test_a_pair_that_shares_its_blocks_is_a_paired_test(key: str) -> None:
    """Differences 1 to 5: mean 3, variance 2.5, so the error is sqrt(.5); a alone has more."""
    results = paid(*({"a": 11.0 * times, "b": 10.0 * times} for times in range(1, 6)), key=key)
    found = fit(results, target="points")
    assert found.skill == pytest.approx([33, 30])
    assert found.error == pytest.approx([11 * 0.5**0.5, 10 * 0.5**0.5])
    contrast = np.array([1, -1])
    assert contrast @ found.covariance @ contrast == pytest.approx(0.5)
    # t with 4 df: 2.7764.
    assert pair_errors(found)[0, 1] * 1.9599640 == pytest.approx(2.7764451 * 0.5**0.5)
    assert intervals(found)[0].high == pytest.approx(33 + 2.7764451 * 11 * 0.5**0.5)


def test_four_blocks_give_no_interval_and_no_rank() -> None:
    found = fit(paid(*({"a": float(times), "b": 0.0} for times in range(4))), "points", min_games=1)
    assert np.isnan(intervals(found)[0].low)
    assert np.isnan(pair_errors(found)).all()
    assert compare(found).ranks == {}
    assert np.isnan(compare(found).pairs[0].p_adjusted)
    assert "No interval for a, b" in found.notes[-1]


def test_those_who_never_meet_are_independent() -> None:
    results = paid({"a": 1, "x": 0}, {"a": 3, "x": 0}, {"b": 5, "y": 0}, {"b": 9, "y": 0})
    found = fit(results, target="points")
    assert found.entrants == ("a", "b", "x", "y")
    assert found.covariance[0, 1] == 0
    assert found.error[:2] == pytest.approx([1, 2])
    assert [sorted(part) for part in found.parts] == [["a", "x"], ["b", "y"]]


def test_a_pair_knows_as_much_as_the_one_with_fewer_blocks() -> None:
    met = [{"a": float(times), "b": 0.0} for times in range(6)]
    found = fit(paid(*met, {"a": 1.0, "x": 0.0}, {"a": 2.0, "x": 1.0}), target="points")
    assert found.entrants == ("a", "b", "x")
    assert found.freedom.tolist() == [7, 5, 1]
    assert found.pair_freedom.tolist() == [[7, 5, 1], [5, 5, 1], [1, 1, 1]]


def test_games_of_a_block_are_one_cluster() -> None:
    rows = []
    for game, (block, payoff) in enumerate([("u", 1), ("u", 1), ("v", 3), ("v", 3)]):
        for entrant, other in (("a", payoff), ("b", 0)):
            rows.append({"game_id": game, "block": block, "entrant": entrant, "payoff": other})
    found = fit(Results.from_rows(rows), target="points")
    # Two blocks with means 1 and 3: error 1; four single games would have .577.
    assert found.error == pytest.approx([1, 0])
    assert (found.games.tolist(), found.freedom.tolist(), found.blocks) == ([4, 4], [1, 1], 2)


def test_one_block_alone_has_the_error_of_all_seats() -> None:
    found = fit(paid({"a": 1, "b": 5}, {"a": 3, "c": 7}), target="points")
    # Deviations -1, 0, 1, 0 of 4 seats and 3 means: variance 2 / (4 - 3).
    assert found.error == pytest.approx([1, 2**0.5, 2**0.5])


def test_games_without_a_payoff_are_counted() -> None:
    results = paid({"a": 1, "b": 0}, {"a": 2, "b": None}, {"a": None, "b": None})
    found = fit(results, target="points")
    assert (found.left_out, found.games.tolist()) == (2, [1, 1])
    assert found.notes[0] == "2 of 3 games have no payoff at two seats."
    with pytest.raises(ValueError, match="none of 1 has"):
        fit(paid({"a": None, "b": 1}), target="points")


def test_payoffs_are_not_mixed_with_scores() -> None:
    rows = [
        {"game_id": "g", "entrant": "a", "payoff": 4, "score": 900},
        {"game_id": "g", "entrant": "b", "payoff": 2, "score": 800},
        {"game_id": "h", "entrant": "a", "score": 900},
        {"game_id": "h", "entrant": "b", "score": 800},
    ]
    found = fit(Results.from_rows(rows), target="points")
    assert (found.skill.tolist(), found.left_out) == ([4, 2], 1)


def test_one_game_has_an_error() -> None:
    """Payoffs 1 and 3 have the variance 2; one block gives no other."""
    found = fit(paid({"a": 1, "b": 3}), target="points")
    assert found.error == pytest.approx([2**0.5, 2**0.5])
    assert np.isnan(intervals(found)[0].high)
