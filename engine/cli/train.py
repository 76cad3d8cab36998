"""The command line of `env_gym.py`: train a Guest."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from engine.cli.parser import LOGS, Parser
from engine.games.guest.rules import check_count, check_share
from engine.statistics import mean

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 5
EXAMPLES = """examples:
  uv run --extra rl env_gym.py train                                 PPO, 3 seeds of 100,000 steps, a few minutes
  uv run --extra rl env_gym.py train --imbalance-factor 0.2 --seeds 5 --out logs/guest-0.2
  uv run --extra rl example.py guest --players trained:logs/guest/ppo-1.zip,scripted:greedy
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what `argv` says and return the exit code: 0 done, 1 failed, 2 bad input, 5 interrupted."""
    try:
        following = train(asked(list(sys.argv[1:] if argv is None else argv)))
    except ValueError as error:
        return complain(str(error), USAGE)
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}", FAILED)
    except KeyboardInterrupt:
        return complain(
            "interrupted; the policies of finished seeds are kept, as told above", INTERRUPTED
        )
    print(f"Next: uv run {following}", file=sys.stderr)
    return OK


def asked(words: list[str]) -> Namespace:
    """Return what `words` ask for; ValueError says what cannot be."""
    parser = Parser("env_gym.py", "Train a Guest for GuestEnv by PPO.", EXAMPLES)
    parser.add_argument("what", choices=["train"], help="what to do")
    parser.add_argument(
        "--steps", type=int, default=100_000, help="steps of each training (%(default)s)"
    )
    parser.add_argument(
        "--seeds", type=int, default=3, help="trainings, with the seeds 1, 2, ... (%(default)s)"
    )
    parser.add_argument(
        "--imbalance-factor",
        type=float,
        default=0.0,
        help="how much agent 2 is favoured (%(default)s)",
    )
    parser.add_argument(
        "--max-steps", type=int, default=600, help="steps of an episode (%(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=LOGS / "guest", metavar="DIR", help="(%(default)s)"
    )
    options = parser.read(words)
    if options.steps < 1 or options.seeds < 1:
        raise ValueError(
            f"expected steps and seeds to be at least 1: got {options.steps} and {options.seeds}"
        )
    check_share("imbalance_factor", options.imbalance_factor)
    check_count("max_steps", options.max_steps)
    return options


def train(options: Namespace) -> str:
    """Train as asked, show and write what came of it, and return the command to try next."""
    from engine.labs.guest import training
    from engine.views.plots import save_chart

    factor = options.imbalance_factor
    terms: dict[str, Any] = {"imbalance_factor": factor, "max_steps": options.max_steps}
    options.out.mkdir(parents=True, exist_ok=True)
    courses, written = [], list[Path]()
    for seed in range(1, options.seeds + 1):
        with progress() as bar:
            row = bar.add_task(f"seed {seed}", total=options.steps)
            courses.append(training.train(options.steps, seed, partial(advance, bar, row), **terms))
        best = max(courses[-1].rewards)
        when = courses[-1].steps[courses[-1].rewards.index(best)]
        print(f"seed {seed}: {courses[-1].reward:.1f}, as it was after {when:,} steps", flush=True)
        written += told(training.save(courses[-1:], options.out))
    beside = training.baselines(**terms)
    mean_reward = mean([course.reward for course in courses])
    others = ", ".join(f"{name} {reward:.1f}" for name, reward in beside.items())
    print(f"mean total reward of an episode {mean_reward:.1f}; beside it {others}")
    told(save_chart(training.curve(courses, factor, beside), options.out / "learning-curve"))
    return f"--extra rl example.py guest --players trained:{written[0]},scripted:greedy"


def told(paths: Sequence[Path]) -> Sequence[Path]:
    """Say on stderr which files were written, and return them."""
    for path in paths:
        print(f"wrote {path}", file=sys.stderr, flush=True)
    return paths


def progress() -> Progress:
    """Return a progress bar in steps, on stderr, which goes when it is full."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} steps"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def advance(bar: Progress, row: TaskID, done: int) -> None:
    """Show how many steps are done."""
    bar.update(row, completed=done)


def complain(sentence: str, code: int) -> int:
    """Say on stderr what is wrong and return the exit code."""
    print(f"env_gym.py: {sentence}", file=sys.stderr)
    return code
