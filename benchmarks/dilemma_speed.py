"""Time the prisoner's dilemma with agents that are called, run as automata, or compiled.

`uv run --extra compiled benchmarks/dilemma_speed.py [agents] [compiled] [tournaments]`. Each value
is the speed of one seat, in millions of moves per second, while both seats play. Games have 30,
150, 600 or 6,000 moves.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, best_seconds, digits, main, row
from engine.games.dilemma.monitor import AGENTS, as_block, monitor, play_match
from engine.games.dilemma.referee import dispatch
from engine.games.dilemma.referee.automata import automaton_of
from engine.rng import number
from labs.dilemma.repetitions import payoff_spreads, repeat, standings

LENGTHS = (30, 150, 600, 6000)
UNIT = "M moves/s"
STEPS, BLOCKS, COMPILED = 2, 1, 100
QUIET, NOISE, DECAY = (0, 0), (0.05, 0), (0.25, 0.1)
FINITE = [name for name, agent in AGENTS.items() if automaton_of(agent, 3)]


TABLES = (AGENTS["tit_for_tat"], AGENTS["bully"])
KINDS: dict[str, tuple[Any, Any, tuple[float, float]]] = {
    "asked: functions of both sides' moves": (
        as_block(lambda _own, opponent: opponent[-1] if opponent else "C"),
        as_block(lambda own, opponent: "C" if not own or own[-1] == opponent[-1] else "D"),
        QUIET,
    ),
    "asked: machines that count without end": (AGENTS["soft_majority"], AGENTS["gradual"], QUIET),
    "asked: agents that draw at random": (AGENTS["stoc"], AGENTS["zd_extort_2"], QUIET),
    "asked: agents written for blocks": (
        lambda history, _score: [history[-1][1]] * 3 if history else ["C", "C", "C"],
        lambda _history, score: ("C" if score[0] >= score[1] else "D",) * 3,
        QUIET,
    ),
    "automata, no flips": (*TABLES, QUIET),
    "automata, flips .25, .15, .05": (*TABLES, DECAY),
    "automata, a twentieth flipped": (*TABLES, NOISE),
}


def rates_row(figure: str, rates: Sequence[float], basis: str, goal: float | None = None) -> Row:
    """Return a row with the rates at all lengths; the goal applies to each rate."""
    found = row(figure, min(rates), UNIT, basis, least=goal)
    return Row(figure, ", ".join(map(digits, rates)), UNIT, basis, found.goal, found.good)


def rate(play: Callable[[int, int], object], moves: int, most: int = 60_000) -> float:
    """Return the millions of moves per second at which `play(moves, seed)` plays games."""
    games = max(1, most // moves)
    return games * moves / best_seconds(lambda: [play(moves, seed) for seed in range(games)]) / 1e6


def agents(short: bool) -> Iterator[Row]:
    """Time agents in steps of one move and in blocks of three."""
    most = 6_000 if short else 30_000
    for label, (first, second, flips) in KINDS.items():
        for block, basis, goal in ((1, "steps", STEPS), (3, "blocks", BLOCKS)):
            match = partial(play_match, first, second, block=block, flip_params=flips)
            rates = [rate(lambda moves, seed: match(moves, seed=seed), n, most) for n in LENGTHS]  # noqa: B023
            yield rates_row(label, rates, basis, goal)


def compiled(short: bool) -> Iterator[Row]:
    """Time the compiled loop alone, then with random draws and records."""
    import numpy as np

    from engine.games.dilemma.referee import compiled as loop

    one, two = (found for agent in TABLES if (found := automaton_of(agent, 3)))
    flips = np.zeros((2, 1_000_000), np.uint8)
    terms = loop.pack(one), loop.pack(two), 3, flips, np.empty_like(flips)
    loop.play(*terms)
    bare = 1 / best_seconds(lambda: loop.play(*terms))
    yield row("the compiled loop, every move played", bare, UNIT, "alone", least=COMPILED)

    def swift(moves: int, seed: int) -> object:
        return loop.play_noisy(one, two, moves, NOISE, number(seed, "flips"))

    swift(9, 0)
    most = 6_000 if short else 60_000
    rates = [rate(swift, moves, most) for moves in LENGTHS]
    yield rates_row("automata, a twentieth flipped", rates, "compiled, draws and records")


def studied() -> None:
    """Play all agents against each other ten times, and compute the results."""
    rounds = repeat((0.05, 0), (200, 200), AGENTS, 10, unit="moves")
    payoff_spreads(rounds)
    standings(rounds)


def tournaments(short: bool) -> Iterator[Row]:
    """Time whole tournaments with all records."""
    del short
    pairs = len(FINITE) * (len(FINITE) - 1) // 2
    dispatch.TALLY.moves = dispatch.HOT
    rates = []
    for moves in LENGTHS:
        play = partial(monitor, QUIET, (moves, moves), FINITE, max_rounds=1, unit="moves")
        rates.append(pairs * moves / best_seconds(play, 2) / 1e6)
    yield rates_row(f"round robin of {len(FINITE)} automata", rates, "no flips, all records")
    basis = "200 moves, 10 repetitions, results and rank intervals"
    yield row(f"all {len(AGENTS)} agents", best_seconds(studied, 1), "s", basis, most=10)


if __name__ == "__main__":
    main(str(__doc__), {"agents": agents, "compiled": compiled, "tournaments": tournaments})
