"""A history that block agents may keep or change, but that need not be copied every turn.

The list grows with the game, since copying it every turn would take quadratic time. The agent gets
a new list only if it changed this one or kept a reference to it, as the reference count shows.
"""

from collections.abc import Callable, Iterable
from functools import cache
from sys import getrefcount
from typing import Any

from engine.games.dilemma.agents.forms import Agent, Responder
from engine.games.dilemma.rules import PAYOFFS, TRIPLES, Move, MoveList, Pair, score_of


class GrowingHistory(list[Pair]):
    """A list of pairs of moves; once changed, it refers to itself and so counts as kept."""

    __slots__ = ("changed",)
    changed: "GrowingHistory | None"


def noting(change: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a list method so that it also marks the history as changed."""

    def note_and_change(history: GrowingHistory, *args: Any, **named: Any) -> Any:
        history.changed = history
        return change(history, *args, **named)

    return note_and_change


CHANGES = (
    "__delitem__ __iadd__ __imul__ __init__ __setitem__ "
    "append clear extend insert pop remove reverse sort"
)
for _name in CHANGES.split():
    setattr(GrowingHistory, _name, noting(getattr(list, _name)))


def new_history(pairs: Iterable[Pair]) -> GrowingHistory:
    """Return a history of these pairs that counts as unchanged."""
    history = GrowingHistory(pairs)
    history.changed = None
    return history


def replace_history(
    history: GrowingHistory,
    own: MoveList,
    opponent: MoveList,
) -> GrowingHistory:
    """Return a history of the same game for an agent that kept or changed `history`."""
    if history.changed is None:
        return new_history(history)
    return new_history(zip(own, opponent, strict=True))


def ask_for_steps(agent: Agent) -> Responder:
    """Return a block agent's responder that plays only the first move of each answer."""
    history = new_history(())
    mine = theirs = 0
    alone = getrefcount(history)
    append = list.append

    def ask(own: MoveList, opponent: MoveList) -> Move:
        nonlocal history, mine, theirs
        if own:
            if getrefcount(history) != alone:
                history = replace_history(history, own[:-1], opponent[:-1])
            pair = (own[-1], opponent[-1])
            append(history, pair)
            gain, loss = PAYOFFS[pair]
            mine += gain
            theirs += loss
        return FIRST[tuple(agent(history, (mine, theirs)))]

    return ask


class Firsts(dict[tuple[str, ...], Move]):
    """The first move of each valid answer of three moves."""

    def __missing__(self, answer: tuple[str, ...]) -> Move:
        """Raise ValueError for anything but three moves."""
        raise ValueError(f"expected three moves, each C or D: {answer!r:.80}")


FIRST = Firsts({triple: triple[0] for triple in TRIPLES})


def ask_for_blocks(agent: Agent) -> Responder:
    """Return a responder that passes a block agent "the game history and score-thus-far"."""
    history = new_history(())
    mine = theirs = 0
    alone = getrefcount(history)
    extend = list.extend

    def ask(own: MoveList, opponent: MoveList) -> tuple[str, ...]:
        nonlocal history, mine, theirs
        if own:
            if getrefcount(history) != alone:
                history = replace_history(history, own[:-3], opponent[:-3])
            pairs, gain, loss = pairs_and_points(
                own[-3],
                opponent[-3],
                own[-2],
                opponent[-2],
                own[-1],
                opponent[-1],
            )
            extend(history, pairs)
            mine += gain
            theirs += loss
        return tuple(agent(history, (mine, theirs)))

    return ask


@cache
def pairs_and_points(*moves: Move) -> tuple[tuple[Pair, ...], int, int]:
    """Return a turn's pairs and points, own first; `moves` alternates between the two sides."""
    pairs = tuple(zip(moves[::2], moves[1::2], strict=True))
    own, opponent = score_of(pairs)
    return pairs, own, opponent
