"""How scripted players rank sidebar partners, and what they see before an invitation."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.games.deliberations.listening import Stance, count_attacks, named_as_foes
from engine.round_phases import NOBODY, RANKS, RoundView

# The lines of a sidebar that are not a player's own words.
TOLD = re.compile(r"(takes|asks) .+ aside|(accepts|declines) the talk with .+|ranks .+")
Order = Callable[[RoundView, Stance, random.Random], list[str]]


def before_asking(seen: RoundView) -> RoundView:
    """Return a player's view without sidebar notices; its options are all other active players."""
    others = []
    for name in seen.active_player_ids:
        if name != seen.player_id:
            others.append(name)
    lines = []
    for line in seen.lines:
        if not TOLD.fullmatch(line.text):
            lines.append(line)
    return replace(
        seen,
        options=tuple(others),
        lines=tuple(lines),
    )


def rank(
    order: Sequence[str],
    ranks: int,
) -> dict[str, str | None]:
    """Return a ranking with `ranks` entries: the players in `order`, then "nobody"."""
    ranking: dict[str, str | None] = {}
    for place in range(ranks):
        named = place < len(order)
        ranking[RANKS[place]] = order[place] if named else NOBODY
    return ranking


def friends_first(
    seen: RoundView,
    stance: Stance,
    rng: random.Random,
) -> list[str]:
    """Return all options except the target: the ally first, the rest in random order."""
    friends = [name for name in seen.options if name != stance.against]
    order = rng.sample(friends, len(friends))
    if stance.ally in order:
        order.remove(stance.ally)
        order.insert(0, stance.ally)
    return order


def in_any_order(seen: RoundView, _stance: Stance, rng: random.Random) -> list[str]:
    """Return a random number of the options, in random order."""
    return rng.sample(seen.options, rng.randint(0, len(seen.options)))


def peaceful_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`) that never spoke against the player."""
    attackers = set()
    for line in before_asking(seen).lines:
        if named_as_foes(line.text, [seen.player_id]):
            attackers.add(line.player_id)
    return [name for name in friends_first(seen, stance, rng) if name not in attackers]


def popular_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`), least attacked first."""
    return sorted(friends_first(seen, stance, rng), key=count_attacks(seen).__getitem__)


def lonely_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`), most attacked first."""
    return popular_first(seen, stance, rng)[::-1]
