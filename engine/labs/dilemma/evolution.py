"""Populations of agents: who spreads when payoff is offspring, by chance (Moran) and in the limit (replicator)."""

from collections.abc import Sequence
from random import Random

from engine.games.dilemma.agents.forms import Agent
from engine.games.dilemma.referee.match import play_match
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import match_seed
from engine.rng import stream

Payoffs = Sequence[Sequence[float]]
Counts = tuple[int, ...]


def payoff_table(
    agents: Sequence[Agent],
    moves: int,
    *,
    flip_params: Sequence[float] = (0, 0),
    block: int = BLOCK,
    seed: int = 0,
) -> list[list[float]]:
    """Return the points a move of each agent (row) against each (column), against another of its own kind too."""
    table = [[0.0] * len(agents) for _ in agents]
    for i, first in enumerate(agents):
        for j, second in enumerate(agents[i:], i):
            own_seed = match_seed(stream(seed, "pair", i, j))
            score = play_match(
                first, second, moves, block=block, flip_params=flip_params, seed=own_seed
            ).score
            if i == j:
                table[i][i] = sum(score) / (2 * moves)
            else:
                table[i][j], table[j][i] = score[0] / moves, score[1] / moves
    return table


def fitness(payoffs: Payoffs, counts: Sequence[int]) -> list[float]:
    """Return the mean payoff of each kind against all others of the population, nobody meeting itself.

    `payoffs[i][j]` is what kind i gets a move from kind j, `counts[i]` how many of kind i there
    are; of a kind of which there is none the fitness is 0.
    """
    others = sum(counts) - 1
    totals = [
        sum(own[j] * (count - (i == j)) for j, count in enumerate(counts)) / others
        if counts[i]
        else 0.0
        for i, own in enumerate(payoffs)
    ]
    return [max(0.0, total) for total in totals]


def moran_step(payoffs: Payoffs, counts: Counts, rng: Random) -> Counts:
    """Return the population after one birth and one death (Moran 1958).

    Who has offspring is drawn in proportion to fitness; who dies is drawn uniformly, the parent
    included.
    """
    kinds = range(len(counts))
    weights = [count * fit for count, fit in zip(counts, fitness(payoffs, counts), strict=True)]
    born = rng.choices(kinds, weights if any(weights) else counts)[0]
    died = rng.choices(kinds, counts)[0]
    return tuple(count + (kind == born) - (kind == died) for kind, count in enumerate(counts))


def moran(payoffs: Payoffs, counts: Counts, rng: Random, *, longest: int = 100_000) -> list[Counts]:
    """Return the population at each step until one kind is left, or for `longest` steps."""
    if len(payoffs) != len(counts) or sum(counts) < 2:
        raise ValueError(f"expected at least two individuals of {len(payoffs)} kinds: {counts!r}")
    course = [counts]
    while sum(map(bool, course[-1])) > 1 and len(course) <= longest:
        course.append(moran_step(payoffs, course[-1], rng))
    return course


def replicator(
    payoffs: Payoffs, shares: Sequence[float], generations: int
) -> list[tuple[float, ...]]:
    """Return the shares at each generation, from the first (Taylor and Jonker 1978, in Axelrod's ecological form).

    A share grows by its fitness over the mean fitness: `x_i' = x_i * f_i / mean`, where f_i is the
    sum of the payoffs against each kind times that kind's share.
    """
    total = sum(shares)
    course = [tuple(share / total for share in shares)]
    for _ in range(generations):
        now = course[-1]
        fit = [sum(cell * share for cell, share in zip(own, now, strict=True)) for own in payoffs]
        grown = [share * value for share, value in zip(now, fit, strict=True)]
        mean = sum(grown)
        course.append(tuple(share / mean for share in grown) if mean > 0 else now)
    return course
