"""Estimate a measurement's cost before it begins, and the time left while it runs."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.tournaments.measure.suite import Suite
    from player import PlayerConfig

# Seconds per question: of all questions together for a model on two cores of this machine, and of
# each for a model elsewhere, with as many concurrent questions as its provider allows.
OWN_MACHINE = ("local", "ollama")
OWN_PACE, PACE = 1.0, 3.0
# How many answers are needed before the pace is estimated.
FEW = 10


def show_estimate(
    suite: "Suite", word: str, model: "PlayerConfig", tasks: Sequence[str], *, quick: bool
) -> int:
    """Return the likely number of questions, and print a model's likely cost on stderr."""
    from engine.spending.costs import dollars
    from player import ASKS
    from providers import PROVIDERS

    if model.computed:
        return 0
    bound, games = suite.bound(model, tasks, quick=quick)
    questions = bound.calls // ASKS
    tokens = bound.prompt_tokens + bound.completion_tokens
    is_local = model.provider in OWN_MACHINE
    pace = OWN_PACE if is_local else PACE / PROVIDERS[model.provider].concurrency
    seconds = OWN_PACE if is_local else PACE
    print(
        f"{word}: {questions:,} questions in {games} games, about {in_minutes(questions * pace)} "
        f"at {seconds} s a question; at most {bound.calls:,} calls, {tokens:,} "
        f"tokens and {dollars(bound.cost)}, likely {dollars(bound.likely)}.",
        file=sys.stderr,
    )
    return questions


def in_minutes(seconds: float) -> str:
    """Return a time in words, as minutes or hours.

    >>> in_minutes(40), in_minutes(100), in_minutes(20_000)
    ('1 minute', '2 minutes', '5.5 hours')
    """
    minutes = max(1, round(seconds / 60))
    if minutes > 120:
        return f"{minutes / 60:.1f} hours"
    return f"{minutes} minute{'s' if minutes > 1 else ''}"


class Pace:
    """How fast the questions of all tasks are answered; `questions` is their expected number."""

    def __init__(self, questions: int) -> None:
        self.questions = questions
        self.answered = 0
        self.begun = time.monotonic()

    def left(self, calls: int) -> str:
        """Return the remaining time in words after `calls` calls for this task; "" if unknown."""
        done = self.answered + calls
        if done < FEW or self.questions <= done:
            return ""
        rest = (time.monotonic() - self.begun) / done * (self.questions - done)
        return f", about {in_minutes(rest)} left"
