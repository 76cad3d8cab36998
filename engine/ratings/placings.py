"""How likely each entrant is to be the best, or among the best."""

import numpy as np

from engine.ratings.columns import Floats, root_of
from engine.ratings.estimate import Fit, pair_variances
from engine.rng import array_stream

JOINT_DRAWS = 10_000


def placing_chances(fit: Fit, top: int, seed: int = 0) -> dict[str, float]:
    """Return the chance that each ranked entrant is among the best `top` of its part.

    Counted in 10,000 seeded draws from the joint distribution of the skills (`shrunken_skills`).
    """
    chances: dict[str, float] = {}
    for part in np.unique(fit.part[fit.ranked]).tolist():
        places = np.flatnonzero(fit.ranked & (fit.part == part))
        mean, covariance = shrunken_skills(
            fit.skill[places], fit.covariance[np.ix_(places, places)]
        )
        normals = array_stream(seed).standard_normal((len(places), JOINT_DRAWS))
        draws = mean[:, np.newaxis] + root_of(covariance) @ normals
        rank = np.argsort(np.argsort(-draws, axis=0), axis=0)
        shares = (rank < top).mean(axis=1).tolist()
        chances |= dict(zip((fit.entrants[each] for each in places), shares, strict=True))
    return chances


def shrunken_skills(skill: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return the mean and covariance of skills, given that they come from one normal population.

    The highest of several estimates is too high on average; that moves it towards the others
    (empirical Bayes; Efron and Morris 1973). The population's variance is that of the estimates
    less what their errors explain, half the mean variance of a difference, and not below 0.
    """
    number = len(skill)
    if number < 2:
        return skill, covariance
    upper = np.triu_indices(number, 1)
    noise = float(pair_variances(covariance)[upper].mean()) / 2
    spread = max(0.0, float(skill.var(ddof=1)) - noise)
    prior = spread * np.eye(number)
    weight = prior @ np.linalg.pinv(prior + covariance)
    middle = skill.mean()
    return middle + weight @ (skill - middle), prior - weight @ prior
