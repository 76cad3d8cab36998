"""The end from which places are read, chosen by how well it predicts held-out games."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from engine.ratings.censoring import censored_orders
from engine.ratings.columns import Bools, Floats, Ints
from engine.ratings.likelihood import Likelihood
from engine.ratings.orders import Rule, orders_of, ranking_of
from engine.ratings.posterior import PRIOR_SD, maximum, precision_of
from engine.ratings.results import Results
from engine.rng import array_stream

FOLDS = 10
SIGNS = {"top": 1.0, "bottom": -1.0}


def likelihood_of(
    rated: Results, rule: Rule, design: Floats, direction: str, *, censored: bool = False
) -> tuple[Likelihood, bool]:
    """Return the likelihood of rated games, and whether they have ties."""
    ranking = ranking_of(rated, rule, direction)
    orders = censored_orders(rated) if censored else orders_of(rated, ranking)
    number, sign = len(rated.entrants), SIGNS.get(direction, 1.0)
    return Likelihood(orders, rated.entrant, design, number, sign), ranking.ties


def predictions(results: Results, rule: Rule, design: Floats, seed: int) -> dict[str, float]:
    """Return the held-out log-likelihood of each direction and of chance, over 10 folds of blocks.

    The keys are `top`, `bottom`, `top by chance` and `bottom by chance`; the last two are equal if
    all places are known.
    """
    scores = {}
    fold = folds_of(results, seed)
    for direction in SIGNS:
        whole, _ = likelihood_of(results, rule, design, direction)
        scores[direction] = held_out(whole, fold, usual_fit)
        scores[f"{direction} by chance"] = whole.value(np.zeros(whole.parameters))
    return scores


def usual_fit(_: int, rest: Likelihood) -> Floats:
    """Return the parameters fitted with the default prior."""
    return maximum(rest, precision_of(rest, PRIOR_SD))


def folds_of(results: Results, seed: int) -> Ints:
    """Return each seat's fold, from 0 to 9; whole blocks are assigned at random."""
    blocks = int(results.block[-1]) + 1
    return (array_stream(seed).permutation(blocks) % FOLDS)[results.block]


def held_out(whole: Likelihood, fold: Ints, estimate: Callable[[int, Likelihood], Floats]) -> float:
    """Return the sum of the folds' log-likelihoods, with parameters fitted to the other folds."""
    total = 0.0
    for number in np.unique(fold).tolist():
        held = fold == number
        total += _part(whole, held).value(estimate(number, _part(whole, ~held)))
    return total


def best_direction(held_out: Mapping[str, float]) -> str:
    """Return the direction with the better prediction relative to chance, or "top" in a tie."""
    return max(SIGNS, key=lambda end: held_out[end] - held_out[f"{end} by chance"])


def predictions_told(held_out: Mapping[str, float]) -> list[str]:
    """Return sentences on how well each direction predicts, or [] if this was not measured."""
    if not held_out:
        return []
    ends, gains = [], []
    for direction in SIGNS:
        known, chance = held_out[direction], held_out[f"{direction} by chance"]
        ends.append(f"{known:.1f} from the {direction} ({chance:.1f} by chance)")
        gains.append(known - chance)
    sentences = [f"Held-out log-likelihood: {', '.join(ends)}."]
    if max(gains) <= 0:
        sentences.append("No model predicts better than chance.")
    return sentences


def _part(whole: Likelihood, seats: Bools) -> Likelihood:
    """Return the likelihood of the games whose seats are marked in `seats`."""
    return replace(whole, orders=[each.part(seats[each.rows[:, 0]]) for each in whole.orders])
