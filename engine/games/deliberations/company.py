"""With whom scripted players talk aside, where they rank the others or are asked."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from engine.games.deliberations.listening import Stance
from engine.round_phases import NOBODY, RANKS, RoundView

# What a line of a sidebar says that is nobody's own words.
TOLD = re.compile(r"(takes|asks) .+ aside|(accepts|declines) the talk with .+|ranks .+")


def before_asking(seen: RoundView) -> RoundView:
    """Return what a player saw before somebody asked it aside, about all others in the game."""
    others = []
    for one in seen.active_player_ids:
        if one != seen.player_id:
            others.append(one)
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
    """Return the ranking that has `order` in the first of so many ranks."""
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
    """Return those a player is not against, its ally first, the rest in a random order."""
    friends = [one for one in seen.options if one != stance.against]
    order = rng.sample(friends, len(friends))
    if stance.ally in order:
        order.remove(stance.ally)
        order.insert(0, stance.ally)
    return order
