"""Convert rows from any source to columns of numbers and names; errors name the faulty row."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isnan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
SourceRow = Mapping[str, object]

# The columns of numbers, and the smallest value allowed in each (None if any is allowed).
LEAST: dict[str, float | None] = {
    "seat": 1,
    "place": 1,
    "score": None,
    "payoff": None,
    "asks": 0,
    "fallbacks": 0,
    "lot": 0,
    "outlived": 0,
    "words": 0,
    "cost": 0,
    "tokens": 0,
    "void": 0,
    "wording": 1,
}
# Fourth powers of larger numbers overflow a float.
MOST = 1e60
# The maximum number of values held in memory at once for a portion of the blocks.
PORTION = 1 << 22
WHOLE = {"seat", "place", "asks", "fallbacks", "lot", "outlived", "tokens", "void", "wording"}


def value_in(row: SourceRow, key: str) -> object:
    """Return a row's value for `key`; None if it is missing or, as in data frames, nan."""
    value = row.get(key)
    if isinstance(value, float) and isnan(value):
        return None
    return value


def row_texts(rows: Sequence[SourceRow], key: str) -> list[str]:
    """Return each row's text for `key`; raise ValueError if any row has none."""
    values = []
    for number, row in enumerate(rows, 1):
        value = value_in(row, key)
        if value is None or value == "":
            text = repr(dict(row))
            excerpt = text if len(text) <= 80 else f"{text[:77]}..."
            raise ValueError(f"expected row {number} to have {key!r}: got {excerpt}")
        values.append(str(value))
    return values


def row_numbers(rows: Sequence[SourceRow], key: str) -> Floats:
    """Return each row's number for `key`, or nan if it is missing.

    Raise ValueError for a value that is not a number or that MOST, LEAST or WHOLE rules out.
    """
    values = [row.get(key) for row in rows]
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([_number(value) for value in values])
    least = LEAST[key]
    wrong = np.abs(numbers) > MOST
    if least is not None:
        wrong |= numbers < least
    if key in WHOLE:
        wrong |= (np.floor(numbers) != numbers) & ~np.isnan(numbers)
    if wrong.any():
        first = int(np.argmax(wrong))
        expected = _kind_in_words(key, numbers[first])
        raise ValueError(
            f"expected {key!r} of row {first + 1} to be {expected}: got {values[first]!r}"
        )
    return numbers


def _kind_in_words(key: str, wrong: float) -> str:
    """Return a description of the numbers allowed for `key`, for an error message."""
    kind = "a whole number" if key in WHOLE else "a number"
    limit = "" if LEAST[key] is None else f" from {LEAST[key]:g}"
    most = f", {MOST:g} at most" if MOST < abs(wrong) < inf else ""
    return f"{kind}{limit}, or missing{most}"


def number_names(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Return the distinct names, sorted, and the index of each of `names` among them."""
    ordered = sorted(set(names))
    number = {name: place for place, name in enumerate(ordered)}
    return tuple(ordered), np.array([number[name] for name in names], dtype=np.int64)


def portions(block: Ints, columns: int) -> Iterator[tuple[slice, Ints]]:
    """Yield slices of a few whole blocks, and each row's block number within its slice, from 0.

    `block` lists the rows' block numbers from 0, in ascending order. A slice contains as many
    blocks as fit in memory at `columns` numbers per block.
    """
    blocks = int(block[-1]) + 1
    many = max(1, PORTION // columns)
    for begin in range(0, blocks, many):
        ends = np.searchsorted(block, (begin, begin + many))
        rows = slice(int(ends[0]), int(ends[1]))
        yield rows, block[rows] - begin


def cells(line: Ints, column: Ints, values: Floats, shape: tuple[int, int]) -> Floats:
    """Return a matrix of `shape`; each cell is the sum of the values at its line and column."""
    lines, columns = shape
    place = line * columns + column
    sums = np.bincount(place, values, lines * columns)
    return np.asarray(sums, np.float64).reshape(shape)


def line_sums(line: Ints, values: Floats, lines: int) -> Floats:
    """Return, for each line, the sum of each column of `values`."""
    sums = np.zeros((lines, values.shape[1]))
    for place, column in enumerate(values.T):
        sums[:, place] = np.bincount(line, column, lines)
    return sums


def root_of(matrices: Floats) -> Floats:
    """Return, for each positive semidefinite matrix, a root L such that L L' is the matrix."""
    values, vectors = np.linalg.eigh(matrices)
    roots = np.sqrt(np.maximum(values, 0.0))
    return np.asarray(vectors * roots[..., np.newaxis, :], np.float64)


def _number(value: object) -> float:
    """Return a value as a number; nan for None, infinity for anything else that is not a number."""
    if value is None:
        return np.nan
    try:
        return float(str(value))
    except ValueError:
        return np.inf
