"""The agents as scripted players of the arena: asked afresh for every block, each plays the past again in its head."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from random import Random

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import Agent
from engine.games.dilemma.live_match import Observation
from engine.games.dilemma.referee.seats import seated
from engine.games.dilemma.rules import Move
from player import Script
from protocol.turn import A, Turn

FIELDS = ("first", "second", "third")
LAST = ("random", "defector", "grudger", "win_stay_lose_shift", "tit_for_tat")


def script_of(agent: Agent) -> Script:
    """Return the agent as a scripted player's answer to a turn; it draws what `play_match` would let it draw."""

    def script(turn: Turn[A], rng: Random) -> A:
        del rng
        return turn.answer(**dict(zip(FIELDS, answer_to(agent, turn.observation), strict=False)))

    return script


def answer_to(agent: Agent, seen: Observation) -> tuple[str, ...]:
    """Return what the agent answers after all it has seen, from a fresh start: its state and its draws come with it."""
    ask = seated(agent, seen.block, partial(Random, seen.draws))
    own: list[Move] = []
    opponent: list[Move] = []
    for begun in range(0, len(seen.history), seen.block):
        with suppress(Exception):
            ask(own, opponent)
        own.extend(pair[0] for pair in seen.history[begun : begun + seen.block])
        opponent.extend(pair[1] for pair in seen.history[begun : begun + seen.block])
    return tuple(ask(own, opponent))


# The default table seats the last ones first.
STRATEGIES: Mapping[str, Script] = {
    name: script_of(AGENTS[name])
    for name in (*(name for name in AGENTS if name not in LAST), *LAST)
}
