"""Covariates: the terms of a seat's utility besides skill, as columns of the design matrix."""

from collections.abc import Callable, Iterable

import numpy as np

from engine.ratings.columns import Bools, Floats, SourceRow, number_names, value_in
from engine.ratings.results import Results

Columns = dict[str, Floats]


def design_of(results: Results, covariates: Iterable[str]) -> tuple[tuple[str, ...], Floats]:
    """Return the names of the design's columns, and each seat's value in each column.

    - `seat`: from -.5 at the first seat of the table to .5 at the last.
    - `seats`: a column for each seat number except 1, with the value 1 for that seat.
    - `same_provider`: the number of other seats at the table with the same provider.
    - `name`: a column for each name except the first in sorted order, with 1 for its seats.
    - `words`: the mean length of a speech, standardised within the game; 0 if unknown.

    Raise ValueError for any other covariate.
    """
    columns: Columns = {}
    for covariate in covariates:
        if covariate not in COVARIATES:
            known = ", ".join(COVARIATES)
            raise ValueError(f"expected each covariate to be one of {known}: got {covariate!r}")
        columns |= COVARIATES[covariate](results)
    empty = np.zeros((len(results.game), 0))
    return tuple(columns), np.column_stack([empty, *columns.values()])


def seats_change(rows: Iterable[SourceRow]) -> bool:
    """Return whether all seats are known and at least one entrant sat in different seats."""
    sat = {(row.get("entrant"), value_in(row, "seat")) for row in rows}
    entrants = {entrant for entrant, _ in sat}
    return None not in {seat for _, seat in sat} and len(sat) > len(entrants)


def _seat(results: Results) -> Columns:
    seat = results.columns["seat"] - 1
    last = results.columns["table"] - 1
    return {"seat": seat / last - 0.5}


def _seats(results: Results) -> Columns:
    seat = results.columns["seat"]
    later = np.unique(seat[seat > 1]).tolist()
    return {f"seat {number:g}": (seat == number).astype(float) for number in later}


def _same_provider(results: Results) -> Columns:
    names, provider = number_names(results.text("provider"))
    at_table = results.game * len(names) + provider
    others = np.bincount(at_table)[at_table] - 1.0
    known = np.array(names) != ""
    return {"same_provider": np.where(known[provider], others, 0.0)}


def _name(results: Results) -> Columns:
    names, name = number_names(results.text("name"))
    later = enumerate(names[1:], 1)
    return {f"name {each}": (name == number).astype(float) for number, each in later}


def _words(results: Results) -> Columns:
    words = results.columns["words"]
    known = ~np.isnan(words)
    apart = np.where(known, words, 0.0)
    usual = _game_means(results, apart, known)
    apart -= np.where(known, usual, 0.0)
    spread = np.sqrt(_game_means(results, apart**2, known))
    return {"words": apart / np.where(spread > 0, spread, 1.0)}


def _game_means(results: Results, values: Floats, known: Bools) -> Floats:
    """Return, for each seat, the mean of the known values in its game."""
    count = np.bincount(results.game, known)
    means = np.bincount(results.game, values) / np.maximum(count, 1)
    return means[results.game]


COVARIATES: dict[str, Callable[[Results], Columns]] = {
    "seat": _seat,
    "seats": _seats,
    "same_provider": _same_provider,
    "name": _name,
    "words": _words,
}
