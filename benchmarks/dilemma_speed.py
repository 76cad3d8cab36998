"""Print how fast matches and tournaments of the prisoner's dilemma are played, at several lengths.

uv run benchmarks/dilemma_speed.py
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.games.dilemma.monitor import AGENTS, play_match
from engine.games.dilemma.repetitions import matrix_csv, repeat, standings, standings_csv
from engine.games.dilemma.results import payoff_matrix

LENGTHS = (30, 150, 600)
PAIRS = {
    "sequences: tit for tat, win-stay lose-shift": ("tit_for_tat", "win_stay_lose_shift"),
    "machines: soft majority, gradual": ("soft_majority", "gradual"),
    "lots: coin, ZD-Extort-2": ("coin", "zd_extort_2"),
    "written for blocks: mirror, accountant": ("mirror", "accountant"),
}


def best_of(play: Callable[[], object], times: int = 5) -> float:
    """Return the least seconds of some runs."""
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        play()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def speed(first: str, second: str, moves: int, block: int, flip_params: tuple[float, float] = (0, 0)) -> float:
    """Return the moves of one seat in a second, both seats playing, in millions."""
    games = 30_000 // moves

    def play() -> None:
        for seed in range(games):
            play_match(AGENTS[first], AGENTS[second], moves, block=block, flip_params=flip_params, seed=seed)

    return games * moves / best_of(play) / 1e6


def main() -> None:
    """Measure and print."""
    print(f"millions of moves of one seat a second, in games of {', '.join(map(str, LENGTHS))} moves")
    for label, (first, second) in PAIRS.items():
        for block, said in ((1, "steps of one"), (3, "blocks of three")):
            told = "  ".join(f"{speed(first, second, moves, block):5.2f}" for moves in LENGTHS)
            print(f"{label:45} {said:17} {told}")
    noisy = "  ".join(f"{speed('tit_for_tat', 'bully', moves, 3, (0.25, 0.1)):5.2f}" for moves in LENGTHS)
    print(f"{'flips .25, .15, .05: tit for tat, bully':45} {'blocks of three':17} {noisy}")
    whole = best_of(studied, 1)
    print(f"all {len(AGENTS)} agents, 200 moves, 10 repetitions, with ranks, intervals and CSV: {whole:.2f} s")


def studied() -> tuple[str, str]:
    """Play all agents against each other ten times and return the results as CSV."""
    rounds = repeat((0.05, 0), (200, 200), AGENTS, 10, unit="moves")
    games = [game for one in rounds for game in one.games]
    return standings_csv(standings(rounds)), matrix_csv(payoff_matrix(games))


if __name__ == "__main__":
    main()
