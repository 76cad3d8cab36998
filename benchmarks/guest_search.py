"""Print the rewards of the Guest's beam search and its time on one core, at several widths.

`uv run benchmarks/guest_search.py` needs no key and no network.
"""

import os
import sys
import time
from pathlib import Path
from random import Random
from statistics import fmean

# The libraries below would use every core.
os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
)
sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.games.guest.rules import Terms
from engine.games.guest.search import WIDTH, plan
from engine.games.guest.session import Frame, Session, begin, play
from labs.guest.comparison import start_of

STEPS, STARTS = 600, 3
GOALS = {0.0: 650, 0.2: 651, 0.6: 649}


def searched(factor: float, seed: int, width: int) -> tuple[float, float]:
    """Return the reward of one episode and the processor seconds of its search."""
    session = begin(start_of(seed), Frame(Terms(factor), STEPS))
    begun = time.process_time()
    course = iter(plan(session.start, session.frame.terms, STEPS, width=width))
    taken = time.process_time() - begun

    def follow(_session: Session, _rng: Random) -> int:
        return next(course)

    return play(follow, session, Random(0)).reward, taken


def main() -> None:
    """Print reward and seconds at each factor and width."""
    searched(0.0, 0, 10)
    print(
        f"{STEPS} steps, mean of {STARTS} starts; "
        f"the policy beam searches {WIDTH} courses, goal <= 2 s"
    )
    for width in (100, 300, WIDTH, 2 * WIDTH):
        for factor, goal in GOALS.items():
            rewards, seconds = zip(
                *(searched(factor, seed, width) for seed in range(STARTS)), strict=True
            )
            print(
                f"{width:5} courses, f = {factor}: "
                f"{fmean(rewards):6.1f} (goal {goal}), {fmean(seconds):.2f} s"
            )


if __name__ == "__main__":
    main()
