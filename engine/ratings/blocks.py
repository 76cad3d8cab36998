"""Standard errors of a fit to games in blocks: the CR2 sandwich and its degrees of freedom.

The games of a block share a deal, so only blocks are independent. A block's scores are enlarged to
correct for its own influence on the fit (CR2 of Bell and McCaffrey 2002).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.ratings.columns import Floats, Ints, cells, portions, root_of
from engine.ratings.estimate import Gauge
from engine.ratings.likelihood import Likelihood, SeatLines
from engine.ratings.posterior import Posterior

# A share of information this close to 0 or 1 counts as 0 or 1.
ROUNDING = 1e-9


@dataclass(frozen=True)
class BlockErrors:
    """The sandwich covariance S of all parameters; the degrees of freedom of ratings and pairs.

    A contrast c has (sum d_b)^2 / sum d_b^2 - 1 degrees of freedom, but at least 1, where
    `d_b = c'V I_b V c` and I_b is the information in block b. `freedom` (K) contains the degrees of
    freedom of the K ratings, and `pair_freedom` (K, K) contains those of the pairs.
    """

    sandwich: Floats
    freedom: Floats
    pair_freedom: Floats


def block_errors(
    likelihood: Likelihood, posterior: Posterior, block: Ints, gauge: Gauge
) -> BlockErrors:
    """Return a fit's block errors; `block` lists the seats' block numbers in ascending order."""
    size, entrants = likelihood.parameters, likelihood.entrants
    known = np.pad(posterior.hessian, (0, 1))
    shown = known[:, :size] @ gauge.mover(size).T[:, :entrants]
    products = np.zeros((size + 1, size + 1))
    sums = np.zeros((2, entrants, entrants + 1))
    for index, roots, scores in _portions_of(likelihood, posterior.parameters, block):
        enlarged = _enlarged_scores(scores, index, roots, known)
        products += _score_products(enlarged, index, size + 1)
        sums += _contrast_sums(roots, shown[index])
    sandwich = posterior.hessian @ products[:size, :size] @ posterior.hessian
    freedom = _freedom_of(sums, int(block[-1]))
    return BlockErrors(sandwich, freedom[:, -1], freedom[:, :-1])


def _score_products(scores: Floats, index: Ints, size: int) -> Floats:
    """Return the (size, size) sum over blocks of s_b s_b'; `index` maps scores to parameters."""
    lines = np.repeat(np.arange(len(scores)), scores.shape[1])
    whole = cells(lines, index.ravel(), scores.ravel(), (len(scores), size))
    return whole.T @ whole


def _freedom_of(sums: Floats, most: int) -> Floats:
    """Return the degrees of freedom of each pair and, in the last column, of each rating."""
    total, squares = sums
    # The blocks add no information on a contrast that is known beforehand, such as an anchor's.
    known_before = total < ROUNDING
    informed = total**2 / np.where(known_before, 1.0, squares)
    return np.where(known_before, most, np.maximum(informed - 1, 1.0))


def _portions_of(
    likelihood: Likelihood, parameters: Floats, block: Ints
) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Yield parameter indices (padded), information roots, and scores of a few blocks at a time."""
    slot = _slots(block, likelihood.entrant, likelihood.entrants)
    residuals = likelihood.residuals(parameters)
    pairs = likelihood.weighed_pairs(parameters)
    for rows, line in portions(block, likelihood.entrants**2):
        seating = SeatLines(line, slot[rows], int(slot.max()) + 1, likelihood.design[rows])
        index = _index(seating, likelihood.entrant[rows], likelihood)
        roots = root_of(seating.information(pairs.within(rows)))
        yield index, roots, seating.scores(residuals[rows])


def _slots(block: Ints, entrant: Ints, entrants: int) -> Ints:
    """Return the number of each seat's entrant, counting from 0 within the seat's block."""
    meetings, meeting = np.unique(block * entrants + entrant, return_inverse=True)
    return np.asarray(meeting - np.searchsorted(meetings, block * entrants), np.int64)


def _index(seating: SeatLines, entrant: Ints, likelihood: Likelihood) -> Ints:
    """Return each block's parameter indices: its entrants' skills (padded), then all betas."""
    skills = np.full((seating.lines, seating.slots), likelihood.parameters)
    skills[seating.line, seating.slot] = entrant
    betas = np.arange(likelihood.entrants, likelihood.parameters)
    return np.hstack((skills, np.tile(betas, (seating.lines, 1))))


def _enlarged_scores(scores: Floats, index: Ints, roots: Floats, known: Floats) -> Floats:
    """Return each block's score, enlarged by CR2 so that V times the score is u_b.

    u_b = V^(1/2) (1 - V^(1/2) I_b V^(1/2))^(-1/2) V^(1/2) s_b. With I_b = L L' and L'VL = Q h Q',
    this is V (s_b + L Q ((1 - h)^(-1/2) - 1) / h Q' L'V s_b), where h is the block's share of all
    information. Where h is 1, nothing is added.
    """
    nearby = known[index[:, :, np.newaxis], index[:, np.newaxis, :]]
    across = roots.transpose(0, 2, 1) @ nearby
    share, turned = np.linalg.eigh(across @ roots)
    counts = (share > ROUNDING) & (share < 1 - ROUNDING)
    inside = np.where(counts, share, 0.5)
    factor = np.where(counts, ((1 - inside) ** -0.5 - 1) / inside, 0.0)
    along = turned.transpose(0, 2, 1) @ (across @ scores[:, :, np.newaxis])
    added = roots @ (turned @ (factor[:, :, np.newaxis] * along))
    return scores + added[:, :, 0]


def _contrast_sums(roots: Floats, shown: Floats) -> Floats:
    """Return the sums of d_b and d_b^2 over blocks, for pairs and ratings; `shown` contains V c."""
    seen = roots.transpose(0, 2, 1) @ shown
    gram = seen.transpose(0, 2, 1) @ seen
    alone = np.einsum("bii->bi", gram)[:, :, np.newaxis]
    pairs = alone + alone.transpose(0, 2, 1) - 2 * gram
    each = np.concatenate((pairs, alone), axis=2)
    return np.stack((each.sum(axis=0), (each**2).sum(axis=0)))
