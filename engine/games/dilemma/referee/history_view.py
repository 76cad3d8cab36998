"""What an agent of blocks is shown: a list that is its own to keep or to change, yet no turn copies it.

It is one list that grows with the game, since to copy all of it every turn would make a long game
quadratic. Only when the agent kept it, as the count of its references tells, or changed it, is it
shown another one the next time.
"""

from collections.abc import Callable, Iterable
from functools import cache
from sys import getrefcount
from typing import Any

from engine.games.dilemma.agents.forms import Agent, Seat
from engine.games.dilemma.rules import PAYOFFS, TRIPLES, Move, Pair, score_of


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


def history_steps(agent: Agent) -> Seat:
    """Return the seat in steps of an agent of blocks: the first of its three moves is played, the others are not."""
    history, mine, theirs = unchanged(()), 0, 0
    alone, append = getrefcount(history), list.append

    def ask(own: list[Move], opponent: list[Move]) -> Move:
        nonlocal history, mine, theirs
        if own:
            if getrefcount(history) != alone:
                history = another(history, own[:-1], opponent[:-1])
            append(history, pair := (own[-1], opponent[-1]))
            gain, loss = PAYOFFS[pair]
            mine += gain
            theirs += loss
        return FIRST[tuple(agent(history, (mine, theirs)))]

    return ask


class Firsts(dict[tuple[str, ...], Move]):
    """The first of three moves."""

    def __missing__(self, answer: tuple[str, ...]) -> Move:
        """Raise ValueError for what is not three moves."""
        raise ValueError(f"expected three moves, each C or D: {answer!r:.80}")


FIRST = Firsts({triple: triple[0] for triple in TRIPLES})


def history_blocks(agent: Agent) -> Seat:
    """Return the seat of an agent of blocks: "the monitor passes the game history and score-thus-far"."""
    history, mine, theirs = unchanged(()), 0, 0
    alone, extend = getrefcount(history), list.extend

    def ask(own: list[Move], opponent: list[Move]) -> tuple[str, ...]:
        nonlocal history, mine, theirs
        if own:
            if getrefcount(history) != alone:
                history = another(history, own[:-3], opponent[:-3])
            pairs, gain, loss = settled(
                own[-3], opponent[-3], own[-2], opponent[-2], own[-1], opponent[-1]
            )
            extend(history, pairs)
            mine += gain
            theirs += loss
        return tuple(agent(history, (mine, theirs)))

    return ask


@cache
def settled(*moves: Move) -> tuple[tuple[Pair, ...], int, int]:
    """Return a turn's pairs of moves and its points, own and opponent's."""
    pairs = tuple(zip(moves[::2], moves[1::2], strict=True))
    return pairs, *score_of(pairs)
