"""One scale for several tournaments, set by entrants with known skills from another tournament.

An anchor's difference is its rating in the other tournament minus its rating in this one. All
ratings shift by the generalised least squares mean of these differences, and the error of that mean
is part of every rating's error. Cochran's chi-square of the differences around that mean (Cochran
1954) tests whether the anchors kept their distances. The test's errors are enlarged because games
of a block share a deal (Satorra and Bentler 1994).
"""

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from engine.ratings.columns import Floats, Ints
from engine.report.statistics import chi_square_tail


@dataclass(frozen=True, eq=False)
class Anchors:
    """Entrants with known skills (logits), their covariance (m, m), and the source tournament."""

    names: tuple[str, ...]
    skill: Floats
    covariance: Floats
    source: str = ""

    def among(self, entrants: Container[str]) -> "Anchors":
        """Return the anchors that are among `entrants`."""
        kept = [place for place, name in enumerate(self.names) if name in entrants]
        covariance = self.covariance[np.ix_(kept, kept)]
        names = tuple(self.names[place] for place in kept)
        return Anchors(names, self.skill[kept], covariance, self.source)


@dataclass(frozen=True)
class Link:
    """How a fit is placed on the scale of its anchors, in logits.

    `error` is the standard error of the mean skill in the first anchor's part. `squares` is the
    chi-square statistic of the distances between anchors, with `freedom` degrees of freedom, and
    `chance` is its p value. If no part has two anchors, there is no test, and `freedom` is 0.
    `moved` is the anchor whose skill differs most, in standard errors, from the skill that the
    other anchors predict. Its skill exceeds the prediction by `by`, with the standard error
    `by_error`.
    """

    source: str
    anchors: tuple[str, ...]
    error: float
    squares: float = 0.0
    freedom: int = 0
    chance: float = 1.0
    moved: str = ""
    by: float = 0.0
    by_error: float = 0.0


def link_weights(covariance: Floats, part: Ints) -> Floats:
    """Return a row for each part: the anchors' weights in the part's mean difference."""
    design = _parts_design(part)
    known = design.T @ np.linalg.inv(covariance)
    return np.asarray(np.linalg.solve(known @ design, known), np.float64)


def kept_distances(
    anchors: Anchors, skill: Floats, model: Floats, robust: Floats, part: Ints
) -> Link:
    """Test whether anchors kept their distances; return the results in a Link with `error` 0."""
    link = Link(anchors.source, anchors.names, 0.0)
    freedom = len(part) - len(np.unique(part))
    if not freedom:
        return link
    larger = max(1.0, float(np.sum(_contrasts(model, part) * robust)) / freedom)
    contrasts = _contrasts(larger * model + anchors.covariance, part)
    pull = contrasts @ (skill - anchors.skill)
    squares = float((skill - anchors.skill) @ pull)
    # An anchor that is alone in its part has no distance to keep.
    known = np.maximum(np.diag(contrasts), np.finfo(float).tiny)
    away = np.where(np.diag(contrasts) > 0, np.abs(pull) / np.sqrt(known), 0.0)
    most = int(np.argmax(away))
    return replace(
        link,
        squares=squares,
        freedom=freedom,
        chance=chi_square_tail(squares, freedom),
        moved=anchors.names[most],
        by=float(pull[most] / known[most]),
        by_error=float(known[most] ** -0.5),
    )


def _contrasts(covariance: Floats, part: Ints) -> Floats:
    """Return the inverse covariance of the differences within parts."""
    known = np.linalg.inv(covariance)
    design = _parts_design(part)
    common = known @ design
    within = known - common @ np.linalg.solve(design.T @ common, common.T)
    return np.asarray(within, np.float64)


def _parts_design(part: Ints) -> Floats:
    """Return a column for each part: 1 for the anchors in it, 0 for the rest."""
    design: Floats = (part[:, np.newaxis] == np.unique(part)).astype(np.float64)
    return design
