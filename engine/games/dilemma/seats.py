"""A seat: an agent of any form as one function, asked once a turn in the order of a game."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias

from engine.games.dilemma.forms import Agent, Blocks, Draws, Machine, Strategy, fresh, three_moves
from engine.games.dilemma.rules import BLOCK, TRIPLES, Move, Pair, Points, score_of

Seat: TypeAlias = Callable[[list[Move], list[Move]], Any]


def seated(agent: Agent, block: int, draws: Draws) -> Seat:
    """Return the agent, fresh for one game, as a function of own and opponent's moves that gives its answer.

    The answer to a turn of three moves is a tuple of moves, that to a turn of one is a move, both unchecked. The seat
    is to be asked before the first turn, and then after every turn.
    """
    if not isinstance(agent, Blocks):
        ask = history_seat(fresh(agent, draws), block)
        return ask if block == BLOCK else partial(first_of, ask)
    strategy = fresh(agent.strategy, draws)
    if isinstance(strategy, Machine):
        return machine_steps(strategy) if block == 1 else machine_blocks(strategy)
    return strategy if block == 1 else partial(three_moves, strategy)


def first_of(ask: Seat, own: list[Move], opponent: list[Move]) -> Move:
    """Return the first of the three moves that a block agent answers: in steps of one the others are not played."""
    answer = ask(own, opponent)
    if answer not in TRIPLES:
        raise ValueError(f"expected three moves, each C or D: {answer!r:.80}")
    return answer[0]  # type: ignore[no-any-return]


def history_seat(agent: Agent, block: int) -> Seat:
    """Return the seat of an agent that is shown history and score; each time a copy, which is its own."""
    history: list[Pair] = []
    mine = theirs = 0

    def ask(own: list[Move], opponent: list[Move]) -> tuple[str, ...]:
        nonlocal mine, theirs
        if own:
            pairs, (gain, loss) = settled(tuple(own[-block:]), tuple(opponent[-block:]))
            history.extend(pairs)
            mine += gain
            theirs += loss
        return tuple(agent(history.copy(), (mine, theirs)))

    return ask


@cache
def settled(own: tuple[Move, ...], opponent: tuple[Move, ...]) -> tuple[tuple[Pair, ...], Points]:
    """Return a turn's pairs of moves and its points."""
    pairs = tuple(zip(own, opponent, strict=True))
    return pairs, score_of(pairs)


def machine_steps(machine: Machine) -> Strategy:
    """Return the seat of a machine in steps: it advances by the newest pair of moves."""
    advance, state = machine.advance, machine.start

    def ask(own: Any, opponent: Any) -> Move:
        nonlocal state
        if own:
            state = advance(state, own[-1], opponent[-1])
        return state[0]  # type: ignore[no-any-return]

    return ask


def machine_blocks(machine: Machine) -> Seat:
    """Return the seat of a machine in blocks: it advances by what took effect, and in mind by what it assumes."""
    advance, state = machine.advance, machine.start

    def ask(own: list[Move], opponent: list[Move]) -> tuple[Move, Move, Move]:
        nonlocal state
        last: Move = "C"
        if own:
            state = advance(state, own[-3], opponent[-3])
            state = advance(state, own[-2], opponent[-2])
            state = advance(state, own[-1], last := opponent[-1])
        second = advance(state, state[0], last)
        return state[0], second[0], advance(second, second[0], last)[0]

    return ask
