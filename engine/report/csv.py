"""Tables as CSV (RFC 4180) with no cell that a spreadsheet could read as a formula."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

# Characters that a spreadsheet may read as the start of a formula, including full-width forms.
FORMULA = tuple("=+-@|%\t\r\n") + tuple("\uff1d\uff0b\uff0d\uff20")
# Characters that may precede a formula without hiding it.
BLANK = " \u00a0\u3000\ufeff\u200b'\""


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return `rows` as CSV; numbers have up to 6 decimals, and formulas get a leading quote."""
    sheet = StringIO(newline="")
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(map(_cell_text, columns))
    for row in rows:
        writer.writerow(map(_cell_text, row))
    return sheet.getvalue()


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        # + 0.0 turns the -0.0 of a rounded small loss into 0.0.
        return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")
    text = str(value)
    if isinstance(value, str) and text.lstrip(BLANK).startswith(FORMULA):
        return f"'{text}"
    return text
