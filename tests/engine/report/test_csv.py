"""CSV: read back by anyone, run by no spreadsheet."""

import csv
import io

import pytest

from engine.report.csv import csv_text


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_cells_are_read_back() -> None:
    text = csv_text(
        ("name", "points"), [('a "b", c', 1 / 3), ("two\nlines", 2.0), ("", None), ("d", -7)]
    )
    assert read(text) == [
        ["name", "points"], ['a "b", c', "0.333333"], ["two\nlines", "2"], ["", ""], ["d", "-7"]
    ]  # fmt: skip


def test_numbers_stay_numbers() -> None:
    assert read(csv_text(("n",), [(-0.5,), (-0.0000001,), (12,), (float("nan"),)])) == [
        ["n"], ["-0.5"], ["0"], ["12"], ["nan"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\uff1d1", "  =1"]
)
def test_no_text_begins_a_formula(text: str) -> None:
    assert read(csv_text(("said",), [(text,)]))[1] == [f"'{text}"]
