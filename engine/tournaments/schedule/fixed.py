"""Fixed games: the same tables in turn, for entrants that are measured but not compared."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from engine.ratings import Results
from engine.rng import number
from engine.tournaments.schedule.draw import SEEDS, Draw, Schedule, game_id_of
from engine.tournaments.terms import Cup
from protocol.suggest import one_of

FIXED = "fixed"


class Fixed(Schedule):
    """Deals use the `tables` in turn; an entrant can have several seats at one table.

    Seats rotate after each pass through the tables; with `mirror`, each deal is played in all
    rotations of its table. Deals use the values of each setting in `vary` in turn.
    """

    tables: tuple[tuple[str, ...], ...] = Field(min_length=1)
    mirror: bool = False
    vary: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    compares: ClassVar[bool] = False

    @property
    def kinds(self) -> int:
        """The number of games after which every table has been played."""
        return len(self.tables) * (len(self.tables[0]) if self.mirror else 1)

    def draw(
        self, cup: Cup, draws: Sequence[Draw] = (), results: Results | None = None
    ) -> Iterator[Draw]:
        """Yield the games after `draws`."""
        del results
        for index in range(len(draws), cup.games):
            deal, turn = self._deal_of(index)
            block = game_id_of(cup, index - turn)
            seed = number(cup.seed, "deal", deal) % SEEDS
            yield Draw(index, block, self._seats_of(deal, turn), seed, FIXED)

    def _seats_of(self, deal: int, turn: int) -> tuple[str, ...]:
        table = self.tables[deal % len(self.tables)]
        steps = (turn if self.mirror else deal // len(self.tables)) % len(table)
        return (*table[-steps:], *table[:-steps]) if steps else table

    def _deal_of(self, index: int) -> tuple[int, int]:
        """Return the numbers of a game's deal and rotation."""
        return divmod(index, len(self.tables[0])) if self.mirror else (index, 0)

    def variants(self) -> Iterator[Mapping[str, Any]]:
        """Yield each value of each setting that varies."""
        yield from ({name: value} for name, values in self.vary.items() for value in values)

    def settings_of(self, draw: Draw) -> Mapping[str, Any]:
        """Return the settings that replace the game's own settings in this deal."""
        deal, _ = self._deal_of(draw.number)
        return {name: values[deal % len(values)] for name, values in self.vary.items()}

    def check_table(self, cup: Cup) -> None:
        """Raise ValueError if a table has the wrong size or an unknown player."""
        for table in self.tables:
            if len(table) != cup.table:
                raise ValueError(f"expected tables of {cup.table}: got one of {len(table)}")
            for name in table:
                one_of(name, cup.entrants, "entrant")
