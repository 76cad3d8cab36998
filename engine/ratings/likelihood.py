"""The log-likelihood of Plackett and Luce, its gradient and its Hessian, for all games at once.

At each stage, one of the remaining seats is chosen, with a chance proportional to e = exp(eta),
where eta is the seat's utility (Plackett 1975; Luce 1959). So a game's negative Hessian is the sum
of w_ij (z_i - z_j)(z_i - z_j)' over pairs of its seats, where z is a seat's row of the design. The
weight is `w_ij = e_i e_j sum_t 1 / S_t^2` over the stages t where both seats remain. S_t is the sum
of e over the remaining seats.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ratings.columns import Floats, Ints, cells, line_sums
from engine.ratings.orders import Orders


@dataclass(frozen=True)
class SeatPairs:
    """Pairs of seats, each with its weight w in the negative Hessian."""

    first: Ints
    second: Ints
    weight: Floats

    def within(self, rows: slice) -> "SeatPairs":
        """Return the pairs whose seats are in `rows`, with these seats renumbered from 0."""
        marked = (self.first >= rows.start) & (self.first < rows.stop)
        first, second = (seats[marked] - rows.start for seats in (self.first, self.second))
        return SeatPairs(first, second, self.weight[marked])


@dataclass(frozen=True)
class SeatLines:
    """The `line` of parameters that each seat's utility uses, and the `slot` of its skill in it.

    A line lists the parameters of one block or of all games: `slots` skills, then the betas of the
    columns of `design`.
    """

    line: Ints
    slot: Ints
    slots: int
    design: Floats

    @property
    def lines(self) -> int:
        """The number of lines."""
        return int(self.line[-1]) + 1

    def scores(self, residuals: Floats) -> Floats:
        """Return, for each line, the sum of residual times z over its seats."""
        skills = cells(self.line, self.slot, residuals, (self.lines, self.slots))
        pull = residuals[:, np.newaxis] * self.design
        return np.hstack((skills, line_sums(self.line, pull, self.lines)))

    def _information_of_skills(self, one: Ints, pairs: SeatPairs) -> Floats:
        """Return the skills' part of `information`; `one` is the row of each pair's first seat."""
        lines, slots = self.lines, self.slots
        met = cells(one, self.slot[pairs.second], pairs.weight, (lines * slots, slots))
        met = met.reshape(lines, slots, slots)
        met = met + met.transpose(0, 2, 1)
        skills: Floats = met.sum(axis=2)[:, :, np.newaxis] * np.eye(slots) - met
        return skills

    def information(self, pairs: SeatPairs) -> Floats:
        """Return a matrix for each line: the sum over its pairs of w (z_i - z_j)(z_i - z_j)'."""
        lines, slots, betas = self.lines, self.slots, self.design.shape[1]
        line = self.line[pairs.first]
        row = line * slots + self.slot[pairs.first]
        column = line * slots + self.slot[pairs.second]
        skills = self._information_of_skills(row, pairs)
        apart = self.design[pairs.first] - self.design[pairs.second]
        pull = pairs.weight[:, np.newaxis] * apart
        mixed = line_sums(row, pull, lines * slots) - line_sums(column, pull, lines * slots)
        mixed = mixed.reshape(lines, slots, betas)
        products = np.einsum("pb,pc->pbc", pull, apart).reshape(len(line), betas**2)
        squares = line_sums(line, products, lines).reshape(lines, betas, betas)
        return np.block([[skills, mixed], [mixed.transpose(0, 2, 1), squares]])


@dataclass(frozen=True)
class Likelihood:
    """The likelihood of orders; its parameters are `entrants` skills, then the design's betas.

    `entrant` and `design` hold each seat's entrant and covariates. If the worst is chosen first,
    `sign` is -1 and negates the utilities, so a higher skill is still better.
    """

    orders: Sequence[Orders]
    entrant: Ints
    design: Floats
    entrants: int
    sign: float = 1.0

    @property
    def parameters(self) -> int:
        """The number of parameters."""
        return self.entrants + int(self.design.shape[1])

    def utilities(self, parameters: Floats) -> Floats:
        """Return the utility eta of each seat, with the sign of the direction."""
        skill = parameters[: self.entrants]
        return self.sign * (skill[self.entrant] + self.design @ parameters[self.entrants :])

    def value(self, parameters: Floats) -> float:
        """Return the log-likelihood."""
        eta = self.utilities(parameters)
        total = 0.0
        for orders in self.orders:
            lead, left, _ = _stages(orders, eta)
            stages = orders.counted * (lead[:, : orders.stages] - np.log(left))
            total += float(orders.weight @ stages.sum(axis=1))
        return total

    def residuals(self, parameters: Floats) -> Floats:
        """Return the derivative with respect to each utility: choices observed minus expected."""
        eta = self.utilities(parameters)
        total = np.zeros(len(eta))
        for orders in self.orders:
            total += np.bincount(orders.rows.ravel(), _residuals_of(orders, eta).ravel(), len(eta))
        return self.sign * total

    def gradient(self, parameters: Floats) -> Floats:
        """Return the derivative with respect to each parameter."""
        residuals = self.residuals(parameters)
        skill = np.bincount(self.entrant, residuals, self.entrants)
        return np.concatenate((skill, self.design.T @ residuals))

    def information(self, parameters: Floats) -> Floats:
        """Return the negative Hessian."""
        one_line = np.zeros_like(self.entrant)
        seating = SeatLines(one_line, self.entrant, self.entrants, self.design)
        whole: Floats = seating.information(self.weighed_pairs(parameters))[0]
        return whole

    def weighed_pairs(self, parameters: Floats) -> SeatPairs:
        """Return all pairs of seats that share a choice, each with its weight w."""
        eta = self.utilities(parameters)
        columns = zip(*(_weighted_pairs(orders, eta) for orders in self.orders), strict=True)
        return SeatPairs(*map(np.concatenate, columns))


def _residuals_of(orders: Orders, eta: Floats) -> Floats:
    """Return the residual of each seat in each order, times the order's weight."""
    _, left, odds = _stages(orders, eta)
    expected = odds * _running_sum(orders.counted / left, odds.shape[1])
    chosen = np.pad(orders.counted, ((0, 0), (0, odds.shape[1] - orders.stages)))
    return orders.weight[:, np.newaxis] * (chosen - expected)


def _weighted_pairs(orders: Orders, eta: Floats) -> tuple[Ints, Ints, Floats]:
    """Return all pairs of seats in each order, the earlier seat first, and each pair's w."""
    _, left, odds = _stages(orders, eta)
    seats = odds.shape[1]
    heavy = orders.weight[:, np.newaxis] * odds
    earlier = heavy * _running_sum(orders.counted / left**2, seats)
    first, second = np.triu_indices(seats, 1)
    weight = earlier[:, first] * odds[:, second]
    return orders.rows[:, first].ravel(), orders.rows[:, second].ravel(), weight.ravel()


def _stages(orders: Orders, eta: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each seat's utility less its order's maximum, each stage's S, and each seat's e."""
    at_table = eta[orders.rows]
    lead = at_table - at_table.max(axis=1, keepdims=True)
    odds = np.exp(lead)
    left = np.cumsum(odds[:, ::-1], axis=1)[:, ::-1]
    return lead, left[:, : orders.stages], odds


def _running_sum(terms: Floats, seats: int) -> Floats:
    """Return, for each seat, the sum of `terms` over the stages at which the seat remains."""
    sums = np.cumsum(terms, axis=1)
    return np.pad(sums, ((0, 0), (0, seats - sums.shape[1])), mode="edge")
