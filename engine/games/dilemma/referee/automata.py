"""Agents of finite memory as tables: numbered states, what each answers, and where each pair of moves leads."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import product
from operator import itemgetter
from types import FunctionType
from typing import Any, TypeAlias

from engine.games.dilemma.agents.forms import Agent, Blocks, Machine, three_moves
from engine.games.dilemma.rules import BLOCK, OTHER, PAYOFFS, TRIPLES, Move, score_of

STATES = 256  # a machine that has more is asked move by move
Window: TypeAlias = tuple[tuple[Move, ...], tuple[Move, ...]]
Onward: TypeAlias = Callable[[Any, Move, Move], Any]


@dataclass(frozen=True, eq=False)
class Table:
    """An agent's states, numbered from 0, the first: `answers`, "C" or "CCD", and `after`, the next by CC, CD, DC, DD.

    In each pair of moves its own is the first. In a block only the answer of the state in which it
    began counts.
    """

    answers: tuple[str, ...]
    after: tuple[tuple[int, ...], ...]

    @cached_property
    def turns(self) -> tuple[dict[str, int], ...]:
        """For each state where a whole turn leads, by its own moves and the opponent's, such as "CCDDDD"."""
        block = len(self.answers[0])
        turns = [
            (own, other)
            for own in product(OTHER, repeat=block)
            for other in product(OTHER, repeat=block)
        ]
        return tuple(
            {"".join(own + other): self.reached(state, own, other) for own, other in turns}
            for state in range(len(self.answers))
        )

    def reached(self, state: int, own: tuple[Move, ...], opponent: tuple[Move, ...]) -> int:
        """Return the state after these moves."""
        for pair in zip(own, opponent, strict=True):
            state = self.after[state][NUMBERS[pair]]
        return state


MOVES = frozenset(OTHER)
NUMBERS: dict[tuple[Move, Move], int] = {pair: number for number, pair in enumerate(PAYOFFS)}


def table_of(agent: Agent, block: int) -> Table | None:
    """Return the agent as a table for turns of `block` moves, or None if it cannot be known to have but few states.

    These have: a machine of at most STATES states, and a function that is declared with `recalls`.
    """
    player = agent.strategy if isinstance(agent, Blocks) else agent
    declared = isinstance(player, FunctionType) and hasattr(player, "recalls")
    if type(player) is not Machine and (not declared or hasattr(player, "__wrapped__")):
        return None  # a wrapper bears what was declared of another function, and may do more than that does
    return explored_agent(player, block, isinstance(agent, Blocks))


@lru_cache(maxsize=1024)
def explored_agent(player: Any, block: int, steps: bool) -> Table | None:
    """Return the table of a player, a step strategy or an agent of blocks, whose form allows one."""
    if isinstance(player, Machine) and block == 1:
        return explored(player.start, player.advance, itemgetter(0), MOVES)
    if isinstance(player, Machine):
        return explored(
            (player.start, "C"), partial(advanced, player), partial(machine_answer, player), TRIPLES
        )
    onward = partial(slid, *vars(player)["recalls"])
    if not steps:
        return explored(
            ((), ()),
            onward,
            partial(agent_answer, player, block),
            TRIPLES if block == BLOCK else MOVES,
        )
    if block == 1:
        return explored(((), ()), onward, lambda window: player(*map(list, window)), MOVES)
    return explored(
        ((), ()), onward, lambda window: three_moves(player, *map(list, window)), TRIPLES
    )


def explored(
    start: Any, onward: Onward, answer: Callable[[Any], Any], legal: AbstractSet[Any]
) -> Table | None:
    """Return the table of all states that can be reached, None if they are too many or one has no legal answer."""
    states, answers, after = [start], [], []
    try:
        numbers = {start: 0}
        for state in states:
            answers.append(answer(state))
            after.append(
                tuple([numbers.setdefault(onward(state, *pair), len(numbers)) for pair in PAYOFFS])
            )
            states.extend([*numbers][len(states) :])
            if answers[-1] not in legal or len(states) > STATES:
                return None
    except Exception:
        return None  # asked move by move it will fail again, and there each failure is a fault on record
    return Table(tuple(map("".join, answers)), tuple(after))


def advanced(machine: Machine, state: Any, own: Move, opponent: Move) -> Any:
    """Return a machine's next state in blocks, which holds what the opponent was last seen to play."""
    return machine.advance(state[0], own, opponent), opponent


def machine_answer(machine: Machine, state: Any) -> tuple[Move, Move, Move]:
    """Return a machine's three moves: in mind it advances by its own, and by the opponent's last again and again."""
    first, last = state
    second = machine.advance(first, first[0], last)
    return first[0], second[0], machine.advance(second, second[0], last)[0]


def slid(
    own_length: int, opponent_length: int, window: Window, own: Move, opponent: Move
) -> Window:
    """Return the last moves of both sides, so many of each, after one more of each."""
    owns, opponents = (*window[0], own), (*window[1], opponent)
    return owns[max(0, len(owns) - own_length) :], opponents[
        max(0, len(opponents) - opponent_length) :
    ]


def agent_answer(agent: Agent, block: int, window: Window) -> Any:
    """Return what an agent of blocks answers to what it recalls; moves that it does not recall are C here."""
    length = max(map(len, window))
    own, opponent = ((("C",) * (length - len(moves)) + moves) for moves in window)
    history: list[Any] = list(zip(own, opponent, strict=True))
    answer = tuple(agent(history, score_of(history)))
    return answer if block == BLOCK else answer[0] if answer in TRIPLES else answer
