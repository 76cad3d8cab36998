"""Populations that evolve by payoffs: finite and random (Moran), or infinite (replicator)."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from random import Random

from engine.games.dilemma.agents.forms import Agent
from engine.games.dilemma.referee.match import play_match
from engine.games.dilemma.rules import BLOCK
from engine.games.dilemma.tournament import match_seed
from engine.rng import stream

Payoffs = Sequence[Sequence[float]]
Counts = tuple[int, ...]
Shares = tuple[float, ...]


def payoff_table(
    agents: Sequence[Agent],
    moves: int,
    *,
    flip_params: Sequence[float] = (0, 0),
    block: int = BLOCK,
    seed: int = 0,
) -> list[list[float]]:
    """Return each agent's points per move (row) against each agent (column), including itself."""
    table = [[0.0] * len(agents) for _ in agents]
    for i, j in combinations_with_replacement(range(len(agents)), 2):
        match = play_match(
            agents[i],
            agents[j],
            moves,
            block=block,
            flip_params=flip_params,
            seed=match_seed(stream(seed, "pair", i, j)),
        )
        my_score, their_score = match.score
        if i == j:
            table[i][i] = (my_score + their_score) / (2 * moves)
        else:
            table[i][j] = my_score / moves
            table[j][i] = their_score / moves
    return table


def fitness(payoffs: Payoffs, counts: Sequence[int]) -> list[float]:
    """Return, for each kind, an individual's mean payoff against all others in the population.

    `payoffs[i][j]` is the payoff per move of kind i against kind j, and `counts[i]` is the number
    of individuals of kind i. Fitness is never negative, and it is 0 for an empty kind.
    """
    others = sum(counts) - 1
    fitness_values = []
    for kind, row in enumerate(payoffs):
        total = 0.0
        if counts[kind]:
            met = [*counts]
            met[kind] -= 1
            total = sum(payoff * count for payoff, count in zip(row, met, strict=True)) / others
        fitness_values.append(max(0.0, total))
    return fitness_values


def moran_step(payoffs: Payoffs, counts: Counts, rng: Random) -> Counts:
    """Return the population after a birth, drawn by fitness, and a random death (Moran 1958)."""
    kinds = range(len(counts))
    fits = fitness(payoffs, counts)
    weights = [count * fit for count, fit in zip(counts, fits, strict=True)]
    (born,) = rng.choices(kinds, weights if any(weights) else counts)
    (died,) = rng.choices(kinds, counts)
    after = [*counts]
    after[born] += 1
    after[died] -= 1
    return tuple(after)


def moran(
    payoffs: Payoffs,
    counts: Counts,
    rng: Random,
    *,
    longest: int = 100_000,
) -> list[Counts]:
    """Return the population at each step, until one kind is left or `longest` steps have passed.

    Raises ValueError unless `counts` has a count for each kind and at least two individuals.
    """
    if len(payoffs) != len(counts) or sum(counts) < 2:
        raise ValueError(f"expected at least two individuals of {len(payoffs)} kinds: {counts!r}")
    course = [counts]
    while len(course) <= longest and max(counts) < sum(counts):
        counts = moran_step(payoffs, counts, rng)
        course.append(counts)
    return course


def replicator(payoffs: Payoffs, shares: Sequence[float], generations: int) -> list[Shares]:
    """Return the shares at each generation, including the first.

    The model is that of Taylor and Jonker (1978) in Axelrod's ecological form. A share grows in
    proportion to its relative fitness, `x_i' = x_i * f_i / mean`. Here, f_i is the mean payoff
    against all kinds, weighted by their shares.
    """
    total = sum(shares)
    course = [tuple(share / total for share in shares)]
    for _ in range(generations):
        course.append(next_generation(payoffs, course[-1]))
    return course


def next_generation(payoffs: Payoffs, shares: Shares) -> Shares:
    """Return the next generation's shares; they do not change if the mean payoff is 0 or less."""
    grown = []
    for row, share in zip(payoffs, shares, strict=True):
        fit = sum(payoff * met for payoff, met in zip(row, shares, strict=True))
        grown.append(share * fit)
    mean = sum(grown)
    if mean > 0:
        return tuple(share / mean for share in grown)
    return shares
