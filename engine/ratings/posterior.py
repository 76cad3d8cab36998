"""The fit itself: the parameters that maximise the posterior density, and their errors."""

from dataclasses import dataclass
from math import inf

import numpy as np

from engine.ratings.columns import Floats
from engine.ratings.likelihood import Likelihood

PRIOR_SD, BETA_SD = 3.0, 10.0
STEPS, HALVINGS = 50, 40
SMALL_STEP, ROUNDING = 1e-9, 1e-12


@dataclass(frozen=True)
class Posterior:
    """The parameters that maximise the posterior density, their covariance, and the log-likelihood.

    `hessian` is V, the inverse of the sum of the Hessian and P, the precision of the prior. `pull`
    is how far the prior moves each parameter, to first order: -V P times the parameters.
    """

    parameters: Floats
    hessian: Floats
    pull: Floats
    loglik: float


def posterior_of(likelihood: Likelihood, prior_sd: float | None) -> Posterior:
    """Return the posterior for a likelihood; if `prior_sd` is None, skills have no prior."""
    precision = precision_of(likelihood, prior_sd)
    mode = maximum(likelihood, precision)
    information = likelihood.information(mode) + precision
    hessian = np.asarray(np.linalg.inv(information), np.float64)
    return Posterior(mode, hessian, -hessian @ precision @ mode, likelihood.value(mode))


def precision_of(likelihood: Likelihood, prior_sd: float | None) -> Floats:
    """Return the precision of the prior: skill ~ N(0, prior_sd^2), beta ~ N(0, 10^2).

    Without a prior on skills, their mean is held at 0, which changes no difference between them.
    Raise ValueError if `prior_sd` is not above 0.
    """
    if prior_sd is not None and not 0 < prior_sd < inf:
        raise ValueError(f"expected prior_sd to be above 0, or None: got {prior_sd}")
    diagonal = np.full(likelihood.parameters, 1 / BETA_SD**2)
    skills = slice(likelihood.entrants)
    diagonal[skills] = 0.0 if prior_sd is None else 1 / prior_sd**2
    precision = np.diag(diagonal)
    if prior_sd is None:
        precision[skills, skills] = 1 / likelihood.entrants
    return precision


def maximum(likelihood: Likelihood, precision: Floats) -> Floats:
    """Return the parameters that maximise the posterior density, by Newton's method.

    A step is halved while it lowers the density. The search ends after a step below 1e-9. Raise
    ArithmeticError if 50 steps are not enough.
    """
    parameters = np.zeros(len(precision))
    density = _density(likelihood, precision, parameters)
    for _ in range(STEPS):
        slope = likelihood.gradient(parameters) - precision @ parameters
        step = np.linalg.solve(likelihood.information(parameters) + precision, slope)
        least = density - ROUNDING * abs(density)
        for _ in range(HALVINGS):
            further = parameters + step
            density = _density(likelihood, precision, further)
            if density >= least:
                break
            step /= 2
        parameters = further
        if np.abs(step).max() < SMALL_STEP:
            return parameters
    raise ArithmeticError(f"expected a fit within {STEPS} steps of Newton: it is not there yet")


def _density(likelihood: Likelihood, precision: Floats, parameters: Floats) -> float:
    """Return the logarithm of the posterior density, up to a constant."""
    pull = precision @ parameters
    return likelihood.value(parameters) - float(parameters @ pull) / 2
