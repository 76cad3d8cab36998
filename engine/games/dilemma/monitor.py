"""The monitor: "a program that executes a tournament given a list of agents"."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from operator import call

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import Agent, agent_name, as_block, name_of
from engine.games.dilemma.referee.match import Match, check_match, play_match, seed_matters
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import (
    DilemmaTournament,
    Encounter,
    RoundRobin,
    Unit,
    check_terms,
    draw_length,
    match_seed,
    pairings,
)
from engine.rng import stream

__all__ = [
    "AGENTS",
    "DilemmaTournament",
    "Encounter",
    "Match",
    "RoundRobin",
    "as_block",
    "enter",
    "monitor",
    "play_match",
]

NamedAgent = str | Agent
Entry = NamedAgent | tuple[str, NamedAgent]
Entries = Sequence[Entry] | Mapping[str, NamedAgent]


PlayMatch = Callable[[], Match]
Each = Callable[[Callable[[PlayMatch], Match], Sequence[PlayMatch]], Iterable[Match]]


def monitor(
    flip_params: Sequence[float],
    game_length: tuple[int, int],
    agents: Entries,
    *,
    seed: int = 0,
    max_rounds: int | None = None,
    unit: Unit = "turns",
    block: int = BLOCK,
    watch: Callable[[RoundRobin], None] | None = None,
    each: Each = map,
) -> DilemmaTournament:
    """Play round robins until one agent remains, all are tied, or `max_rounds` are played.

    "Declaration of the monitor is the following: (defun monitor (flipParams gameLength agents) ...
    )". `flip_params` are the chance of a flip on the first move, and its decrease with every move.
    `game_length` is the minimum and maximum number of turns in a game (or of moves, depending on
    `unit`); the length is drawn for each round. `agents` are agents or their names in AGENTS,
    (name, agent) pairs, or a mapping of names to agents. `watch` is called with each round. `each`
    runs a round's games; it is `map` by default, and `labs.dilemma.repetitions.spread_monitor` uses
    several processes. Raises ValueError, before any game is played, for invalid terms or agents.

    >>> monitor((0, 0), (10, 10), ["tit_for_tat", "defector", "cooperator"]).rounds[0].table
    [('defector', 192), ('tit_for_tat', 117), ('cooperator', 90)]
    """
    check_match(0, block, flip_params)
    check_terms(game_length, unit, max_rounds)
    entered = enter(agents)
    tournament = DilemmaTournament(tuple(entered), max_rounds)
    while not tournament.over:
        index = len(tournament.rounds) + 1
        moves = draw_length(game_length, unit, block, stream(seed, "round", index, "length"))
        pairs = pairings(tournament.active)
        tasks = []
        for first, second in pairs:
            opener, replier = entered[first], entered[second]
            own_seed = 0
            if seed_matters(opener, replier, block, flip_params):
                own_seed = match_seed(stream(seed, "round", index, "match", first, second))
            play = partial(play_match, block=block, flip_params=flip_params, seed=own_seed)
            tasks.append(partial(play, opener, replier, moves))
        matches = zip(pairs, each(call, tasks), strict=True)
        games = [Encounter(*pair, match) for pair, match in matches]
        tournament = tournament.after(moves, games)
        if watch is not None:
            watch(tournament.rounds[-1])
    return tournament


def enter(agents: Entries) -> dict[str, Agent]:
    """Return the agents by unique name, such as "coin_2"; raise ValueError for invalid entries."""
    entries = read_entries(agents)
    if len(entries) < 2:
        raise ValueError(f"expected at least two agents: got {len(entries)}")
    entered: dict[str, Agent] = {}
    taken = {name for name, _ in entries}
    for name, agent in entries:
        has_name = isinstance(name, str) and name.strip()
        if not has_name or not callable(agent):
            raise ValueError(
                "expected a name that is not empty and an agent that can be called: "
                f"{(name, agent)!r:.80}"
            )
        agent_id = name if name not in entered else free_name(name, taken)
        taken.add(agent_id)
        entered[agent_id] = agent
    return entered


def read_entries(agents: Entries) -> list[tuple[str, Agent]]:
    """Return each entry's name and agent; raise ValueError unless `agents` is an iterable."""
    if isinstance(agents, str) or not isinstance(agents, Iterable):
        raise ValueError(f"expected a list of agents: got {agents!r:.80}")
    return [*map(read_entry, agents.items() if isinstance(agents, Mapping) else agents)]


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name with the first number, from 2 up, that makes it unique."""
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def read_entry(entry: Entry) -> tuple[str, Agent]:
    """Return an entry's name and agent."""
    if isinstance(entry, tuple):
        if len(entry) != 2:
            raise ValueError(f"expected a name and an agent: {entry!r:.80}")
        name, agent = entry
        return name, find_agent(agent)
    if isinstance(entry, str):
        return agent_name(entry), find_agent(entry)
    return name_of(entry), entry


def find_agent(agent: str | Agent) -> Agent:
    """Return the agent, or look it up in AGENTS by its name in this project or the source."""
    if not isinstance(agent, str):
        return agent
    name = agent_name(agent)
    if name not in AGENTS:
        raise ValueError(f"expected an agent or one of {', '.join(AGENTS)}: {agent!r}")
    return AGENTS[name]


# Earlier names, which notebooks import.
Game = Encounter
Round = RoundRobin
Tournament = DilemmaTournament
