"""How scripted players rank sidebar partners, and what they see before an invitation."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, repeat

from engine.games.deliberations.listening import Stance, count_attacks, named_as_foes
from engine.round_phases import NOBODY, RANKS, RoundView
from engine.round_phases.asking import without

# The lines of a sidebar that are not a player's own words.
TOLD = re.compile(r"(takes|asks) .+ aside|(accepts|declines) the talk with .+|ranks .+")
Order = Callable[[RoundView, Stance, random.Random], list[str]]


def before_asking(seen: RoundView) -> RoundView:
    """Return a player's view without sidebar notices; its options are all other active players."""
    others = without(seen.active_player_ids, seen.player_id)
    lines = [line for line in seen.lines if not TOLD.fullmatch(line.text)]
    return replace(seen, options=tuple(others), lines=tuple(lines))


def rank(
    order: Sequence[str],
    ranks: int,
) -> dict[str, str | None]:
    """Return a ranking with `ranks` entries: the players in `order`, then "nobody"."""
    names = chain(order, repeat(NOBODY))
    return dict(zip(RANKS[:ranks], names, strict=False))


def friends_first(
    seen: RoundView,
    stance: Stance,
    rng: random.Random,
) -> list[str]:
    """Return all options except the target: the ally first, the rest in random order."""
    friends = without(seen.options, stance.against)
    order = rng.sample(friends, len(friends))
    return sorted(order, key=lambda name: name != stance.ally)


def in_any_order(seen: RoundView, _stance: Stance, rng: random.Random) -> list[str]:
    """Return a random number of the options, in random order."""
    return rng.sample(seen.options, rng.randint(0, len(seen.options)))


def peaceful_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`) that never spoke against the player."""
    lines = before_asking(seen).lines
    attackers = {line.player_id for line in lines if named_as_foes(line.text, [seen.player_id])}
    return [name for name in friends_first(seen, stance, rng) if name not in attackers]


def popular_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`), least attacked first."""
    return sorted(friends_first(seen, stance, rng), key=count_attacks(seen).__getitem__)


def lonely_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`), most attacked first."""
    return popular_first(seen, stance, rng)[::-1]
