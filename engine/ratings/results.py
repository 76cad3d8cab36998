"""The results that all ratings are based on: one row for each seat of each finished game."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self, TypeVar

import numpy as np

from engine.ratings.columns import (
    LEAST,
    Bools,
    Floats,
    Ints,
    SourceRow,
    number_names,
    row_numbers,
    row_texts,
    value_in,
)

# The defaults for numbers missing from a row.
USUAL = {"asks": 0, "fallbacks": 0, "lot": 0, "void": 0, "wording": 1}
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Results:
    """The seats of finished games as columns, independent of the order of the rows.

    Games are sorted by block and id, and seats by number if given, else by entrant. `game` and
    `entrant` contain the index of each seat's game and entrant, and `source` contains the rows.
    `columns` contains the numbers listed in LEAST (nan if missing), and `table`, the number of
    seats in the game as played. `unrated` maps entrants to reasons; the games of these entrants
    count only for opponents.
    """

    entrants: tuple[str, ...]
    game_ids: tuple[str, ...]
    blocks: tuple[str, ...]
    game: Ints
    entrant: Ints
    columns: Mapping[str, Floats]
    source: tuple[SourceRow, ...]
    unrated: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """Return the results in `rows`, with one row for each seat of a finished game.

        - `game_id`, `entrant`: required, as text.
        - `block`: a name shared by games with the same deal; the game's id by default.
        - `seat`: from 1; by default the row's position in its game.
        - `place`: 1 for the best, equal for ties; a seat without a place is below all others.
        - `payoff`, `score`: what the seat was paid, and its score.
        - `asks`, `fallbacks`: the numbers of the seat's questions and fallbacks; 0 by default.
        - `outlived`: how many seats were out before the round of the seat's first fallback; None if
          it had no fallback while it was in the game.
        - `lot`: whether a random draw decided the place.
        - `wording`: the number of the rules' wording; 1 by default.
        - `void`: whether the game is void; filter out void games before a fit.
        - `words`: the mean length of a public speech (a sum would favour players that stay longer).
        - `provider`, `name`, `cost`, `tokens`: used by covariates and tables.

        A nan counts as missing; other keys are ignored. Raise ValueError for a value of the wrong
        kind, a game with one seat or in two blocks, or an entrant in two seats of a game.
        """
        source = tuple(rows)
        entrants, entrant = number_names(row_texts(source, "entrant"))
        ids, game = _games(source)
        columns, seat = _columns(source, game)
        order = np.lexsort((entrant, seat, game))
        results = cls(
            entrants=entrants,
            game_ids=tuple(name for _, name in ids),
            blocks=tuple(block for block, _ in ids),
            game=game[order],
            entrant=entrant[order],
            columns={key: column[order] for key, column in columns.items()},
            source=_pick(source, order),
        )
        results._check()
        return results

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.game_ids)

    @cached_property
    def block(self) -> Ints:
        """The index of each seat's block, in the order of the blocks' names."""
        begins = [before != block for before, block in pairwise(self.blocks)]
        return np.cumsum([False, *begins])[self.game]

    @property
    def own_blocks(self) -> Ints:
        """The number of blocks that each entrant plays in."""
        number = len(self.entrants)
        meetings = np.unique(self.block * number + self.entrant)
        return np.bincount(meetings % number, minlength=number)

    def seat_pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield all pairs of seats at the same table, as two arrays of indices."""
        for step in range(1, int(np.bincount(self.game).max())):
            first = np.flatnonzero(self.game[:-step] == self.game[step:])
            yield first, first + step

    def text(self, key: str) -> tuple[str, ...]:
        """Return the text of `key` for each seat; "" where a row has none."""
        values = (value_in(row, key) for row in self.source)
        return tuple("" if value is None else str(value) for value in values)

    def without_lots(self) -> "Results":
        """Return the results with a tie for first where a random draw decided the first place.

        The tie covers the first two places and every place ahead of the best one decided by play.
        """
        places = np.where(self._tied_by_lot(), 1.0, self.columns["place"])
        return replace(self, columns={**self.columns, "place": places})

    def _tied_by_lot(self) -> Bools:
        place = self.columns["place"]
        lot = self.columns["lot"] > 0
        first = self._least(np.where(lot, place, np.inf))
        second = self._least(np.where(place > 1, place, np.inf))
        played = self._least(np.where(lot, np.inf, place))
        end = np.maximum(second + 0.5, played)
        tied: Bools = (first == 1)[self.game]
        return tied & (place < end[self.game])

    def where(self, keep: Bools) -> "Results":
        """Return the results of the seats in `keep`, minus games with fewer than two such seats."""
        seats = np.bincount(self.game[keep], minlength=self.games)
        kept = keep & (seats >= 2)[self.game]
        games, game = np.unique(self.game[kept], return_inverse=True)
        entrants, entrant = np.unique(self.entrant[kept], return_inverse=True)
        return replace(
            self,
            entrants=_pick(self.entrants, entrants),
            game_ids=_pick(self.game_ids, games),
            blocks=_pick(self.blocks, games),
            game=game,
            entrant=entrant,
            columns={key: column[kept] for key, column in self.columns.items()},
            source=_pick(self.source, np.flatnonzero(kept)),
        )

    def parts(self) -> list[frozenset[str]]:
        """Return the entrants of each connected part, largest part first."""
        entrants: dict[int, set[str]] = {}
        for name, number in zip(self.entrants, self._labels().tolist(), strict=True):
            entrants.setdefault(number, set()).add(name)
        # The sort is stable, so parts of equal size stay in the order of their first names.
        return [*map(frozenset, sorted(entrants.values(), key=len, reverse=True))]

    def _labels(self) -> Ints:
        """Return, for each entrant, the smallest index in its connected part."""
        label = np.arange(len(self.entrants))
        before = np.full_like(label, -1)
        while not np.array_equal(label, before):
            before = label.copy()
            lowest = np.full(self.games, len(label))
            np.minimum.at(lowest, self.game, label[self.entrant])
            np.minimum.at(label, self.entrant, lowest[self.game])
        return label

    def _least(self, values: Floats) -> Floats:
        """Return the smallest of the values in each game, or inf if a game has none."""
        least = np.full(self.games, np.inf)
        np.fmin.at(least, self.game, values)
        return least

    def _check(self) -> None:
        alone = np.flatnonzero(np.bincount(self.game) < 2)
        if len(alone):
            name = self.game_ids[alone[0]]
            raise ValueError(f"expected at least two seats in each game: {name!r} has one")
        number = len(self.entrants)
        seats, counts = np.unique(self.game * number + self.entrant, return_counts=True)
        twice = seats[counts > 1]
        if len(twice):
            game, entrant = divmod(int(twice[0]), number)
            raise ValueError(
                f"expected an entrant to sit once at a table: {self.entrants[entrant]!r} sits "
                f"twice in {self.game_ids[game]!r}; give each of the two settings its own name"
            )


def _games(rows: tuple[SourceRow, ...]) -> tuple[list[tuple[str, str]], Ints]:
    """Return the sorted (block, id) pairs of the games, and the index of each row's game."""
    names = row_texts(rows, "game_id")
    ordered = sorted((block, name) for name, block in _block_by_game(names, rows).items())
    number = {name: place for place, (_, name) in enumerate(ordered)}
    return ordered, np.array([number[name] for name in names], dtype=np.int64)


def _block_by_game(names: Sequence[str], rows: tuple[SourceRow, ...]) -> dict[str, str]:
    blocks: dict[str, str] = {}
    for name, row in zip(names, rows, strict=True):
        block_name = value_in(row, "block")
        block = name if block_name is None else str(block_name)
        first = blocks.setdefault(name, block)
        if first != block:
            raise ValueError(
                f"expected a game to belong to one block: {name!r} is of {first!r} and {block!r}"
            )
    return blocks


def _columns(rows: tuple[SourceRow, ...], game: Ints) -> tuple[dict[str, Floats], Floats]:
    """Return the rows' numbers by key with gaps filled, and the seats as given."""
    columns = _numbers_in(rows)
    seats = columns["seat"]
    columns["seat"] = np.where(np.isnan(seats), _turns(game), seats)
    # The table size is the number of rows, or the last seat's number if that is larger.
    sizes = np.bincount(game).astype(np.float64)
    np.maximum.at(sizes, game, columns["seat"])
    columns["table"] = sizes[game]
    return columns, seats


def _numbers_in(rows: tuple[SourceRow, ...]) -> dict[str, Floats]:
    """Return the rows' numbers by key; missing ones are nan, or their default in USUAL."""
    keys = set().union(*rows)
    missing = np.full(len(rows), np.nan)
    columns = {key: row_numbers(rows, key) if key in keys else missing for key in LEAST}
    for key, usual in USUAL.items():
        columns[key] = np.nan_to_num(columns[key], nan=usual)
    return columns


def _turns(game: Ints) -> Floats:
    """Return the position of each row in its game, from 1."""
    order = np.argsort(game, kind="stable")
    ordered = game[order]
    turns = np.empty(len(game))
    turns[order] = np.arange(1, len(game) + 1) - np.searchsorted(ordered, ordered)
    return turns


def _pick(items: tuple[Item, ...], places: Ints) -> tuple[Item, ...]:
    return tuple(map(items.__getitem__, places.tolist()))
