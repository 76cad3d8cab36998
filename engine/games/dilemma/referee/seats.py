"""A seat: an agent of any form as one function, asked once a turn in the order of a game."""

from functools import partial
from typing import Any

from engine.games.dilemma.agents.forms import (
    Agent,
    Blocks,
    Draws,
    Machine,
    Seat,
    Strategy,
    fresh,
    three_moves,
)
from engine.games.dilemma.referee.automata import Table, table_of
from engine.games.dilemma.referee.history_view import history_blocks, history_steps
from engine.games.dilemma.rules import BLOCK, Move


def seated(agent: Agent, block: int, draws: Draws) -> Seat:
    """Return the agent, fresh for one game, as a function of own and opponent's moves that gives its answer.

    The answer to a turn of three moves is a tuple of moves, that to a turn of one is a move, both
    unchecked. The seat is to be asked before the first turn, and then after every turn.
    """
    table = table_of(agent, block)
    return tabled(table, block) if table else asked(agent, block, draws)


def tabled(table: Table, block: int) -> Seat:
    """Return the seat of an agent that is a table."""
    return table_steps(table) if block == 1 else table_blocks(table)


def asked(agent: Agent, block: int, draws: Draws) -> Seat:
    """Return the seat of an agent that is called in every turn."""
    if not isinstance(agent, Blocks):
        return (history_blocks if block == BLOCK else history_steps)(fresh(agent, draws))
    strategy = fresh(agent.strategy, draws)
    if isinstance(strategy, Machine):
        return machine_steps(strategy) if block == 1 else machine_blocks(strategy)
    return strategy if block == 1 else partial(three_moves, strategy)


def hands_out(agent: Agent) -> bool:
    """Return whether the agent's seat, unless it is a table, hands the agent the very lists that the seat is handed."""
    return isinstance(agent, Blocks) and not isinstance(agent.strategy, Machine)


def table_steps(table: Table) -> Seat:
    """Return the seat of a table in steps."""
    state, answers, turns = 0, table.answers, table.turns

    def ask(own: list[Move], opponent: list[Move]) -> str:
        nonlocal state
        if own:
            state = turns[state][own[-1] + opponent[-1]]
        return answers[state]

    return ask


def table_blocks(table: Table) -> Seat:
    """Return the seat of a table in blocks."""
    state, answers, turns = 0, [*map(tuple, table.answers)], table.turns

    def ask(own: list[Move], opponent: list[Move]) -> tuple[str, ...]:
        nonlocal state
        if own:
            state = turns[state]["".join(own[-3:] + opponent[-3:])]
        return answers[state]

    return ask


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
