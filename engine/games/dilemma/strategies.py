"""The agents as scripted players of the arena: for every block, each replays its game so far."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from random import Random

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import Agent
from engine.games.dilemma.referee.automata import automaton_of
from engine.games.dilemma.referee.live_match import BlockObservation
from engine.games.dilemma.referee.responders import responder_of
from engine.games.dilemma.rules import FIELDS, Move
from player import Script
from protocol.turn import A, Turn

LAST = ("random", "defector", "grudger", "win_stay_lose_shift", "tit_for_tat")


def agent_script(agent: Agent) -> Script:
    """Return the agent as a script; it draws what it would draw in `play_match`."""

    def script(turn: Turn[A], rng: Random) -> A:
        del rng
        moves = answer_to(agent, turn.observation)
        fields = dict(zip(FIELDS, moves, strict=False))
        return turn.answer(**fields)

    script.__doc__ = agent.__doc__
    return script


def answer_to(agent: Agent, seen: BlockObservation) -> tuple[str, ...]:
    """Return what the agent answers after all it has seen.

    It starts afresh and is asked about every turn again, so its state and its draws come with it.
    """
    automaton = automaton_of(agent, seen.block)
    ask = responder_of(agent, automaton, seen.block, partial(Random, seen.draws))
    own: list[Move] = []
    opponent: list[Move] = []
    for move, (mine, theirs) in enumerate(seen.history):
        if move % seen.block == 0:
            with suppress(Exception):
                ask(own, opponent)
        own.append(mine)
        opponent.append(theirs)
    return tuple(ask(own, opponent))


# The default table seats the last ones first.
_FIRST = [name for name in AGENTS if name not in LAST]
STRATEGIES: Mapping[str, Script] = {name: agent_script(AGENTS[name]) for name in (*_FIRST, *LAST)}
