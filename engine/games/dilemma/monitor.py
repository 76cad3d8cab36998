"""The monitor: "a program that executes a tournament given a list of agents and some parameters for each game"."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import Agent, as_block, name_of
from engine.games.dilemma.referee.match import Match, check_match, play_match, seed_matters
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import (
    Game,
    Round,
    Tournament,
    Unit,
    check_terms,
    draw_length,
    match_seed,
    pairings,
)
from engine.rng import stream

__all__ = [
    "AGENTS",
    "Game",
    "Match",
    "Round",
    "Tournament",
    "as_block",
    "enter",
    "monitor",
    "play_match",
]

Entry: TypeAlias = str | Agent | tuple[str, str | Agent]
Entries: TypeAlias = Sequence[Entry] | Mapping[str, str | Agent]


class Task(NamedTuple):
    """One game that is to be played, all that hangs on it included."""

    first: Agent
    second: Agent
    moves: int
    block: int
    flip_params: Sequence[float]
    seed: int


Each: TypeAlias = Callable[[Callable[[Task], Match], Sequence[Task]], Iterable[Match]]


def play_task(task: Task) -> Match:
    """Play a game."""
    first, second, moves, block, flip_params, seed = task
    return play_match(first, second, moves, block=block, flip_params=flip_params, seed=seed)


def monitor(
    flip_params: Sequence[float],
    game_length: tuple[int, int],
    agents: Entries,
    *,
    seed: int = 0,
    max_rounds: int | None = None,
    unit: Unit = "turns",
    block: int = BLOCK,
    watch: Callable[[Round], None] | None = None,
    each: Each = map,
) -> Tournament:
    """Play rounds of round robin until one agent would remain, all who remain are tied, or after `max_rounds`.

    "Declaration of the monitor is the following: (defun monitor (flipParams gameLength agents) ...
    )". `flip_params` are the chance at which a move is flipped and what it loses with every move;
    `game_length` is the least and the most turns of a game (or moves, by `unit`), drawn for each
    round; `agents` are agents or their names in AGENTS, or pairs of another name and either of
    these, or a mapping of such pairs. `watch` is called with each round; `each` does a round's
    games, as `map` does here and `engine.labs.dilemma.spread` in several processes. Raises
    ValueError, before anything is played, for what cannot be played.

    >>> monitor((0, 0), (10, 10), ["tit_for_tat", "defector", "cooperator"]).rounds[0].table
    [('defector', 192), ('tit_for_tat', 117), ('cooperator', 90)]
    """
    check_match(0, block, flip_params)
    check_terms(game_length, unit, max_rounds)
    entered = enter(agents)
    tournament = Tournament(tuple(entered), max_rounds)
    while not tournament.over:
        index = len(tournament.rounds) + 1
        moves = draw_length(game_length, unit, block, stream(seed, "round", index, "length"))
        pairs = pairings(tournament.active)
        tasks = []
        for first, second in pairs:
            one, two, own_seed = entered[first], entered[second], 0
            if seed_matters(one, two, block, flip_params):
                own_seed = match_seed(stream(seed, "round", index, "match", first, second))
            tasks.append(Task(one, two, moves, block, flip_params, own_seed))
        games = [
            Game(*pair, match) for pair, match in zip(pairs, each(play_task, tasks), strict=True)
        ]
        tournament = tournament.after(moves, games)
        if watch is not None:
            watch(tournament.rounds[-1])
    return tournament


def enter(agents: Entries) -> dict[str, Agent]:
    """Return the agents by names that are all different: who is entered twice is numbered, "coin" and "coin_2"."""
    if isinstance(agents, str) or not isinstance(agents, Iterable):
        raise ValueError(f"expected a list of agents: got {agents!r:.80}")
    entries = [
        named(entry) for entry in (agents.items() if isinstance(agents, Mapping) else agents)
    ]
    if len(entries) < 2:
        raise ValueError(f"expected at least two agents: got {len(entries)}")
    entered: dict[str, Agent] = {}
    taken = {name for name, _ in entries}
    for name, agent in entries:
        if not isinstance(name, str) or not name.strip() or not callable(agent):
            raise ValueError(
                f"expected a name that is not empty and an agent that can be called: {(name, agent)!r:.80}"
            )
        free = (f"{name}_{number}" for number in range(2, len(entries) + 2))
        own = name if name not in entered else next(other for other in free if other not in taken)
        taken.add(own)
        entered[own] = agent
    return entered


def named(entry: Entry) -> tuple[str, Agent]:
    """Return an entry as its name and its agent."""
    if isinstance(entry, tuple):
        if len(entry) != 2:
            raise ValueError(f"expected a name and an agent: {entry!r:.80}")
        return entry[0], known(entry[1])
    return (entry, known(entry)) if isinstance(entry, str) else (name_of(entry), entry)


def known(agent: str | Agent) -> Agent:
    """Return the agent, or the one of AGENTS that bears the name."""
    if not isinstance(agent, str):
        return agent
    if agent not in AGENTS:
        raise ValueError(f"expected an agent or one of {', '.join(AGENTS)}: {agent!r}")
    return AGENTS[agent]
