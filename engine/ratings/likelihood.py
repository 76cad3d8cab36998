"""The log-likelihood of Plackett and Luce, its gradient and its Hessian, for all games at once.

A stage chooses one of the seats that are left, by e = exp(eta) (Plackett 1975; Luce 1959), so a
game's Hessian is a sum over pairs of its seats: w_ij (z_i - z_j)(z_i - z_j)', where z is a seat's
row of the design, `w_ij = e_i e_j sum_t 1 / S_t^2` over the stages where both are left, and S_t the
sum of e over all who are left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ratings.columns import Floats, Ints, cells, line_sums
from engine.ratings.orders import Orders


@dataclass(frozen=True)
class Likelihood:
    """What orders say of the parameters: the skill of each of `entrants`, then one beta a column.

    `entrant` and `design` tell each seat's entrant and covariates. `sign` is -1 where the worst is
    chosen first: then utilities are reversed, and more skill is still better.
    """

    orders: Sequence[Orders]
    entrant: Ints
    design: Floats
    entrants: int
    sign: float = 1.0

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return self.entrants + int(self.design.shape[1])

    def utilities(self, parameters: Floats) -> Floats:
        """Return eta of each seat, with the sign of the direction."""
        skill = parameters[: self.entrants]
        beta = parameters[self.entrants :]
        return self.sign * (skill[self.entrant] + self.design @ beta)

    def value(self, parameters: Floats) -> float:
        """Return the log-likelihood."""
        eta = self.utilities(parameters)
        total = 0.0
        for orders in self.orders:
            lead, left, _ = _stages(orders, eta)
            stages = lead[:, : orders.stages] - np.log(left)
            total += float(orders.weight @ stages.sum(axis=1))
        return total

    def residuals(self, parameters: Floats) -> Floats:
        """Return the derivative by each seat's utility: times chosen, less times expected."""
        eta = self.utilities(parameters)
        total = np.zeros(len(eta))
        for orders in self.orders:
            _, left, odds = _stages(orders, eta)
            expected = odds * _running_sum(1 / left, odds.shape[1])
            chosen = np.arange(odds.shape[1]) < orders.stages
            residual = orders.weight[:, np.newaxis] * (chosen - expected)
            total += np.bincount(orders.rows.ravel(), residual.ravel(), len(eta))
        return self.sign * total

    def gradient(self, parameters: Floats) -> Floats:
        """Return the derivative by each parameter."""
        residuals = self.residuals(parameters)
        skill = np.bincount(self.entrant, residuals, self.entrants)
        beta = self.design.T @ residuals
        return np.concatenate((skill, beta))

    def information(self, parameters: Floats) -> Floats:
        """Return the negative Hessian: the sum over pairs of seats of w (z_i - z_j)(z_i - z_j)'."""
        eta = self.utilities(parameters)
        number = self.entrants
        total = np.zeros((self.parameters, self.parameters))
        for orders in self.orders:
            first, second, weight = _weighted_pairs(orders, eta)
            one, other = self.entrant[first], self.entrant[second]
            met = cells(one, other, weight, (number, number))
            met += met.T
            apart = self.design[first] - self.design[second]
            pull = weight[:, np.newaxis] * apart
            mixed = line_sums(one, pull, number) - line_sums(other, pull, number)
            skills = np.diag(met.sum(axis=1)) - met
            total += np.block([[skills, mixed], [mixed.T, apart.T @ pull]])
        return total


def _weighted_pairs(orders: Orders, eta: Floats) -> tuple[Ints, Ints, Floats]:
    """Return all pairs of seats of an order, the earlier seat first, and w of each pair."""
    _, left, odds = _stages(orders, eta)
    seats = odds.shape[1]
    heavy = orders.weight[:, np.newaxis] * odds
    earlier = heavy * _running_sum(left**-2, seats)
    one, other = np.triu_indices(seats, 1)
    weight = earlier[:, one] * odds[:, other]
    return orders.rows[:, one].ravel(), orders.rows[:, other].ravel(), weight.ravel()


def _stages(orders: Orders, eta: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the utility of each seat, S of each stage, and e of each seat.

    They are less the greatest utility of the order, and divided by its exp, so that none is too
    large.
    """
    at_table = eta[orders.rows]
    lead = at_table - at_table.max(axis=1, keepdims=True)
    odds = np.exp(lead)
    left = np.cumsum(odds[:, ::-1], axis=1)[:, ::-1]
    return lead, left[:, : orders.stages], odds


def _running_sum(terms: Floats, seats: int) -> Floats:
    """Return for each seat the sum of the stages' terms up to the last at which it is left."""
    sums = np.cumsum(terms, axis=1)
    missing = seats - sums.shape[1]
    beyond = np.repeat(sums[:, -1:], missing, axis=1)
    return np.concatenate((sums, beyond), axis=1)
