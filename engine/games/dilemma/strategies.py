"""The agents as scripted players; each continues the games it remembers and replays all others."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
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


def agent_script(agent: Agent) -> Script:
    """Return the agent as a script that draws as in `play_match` and remembers unfinished games."""
    kept: dict[int, tuple[Responder, tuple[Pair, ...]]] = {}

    def script(turn: Turn[A], _rng: Random) -> A:
        seen = turn.observation
        ask, earlier = kept.pop(seen.draws, (None, ()))
        is_next = len(seen.history) == len(earlier) + seen.block
        if ask is None or not is_next or seen.history[: len(earlier)] != earlier:
            ask = replay_turns(agent, seen)
        moves = tuple(ask(*moves_of_each(seen.history)))
        if len(kept) >= KEPT:
            kept.clear()
        kept[seen.draws] = ask, seen.history
        answer: A = block_answer(turn.answer, moves)
        return answer

    script.__doc__ = agent.__doc__
    return script


@lru_cache(maxsize=4096)
def block_answer(form: type[A], moves: tuple[str, ...]) -> A:
    """Return the answer with these moves, cached because few answers exist."""
    return form(**dict(zip(FIELDS, moves, strict=False)))


def replay_turns(agent: Agent, seen: BlockObservation) -> Responder:
    """Return an agent's responder after it has replayed all turns but the newest."""
    automaton = automaton_of(agent, seen.block)
    ask = responder_of(agent, automaton, seen.block, partial(Random, seen.draws))
    for move in range(0, len(seen.history), seen.block):
        with suppress(Exception):
            ask(*moves_of_each(seen.history[:move]))
    return ask


def moves_of_each(history: Sequence[Pair]) -> tuple[MoveList, MoveList]:
    """Return the moves of each side."""
    if not history:
        return [], []
    mine, theirs = zip(*history, strict=True)
    return [*mine], [*theirs]


# A default game seats the last strategies first.
_FIRST = [name for name in AGENTS if name not in LAST]
STRATEGIES: Mapping[str, Script] = {name: agent_script(AGENTS[name]) for name in (*_FIRST, *LAST)}
