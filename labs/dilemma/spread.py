"""Tournaments of the prisoner's dilemma whose games are spread over the processor's cores."""

import pickle
from collections.abc import Callable, Sequence
from functools import partial

from engine.games.dilemma.monitor import Entries, enter, monitor
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import DilemmaTournament, RoundRobin, Unit
from engine.runs.processes import spread


def spread_monitor(
    flip_params: Sequence[float],
    game_length: tuple[int, int],
    agents: Entries,
    *,
    processes: int | None = None,
    seed: int = 0,
    max_rounds: int | None = None,
    unit: Unit = "turns",
    block: int = BLOCK,
    watch: Callable[[RoundRobin], None] | None = None,
) -> DilemmaTournament:
    """Play the tournament of `monitor`, its games in several `processes` (default: one a core).

    The same seed gives the same tournament on one process and on several. Unless `processes` is 1,
    agents must be picklable: names, functions, classes, machines and strategies that a module holds
    by name. Raises ValueError for others, and for what `monitor` refuses.
    """
    if processes != 1:
        check_sendable(agents)
    return monitor(
        flip_params,
        game_length,
        agents,
        seed=seed,
        max_rounds=max_rounds,
        unit=unit,
        block=block,
        watch=watch,
        each=partial(spread, processes=processes, label="games"),
    )


def check_sendable(agents: Entries) -> None:
    """Raise ValueError for an agent that cannot be sent to another process; it names which."""
    for name, agent in enter(agents).items():
        try:
            pickle.dumps(agent)
        except (pickle.PicklingError, AttributeError, TypeError) as fault:
            raise ValueError(
                f"expected agents that a module holds by name, or processes=1: got {name} ({fault})"
            ) from None
