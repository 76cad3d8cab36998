"""Agents with finite memory as automata: numbered states, their answers, and their transitions."""

from collections import deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import product, zip_longest
from operator import itemgetter
from types import FunctionType
from typing import Any

from engine.games.dilemma.agents.forms import Agent, Blocks, Machine, three_moves
from engine.games.dilemma.rules import OTHER, PAYOFFS, TRIPLES, Move, Pair, Triple, score_of

STATES = 256  # a machine with more states is asked move by move
Played = tuple[Move, ...]
Window = tuple[Played, Played]
Onward = Callable[[Any, Move, Move], Any]
Answer = Callable[[Any], Any]

EMPTY: Window = ((), ())
MOVES = frozenset(OTHER)
NUMBERS: dict[Pair, int] = {pair: number for number, pair in enumerate(PAYOFFS)}


@dataclass(frozen=True, eq=False)
class Automaton:
    """An agent as numbered states; it starts in state 0.

    `answers` has each state's moves, such as "C" or "CCD"; `after` has each state's next states for
    the pairs CC, CD, DC, DD, the agent's own move first. In a block, only the answer of the state
    in which the block begins counts.
    """

    answers: tuple[str, ...]
    after: tuple[tuple[int, ...], ...]

    @cached_property
    def turns(self) -> tuple[dict[str, int], ...]:
        """Each state's next state by a turn's moves, such as "CCDDDD" (the agent's own first)."""
        blocks = tuple(product(OTHER, repeat=len(self.answers[0])))
        turns = []
        for state in range(len(self.answers)):
            reached = {}
            for my_block, opponent in product(blocks, blocks):
                number = state
                for pair in zip(my_block, opponent, strict=True):
                    number = self.after[number][NUMBERS[pair]]
                reached["".join(my_block + opponent)] = number
            turns.append(reached)
        return tuple(turns)


def automaton_of(agent: Agent, block: int) -> Automaton | None:
    """Return an agent's automaton for turns of `block` moves, or None if the agent has none."""
    player = agent.strategy if isinstance(agent, Blocks) else agent
    steps = isinstance(agent, Blocks)
    if type(player) is Machine:
        return _explore_agent(player, block, steps)
    if not isinstance(player, FunctionType) or not hasattr(player, "recalls"):
        return None
    if hasattr(player, "__wrapped__"):
        return None  # a wrapper copies its function's declaration but may read more moves
    return _explore_agent(player, block, steps)


@lru_cache(maxsize=1024)
def _explore_agent(
    player: Any,
    block: int,
    steps: bool,
) -> Automaton | None:
    """Return an agent's automaton if its form allows one; `steps` is true for a step strategy."""
    if isinstance(player, Machine):
        return _explore_machine(player, block)
    legal = MOVES if block == 1 else TRIPLES
    onward = partial(slide, *vars(player)["recalls"])
    if not steps:
        return explore(EMPTY, onward, partial(agent_answer, player, block), legal)
    decide = player if block == 1 else partial(three_moves, player)
    return explore(EMPTY, onward, lambda window: decide([*window[0]], [*window[1]]), legal)


def _explore_machine(machine: Machine, block: int) -> Automaton | None:
    if block == 1:
        return explore(machine.start, machine.advance, itemgetter(0), MOVES)
    answer = partial(machine_answer, machine)

    def onward(state: Any, own: Move, opponent: Move) -> Any:
        return machine.advance(state[0], own, opponent), opponent

    # With blocks, a state is the machine's state and the opponent's last move.
    return explore((machine.start, "C"), onward, answer, TRIPLES)


def explore(
    start: Any,
    onward: Onward,
    answer: Answer,
    legal: AbstractSet[Any],
) -> Automaton | None:
    """Return the automaton of all states reachable from `start`.

    Returns None for more than STATES states, an answer that is not in `legal`, or any exception.
    """
    states = [start]
    answers: list[str] = []
    after: list[tuple[int, ...]] = []
    try:
        numbers = {start: 0}
        for state in states:
            played = answer(state)
            reached = []
            for pair in PAYOFFS:
                reached.append(numbers.setdefault(onward(state, *pair), len(numbers)))
            states.extend([*numbers][len(states) :])
            if played not in legal or len(states) > STATES:
                return None
            answers.append("".join(played))
            after.append(tuple(reached))
    except Exception:
        return None  # asked move by move, the agent fails again, and each failure is recorded
    return Automaton(tuple(answers), tuple(after))


def machine_answer(machine: Machine, state: Any) -> Triple:
    """Return a machine's three moves, assuming that the opponent repeats its last move."""
    first, last = state
    second = machine.advance(first, first[0], last)
    third = machine.advance(second, second[0], last)
    return first[0], second[0], third[0]


def slide(
    own_length: int,
    opponent_length: int,
    window: Window,
    own: Move,
    opponent: Move,
) -> Window:
    """Return the window after one more move by each side, cut to these two lengths."""
    owns = deque((*window[0], own), own_length)
    opponents = deque((*window[1], opponent), opponent_length)
    return tuple(owns), tuple(opponents)


def agent_answer(
    agent: Agent,
    block: int,
    window: Window,
) -> Any:
    """Return a block agent's answer after the moves that it recalls; missing moves count as C."""
    own, opponent = window
    history: list[Any] = [*zip_longest(own[::-1], opponent[::-1], fillvalue="C")][::-1]
    answer = tuple(agent(history, score_of(history)))
    if block == 1 and answer in TRIPLES:
        return answer[0]
    return answer
