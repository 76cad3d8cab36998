"""Scripted players: pure functions of the player's observation and random stream."""

from difflib import get_close_matches

from engine.games.conversation.state import Strategy
from engine.games.conversation.strategies import plain
from engine.games.conversation.strategies.foresight.strategy import foresight
from engine.games.conversation.strategies.plain import gains, greedy, outlook_of

__all__ = ["STRATEGIES", "Strategy", "foresight", "gains", "greedy", "outlook_of", "strategy_named"]

# A default game seats the last three, so the strategies that score best in it come last.
STRATEGIES: dict[str, Strategy] = {
    "silent": plain.silent,
    "random": plain.any_item,
    "random-pause": plain.any_item_or_silence,
    "greedy": greedy,
    "weave": plain.weave,
    "selfish": plain.selfish,
    "neighbourly": plain.neighbourly,
    "patient": plain.patient,
    "foresight": foresight,
}


def strategy_named(name: str) -> Strategy:
    """Return the named strategy; raise ValueError, with the closest name, if it is unknown."""
    if name not in STRATEGIES:
        # `one_of` is not used, since other simulators copy `engine` without `protocol`.
        close = get_close_matches(name, STRATEGIES, n=1, cutoff=0.5)
        near = f" did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown strategy {name!r}:{near} choose from {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
