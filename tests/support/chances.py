"""Exact bounds on a count that occurs by chance."""

from functools import cache
from math import exp, lgamma, log


def within(came: int, tries: int, chance: float) -> bool:
    """Return whether both binomial tails at `came` have a probability above one in a billion."""
    below = sum(masses(tries, chance)[: came + 1])
    beyond = sum(masses(tries, chance)[came:])
    return below > 1e-9 and beyond > 1e-9


@cache
def masses(tries: int, chance: float) -> list[float]:
    """Return the probability of each count, by logarithms because its factors overflow floats."""
    whole = lgamma(tries + 1)
    return [
        exp(
            whole
            - lgamma(k + 1)
            - lgamma(tries - k + 1)
            + k * log(chance)
            + (tries - k) * log(1 - chance)
        )
        for k in range(tries + 1)
    ]
