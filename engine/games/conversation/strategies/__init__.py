"""Players without a model: pure functions of the player's observation and its random stream."""

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
from protocol.suggest import one_of

__all__ = ["STRATEGIES", "Strategy", "foresight", "gains", "greedy", "outlook_of", "strategy_named"]

# The last three play at the default table, so they are the ones that score best there.
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


def strategy_named(name: str) -> Strategy:
    """Return a strategy; for an unknown name, ValueError lists the nearest and all known names."""
    return STRATEGIES[one_of(name, STRATEGIES, "strategy")]
