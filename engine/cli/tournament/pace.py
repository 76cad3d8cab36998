"""Estimate a measurement's cost before it begins, and the time left while it runs."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.tournaments.measure.suite import Suite
    from player import PlayerConfig

# Seconds per question. A model on two cores of this machine takes OWN_PACE per question overall. A
# model elsewhere takes PACE per question, and answers as many at once as its provider allows.
OWN_MACHINE = ("local", "ollama")
OWN_PACE, PACE = 1.0, 3.0
# How many answers are expected before the pace is estimated.
FEW = 10


def show_estimate(
    suite: "Suite", word: str, model: "PlayerConfig", tasks: Sequence[str], *, quick: bool
) -> dict[str, int]:
    """Return the likely number of questions by task, and print a model's likely cost to stderr."""
    from engine.runs.dry_run import Bound
    from engine.spending.costs import dollars
    from player import ASKS
    from providers import PROVIDERS

    if model.computed:
        return {}
    bounds = {task: suite.bound(task, model, quick=quick) for task in tasks}
    bound = sum((bound for bound, _ in bounds.values()), Bound())
    games = sum(games for _, games in bounds.values())
    questions = bound.calls // ASKS
    tokens = bound.prompt_tokens + bound.completion_tokens
    is_local = model.provider in OWN_MACHINE
    pace = OWN_PACE if is_local else PACE / PROVIDERS[model.provider].concurrency
    seconds = OWN_PACE if is_local else PACE
    price = f"{dollars(bound.cost)}, likely {dollars(bound.likely)}"
    if bound.cost is None:
        price = "an unknown cost"
    print(
        f"{word}: {questions:,} questions in {games} games, about {in_minutes(questions * pace)} "
        f"at {seconds} s a question; at most {bound.calls:,} calls, {tokens:,} "
        f"tokens and {price}.",
        file=sys.stderr,
    )
    return {task: bound.calls // ASKS for task, (bound, _) in bounds.items()}


def in_minutes(seconds: float) -> str:
    """Return a duration as text, in minutes or hours.

    >>> in_minutes(40), in_minutes(100), in_minutes(20_000)
    ('1 minute', '2 minutes', '5.5 hours')
    """
    minutes = max(1, round(seconds / 60))
    if minutes > 120:
        return f"{minutes / 60:.1f} hours"
    return f"{minutes} minute{'s' if minutes > 1 else ''}"


class Pace:
    """The speed of a model's games; `questions` holds the expected number of questions per task.

    A task's games count equally, however often the model has to be asked again. `before` and `now`
    are the shares of a task's games that were over before this run and that are over now.
    """

    def __init__(self, questions: Mapping[str, int]) -> None:
        self.questions = questions
        self.answered = 0.0
        self.rest: float = sum(questions.values())
        self.begun = time.monotonic()

    def end_task(self, task: str, before: float, now: float) -> None:
        """Add a task's games to those of earlier tasks."""
        expected = self.questions.get(task, 0)
        self.answered += expected * (now - before)
        self.rest -= expected * now

    def left(self, task: str, before: float, now: float) -> str:
        """Return the time left as text, or "" if too few questions have been answered."""
        expected = self.questions.get(task, 0)
        answered = self.answered + expected * (now - before)
        if answered < FEW:
            return ""
        seconds = (time.monotonic() - self.begun) / answered * (self.rest - expected * now)
        return f", about {in_minutes(seconds)} left"
