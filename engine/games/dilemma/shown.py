"""What an agent of blocks is shown: a list that is its own to keep or to change, copied only when it was."""

from collections.abc import Callable, Iterable
from typing import Any

from engine.games.dilemma.rules import Move, Pair


class History(list[Pair]):
    """A list of pairs of moves; once changed it refers to itself, so it never looks as if nobody kept it."""

    __slots__ = ("changed",)
    changed: "History | None"


def noting(change: Callable[..., Any]) -> Callable[..., Any]:
    """Return a list's method that notes in a history that it is changed."""

    def noted(history: History, *args: Any, **named: Any) -> Any:
        history.changed = history
        return change(history, *args, **named)

    return noted


CHANGES = "__delitem__ __iadd__ __imul__ __init__ __setitem__ append clear extend insert pop remove reverse sort"
for _name in CHANGES.split():
    setattr(History, _name, noting(getattr(list, _name)))


def unchanged(pairs: Iterable[Pair]) -> History:
    """Return these pairs as a history that nobody has changed."""
    history = History(pairs)
    history.changed = None
    return history


def another(history: History, own: list[Move], opponent: list[Move]) -> History:
    """Return a history of the same game for an agent that kept or changed this one."""
    return unchanged(zip(own, opponent, strict=True) if history.changed is not None else history)
