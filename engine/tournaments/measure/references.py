"""The references for a suite's points: the scripts' results on all deals, and the ladders."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from engine.ratings.ladder import Ladder
from engine.record.files import read_json, read_regular


class PlacedLadder(BaseModel):
    """A stored ladder: the Elo and covariance of all rungs, including the floor script at 0."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rungs: tuple[str, ...]
    elo: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    games: int

    def elo_of(self, rungs: Iterable[str]) -> dict[str, float]:
        """Return the Elo of each of these rungs."""
        known = dict(zip(self.rungs, self.elo, strict=True))
        return {rung: known[rung] for rung in rungs}

    def ladder(self, rungs: Iterable[str] | None = None) -> Ladder:
        """Return the ladder of these rungs, or of all rungs by default."""
        kept = set(self.rungs if rungs is None else rungs)
        places = [place for place, rung in enumerate(self.rungs) if rung in kept]
        covariance = np.array(self.covariance)[np.ix_(places, places)]
        names = tuple(self.rungs[place] for place in places)
        return Ladder(names, np.array(self.elo)[places], covariance)


class References(BaseModel):
    """Each task's reference results: its scripts' values in every game, or its placed ladder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scripts: dict[str, dict[str, tuple[float, ...]]] = {}
    ladders: dict[str, PlacedLadder] = {}


def placed_ladder(placed: Ladder, games: int) -> PlacedLadder:
    """Return a ladder in stored form, with Elo to two decimals."""
    return PlacedLadder(
        rungs=placed.rungs,
        elo=tuple(np.round(placed.elo, 2).tolist()),
        covariance=tuple(map(tuple, np.round(placed.covariance, 2).tolist())),
        games=games,
    )


def read_references(path: Path, again: str) -> References:
    """Return the references in a file, or raise ValueError, whose message ends with `again`."""
    try:
        return References.model_validate(read_json(read_regular(path)))
    except (OSError, ValueError) as error:
        raise ValueError(f"expected {path} to have reference results: {again}") from error
