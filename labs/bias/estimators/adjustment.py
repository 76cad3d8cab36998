"""Effects of a fit's covariates, and bias instruments' p-values adjusted for multiple tests."""

from collections.abc import Mapping, Sequence

import numpy as np

from engine.ratings.columns import Floats
from engine.ratings.comparison import step_down
from engine.ratings.estimate import Fit
from engine.ratings.intervals import beta_intervals
from labs.bias.estimators.clusters import Effect


def covariate_effects(fit: Fit) -> dict[str, Effect]:
    """Return the effects of covariates on places, in logits; `votes` counts rated seats."""
    votes = int(fit.games.sum())
    return {
        name: Effect(*fit.beta[name], votes=votes, games=fit.blocks, interval=interval)
        for name, interval in beta_intervals(fit).items()
    }


def adjust(
    instruments: Mapping[str, Effect],
    seed: int = 0,
) -> dict[str, float]:
    """Return each instrument's p-value, adjusted over all instruments by a step-down max-t test.

    The correlation of two instruments comes from each game's contributions to both. An instrument
    without contributions is treated as independent, which never makes a p-value too small (Sidak
    1967). An effect of exactly 0 has p = 1.
    """
    names = sorted(instruments)
    effects = [instruments[name] for name in names]
    z = np.array([*map(_z, effects)])
    number = len(effects)
    # Each effect is compared with an added effect that is always 0.
    p, _ = step_down(
        z,
        covariance=np.pad(_correlation(effects), (0, 1)),
        first=np.arange(number),
        second=np.full(number, number),
        seed=seed,
    )
    p[z == 0] = 1.0
    return dict(zip(names, p.tolist(), strict=True))


def _z(effect: Effect) -> float:
    if effect.error > 0:
        return effect.estimate / effect.error
    return 0.0 if effect.estimate == 0 else np.inf


def _correlation(effects: Sequence[Effect]) -> Floats:
    """Return the effects' correlation matrix; effects without contributions are uncorrelated."""
    games = sorted({game for effect in effects for game in effect.influence})
    added = [effect.influence.get(game, 0.0) for effect in effects for game in games]
    influence = np.reshape(added, (len(effects), len(games)))
    joint = influence @ influence.T
    length = np.sqrt(np.diag(joint))
    length[length == 0] = 1.0
    correlation: Floats = joint / np.outer(length, length)
    # A fit's covariate has an error but no influence, so it counts as independent of other effects.
    for place, effect in enumerate(effects):
        if effect.error > 0:
            correlation[place, place] = 1.0
    return correlation
