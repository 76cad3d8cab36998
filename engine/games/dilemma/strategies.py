"""The agents as scripted players; each continues the games it remembers and replays all others."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from random import Random

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import Agent, Responder
from engine.games.dilemma.referee.automata import automaton_of
from engine.games.dilemma.referee.live_match import BlockObservation
from engine.games.dilemma.referee.responders import responder_of
from engine.games.dilemma.rules import FIELDS, MoveList, Pair
from player import Script
from protocol.turn import A, Turn

LAST = ("random", "defector", "grudger", "win_stay_lose_shift", "tit_for_tat")
# When an agent has this many unfinished games, it forgets them all.
KEPT = 4096


@dataclass(slots=True)
class HeardGame:
    """A game that an agent remembers: its responder, and both sides' moves so far."""

    ask: Responder
    own: MoveList = field(default_factory=list)
    others: MoveList = field(default_factory=list)
    history: tuple[Pair, ...] = ()

    def hear(self, history: tuple[Pair, ...]) -> None:
        """Add the new moves at the end of `history`."""
        for mine, theirs in history[len(self.history) :]:
            self.own.append(mine)
            self.others.append(theirs)
        self.history = history


def agent_script(agent: Agent) -> Script:
    """Return the agent as a script that draws as in `play_match` and remembers unfinished games."""
    kept: dict[int, HeardGame] = {}

    def script(turn: Turn[A], _rng: Random) -> A:
        seen = turn.observation
        game = kept.pop(seen.draws, None)
        earlier = seen.history[: -seen.block]
        if game is None or game.history != earlier or not seen.history:
            game = replay_turns(agent, seen)
        game.hear(seen.history)
        moves = tuple(game.ask(game.own, game.others))
        if len(kept) >= KEPT:
            kept.clear()
        kept[seen.draws] = game
        answer: A = block_answer(turn.answer, moves)
        return answer

    script.__doc__ = agent.__doc__
    return script


@lru_cache(maxsize=4096)
def block_answer(form: type[A], moves: tuple[str, ...]) -> A:
    """Return the answer with these moves; answers are cached because few different ones exist."""
    return form(**dict(zip(FIELDS, moves, strict=False)))


def replay_turns(agent: Agent, seen: BlockObservation) -> HeardGame:
    """Return a game in which an agent has replayed all turns but the newest."""
    automaton = automaton_of(agent, seen.block)
    game = HeardGame(responder_of(agent, automaton, seen.block, partial(Random, seen.draws)))
    for move in range(0, len(seen.history), seen.block):
        game.hear(seen.history[:move])
        with suppress(Exception):
            game.ask(game.own, game.others)
    return game


# A default game seats the last strategies first.
_FIRST = [name for name in AGENTS if name not in LAST]
STRATEGIES: Mapping[str, Script] = {name: agent_script(AGENTS[name]) for name in (*_FIRST, *LAST)}
