"""Plackett-Luce games drawn from a seed, with known skills."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ratings import Fit, Results

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
            row = {"game_id": f"game {game}", "seat": seat, "entrant": f"e{entrant:02}"}
            rows.append({**row, "place": int(place)})
    return rows


def independent_fit(
    skill: Sequence[float],
    hessian: float = 1.0,
    sandwich: float | None = None,
    games: Sequence[int] = (),
    freedom: float = 1_000_000,
    **more: Any,
) -> Fit:
    """Return a fit of entrants a, b, c ... that have nothing in common; by default of many games.

    `hessian` and `sandwich` are the variances of each by the model and by blocks.
    """
    number = len(skill)
    names = "abcdefghijklmnop"[:number]
    counts = np.array(games or [1_000_000] * number)
    usual: dict[str, Any] = {"phi": 1.0, "parts": (frozenset(names),), "min_games": 20}
    return Fit(
        results=Results.from_rows(told_orders("a > b")),
        entrants=tuple(names),
        games=counts,
        skill=np.array(skill),
        error=np.full(number, hessian**0.5),
        covariance=np.eye(number) * hessian,
        hessian=np.eye(number) * hessian,
        sandwich=np.eye(number) * (hessian if sandwich is None else sandwich),
        blocks=1_000_000,
        own_blocks=counts,
        freedom=np.full(number, freedom),
        pair_freedom=np.full((number, number), freedom),
        loglik=0.0,
        **usual | more,
    )


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
