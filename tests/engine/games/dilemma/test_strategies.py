"""Agents as scripts: what is kept of a game saves time and changes no answer."""

from functools import partial
from random import Random

import pytest
from pydantic import BaseModel

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.game import Block
from engine.games.dilemma.referee.live_match import BlockObservation
from engine.games.dilemma.rules import PAYOFFS, Pair
from engine.games.dilemma.strategies import agent_script
from player import Script
from protocol.turn import Prompt, Turn

LATER = 9


def asked(script: Script, history: tuple[Pair, ...], draws: int) -> BaseModel:
    seen = BlockObservation(history, (0, 0), 3, draws)
    fallback = Block(first="C", second="C", third="C")
    choices = dict.fromkeys(("first", "second", "third"), ("C", "D"))
    unread = partial(Prompt, "", "", "")
    return script(Turn("Ada", "block", seen, unread, Block, choices, fallback), Random(0))


@pytest.mark.parametrize("name", AGENTS)
def test_a_game_that_goes_on_is_answered_as_one_that_is_replayed(name: str) -> None:
    rng = Random(name)
    going = agent_script(AGENTS[name])
    pairs: list[Pair] = [*PAYOFFS]
    games = [rng.choices(pairs, k=LATER) for _ in range(3)]
    for moves in (0, 3, 3, 6, 0, 3, 6, LATER):
        for draws, game in enumerate(games):
            history = tuple(game[:moves])
            assert asked(going, history, draws) == asked(agent_script(AGENTS[name]), history, draws)
        # A game of the same seed that went otherwise is another game.
        other = tuple((theirs, own) for own, theirs in games[0][:moves])
        assert asked(going, other, 0) == asked(agent_script(AGENTS[name]), other, 0)
