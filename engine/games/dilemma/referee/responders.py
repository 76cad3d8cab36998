"""Responders: agents of any form as functions that are called once per turn."""

from functools import partial

from engine.games.dilemma.agents.forms import (
    Agent,
    Blocks,
    Draws,
    Machine,
    Responder,
    fresh_player,
    three_moves,
)
from engine.games.dilemma.referee.automata import Automaton
from engine.games.dilemma.referee.history_view import ask_for_blocks, ask_for_steps
from engine.games.dilemma.rules import BLOCK, Move, MoveList, Triple


def responder_of(
    agent: Agent,
    automaton: Automaton | None,
    block: int,
    draws: Draws,
) -> Responder:
    """Return a function for one game that maps both sides' moves, own first, to the answer.

    The answer is not checked; it is a move, or a tuple in turns of three moves. Call the function
    before the first turn and then after every turn.
    """
    if automaton is not None:
        return look_up_steps(automaton) if block == 1 else look_up_blocks(automaton)
    return call_each_turn(agent, block, draws)


def call_each_turn(
    agent: Agent,
    block: int,
    draws: Draws,
) -> Responder:
    """Return the responder of an agent that is called in every turn."""
    if not isinstance(agent, Blocks):
        ask = ask_for_blocks if block == BLOCK else ask_for_steps
        return ask(fresh_player(agent, draws))
    strategy = fresh_player(agent.strategy, draws)
    if isinstance(strategy, Machine):
        return machine_steps(strategy) if block == 1 else machine_blocks(strategy)
    return strategy if block == 1 else partial(three_moves, strategy)


def hands_out(agent: Agent) -> bool:
    """Return whether the agent's responder passes its argument lists on to the agent."""
    return isinstance(agent, Blocks) and not isinstance(agent.strategy, Machine)


def look_up_steps(automaton: Automaton) -> Responder:
    """Return the responder of an automaton for turns of one move."""
    state = 0
    turns = automaton.turns
    answers = automaton.answers

    def ask(own: MoveList, opponent: MoveList) -> str:
        nonlocal state
        if own:
            state = turns[state][own[-1] + opponent[-1]]
        return answers[state]

    return ask


def look_up_blocks(automaton: Automaton) -> Responder:
    """Return the responder of an automaton for turns of three moves."""
    state = 0
    turns = automaton.turns
    answers = [*map(tuple, automaton.answers)]

    def ask(own: MoveList, opponent: MoveList) -> tuple[str, ...]:
        nonlocal state
        if own:
            state = turns[state]["".join(own[-3:] + opponent[-3:])]
        return answers[state]

    return ask


def machine_steps(machine: Machine) -> Responder:
    """Return a machine's responder for turns that have one move each."""
    advance = machine.advance
    state = machine.start

    def ask(own: MoveList, opponent: MoveList) -> Move:
        nonlocal state
        if own:
            state = advance(state, own[-1], opponent[-1])
        return state[0]  # type: ignore[no-any-return]

    return ask


def machine_blocks(machine: Machine) -> Responder:
    """Return the responder of a machine for turns of three moves."""
    advance = machine.advance
    state = machine.start

    def ask(own: MoveList, opponent: MoveList) -> Triple:
        nonlocal state
        last: Move = "C"
        if own:
            last = opponent[-1]
            state = advance(state, own[-3], opponent[-3])
            state = advance(state, own[-2], opponent[-2])
            state = advance(state, own[-1], last)
        second = advance(state, state[0], last)
        third = advance(second, second[0], last)
        return state[0], second[0], third[0]

    return ask
