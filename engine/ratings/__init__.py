"""Publishable ratings: each has a value, an interval and the data behind it.

Rows become `Results`, `Results` become a `Fit`, and all other numbers are computed from a `Fit`.
"""

from engine.ratings.comparison import Comparison, PairGap, compare
from engine.ratings.estimate import Fit
from engine.ratings.intervals import Rating, beta_intervals, intervals, pair_errors, wilson
from engine.ratings.plackett_luce import fit
from engine.ratings.planning import games_needed
from engine.ratings.results import Results
from engine.ratings.scales import ELO, PAYOFF, Scale
from engine.ratings.targets import TARGETS, Target

__all__ = [
    "ELO",
    "PAYOFF",
    "TARGETS",
    "Comparison",
    "Fit",
    "PairGap",
    "Rating",
    "Results",
    "Scale",
    "Target",
    "beta_intervals",
    "compare",
    "fit",
    "games_needed",
    "intervals",
    "pair_errors",
    "wilson",
]
