"""A conversation as plain data: the spoken items, their speakers, and each player's ranking."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

# How a bank is dealt: half of its items have one subject, or a fair coin decides for each item.
Composition: TypeAlias = Literal["half", "coin"]
COMPOSITIONS = get_args(Composition)


class Item(NamedTuple):
    """An item with a unique `id`, one or two `subjects` (from 0), and an importance in [0, 1]."""

    id: str
    player_id: str
    subjects: tuple[int, ...]
    importance: float


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as plain data in tuples or lists, ready for `score`.

    `length` is the configured length L, and `subjects` is the number of subjects S. Each ranking
    lists the subjects 0 to S-1, best first. `turns` lists the ids of the spoken items, with None
    for a pause. Raises ValueError if the conversation cannot be scored.
    """

    length: int
    subjects: int
    rankings: Mapping[str, Sequence[int]]
    items: Mapping[str, Item]
    turns: Sequence[str | None]

    def __post_init__(self) -> None:
        if self.length < 0:
            raise ValueError(f"expected length to be at least 0: {self.length!r}")
        if self.subjects < 0:
            raise ValueError(f"expected subjects to be at least 0: {self.subjects!r}")
        rankings = {player_id: tuple(ranking) for player_id, ranking in self.rankings.items()}
        object.__setattr__(self, "rankings", rankings)
        self._check_rankings()
        items = {}
        for key, (item_id, player_id, subjects, importance) in self.items.items():
            item = Item(item_id, player_id, tuple(subjects), float(importance))
            _check_item(key, item, self.subjects, rankings)
            items[key] = item
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "turns", tuple(self.turns))
        self._check_turns()

    @classmethod
    def unchecked(cls, **fields: Any) -> "Conversation":
        """Return a conversation without checks; the fields must be valid, as dicts and tuples."""
        conversation = object.__new__(cls)
        for name, value in fields.items():
            object.__setattr__(conversation, name, value)
        return conversation

    def _check_rankings(self) -> None:
        everything = list(range(self.subjects))
        for player_id, ranking in self.rankings.items():
            if sorted(ranking) != everything:
                raise ValueError(
                    f"expected the ranking of {player_id!r} to be a permutation of 0 to S-1: "
                    f"{ranking!r}"
                )

    def _check_turns(self) -> None:
        if len(self.turns) > self.length:
            raise ValueError(f"expected at most length turns, {self.length}: {len(self.turns)}")
        for item_id in self.turns:
            if item_id is not None and item_id not in self.items:
                raise ValueError(f"expected turns to be None or ids of items: {item_id!r}")


def spoken_items(conversation: Conversation) -> list[Item | None]:
    """Return the item of each turn, or None for a pause."""
    items = conversation.items
    return [None if item_id is None else items[item_id] for item_id in conversation.turns]


def _check_item(
    key: str,
    item: Item,
    subjects: int,
    players: Container[str],
) -> None:
    item_id, player_id, own, importance = item
    if item_id != key:
        raise ValueError(f"expected item {key!r} to be stored under its own id: {item_id!r}")
    if player_id not in players:
        raise ValueError(f"expected the player of item {key!r} to have a ranking: {player_id!r}")
    many = len(own)
    if not 1 <= many <= 2 or (many == 2 and own[0] == own[1]):
        raise ValueError(f"expected item {key!r} to have one subject or two distinct ones: {own!r}")
    for subject in own:
        if not 0 <= subject < subjects:
            raise ValueError(
                f"expected the subjects of item {key!r} to be at least 0 and below {subjects}: "
                f"{own!r}"
            )
    if not isfinite(importance):
        raise ValueError(f"expected the importance of item {key!r} to be a number: {importance!r}")
