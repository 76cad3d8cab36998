"""A finished session as pictures: what it brought, and how evenly the three were heard, from its log alone."""

from itertools import accumulate
from typing import Any

from engine.history import History
from engine.report.charts import Chart, Lines


def pictures(history: History) -> dict[str, Chart]:
    """Return the pictures of a session by name, a line for each player; none before the first step of all."""
    steps: dict[str, list[dict[str, Any]]] = {seat.player_id: [] for seat in history.players}
    for event in history.events:
        if event.kind == "step":
            steps[event.data["player_id"]] += event.data["steps"]
    length = min(map(len, steps.values()), default=0)
    if not length:
        return {}
    numbers = range(1, length + 1)
    rewards, evenness = dict[str, list[float]](), dict[str, list[float]]()
    for name, played in steps.items():
        totals = accumulate(one["reward"] for one in played[:length])
        rewards[name] = [total / number for number, total in zip(numbers, totals, strict=True)]
        evenness[name] = [1 - one["gini"] for one in played[:length]]
    shared = history.outcome.shared if history.outcome is not None else {}
    marks = {name: float(total) / length for name, total in shared.items()}
    return {
        "reward": Lines(
            "Reward a step so far", "step", "mean reward", numbers, rewards, marks=marks
        ),
        "equality": Lines("How evenly the three were heard", "step", "1 - gini", numbers, evenness),
    }
