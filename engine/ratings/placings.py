"""How likely each entrant is to be the best or among the best."""

import numpy as np

from engine.ratings.columns import Floats, Ints
from engine.ratings.estimate import Fit, pair_variances
from engine.rng import array_stream

JOINT_DRAWS = 10_000
# The number of candidate standard deviations of the population, which are evenly spaced from 0, and
# the largest candidate, as a multiple of the deviation that the skills suggest.
DEVIATIONS, WIDEST = 200, 4.0


def placing_chances(fit: Fit, top: int, seed: int = 0) -> dict[str, float]:
    """Return each ranked entrant's chance of being among the best `top` of its connected part."""
    chances: dict[str, float] = {}
    for part in np.unique(fit.part[fit.ranked]).tolist():
        places = np.flatnonzero(fit.ranked & (fit.part == part))
        draws = skill_draws(fit.skill[places], joint_errors(fit, places), seed)
        rank = np.argsort(np.argsort(-draws, axis=0), axis=0)
        shares = (rank < top).mean(axis=1).tolist()
        chances |= dict(zip((fit.entrants[each] for each in places), shares, strict=True))
    return chances


def joint_errors(fit: Fit, places: Ints) -> Floats:
    """Return the joint covariance of the skill errors of the entrants at indices `places`.

    It is the model's covariance, scaled up if the robust covariance is larger overall. Using the
    larger variance for each pair, as `Fit.covariance` does, would overstate the joint errors.
    """
    rows = np.ix_(places, places)
    model = fit.phi * fit.hessian[rows]
    whole = float(pair_variances(model).sum())
    ratio = float(pair_variances(fit.sandwich[rows]).sum()) / whole if whole else 1.0
    return max(1.0, ratio) * model


def skill_draws(skill: Floats, covariance: Floats, seed: int) -> Floats:
    """Return 10,000 draws of the skills' differences from their mean, one row per entrant.

    The skills are assumed to come from one normal population. This shrinks estimates towards the
    mean, since the highest of several estimates is too high on average. The population's standard
    deviation is also drawn, weighted by how well it explains the estimates, with a flat prior (a
    hierarchical model; Rubin 1981, Gelman 2006). A lone entrant has a difference of 0.
    """
    number = len(skill)
    if number < 2:
        return np.zeros((number, JOINT_DRAWS))
    errors, basis = difference_basis(covariance)
    seen = basis.T @ skill
    rng = array_stream(seed)
    deviations, chances = weighed_deviations(seen, errors)
    spread = rng.choice(deviations, size=JOINT_DRAWS, p=chances)
    kept = spread**2 / (spread**2 + errors[:, np.newaxis])
    luck = rng.standard_normal((number - 1, JOINT_DRAWS))
    drawn = kept * seen[:, np.newaxis] + np.sqrt(kept * errors[:, np.newaxis]) * luck
    return basis @ drawn


def difference_basis(covariance: Floats) -> tuple[Floats, Floats]:
    """Return the variances (n - 1,) and the basis (n, n - 1) of independent skill differences."""
    number = len(covariance)
    centre = np.eye(number) - 1 / number
    errors, basis = np.linalg.eigh(centre @ covariance @ centre)
    # One vector is the common level, which games cannot determine.
    level = int(np.argmax(np.abs(basis.sum(axis=0))))
    return np.maximum(np.delete(errors, level), 0), np.delete(basis, level, axis=1)


def weighed_deviations(seen: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Return candidate population standard deviations, and their weights given the data `seen`."""
    widest = WIDEST * float(np.sqrt(np.mean(seen**2) + np.mean(errors)))
    deviations = widest * (np.arange(DEVIATIONS) + 0.5) / DEVIATIONS
    variances = deviations[:, np.newaxis] ** 2 + errors
    fits = -0.5 * (np.log(variances) + seen**2 / variances).sum(axis=1)
    weights = np.exp(fits - fits.max())
    return deviations, weights / weights.sum()
