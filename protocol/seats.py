"""SEATS, the table of the kinds of seats: how each is checked, who plays it, and who is asked.

A new kind needs a file with its Player, and a row here.
"""

import random
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel

from protocol.suggest import one_of
from protocol.turn import Answerer, Script, Scripts
from providers import PROVIDERS, Client

NUMBERED = re.compile(r"(.+)-([1-9][0-9]{0,11})")


class Offer(Protocol):
    """A game's own players: scripts by name, and policies that were trained for it.

    `aliases` are other names of scripts, such as those in the game's source. The names of
    `numbered` scripts may end in a dash and a number (mcts-64), which is passed as `number`.
    """

    name: ClassVar[str]
    strategies: ClassVar[Scripts]
    aliases: ClassVar[Mapping[str, str]]
    numbered: ClassVar[Collection[str]]

    @classmethod
    def trained(cls, path: str) -> Script:
        """Return a script that plays the policy in a file; raise ValueError if that fails."""
        ...

    def refuses(self, strategy: str) -> str:
        """Return why a script cannot play under the game's settings, or "" if it can."""
        ...


@dataclass(frozen=True, slots=True)
class Supplies:
    """Objects for a seat's player, created on demand; `asks` limits the attempts per question."""

    offer: Offer
    client: Callable[[], Client]
    answerer: Callable[[], Answerer]
    draws: Callable[[], random.Random]
    asks: int


def split_number(strategy: str) -> tuple[str, int]:
    """Return a script's name and the number after its dash, or 0 if it has none.

    >>> split_number("mcts-64"), split_number("mcts"), split_number("tit-for-tat")
    (('mcts', 64), ('mcts', 0), ('tit-for-tat', 0))
    """
    match = NUMBERED.fullmatch(strategy)
    return (match[1], int(match[2])) if match else (strategy, 0)


def check_strategy(model: str, offer: Offer) -> str:
    """Return the game's strategy that `model` names; raise ValueError if it cannot be played."""
    name = offer.aliases.get(model, model)
    if split_number(name)[0] not in offer.numbered:
        name = one_of(name, offer.strategies, f"strategy of {offer.name}")
    why_not = offer.refuses(name)
    if why_not:
        raise ValueError(why_not)
    return name


def script_of(strategy: str, offer: Offer) -> Script:
    """Return the script of a checked strategy, bound to its number if it has one."""
    name, number = split_number(strategy)
    if name not in offer.numbered:
        return offer.strategies[strategy]
    script: Callable[..., BaseModel] = offer.strategies[name]
    return partial(script, number=number)


@dataclass(frozen=True, slots=True)
class SeatKind:
    """A kind of seat.

    - `player`: import path of its Player class, whose `sit` creates the player.
    - `asks`: whether a model (its calls are metered), a person, or neither answers.
    - `computed`: answers are computed here, deterministically, by a player that belongs to a game.
    - `check`: returns the canonical name of the seat's `model`; raises ValueError if the game has
      no such player. By default, the model is checked only when the seat is taken.
    - `reads_file`: the seat's `model` is the path of a file that decides how the seat plays.
    """

    player: str
    asks: Literal["model", "person", "nobody"]
    computed: bool = False
    check: Callable[[str, Offer], str] = lambda model, _: model
    reads_file: bool = False

    def player_class(self) -> Any:
        """Return the Player subclass of this kind."""
        return resolve_name(self.player)


MODEL = SeatKind("player:LLMPlayer", asks="model")
SEATS: dict[str, SeatKind] = {
    "scripted": SeatKind(
        "player:ScriptedPlayer",
        asks="nobody",
        computed=True,
        check=check_strategy,
    ),
    "trained": SeatKind("player:TrainedPlayer", asks="nobody", computed=True, reads_file=True),
    "human": SeatKind("player:HumanPlayer", asks="person"),
    **dict.fromkeys(PROVIDERS, MODEL),
}


def seat_kind(provider: str) -> SeatKind:
    """Return the kind of a provider's seat; unknown providers, as in imported logs, are models."""
    return SEATS.get(provider, MODEL)
