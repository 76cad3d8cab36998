"""A finished session as charts: its reward, and how evenly the three were heard."""

from itertools import accumulate

from engine.games.guest.record import StepFacts, Steps
from engine.history import History, payload_of
from engine.report.charts import Chart, Lines

Played = dict[str, list[StepFacts]]  # the steps of each player


def draw_charts(history: History) -> dict[str, Chart]:
    """Return the charts of a session by name, with a line for each player.

    There are none before the first step.
    """
    steps = steps_by_player(history)
    length = min(map(len, steps.values()), default=0)
    if not length:
        return {}

    played = {name: own[:length] for name, own in steps.items()}
    shared = history.outcome.shared if history.outcome is not None else {}
    marks = {name: float(total) / length for name, total in shared.items()}
    return {
        "reward": draw_mean_rewards(played, length, marks),
        "equality": draw_evenness(played, length),
    }


def draw_mean_rewards(
    played: Played,
    length: int,
    marks: dict[str, float],
) -> Lines:
    """Return each player's mean reward so far by step, beside the `marks` of the whole session."""
    rewards: dict[str, list[float]] = {}
    for name, steps in played.items():
        totals = accumulate(step.reward for step in steps)
        rewards[name] = [total / number for number, total in enumerate(totals, 1)]
    return Lines(
        title="Reward a step so far",
        x_label="step",
        y_label="mean reward",
        x=range(1, length + 1),
        series=rewards,
        marks=marks,
    )


def draw_evenness(played: Played, length: int) -> Lines:
    """Return 1 - gini of each player's session by step."""
    evenness: dict[str, list[float]] = {}
    for name, steps in played.items():
        evenness[name] = [1 - step.gini for step in steps]
    return Lines(
        title="How evenly the three were heard",
        x_label="step",
        y_label="1 - gini",
        x=range(1, length + 1),
        series=evenness,
    )


def steps_by_player(history: History) -> Played:
    """Return the steps of every player's session."""
    steps: Played = {seat.player_id: [] for seat in history.players}
    for event in history.events:
        if event.kind == "step":
            payload = payload_of(event, Steps)
            steps[payload.player_id] += payload.steps
    return steps
