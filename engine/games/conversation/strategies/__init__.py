"""Players without a model: each a pure function of what a player observes and of its own random stream."""

from engine.games.conversation.state import Strategy
from engine.games.conversation.strategies.foresight.strategy import foresight
from engine.games.conversation.strategies.plain import (
    gains,
    greedy,
    neighbourly,
    outlook_of,
    patient,
    selfish,
    silent,
    uniform,
    uniform_with_pauses,
    weave,
)

__all__ = ["STRATEGIES", "Strategy", "foresight", "gains", "greedy", "outlook_of"]

STRATEGIES: dict[str, Strategy] = {
    "silent": silent,
    "random": uniform,
    "random-pause": uniform_with_pauses,
    "greedy": greedy,
    "neighbourly": neighbourly,
    "patient": patient,
    "weave": weave,
    "selfish": selfish,
    "foresight": foresight,
}
