"""The draws of a script that is asked again: a lot falls on the same name however a list stands.

A script that takes the first of a list looks at its order. One that draws by lot does not, though
the lot falls on a place: here it falls on the place that the name had in the game.
"""

import random
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from operator import attrgetter
from typing import Any, Self

from player import Player, Turn


class PlacedName(str):
    """A name that knows its place in the list that its reader had in the game."""

    __slots__ = ("place",)
    place: int

    @classmethod
    def listed(cls, names: Iterable[str], *, turned: bool) -> tuple[Self, ...]:
        """Return `names` with their places; `turned`: in the game they stood the other way."""
        placed = [cls(name) for name in names]
        as_it_was = placed[::-1] if turned else placed
        for place, name in enumerate(as_it_was):
            name.place = place
        return tuple(placed)


class SameLuck(random.Random):
    """A random stream whose lots among placed names fall as they did in the game.

    It holds for `choice`, by which scripts of the games draw.
    """

    def choice(self, seq: Any) -> Any:
        """Return one of `seq`; placed names are drawn from as they stood in the game."""
        kinds = {type(one) for one in seq}
        if kinds == {PlacedName}:
            seq = sorted(seq, key=attrgetter("place"))
        return super().choice(seq)


def with_same_luck(player: Player) -> Player:
    """Return a computed seat that is where `player` is in its draws, and moves none of them."""
    twin = copy(player)
    drawn: random.Random | None = getattr(player, "rng", None)
    if drawn is not None:
        rng = SameLuck()
        rng.setstate(drawn.getstate())
        vars(twin)["rng"] = rng
    return twin


def with_places(turn: Turn[Any], *, turned: bool) -> Turn[Any]:
    """Return a question in which each option knows its place in the game."""
    seen = turn.observation
    options = PlacedName.listed(seen.options, turned=turned)
    return turn._replace(observation=replace(seen, options=options))
