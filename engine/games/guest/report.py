"""The sessions of a game as charts: their rewards, and how evenly the three agents spoke."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from engine.games.guest.record import StepFacts, Steps
from engine.history import History, payload_of
from engine.report.charts import Chart, Lines
from engine.report.turning_points import TurningPoint, changes_of_lead


def draw_charts(history: History) -> dict[str, Chart]:
    """Return charts with a line for each player, or an empty dict before the first step."""
    steps = steps_by_player(history)
    length = min(map(len, steps.values()), default=0)
    if not length:
        return {}

    shared = history.outcome.shared if history.outcome is not None else {}
    marks = {name: float(total) / length for name, total in shared.items()}
    numbers = range(1, length + 1)
    return {
        "reward": reward_chart(steps, numbers, marks),
        "equality": evenness_chart(steps, numbers),
    }


def reward_chart(
    steps: Mapping[str, Sequence[StepFacts]], numbers: range, marks: Mapping[str, float]
) -> Lines:
    """Return a curve of each session's mean reward up to each step in `numbers`."""
    series = {}
    for name, values in steps.items():
        totals = accumulate(step.reward for step in values[: len(numbers)])
        series[name] = [total / number for number, total in enumerate(totals, 1)]
    return Lines("Reward a step so far", "step", "mean reward", numbers, series, marks=marks)


def evenness_chart(steps: Mapping[str, Sequence[StepFacts]], numbers: range) -> Lines:
    """Return curves of how evenly the three agents spoke in each session."""
    series = {}
    for name, values in steps.items():
        series[name] = [1 - step.gini for step in values[: len(numbers)]]
    return Lines("How evenly the three were heard", "step", "1 - gini", numbers, series)


def turns_of_guest(history: History) -> Iterator[TurningPoint]:
    """Yield the largest change of lead, by total reward after each round of decisions."""
    rewards = {seat.player_id: 0.0 for seat in history.players}
    standings = []
    for log in history.rounds:
        for event in log.events:
            if event.kind == "step":
                payload = payload_of(event, Steps)
                rewards[payload.player_id] += sum(step.reward for step in payload.steps)
        if log.events:
            standings.append((log.events[-1].index, dict(rewards)))
    return changes_of_lead(standings, "of reward")


def steps_by_player(history: History) -> dict[str, list[StepFacts]]:
    """Return the steps of every player's session."""
    steps: dict[str, list[StepFacts]] = {seat.player_id: [] for seat in history.players}
    for event in history.events:
        if event.kind == "step":
            payload = payload_of(event, Steps)
            steps[payload.player_id] += payload.steps
    return steps
