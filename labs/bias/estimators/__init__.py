"""Bias instruments, each of which is an effect with its error, interval and underlying data.

They share three estimators, all with errors clustered by game: the mean of values, the share of
hits, and the excess of hits over chance.
"""

from labs.bias.estimators.adjustment import adjust, covariate_effects
from labs.bias.estimators.choices import choice_effects, first_named
from labs.bias.estimators.clusters import Effect, alikeness, cluster_share, mean_effect
from labs.bias.estimators.counterfactual import jury_effects
from labs.bias.estimators.marked import MarkedVotes

__all__ = [
    "Effect",
    "MarkedVotes",
    "adjust",
    "alikeness",
    "choice_effects",
    "cluster_share",
    "covariate_effects",
    "first_named",
    "jury_effects",
    "mean_effect",
]
