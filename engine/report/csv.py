"""Tables as CSV (RFC 4180) that no spreadsheet can mistake for a program."""

from collections.abc import Iterable, Sequence

# What a spreadsheet may take for the beginning of a formula; the wide forms are read as the narrow
# ones.
FORMULA = tuple("=+-@|%\t\r\n") + tuple("\uff1d\uff0b\uff0d\uff20")


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return `rows` under `columns` as CSV; numbers have up to 6 decimals, None is an empty cell.

    A text that a spreadsheet could take for a formula gets an apostrophe before it.
    """
    return "".join(",".join(map(csv_cell, row)) + "\r\n" for row in (columns, *rows))


def csv_cell(value: object) -> str:
    """Return one cell, in quotes if it must be."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")
    text = str(value)
    if isinstance(value, str) and text.lstrip(" \u00a0\u3000\ufeff\u200b'\"").startswith(FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text
