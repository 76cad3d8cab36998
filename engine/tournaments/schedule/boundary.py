"""Finds the most informative table for a boundary: the best k against all others, or a pair.

A table's value is how much it reduces the expected number of wrongly ordered pairs across the
boundary. That number is the sum of Phi(-|d| / sd) over pairs, where d is a pair's gap in skill and
sd its error. The table's expected Plackett-Luce information determines how sd shrinks.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from engine.ratings.columns import Floats, Ints

CANDIDATES = 120
# The number of random orders that represent all possible outcomes of a table.
ORDERS = 16
# The minimum weight, so that entrants far from the boundary are sometimes drawn.
LEAST_WEIGHT = 0.02
LEAST_VARIANCE = 1e-12
SEATED = 1e6


@dataclass(frozen=True, eq=False)
class Belief:
    """The current estimate of the entrants' skills (logits), by index, and its covariance."""

    skill: Floats
    covariance: Floats

    def after(self, table: Ints, information: Floats) -> "Belief":
        """Return the belief after a game at `table` (n,) that yields `information` (n, n)."""
        kept = kept_information(self.covariance[np.ix_(table, table)], information)
        across = self.covariance[:, table]
        return Belief(self.skill, self.covariance - across @ kept @ across.T)


@dataclass(frozen=True, eq=False)
class Boundary:
    """The pairs across the boundary (P,), and how near each entrant is to the boundary (K,)."""

    better: Ints
    worse: Ints
    nearness: Floats


def boundary_of_top(belief: Belief, top: int) -> Boundary:
    """Return the boundary between the best `top` entrants and all others."""
    order = np.argsort(-belief.skill, kind="stable")
    better, worse = np.meshgrid(order[:top], order[top:], indexing="ij")
    middle = belief.skill[order[top - 1 : top + 1]].mean()
    return Boundary(better.ravel(), worse.ravel(), nearness_to(belief, middle))


def boundary_of_pair(belief: Belief, one: int, other: int) -> Boundary:
    """Return the boundary between two entrants; both sit at every table chosen for it."""
    nearness = nearness_to(belief, belief.skill[[one, other]].mean())
    nearness[[one, other]] = SEATED
    return Boundary(np.array([one]), np.array([other]), nearness)


def nearness_to(belief: Belief, middle: float) -> Floats:
    """Return each entrant's weight, which falls with its distance (in errors) from `middle`."""
    variances = np.maximum(np.diag(belief.covariance), LEAST_VARIANCE)
    distance = (belief.skill - middle) ** 2 / variances
    return np.exp(-distance / 2) + LEAST_WEIGHT


def best_table(
    belief: Belief, boundary: Boundary, size: int, direction: str, rng: Generator
) -> Ints:
    """Draw tables near the boundary; return the table with the fewest expected wrong orders."""
    # The largest keys with Gumbel noise are a weighted draw without replacement.
    keys = np.log(boundary.nearness) + rng.gumbel(size=(CANDIDATES, len(belief.skill)))
    tables = np.argsort(-keys, axis=1)[:, :size]
    gains = expected_information(belief.skill[tables], direction, rng)
    best: Ints = tables[np.argmin(wrong_orders(belief, boundary, tables, gains))]
    return best


def wrong_orders(belief: Belief, boundary: Boundary, tables: Ints, gains: Floats) -> Floats:
    """Return the expected number of wrongly ordered pairs after a game at each table (T,)."""
    covariance = belief.covariance
    better, worse = boundary.better, boundary.worse
    pairs = np.arange(len(better))
    contrast = covariance[better] - covariance[worse]
    before: Floats = contrast[pairs, better] - contrast[pairs, worse]
    # How much each table lowers the variance of each pair's gap (P, T).
    inner = covariance[tables[:, :, None], tables[:, None, :]]
    at_table = contrast[:, tables]
    kept = kept_information(inner, gains)
    information = np.einsum("ptn,tnm,ptm->pt", at_table, kept, at_table)
    variance = np.maximum(before[:, None] - information, LEAST_VARIANCE)
    gap = np.abs(belief.skill[better] - belief.skill[worse])
    wrong: Floats = normal_tail(gap[:, None] / np.sqrt(variance)).sum(axis=0)
    return wrong


def kept_information(inner: Floats, information: Floats) -> Floats:
    """Return K = (I + M V)^-1 M; with the information M, the covariance V becomes V - V K V."""
    left = np.eye(inner.shape[-1]) + information @ inner
    return np.asarray(np.linalg.solve(left, information), dtype=np.float64)


def expected_information(utilities: Floats, direction: str, rng: Generator) -> Floats:
    """Return the information (T, n, n) of games at tables with these utilities (T, n).

    The information is the sum over stages of diag(p) - pp', averaged over random orders; p contains
    the chances of the seats left at a stage. `direction` is "first" if only the winner counts, and
    "bottom" if the worst is chosen first.
    """
    tables, size = utilities.shape
    eta: Floats = -utilities if direction == "bottom" else utilities
    rank = draw_orders(eta, rng)
    odds: Floats = np.exp(eta - eta.max(axis=1, keepdims=True))[:, None, :]
    total: Floats = np.zeros((tables, size, size))
    stages = 1 if direction == "first" else size - 1
    for stage in range(stages):
        left: Floats = odds * (rank >= stage)
        # Add the stage's diag(p) - pp', summed over the random orders.
        chance = left / left.sum(axis=2, keepdims=True)
        total -= np.einsum("ton,tom->tnm", chance, chance)
        total[:, range(size), range(size)] += chance.sum(axis=1)
    return total / ORDERS


def draw_orders(eta: Floats, rng: Generator) -> Ints:
    """Return each seat's stage in random orders (T, ORDERS, n), by Gumbel noise (Yellott 1977)."""
    tables, size = eta.shape
    keys = eta[:, None, :] + rng.gumbel(size=(tables, ORDERS, size))
    return np.argsort(np.argsort(-keys, axis=2), axis=2)


def normal_tail(z: Floats) -> Floats:
    """Return Phi(-z), accurate to 2e-4 (Page 1977)."""
    exponent = z * (1.5976 + 0.07056 * z**2)
    return 1 / (1 + np.exp(np.minimum(exponent, 700.0)))
