"""The rating targets, such as wins or points."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.ratings.columns import Floats
from engine.ratings.orders import PAIRS, PLACES, WINS, Rule
from engine.ratings.payoffs import payoff_of
from engine.ratings.results import Results
from engine.ratings.scales import ELO, PAYOFF, Scale


@dataclass(frozen=True, kw_only=True)
class Target:
    """How a target rates games, and the heading of its table.

    With a `rule`, skills are fitted to the choices that it derives from places (Plackett and Luce).
    Without a rule, a skill is the mean `value` of an entrant's seats. `directions` describes each
    end from which orders can be read; if it is empty, orders are read from the top.
    """

    heading: str
    about: str
    rule: Rule | None = None
    value: Callable[[Results], Floats] = payoff_of
    scale: Scale = ELO
    directions: Mapping[str, str] = field(default_factory=dict)


TARGETS: dict[str, Target] = {
    "wins": Target(
        heading="By wins",
        about="Only the winner of a game counts (Plackett 1975; Luce 1959).",
        rule=WINS,
    ),
    "places": Target(
        heading="By places",
        about="All places of a game count (Plackett 1975; Luce 1959).",
        rule=PLACES,
        directions={
            "top": "An order is read from the best place down.",
            "bottom": (
                "An order is read from the worst place up: the first to leave is chosen first."
            ),
        },
    ),
    "points": Target(heading="By points", about="The mean payoff of a seat.", scale=PAYOFF),
    "pairs": Target(
        heading="By pairs", about="Each game is a duel (Bradley and Terry 1952).", rule=PAIRS
    ),
}
