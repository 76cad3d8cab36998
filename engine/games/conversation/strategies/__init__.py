"""Players without a model: pure functions of what a player observes and its random stream."""

from engine.games.conversation.state import Strategy
from engine.games.conversation.strategies.foresight.strategy import foresight
from engine.games.conversation.strategies.plain import (
    any_item,
    any_item_or_silence,
    gains,
    greedy,
    neighbourly,
    outlook_of,
    patient,
    selfish,
    silent,
    weave,
)

__all__ = ["STRATEGIES", "Strategy", "foresight", "gains", "greedy", "outlook_of"]

# The last three sit at the default table, so they are those that serve it best.
STRATEGIES: dict[str, Strategy] = {
    "silent": silent,
    "random": any_item,
    "random-pause": any_item_or_silence,
    "greedy": greedy,
    "weave": weave,
    "selfish": selfish,
    "neighbourly": neighbourly,
    "patient": patient,
    "foresight": foresight,
}
