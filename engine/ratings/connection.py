"""The graph of wins, and the ratings that it does not limit from above or below."""

from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints
from engine.ratings.likelihood import Likelihood

ROUNDING = 1e-9


def open_ends(likelihood: Likelihood, names: Sequence[str]) -> dict[str, str]:
    """Map entrants that are always first to "upper", and those that are always last to "lower"."""
    chosen, passed = (times < ROUNDING for times in _times_chosen(likelihood))
    upper, lower = (passed, chosen) if likelihood.sign > 0 else (chosen, passed)
    ends = zip(names, upper, lower, strict=True)
    return {name: "upper" if high else "lower" for name, high, low in ends if high or low}


def _times_chosen(likelihood: Likelihood) -> tuple[Floats, Floats]:
    """Return how often each entrant was chosen before others, and how often it was passed over."""
    chosen = np.zeros(likelihood.entrants)
    passed = np.zeros(likelihood.entrants)
    for first, others, weight in _all_choices(likelihood):
        each = np.repeat(weight, others.shape[1])
        chosen += np.bincount(first.ravel(), weight, len(chosen))
        passed += np.bincount(others.ravel(), each, len(passed))
    return chosen, passed


def unbeaten_group(likelihood: Likelihood, names: Sequence[str]) -> list[str]:
    """Return the smallest group that no outside entrant ever beat, or [] if there is none.

    Without a prior, the fit exists if and only if there is no such group: however the entrants are
    split into two groups, each group has a win over the other (Ford 1957).
    """
    reach = _reach_of_all(likelihood)
    # An entrant's column marks all entrants that reach it, so no unmarked one beat a marked one.
    smallest = reach[:, int(np.argmin(reach.sum(axis=0)))]
    return [] if smallest.all() else [*compress(names, smallest)]


def _reach_of_all(likelihood: Likelihood) -> Bools:
    """Return whether the row's entrant was chosen before the column's, directly or indirectly."""
    reach: Bools = np.eye(likelihood.entrants, dtype=np.bool_)
    for chosen, others, _ in _all_choices(likelihood):
        reach[chosen, others] = True
    known = 0
    while reach.sum() > known:
        known = int(reach.sum())
        steps = reach.astype(np.float32)
        reach = steps @ steps > 0
    return reach


def _all_choices(likelihood: Likelihood) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield, for each stage, the chosen entrants, the entrants passed over, and the weights."""
    for orders in likelihood.orders:
        seated = likelihood.entrant[orders.rows]
        for stage in range(orders.stages):
            counted = orders.counted[:, stage]
            left = seated[counted, stage:]
            yield left[:, :1], left[:, 1:], orders.weight[counted]
