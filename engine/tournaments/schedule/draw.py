"""The base of all schedules: their interface, a scheduled game, and counts of exposure."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from engine.ratings import Results
from engine.ratings.columns import Ints
from engine.rng import number
from engine.tournaments.terms import Cup, SettingsPart

SEEDS = 10**12


@dataclass(frozen=True, slots=True)
class Draw:
    """A scheduled game that has not been played yet.

    `number` counts from 0, and `block` is the id of the first game with the same seed. `seats`
    lists the entrants in seat order, and `why` names the way the table was chosen.
    """

    number: int
    block: str
    seats: tuple[str, ...]
    seed: int
    why: str
    wording: int = 1


class Schedule(SettingsPart, ABC):
    """Base class of the ways to choose games; the fields are a schedule's options.

    `waits` is "" if the choice needs no results. Otherwise, it names the schedule in messages, and
    a batch is chosen only once all earlier games are over. `compares` says whether entrants are
    compared with one another. If they are, no two entrants may be the same player.
    """

    waits: ClassVar[str] = ""
    compares: ClassVar[bool] = True

    @property
    def kinds(self) -> int:
        """The number of games after which a schedule without comparisons has used every table."""
        return 1

    @abstractmethod
    def draw(
        self, cup: Cup, draws: Sequence[Draw] = (), results: Results | None = None
    ) -> Iterator[Draw]:
        """Yield the games after `draws`, up to the cup's `games` or the end of the next batch.

        The games depend only on the arguments, so a resumed tournament has the same games.
        `results` contains the finished games, for a schedule that waits for results.
        """

    def check(self, cup: Cup) -> None:
        """Raise ValueError if the options do not fit the tournament."""

    def check_table(self, cup: Cup) -> None:
        """Raise ValueError if a table cannot be filled, or its entrants cannot be compared."""
        entrants = len(cup.entrants)
        if entrants < 2:
            raise ValueError(f"expected at least two entrants: got {entrants}")
        if cup.table < 2:
            raise ValueError(f"expected table to be at least 2: got {cup.table}")
        if cup.table > entrants:
            raise ValueError(
                f"expected table to be at most the number of entrants, {entrants}: got {cup.table}"
            )

    def variants(self) -> Iterator[Mapping[str, Any]]:
        """Yield a one-item mapping for each setting and value that `settings_of` may return."""
        yield from ()

    def settings_of(self, draw: Draw) -> Mapping[str, Any]:
        """Return the settings that replace the tournament's game settings in one game."""
        del draw
        return {}

    def note(self, cup: Cup, games: int) -> str:
        """Return a caveat for a plan of this size, or "" if there is none."""
        del cup, games
        return ""


def draw_of(cup: Cup, index: int, places: Sequence[int], why: str) -> Draw:
    """Return game number `index` between the entrants at the indices `places`, in seat order."""
    entrants = list(cup.entrants)
    seats = tuple(entrants[place] for place in places)
    seed = number(cup.seed, "game", index) % SEEDS
    return Draw(index, game_id_of(cup, index), seats, seed, why)


def game_id_of(cup: Cup, index: int) -> str:
    """Return the id of game number `index`, which also names its log."""
    return f"{cup.name}_{index:06}"


class Exposure:
    """Counts of games (K,), seats taken (K, table) and meetings (K, K) of K entrants."""

    def __init__(self, entrants: Iterable[str], table: int) -> None:
        self.places = {name: place for place, name in enumerate(entrants)}
        number = len(self.places)
        self.games: Ints = np.zeros(number, dtype=np.int64)
        self.seats: Ints = np.zeros((number, table), dtype=np.int64)
        self.meetings: Ints = np.zeros((number, number), dtype=np.int64)

    def add(self, seats: Sequence[str]) -> None:
        """Count one game of the entrants in `seats`."""
        sitting = [self.places[name] for name in seats]
        self.games[sitting] += 1
        self.seats[sitting, range(len(sitting))] += 1
        for entrant in sitting:
            self.meetings[entrant, sitting] += 1
        self.meetings[sitting, sitting] = 0


def count_draws(cup: Cup, draws: Iterable[Draw]) -> Exposure:
    """Return how often entrants played, sat in each seat and met in these games."""
    exposure = Exposure(cup.entrants, cup.table)
    for draw in draws:
        exposure.add(draw.seats)
    return exposure
