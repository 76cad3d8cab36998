"""A climb: one entrant plays opponents of known strength near its current estimate."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from engine.ratings import Results
from engine.ratings.ladder import BATCH, Ladder, LadderGame, next_rungs
from engine.rng import number
from engine.tournaments.schedule.draw import SEEDS, Draw, Schedule, game_id_of
from engine.tournaments.terms import Cup
from protocol.suggest import one_of

CLIMB = "climb"


class Climb(Schedule):
    """`climber` plays rungs with a known `elo`, alternating between the first and second seat.

    The first six games are spread over the ladder. In each later batch of six, the opponent is the
    rung nearest to the estimate. A game in which the climber is not rated carries no information.
    """

    climber: str
    elo: dict[str, float] = Field(min_length=2)
    compares: ClassVar[bool] = False
    waits: ClassVar[str] = "a climb"

    @property
    def kinds(self) -> int:
        """The number of games in the first batch, which is spread over the ladder."""
        return BATCH

    @property
    def ladder(self) -> Ladder:
        """The rungs, weakest first; errors are 0 because they do not affect the choice of rungs."""
        rungs = sorted(self.elo, key=self.elo.__getitem__)
        elo = np.array([self.elo[rung] for rung in rungs])
        return Ladder(tuple(rungs), elo, np.zeros((len(rungs), len(rungs))))

    def draw(
        self, cup: Cup, draws: Sequence[Draw] = (), results: Results | None = None
    ) -> Iterator[Draw]:
        """Yield the games after `draws` up to the batch's end; this batch's results are ignored."""
        begin = len(draws) - len(draws) % BATCH
        end = min(cup.games, begin + BATCH)
        rungs = next_rungs(self.games_played(cup, draws[:begin], results), self.ladder, cup.seed)
        for index in range(len(draws), end):
            rung = rungs[index - begin]
            seats = (self.climber, rung) if index % 2 == 0 else (rung, self.climber)
            seed = number(cup.seed, "deal", index) % SEEDS
            yield Draw(index, game_id_of(cup, index), seats, seed, CLIMB)

    def games_played(
        self, cup: Cup, draws: Sequence[Draw], results: Results | None
    ) -> list[LadderGame]:
        """Return the rung and the climber's score of each finished game of `draws`."""
        if results is None:
            return []
        known = {game_id_of(cup, draw.number) for draw in draws}
        games = []
        for name, places in _places_by_game(results).items():
            if name in known and self.climber in places:
                own = places.pop(self.climber)
                for rung, place in places.items():
                    games.append((rung, 0.5 if place == own else float(place > own)))
        return games

    def check_table(self, cup: Cup) -> None:
        """Raise ValueError unless tables have two seats, and the climber and rungs are entrants."""
        if cup.table != 2:
            raise ValueError(f"expected table: 2 for a climb: got {cup.table}")
        for name in (self.climber, *self.elo):
            one_of(name, cup.entrants, "entrant")
        if self.climber in self.elo:
            raise ValueError(f"expected a climber that is not a rung: got {self.climber}")


def _places_by_game(results: Results) -> dict[str, dict[str, float]]:
    tables: dict[str, dict[str, float]] = {}
    seats = zip(results.game, results.entrant, results.columns["place"].tolist(), strict=True)
    for game, entrant, place in seats:
        table = tables.setdefault(results.game_ids[game], {})
        table[results.entrants[entrant]] = place
    return tables
