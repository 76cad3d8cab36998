"""Balanced games: entrants play, sit in each seat and meet each other equally often.

A game depends only on the settings and the earlier games, so a resumed, extended or sharded
tournament has the same games.
"""

from collections.abc import Iterator, Sequence

from engine.ratings import Results
from engine.rng import stream
from engine.runs.rotation import rotation_note
from engine.tournaments.schedule.draw import Draw, Exposure, Schedule, count_draws, draw_of
from engine.tournaments.schedule.even_table import choose_table
from engine.tournaments.terms import Cup

BALANCED = "balanced"
MIRRORED = "mirrored"


class Balanced(Schedule):
    """All entrants play equally often; with `mirror`, each table is used in all seat rotations."""

    mirror: bool = False

    def draw(
        self, cup: Cup, draws: Sequence[Draw] = (), results: Results | None = None
    ) -> Iterator[Draw]:
        """Yield the games after `draws`.

        Each table takes the entrants that played least and, among equals, met least; the seed
        breaks ties. Seats are assigned as evenly as possible. All rotations share a seed.
        """
        del results
        exposure = count_draws(cup, draws)
        for index in range(len(draws), cup.games):
            is_fresh = index % self.rotations(cup) == 0
            draw = draw_fresh(cup, exposure, index) if is_fresh else rotate(draws[-1], index)
            exposure.add(draw.seats)
            draws = [draw]
            yield draw

    def rotations(self, cup: Cup) -> int:
        """Return how many seat rotations of each table are played."""
        return cup.table if self.mirror else 1

    def check(self, cup: Cup) -> None:
        """Raise ValueError for rotations if the game's seat order does not matter."""
        if self.mirror and not cup.rotates:
            raise ValueError(
                f"expected no mirror: in {cup.game['name']} all seats are alike, so each rotation "
                "would be the same game"
            )

    def note(self, cup: Cup, games: int) -> str:
        """Return a note if the last table lacks some of its rotations, or "" otherwise."""
        note = rotation_note(games, self.rotations(cup)) if self.mirror else ""
        return f"{note}." if note else ""


def rotate(before: Draw, index: int) -> Draw:
    """Return the game after `before` in the same block, with each entrant moved one seat on."""
    seats = (before.seats[-1], *before.seats[:-1])
    return Draw(index, before.block, seats, before.seed, MIRRORED)


def draw_fresh(cup: Cup, exposure: Exposure, index: int) -> Draw:
    """Return game number `index`, with the entrants that have played and met least."""
    table = choose_table(exposure, stream(cup.seed, "table", index))
    return draw_of(cup, index, table, BALANCED)
