"""`env_gym.py`: train a Guest, and draw its learning curve."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.main import ExitCode, suggest_next
from engine.cli.parser import LOGS, Parser, join_words
from engine.games.guest.rules import check_count, check_share
from engine.report.statistics import mean

if TYPE_CHECKING:
    from labs.guest.training import TrainingCourse

PROGRAM = "env_gym.py"
ABOUT = "Train a Guest for GuestEnv by PPO."
EXAMPLES = """examples:
  uv run --extra rl env_gym.py train      PPO, 3 seeds of 100,000 steps, a few minutes
  uv run --extra rl env_gym.py train --imbalance-factor 0.2 --seeds 5 --out logs/guest-0.2
  uv run --extra rl example.py guest --players trained:logs/guest/ppo-1.zip,scripted:greedy
"""


def train_from(words: Sequence[str]) -> ExitCode:
    """Train as `words` request, and print the next command; raise ValueError for bad options."""
    options = train_parser().read(words)
    if options.steps < 1 or options.seeds < 1:
        raise ValueError(
            f"expected steps and seeds to be at least 1: got {options.steps} and {options.seeds}"
        )
    if "," in str(options.out):
        raise ValueError(
            "expected --out without commas, which separate the players in --players: "
            f"got {str(options.out)!r}"
        )
    check_share("imbalance_factor", options.imbalance_factor)
    check_count("max_steps", options.max_steps)
    return suggest_next(train_guests(options))


def train_parser() -> Parser:
    """Return the argument parser of `env_gym.py`."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES)
    parser.add_argument("what", choices=["train"], help="train: learn a policy, and save it")
    parser.add_number("--steps", "steps of each training", 100_000)
    parser.add_number("--seeds", "trainings, with the seeds 1, 2, ...", 3)
    favour = "how strongly agent 2 is favoured, from 0 to 1"
    parser.add_value("--imbalance-factor", "FRACTION", favour, float, "0")
    parser.add_number("--max-steps", "steps of an episode", 600)
    parser.add_value("--out", "DIR", "folder of policies and pictures", Path, LOGS / "guest")
    return parser


def train_guests(options: Namespace) -> str:
    """Train with each seed, show and write the results, and return the command to try next."""
    from labs.guest import training

    terms = {"imbalance_factor": options.imbalance_factor, "max_steps": options.max_steps}
    options.out.mkdir(parents=True, exist_ok=True)
    courses: list[TrainingCourse] = []
    policies: list[Path] = []
    for seed in range(1, options.seeds + 1):
        course = _train_shown(options.steps, seed, terms)
        courses.append(course)
        saved = training.save_models([course], options.out)
        report_files(saved)
        policies += saved
    compare_courses(courses, terms, options.out)
    players = join_words([f"trained:{policies[0]},scripted:greedy"])
    return f"--extra rl example.py guest --players {players}"


def _train_shown(steps: int, seed: int, terms: dict[str, Any]) -> "TrainingCourse":
    """Train with one seed, and show the progress and the best reward."""
    from engine.runs.processes import progress_bar
    from labs.guest import training

    with progress_bar("training") as bar:
        row = bar.add_task(f"seed {seed}", total=steps)
        course = training.train(steps, seed, lambda done: bar.update(row, completed=done), **terms)
    when = course.steps[course.rewards.index(max(course.rewards))]
    print(f"seed {seed}: {course.reward:.1f}, as it was after {when:,} steps", flush=True)
    return course


def compare_courses(courses: "list[TrainingCourse]", terms: dict[str, Any], folder: Path) -> None:
    """Print the mean reward, compare it with fixed policies, and draw the learning curve."""
    from engine.views.plots import save_chart
    from labs.guest import training

    beside = training.baselines(**terms)
    mean_reward = mean([course.reward for course in courses])
    others = ", ".join(f"{name} {reward:.1f}" for name, reward in beside.items())
    print(f"mean total reward of an episode {mean_reward:.1f}; for comparison: {others}")
    curve = training.learning_curve(courses, terms["imbalance_factor"], beside)
    report_files(save_chart(curve, folder / "learning-curve"))


def report_files(paths: Sequence[Path]) -> None:
    """List the written files on stderr, one path per line."""
    for path in paths:
        print(f"wrote {path}", file=sys.stderr, flush=True)
