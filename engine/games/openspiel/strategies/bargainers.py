"""Two scripts for OpenSpiel's bargaining game that use their own values and the deadline."""

import random
from typing import NamedTuple

from engine.games.openspiel.bargains import own_value, read_bargain, read_counts
from engine.games.openspiel.library import Rules, example_of
from engine.games.openspiel.strategies.question import MoveQuestion
from protocol.turn import A, Turn

AGREE = "Agree"


class Tactic(NamedTuple):
    """The demands and acceptances of a player, as shares of the maximum value it can get.

    Demands fall from 1 to `reserve`: evenly if `haste` is 1, and mostly near the end if it is less.
    A player accepts its current demand or the share `accepts`, whichever is less.
    """

    haste: float
    reserve: float
    accepts: float


FAIR = Tactic(haste=1, reserve=0.5, accepts=0.5)
FIRM = Tactic(haste=0.2, reserve=0, accepts=1)


def demand_at(tactic: Tactic, offers: int, most_offers: int) -> float:
    """Return a player's demand after `offers` offers, as a share of its maximum.

    This is the time-dependent tactic of Faratin, Sierra and Jennings 1998: 1 - (1 - reserve)
    t**(1/haste), where t is the elapsed share of the offers, from 0 to 1.

    >>> [round(demand_at(FAIR, offers, 11), 2) for offers in (0, 5, 10)]
    [1.0, 0.75, 0.5]
    >>> [round(demand_at(FIRM, offers, 11), 2) for offers in (0, 5, 10)]
    [1.0, 0.97, 0.0]
    """
    elapsed = min(1.0, offers / max(1, most_offers - 1))
    conceded: float = elapsed ** (1 / tactic.haste)
    return 1 - (1 - tactic.reserve) * conceded


def play_fair(turn: Turn[A], _rng: random.Random) -> A:
    """Accept at least half of the maximum; otherwise lower the demand evenly until the deadline."""
    return bargain(turn, FAIR)


def play_firm(turn: Turn[A], _rng: random.Random) -> A:
    """Demand nearly everything until the last offers, and accept no less (a Boulware tactic).

    At the deadline, the script accepts any offer.
    """
    return bargain(turn, FIRM)


def bargain(turn: Turn[A], tactic: Tactic) -> A:
    """Agree if the tactic accepts the last offer; otherwise make an offer."""
    decision: MoveQuestion = turn.observation
    pool, values, *offers = read_bargain(decision.sight)
    worth = own_value(pool, values)
    most = example_of(decision.game).game.get_parameters()["max_turns"]
    demand = demand_at(tactic, len(offers), most) * worth
    if offers:
        rest = [whole - taken for whole, taken in zip(pool, offers[-1], strict=True)]
        if own_value(rest, values) >= min(demand, tactic.accepts * worth):
            return turn.answer(move=AGREE)
    return turn.answer(move=cheapest_offer(decision, values, demand))


def cheapest_offer(decision: MoveQuestion, values: list[int], demand: float) -> str:
    """Return the most generous offer that keeps at least `demand`; ties go to the fewest items."""
    offers = []
    for words in decision.moves:
        kept = read_counts(words)
        if kept and own_value(kept, values) >= demand:
            offers.append((own_value(kept, values), sum(kept), words))
    return min(offers)[2]


def refuse_bargain(rules: Rules) -> str:
    """Return why the bargainers cannot play a game; "" if they can."""
    if rules.name == "bargaining":
        return ""
    return f"expected the game bargaining for scripted:fair and scripted:firm: got {rules.word}"
