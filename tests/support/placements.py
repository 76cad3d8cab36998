"""Plackett-Luce games drawn from a seed, with known skills."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def spread_skills(entrants: int, spread: float) -> Floats:
    """Return evenly spaced skills from -spread to spread."""
    return np.linspace(-spread, spread, entrants)


def deal_orders(
    entrants: int, table: int, games: int, spread: float, seed: int
) -> list[dict[str, Any]]:
    """Return rows of complete orders at random tables; entrant e00 is the weakest."""
    rng = np.random.default_rng(seed)
    skills = spread_skills(entrants, spread)
    rows = []
    for game in range(games):
        seated = rng.permutation(entrants)[:table]
        heard = skills[seated] + rng.gumbel(size=table)
        places = (-heard).argsort().argsort() + 1
        for seat, (entrant, place) in enumerate(zip(seated, places, strict=True), 1):
            rows.append(
                {
                    "game_id": f"game {game}",
                    "seat": seat,
                    "entrant": f"e{entrant:02}",
                    "place": int(place),
                }
            )
    return rows


def told_orders(*games: str) -> list[dict[str, Any]]:
    """Return rows of games, each written as in "a > b = c > d ? e".

    There b and c are tied, and nothing is known about e. Seats are in the written order.
    """
    rows = []
    for number, game in enumerate(games):
        known, _, unknown = game.partition("?")
        places: dict[str, int | None] = {}
        for group in known.split(">"):
            tied = group.replace("=", " ").split()
            places |= dict.fromkeys(tied, len(places) + 1)
        places |= dict.fromkeys(unknown.split(), None)
        for entrant, place in places.items():
            rows.append({"game_id": f"game {number}", "entrant": entrant, "place": place})
    return rows
