"""An adapter that lets any of the arena's strategies play in another simulator of this game.

It needs only Python and a copy of the folder `engine/`.
"""

import random
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from engine.games.conversation.record import COMPOSITIONS, Composition, Item
from engine.games.conversation.state import Observation
from engine.games.conversation.strategies import strategy_named


class News(Protocol):
    """An item in another simulator; its `player_id` or `player` attribute identifies its owner."""

    @property
    def id(self) -> Hashable:
        """Return the key that identifies the item."""

    @property
    def subjects(self) -> Sequence[int]:
        """Return the item's one or two subjects."""

    @property
    def importance(self) -> float:
        """Return the item's importance, from 0 to 1."""


NewsItem = TypeVar("NewsItem", bound=News)
# Comparisons are faster if all visitors share one object for each item.
shared_item = lru_cache(maxsize=1024)(Item)


class Visitor(Generic[NewsItem]):
    """A strategy in another simulator: it reads a history and proposes an item from its bank.

    `me` is the visitor's id in that simulator, `ranking` has all subjects, favourite first, and
    `composition` states how banks are dealt. Seats and spoken items are numbered in the order of
    speaking, so a strategy computes each turn only once for all visitors in a game. Raises
    ValueError for an invalid number of players, composition or strategy.
    """

    def __init__(
        self,
        me: Hashable,
        bank: Sequence[NewsItem],
        ranking: Sequence[int],
        *,
        players: int,
        length: int,
        strategy: str = "foresight",
        seed: int = 0,
        composition: Composition = "half",
    ) -> None:
        if players < 1:
            raise ValueError(f"expected players to be at least 1: {players!r}")
        if composition not in COMPOSITIONS:
            raise ValueError(f"expected composition to be half or coin: {composition!r}")
        self._strategy = strategy_named(strategy)
        self._me = me
        self._bank = tuple(bank)
        self._ranking = tuple(ranking)
        self._players = tuple(f"player {number}" for number in range(1, players + 1))
        self._length = length
        self._composition = composition
        self._rng = random.Random(seed)
        self._begin()

    def _begin(self) -> None:
        """Reset the visitor to an empty history."""
        self._subjects = {name: place for place, name in enumerate(sorted(self._ranking))}
        self._ranked = tuple(map(self._number, self._ranking))
        self._heard: list[NewsItem | None] = []
        self._turns: list[Item | None] = []
        self._spoke = dict.fromkeys(self._players, 0)
        self._seats: dict[Hashable, str] = {}
        self._names: dict[Hashable, str] = {}
        # The visitor's items under their current names; empty if the names have changed.
        self._own: list[Item] = []

    def propose(self, history: Sequence[NewsItem | None]) -> NewsItem | None:
        """Return the item from the bank to propose after this history, or None to stay silent.

        Raises ValueError if more players speak than expected.
        """
        self._listen(history)
        seen = self._observation()
        chosen = self._strategy(seen, self._rng)
        for item, news in zip(seen.bank, self._bank, strict=True):
            if item.id == chosen:
                return news
        return None

    def _listen(self, history: Sequence[NewsItem | None]) -> None:
        """Process the new turns, or all turns if the history does not continue the previous one."""
        known = len(self._heard)
        if [*history[:known]] != self._heard:
            self._begin()
            known = 0
        for news in history[known:]:
            turn = None if news is None else self._hear(news)
            self._turns.append(turn)
            self._heard.append(news)

    def _hear(self, news: NewsItem) -> Item:
        """Register a spoken item and its speaker; return the item in the strategies' format."""
        attribute = "player_id" if hasattr(news, "player_id") else "player"
        speaker: Hashable = getattr(news, attribute)
        if speaker not in self._seats:
            self._check_room()
            self._seats[speaker] = self._players[len(self._seats)]
        seat = self._seats[speaker]
        self._spoke[seat] += 1
        if speaker == self._me:
            self._own = []
        name = self._names.setdefault(news.id, f"item {len(self._names)}")
        return self._item(news, name, seat)

    def _observation(self) -> Observation:
        """Return the seat's current observation."""
        seat = self._my_seat()
        if not self._own:
            for place, news in enumerate(self._bank):
                name = self._names.get(news.id, f"own {place}")
                self._own.append(self._item(news, name, seat))
        return Observation(
            player_id=seat,
            players=self._players,
            bank=tuple(self._own),
            # Unranked subjects come last.
            ranking=(*self._ranked, *range(len(self._ranked), len(self._subjects))),
            length=self._length,
            subjects=len(self._subjects),
            bank_size=len(self._bank),
            turns=tuple(self._turns),
            contributions=self._spoke.copy(),
            composition=self._composition,
        )

    def _number(self, subject: int) -> int:
        """Return the number of a subject; unranked subjects get the next number."""
        return self._subjects.setdefault(subject, len(self._subjects))

    def _my_seat(self) -> str:
        """Return the visitor's seat, which is the last seat until the visitor has spoken."""
        if self._me in self._seats:
            return self._seats[self._me]
        self._check_room()
        return self._players[-1]

    def _check_room(self) -> None:
        """Raise ValueError unless there is a seat for one more player."""
        taken = len(self._seats)
        if taken >= len(self._players):
            raise ValueError(
                f"expected {taken + 1} players or more, who all spoke: got {len(self._players)}"
            )

    def _item(self, news: NewsItem, name: str, seat: str) -> Item:
        """Return an item in the form that strategies use."""
        subjects = tuple(map(self._number, news.subjects))
        return shared_item(name, seat, subjects, float(news.importance))
