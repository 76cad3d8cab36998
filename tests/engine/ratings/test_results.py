"""Rows become results: what may be missing, what is refused, and who is left out of what."""

from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ratings import Results, fit
from tests.support.placements import told_orders

DUEL: list[dict[str, Any]] = [
    {"game_id": "g", "entrant": "a", "place": 1},
    {"game_id": "g", "entrant": "b", "place": 2},
]


def test_what_is_missing_has_its_usual_value() -> None:
    results = Results.from_rows(DUEL)
    seen = {key: column[1] for key, column in results.columns.items()}
    assert {key: value for key, value in seen.items() if not np.isnan(value)} == {
        "seat": 2, "place": 2, "asks": 0, "fallbacks": 0, "lot": 0, "void": 0,
        "table": 2, "wording": 1,
    }  # fmt: skip
    assert {key for key, value in seen.items() if np.isnan(value)} == {
        "score", "payoff", "words", "cost", "tokens", "outlived",
    }  # fmt: skip
    assert (results.game_ids, results.blocks) == (("g",), ("g",))
    assert (results.entrants, results.games) == (("a", "b"), 1)
    assert results.text("provider") == ("", "")


def test_rows_are_sorted_by_seat_and_kept() -> None:
    rows = [
        {"game_id": 7, "block": "x", "entrant": "<b>", "place": 2.0, "seat": 2, "lot": True},
        {"game_id": 7, "block": "x", "entrant": "a\n", "place": np.int64(1), "seat": 1, "asks": 3},
    ]
    results = Results.from_rows(rows)
    assert results.source == (rows[1], rows[0])
    assert (results.game_ids, results.blocks) == (("7",), ("x",))
    assert [results.entrants[number] for number in results.entrant] == ["a\n", "<b>"]
    assert results.columns["place"].tolist() == [1, 2]
    assert results.columns["asks"].tolist() == [3, 0]
    assert results.columns["lot"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"place": 1.5}, "'place' of row 2 to be a whole number from 1, or missing: got 1.5"),
        ({"place": 0}, "'place' of row 2 .* got 0"),
        ({"place": "last"}, "'place' of row 2 .* got 'last'"),
        ({"payoff": -1e200}, r"number, or missing, 1e\+60 at most: got -1e\+200"),
        ({"payoff": [1]}, r"'payoff' of row 2 to be a number, or missing: got \[1\]"),
        ({"score": float("inf")}, "'score' of row 2 .* got inf"),
        ({"fallbacks": -1}, "'fallbacks' of row 2 to be a whole number from 0, .* got -1"),
        ({"entrant": None}, "row 2 to have 'entrant'"),
        ({"game_id": None}, "row 2 to have 'game_id'"),
        ({"entrant": "a"}, "'a' sits twice in 'g'; give each of the two settings its own name"),
        ({"game_id": "h"}, "at least two seats in each game: 'g' has one"),
        ({"block": "x"}, "'g' is of 'g' and 'x'"),
    ],
)
def test_bad_rows_are_refused_in_a_sentence(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Results.from_rows([DUEL[0], DUEL[1] | change])


@given(st.integers(0, 4), st.permutations("abc"))
def test_nobody_sits_twice_in_any_game(game: int, seats: list[str]) -> None:
    rows = []
    for number in range(5):
        rows += [{"game_id": f"g{number}", "entrant": name} for name in seats]
    assert Results.from_rows(rows).games == 5
    rows[3 * game]["entrant"] = seats[2]
    with pytest.raises(ValueError, match=f"'{seats[2]}' sits twice in 'g{game}'"):
        Results.from_rows(rows)


def test_nan_is_not_known() -> None:
    rows = [DUEL[0], DUEL[1] | {"place": float("nan")}]
    assert np.isnan(Results.from_rows(rows).columns["place"]).tolist() == [False, True]


def test_a_table_keeps_its_size_when_seats_are_left_out() -> None:
    results = Results.from_rows(told_orders("a > b > c", "c > a > b"))
    left = results.where(np.array([True, True, False, True, True, True]))
    assert left.columns["table"].tolist() == [3, 3, 3, 3, 3]


def test_blocks_of_an_entrant_are_counted_once() -> None:
    rows = told_orders("a > b", "b > a", "a > c")
    for row in rows[:4]:
        row["block"] = "shared"
    results = Results.from_rows(rows)
    assert (results.entrants, results.own_blocks.tolist()) == (("a", "b", "c"), [2, 1, 1])


def test_nan_is_missing_as_none_is() -> None:
    rows = told_orders("a > b > c", "b > a > c", "c > a > b")
    bare = [{**row, "block": None, "provider": None, "place": row["place"]} for row in rows]
    bare[2]["place"] = None
    frame = [{**row, "block": nan, "provider": np.float64("nan"), "game": nan} for row in bare]
    frame[2]["place"] = nan
    results = Results.from_rows(frame)
    assert np.flatnonzero(np.isnan(results.columns["place"])).tolist() == [2]
    assert results.blocks == results.game_ids
    assert {*results.text("game"), *results.text("provider")} == {""}
    assert np.array_equal(fit(results).skill, fit(Results.from_rows(bare)).skill)
    with pytest.raises(ValueError, match="expected row 1 to have 'entrant'"):
        Results.from_rows([{**frame[0], "entrant": nan}])


def test_without_seats_the_order_of_rows_moves_no_rating() -> None:
    rows = []
    for number in range(8):
        for place, entrant in enumerate("abcdefg"):
            tied = 1 + (place + number) % 7 // 5
            rows.append({"game_id": f"g{number}", "entrant": entrant, "place": tied})
    given = fit(Results.from_rows(rows))
    mixed = fit(Results.from_rows(rows[::-1]))
    assert np.array_equal(given.skill, mixed.skill)
    assert np.array_equal(given.covariance, mixed.covariance)


def test_parts_are_who_met() -> None:
    results = Results.from_rows(told_orders("e > d", "a > b", "c > b", "g > h > f", "f > e"))
    assert results.parts() == [frozenset("defgh"), frozenset("abc")]
    without_e = results.where(results.entrant != results.entrants.index("e"))
    assert without_e.parts() == [frozenset("abc"), frozenset("fgh")]


@pytest.mark.parametrize(
    ("lots", "places"),
    [
        ("", [1, 2, 3, 4, 5]),
        ("ab", [1, 1, 3, 4, 5]),
        ("abc", [1, 1, 1, 4, 5]),
        ("abde", [1, 1, 3, 4, 5]),
        ("de", [1, 2, 3, 4, 5]),
        ("a", [1, 1, 3, 4, 5]),
    ],
)
def test_a_final_by_lot_becomes_a_tie(lots: str, places: list[int]) -> None:
    rows = told_orders("a > b > c > d > e")
    for row in rows:
        row["lot"] = row["entrant"] in lots
    assert Results.from_rows(rows).without_lots().columns["place"].tolist() == places


def test_a_lot_moves_no_other_game() -> None:
    rows = told_orders("a > b", "a > b", "b > a")
    rows[0]["lot"] = rows[1]["lot"] = True
    results = Results.from_rows(rows)
    assert fit(results, lots="tie").skill == pytest.approx([0, 0], abs=1e-9)
    assert fit(results).skill[0] > 0.3
