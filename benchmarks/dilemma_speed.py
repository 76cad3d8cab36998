"""Print how fast the prisoner's dilemma is played, each figure beside its goal.

Agents are asked, walked as automata, compiled, and spread over cores.

uv run benchmarks/dilemma_speed.py

A figure is in millions of moves of one seat a second, both seats playing. The first line says how
many million times a second this machine calls an empty function right now, so that runs can be
compared.
"""

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.games.dilemma.monitor import AGENTS, as_block, monitor, play_match
from engine.games.dilemma.referee import dispatch
from engine.games.dilemma.referee.automata import automaton_of
from engine.games.dilemma.referee.walk import walk
from engine.games.dilemma.results import payoff_matrix
from engine.games.dilemma.rules import draw_flips
from engine.rng import number, stream
from engine.runs.processes import cores
from labs.dilemma.repetitions import (
    matrix_csv,
    payoff_spreads,
    repeat,
    standings,
    standings_csv,
)
from labs.dilemma.spread import spread_monitor

LENGTHS = (30, 150, 600, 6000)
STEPS, BLOCKS, COMPILED = 2, 1, 100
QUIET, NOISE, DECAY = (0, 0), (0.05, 0), (0.25, 0.1)
FINITE = [name for name, agent in AGENTS.items() if automaton_of(agent, 3)]


def echo(own: Sequence[str], opponent: Sequence[str]) -> Any:
    """Play tit for tat, undeclared, so it is asked for every move."""
    del own
    return opponent[-1] if opponent else "C"


def shift(own: Sequence[str], opponent: Sequence[str]) -> Any:
    """Play win-stay lose-shift, undeclared."""
    return "C" if not own or own[-1] == opponent[-1] else "D"


def parrot(history: list[Any], score: Any) -> Any:
    """Answer what the opponent last played, three times."""
    del score
    return [history[-1][1]] * 3 if history else ["C", "C", "C"]


def miser(history: list[Any], score: Any) -> Any:
    """Cooperate while the own score is at least the opponent's."""
    del history
    return ("C", "C", "C") if score[0] >= score[1] else ("D", "D", "D")


ASKED: dict[str, tuple[Any, Any]] = {
    "functions of both sides' moves": (as_block(echo), as_block(shift)),
    "machines that count: soft majority, gradual": (AGENTS["soft_majority"], AGENTS["gradual"]),
    "lots: stoc, ZD-Extort-2": (AGENTS["stoc"], AGENTS["zd_extort_2"]),
    "written for blocks": (parrot, miser),
}
TABLES = (AGENTS["tit_for_tat"], AGENTS["bully"])


def best_of(play: Callable[[], object], times: int = 5) -> float:
    """Return the least processor seconds of `times` runs."""
    seconds = []
    for _ in range(times):
        begun = time.process_time()
        play()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def empty_calls() -> float:
    """Return how many million times a second an empty function is called."""
    return 0.2 / best_of(lambda: [*map(empty, range(200_000))])


def empty(nothing: object) -> object:
    """Return what it is passed."""
    return nothing


def speed(
    first: Any, second: Any, moves: int, block: int, flip_params: tuple[float, float] = QUIET
) -> float:
    """Return the moves of one seat in a second, both seats playing, in millions."""
    games = max(1, 30_000 // moves)

    def play() -> None:
        for seed in range(games):
            play_match(first, second, moves, block=block, flip_params=flip_params, seed=seed)

    return games * moves / best_of(play) / 1e6


def show(label: str, figures: Sequence[float], goal: float | None = None) -> None:
    """Print a row of figures, and the goal of each."""
    columns = "".join(f"{figure:9.2f}" for figure in figures)
    print(f"{label:62}{columns}" + (f"   goal {goal:g}" if goal else ""), flush=True)


def show_asked() -> None:
    """Print how fast agents are asked, turn by turn."""
    for label, (first, second) in ASKED.items():
        show(f"{label}, steps", [speed(first, second, moves, 1) for moves in LENGTHS], STEPS)
        show(f"{label}, blocks", [speed(first, second, moves, 3) for moves in LENGTHS], BLOCKS)


def show_tables() -> None:
    """Print how fast automata are walked in Python."""
    for label, flips in (
        ("no flips", QUIET),
        ("flips .25, .15, .05", DECAY),
        ("a twentieth flipped", NOISE),
    ):
        show(
            f"automata, {label}, steps",
            [speed(*TABLES, moves, 1, flips) for moves in LENGTHS],
            STEPS,
        )
        show(
            f"automata, {label}, blocks",
            [speed(*TABLES, moves, 3, flips) for moves in LENGTHS],
            BLOCKS,
        )


def show_compiled() -> None:
    """Print the speed of the same games compiled: the loop alone, then with draws and records."""
    if dispatch.compiled_if_there() is None:
        print("numba is not installed: uv sync --extra compiled")
        return
    import numpy as np

    from engine.games.dilemma.referee import compiled

    one, two = (found for agent in TABLES if (found := automaton_of(agent, 3)))
    flips = np.zeros((2, 1_000_000), np.uint8)
    terms = compiled.pack(one), compiled.pack(two), 3, flips, np.empty_like(flips)
    compiled.play(*terms)
    show("compiled loop, every move played", [1 / best_of(lambda: compiled.play(*terms))], COMPILED)

    def swift(moves: int, seed: int) -> object:
        return compiled.play_noisy(one, two, moves, NOISE, number(seed, "flips"))

    def plain(moves: int, seed: int) -> object:
        return walk(one, two, moves, draw_flips(moves, NOISE, stream(seed, "flips")))

    swift(9, 0)
    rates = [[rate(way, moves) for moves in LENGTHS] for way in (swift, plain)]
    show("compiled, a twentieth flipped, draws and records included", rates[0])
    show(
        "  times the speed of plain Python",
        [one / two for one, two in zip(*rates, strict=True)],
    )
    show_draws()


def show_draws() -> None:
    """Print how much faster the compiled generator seeds and draws a game than numpy's."""
    import numpy as np

    from engine.games.dilemma.referee import twister

    again = np.random.RandomState()
    flips = np.zeros((2, max(LENGTHS)), np.uint8)

    def compiled(moves: int, seed: int) -> None:
        twister.draw(twister.key_of(number(seed, "flips")), *NOISE, flips[:, :moves])

    def reseeded(moves: int, seed: int) -> None:
        again.seed([*map(int, twister.key_of(number(seed, "flips")))])
        np.less(again.random_sample(2 * moves).reshape(-1, 2).T, NOISE[0])

    def made(moves: int, seed: int) -> None:
        words = [*map(int, twister.key_of(number(seed, "flips")))]
        drawn = np.random.RandomState(words).random_sample(2 * moves)
        np.less(drawn.reshape(-1, 2).T, NOISE[0])

    compiled(9, 0)
    swift = [rate(compiled, moves) for moves in LENGTHS]
    for label, way in (("seeded again", reseeded), ("made anew", made)):
        times = [one / rate(way, moves) for one, moves in zip(swift, LENGTHS, strict=True)]
        show(f"  draws: times the speed of numpy's generator {label}", times)


def rate(way: Callable[[int, int], object], moves: int) -> float:
    """Return the millions of moves a second when `way` plays games of `moves` moves."""
    games = max(1, 60_000 // moves)
    return games * moves / best_of(lambda: [way(moves, seed) for seed in range(games)]) / 1e6


def show_tournaments() -> None:
    """Print the speed of whole compiled tournaments, all records included."""
    pairs = len(FINITE) * (len(FINITE) - 1) // 2
    dispatch.TALLY.moves = dispatch.HOT
    for label, flips, goal in (
        ("no flips", QUIET, COMPILED),
        ("a twentieth flipped, compiled", NOISE, None),
    ):
        speeds = []
        for moves in LENGTHS:
            terms: Any = (flips, (moves, moves), FINITE)
            play = partial(monitor, *terms, max_rounds=1, unit="moves")
            seconds = best_of(play, 2)
            speeds.append(pairs * moves / seconds / 1e6)
        show(f"round robin of {len(FINITE)} agents of finite memory, {label}", speeds, goal)
    print(
        f"all {len(AGENTS)} agents, 200 moves, 10 repetitions: results, CSV and rank intervals: ",
        end="",
    )
    print(f"{best_of(studied, 1):.2f} s   goal 10 s or less")


def studied() -> tuple[str, str]:
    """Play all agents against each other ten times and return the results as CSV."""
    rounds = repeat((0.05, 0), (200, 200), AGENTS, 10, unit="moves")
    games = [game for one in rounds for game in one.games]
    payoff_spreads(rounds)
    return standings_csv(standings(rounds)), matrix_csv(payoff_matrix(games))


def show_cores() -> None:
    """Print the wall-clock time of a long tournament on one process and on several."""
    seconds, found, turns = [], [], 40_000
    for processes in (1, cores()):
        begun = time.perf_counter()
        entries = [
            "soft_majority",
            "gradual",
            "hard_majority",
            "coin",
            "stoc",
            "zd_extort_2",
            "accountant",
            "random",
        ]
        found.append(
            spread_monitor(NOISE, (turns, turns), entries, processes=processes, max_rounds=1)
        )
        seconds.append(time.perf_counter() - begun)
    same = "the same" if found[0] == found[1] else "ANOTHER"
    times = f"{seconds[0]:.1f} s on one process, {seconds[1]:.1f} s on {cores()}"
    print(f"28 games of {3 * turns} moves that must be asked: {times}, {same} result")


def main() -> None:
    """Measure and print."""
    print(f"this machine calls an empty function {empty_calls():.1f} million times a second")
    show("moves of a game", LENGTHS)
    show_asked()
    show_tables()
    show_compiled()
    show_tournaments()
    show_cores()


if __name__ == "__main__":
    main()
