"""The result of a fit, and the rule for its errors and intervals.

`V` is the inverse of the sum of the Hessian and the prior precision. `S` is the sandwich (Huber
1967; White 1982), clustered by block. A contrast c has the variance max(c'Sc, phi c'Vc), with phi
from `tie_factor`. V alone is too small if entrants vary their play or fail, and too large with
ties. S alone is too small with few games.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints
from engine.ratings.likelihood import Likelihood
from engine.ratings.linking import Anchors, Link, link_weights
from engine.ratings.results import Results

LEAST_PHI = 0.3
# Below this many degrees of freedom, no interval is given.
LEAST_FREEDOM = 4
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Fit:
    """The entrants' skills and their errors, in logits or, for `points`, in mean payoff per seat.

    Arrays are in the order of `entrants`. Each entrant has at least one rated game (`games`).
    Unless anchors set the zero (`link`), zero is the mean `skill` of the entrants with `min_games`
    or more blocks. If there are several `parts`, each has its own zero, so skills in different
    parts cannot be compared.

    `error` is the standard error before widening by Student's t, which has `freedom` (K) degrees of
    freedom, or `pair_freedom` (K, K) for pairs. `own_blocks` counts each entrant's blocks, for
    comparison with `min_games`. The variance of a rating or a difference, with coefficients c, is
    c'Cc, where C is the `covariance`. Other contrasts need `hessian` (V) and `sandwich` (S), which
    have the same zero. `beta` maps each column of the `covariates` to its (value, error). If the
    direction was chosen automatically, `held_out` contains the log-likelihood of held-out games for
    each direction and for chance. `open_ends` maps entrants to the end, "upper" or "lower", that
    the data do not limit. `left_out` counts games without information on the target. `unrated` maps
    entrants to reasons; these entrants have no rank and are in no pair or mean. `results` contains
    the rated games, and `likelihood` is their likelihood (None for `points`).
    """

    results: Results = field(repr=False)
    entrants: tuple[str, ...]
    games: Ints
    skill: Floats
    error: Floats
    covariance: Floats
    hessian: Floats
    sandwich: Floats
    phi: float
    blocks: int
    own_blocks: Ints
    freedom: Floats
    pair_freedom: Floats
    loglik: float
    parts: tuple[frozenset[str], ...]
    target: str = "places"
    direction: str = "top"
    min_games: int = 0
    left_out: int = 0
    covariates: tuple[str, ...] = ()
    beta: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    held_out: Mapping[str, float] = field(default_factory=dict)
    open_ends: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unrated: Mapping[str, str] = field(default_factory=dict)
    link: Link | None = None
    likelihood: Likelihood | None = field(default=None, repr=False)

    @cached_property
    def rated(self) -> Bools:
        """Whether each entrant is rated."""
        return np.array([name not in self.unrated for name in self.entrants])

    @cached_property
    def ranked(self) -> Bools:
        """Whether each entrant is rated, and has an interval and enough blocks.

        Enough means `min_games`, or any number if no rated entrant has that many.
        """
        often = self.rated & (self.own_blocks >= self.min_games)
        known = self.rated & (self.freedom >= LEAST_FREEDOM)
        return often & known if often.any() else known

    @cached_property
    def part(self) -> Ints:
        """The index of each entrant's part."""
        return part_numbers(self.entrants, self.parts)

    def unsure_notes(self) -> Iterator[str]:
        """Yield a sentence on entrants without an interval, if there are any."""
        unsure = [*compress(self.entrants, self.rated & (self.freedom < LEAST_FREEDOM))]
        if unsure:
            yield (
                f"No interval for {', '.join(unsure)}: they are in too few independent blocks. An "
                f"interval takes {LEAST_FREEDOM + 1} or more. A game without a block counts as its "
                "own block."
            )


def pair_variances(joint: Floats) -> Floats:
    """Return the variance of each pair's difference, from the joint covariance."""
    alone = np.diag(joint)
    return alone[:, np.newaxis] + alone - 2 * joint


def tie_factor(hessian: Floats, sandwich: Floats, ties: bool) -> float:
    """Return phi: 1 without ties, otherwise the median of diag(S) / diag(V), clipped to [.3, 1].

    The mean over a tie's orders varies less than a single order, so V is too large.
    """
    moves = np.diag(hessian) > NOTHING
    if not ties or not moves.any():
        return 1.0
    ratios = np.diag(sandwich)[moves] / np.diag(hessian)[moves]
    return min(max(float(np.median(ratios)), LEAST_PHI), 1.0)


def joint_covariance(hessian: Floats, sandwich: Floats, phi: float) -> Floats:
    """Return C: its diagonal contains the ratings' variances, and c'Cc is a pair's variance."""
    model = phi * hessian
    variances = np.maximum(np.diag(sandwich), np.diag(model))
    pairs = np.maximum(pair_variances(sandwich), pair_variances(model))
    return (variances[:, np.newaxis] + variances - pairs) / 2


@dataclass(frozen=True, eq=False)
class Gauge:
    """The zero of the scale: fitted skills are shifted by `level - mean @ skill`.

    `linking` (K, K) is the covariance of `level`, and `anchored` contains the rated anchors.
    """

    parts: tuple[frozenset[str], ...]
    mean: Floats
    level: Floats
    linking: Floats
    anchored: Anchors | None = None

    def moved(self, skill: Floats) -> Floats:
        """Return skills shifted into the gauge."""
        return skill - (self.mean @ skill - self.level)

    def mover(self, parameters: int) -> Floats:
        """Return the matrix that puts parameters, skills first, into the gauge."""
        skills = slice(len(self.mean))
        mover = np.eye(parameters)
        mover[skills, skills] -= self.mean
        return mover

    def moved_covariance(self, covariance: Floats) -> Floats:
        """Return a covariance of parameters, skills first, after moving skills into the gauge."""
        mover = self.mover(len(covariance))
        return mover @ covariance @ mover.T


def gauge_of(results: Results, min_games: int, anchor: Anchors | None, hessian: Floats) -> Gauge:
    """Return the gauge in which each part's mean skill is 0 or set by anchors.

    The mean is over rated entrants with `min_games` blocks or, if a part has none, over all its
    rated entrants. `hessian` is V, which weights the anchors. Raise ValueError if anchors were
    chosen by hand but none is rated and has a game.
    """
    anchors = _rated_anchors(results, anchor) if anchor else None
    entrants = np.array(results.entrants)
    rated = ~np.isin(entrants, [*results.unrated])
    often = rated & (results.own_blocks >= min_games)
    number = len(entrants)
    parts = tuple(results.parts())
    mean = np.zeros((number, number))
    for part in parts:
        within = np.isin(entrants, list(part))
        base = next(each for each in (within & often, within & rated, within) if each.any())
        mean[within] = base / base.sum()
    gauge = Gauge(parts, mean, np.zeros(number), np.zeros((number, number)))
    return gauge if anchors is None else _set_by_anchors(gauge, anchors, results.entrants, hessian)


def _set_by_anchors(
    gauge: Gauge, anchors: Anchors, entrants: Sequence[str], hessian: Floats
) -> Gauge:
    """Return the gauge that puts each part with anchors on the anchors' scale."""
    places = [entrants.index(name) for name in anchors.names]
    label = part_numbers(entrants, gauge.parts)
    weights = link_weights(hessian[np.ix_(places, places)] + anchors.covariance, label[places])
    mean, shares = gauge.mean.copy(), np.zeros((len(entrants), len(places)))
    for line, part in zip(weights, np.unique(label[places]), strict=True):
        mean[label == part] = 0.0
        shares[label == part] = line
    mean[:, places] += shares
    linking = shares @ anchors.covariance @ shares.T
    return Gauge(gauge.parts, mean, shares @ anchors.skill, linking, anchors)


def part_numbers(entrants: Sequence[str], parts: Sequence[Collection[str]]) -> Ints:
    """Return the index of each entrant's part."""
    number = {name: place for place, part in enumerate(parts) for name in part}
    return np.array([number[name] for name in entrants])


def _rated_anchors(results: Results, chosen: Anchors) -> Anchors | None:
    """Return the rated anchors; raise ValueError if they were chosen by hand and none is rated."""
    anchors = chosen.among({*results.entrants} - results.unrated.keys())
    if not anchors.names and not chosen.source:
        names = ", ".join(map(repr, chosen.names))
        raise ValueError(f"expected a rated anchor, with a game: got {names}")
    return anchors if anchors.names else None
