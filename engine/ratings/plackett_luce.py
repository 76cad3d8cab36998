"""Ratings from places: the Plackett-Luce fit, with ties, covariates, a prior and a gauge."""

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from engine.ratings.blocks import BlockErrors, block_errors
from engine.ratings.censoring import seats_that_count
from engine.ratings.columns import Floats
from engine.ratings.connection import open_ends, unbeaten_group
from engine.ratings.covariates import design_of
from engine.ratings.direction import best_direction, likelihood_of, predictions, predictions_told
from engine.ratings.estimate import Fit, Gauge, gauge_of, joint_covariance, tie_factor
from engine.ratings.likelihood import Likelihood
from engine.ratings.linking import Anchors, Link, kept_distances
from engine.ratings.orders import Rule, rated_games
from engine.ratings.payoffs import rate_payoffs
from engine.ratings.posterior import PRIOR_SD, Posterior, maximum, posterior_of, precision_of
from engine.ratings.results import Results
from engine.ratings.targets import TARGETS

WORDS: dict[str, Collection[str]] = {
    "target": TARGETS,
    "direction": ("top", "bottom", "auto"),
    "lots": ("played", "tie"),
}
# A .95 interval shifted by a quarter of a standard error still covers .943.
PULLED = 0.25


def fit(  # noqa: PLR0917 - the six usual options, in the usual order
    results: Results,
    target: str = "places",
    direction: str = "top",
    covariates: Collection[str] = (),
    prior_sd: float | None = PRIOR_SD,
    min_games: int = 20,
    *,
    anchor: Anchors | None = None,
    lots: str = "played",
    seed: int = 0,
    censored: bool = False,
) -> Fit:
    """Return the ratings of entrants for one target.

    For `places`, `direction` is the end from which places are read: "top", "bottom", or "auto" for
    the one that predicts held-out games better (folds drawn by `seed`). `prior_sd` is the prior
    standard deviation of skills in logits, or None for no prior. `anchor` puts the fit on the scale
    of entrants with known skills (`Fit.link`). `lots="tie"` rates a random tie-break for first
    place as a tie. With `censored`, places are read from the bottom, and seats count until their
    first failed answer. Raise ValueError for an unknown option or results that cannot be rated.
    """
    _check_words(target=target, direction=direction, lots=lots)
    played = _played(results, lots)
    rule = TARGETS[target].rule
    if rule is None:
        return rate_payoffs(played, target, TARGETS[target].value, min_games)
    if censored:
        played, direction = seats_that_count(played), "bottom"
    rated = _rated(played, rule, target)
    names, design = design_of(rated, covariates)
    end, held_out = _end_of(rated, target, design, direction, seed)
    likelihood, ties = likelihood_of(rated, rule, design, end, censored=censored)
    posterior = _posterior(likelihood, prior_sd, rated)
    gauge = gauge_of(rated, min_games, anchor, posterior.hessian)
    errors = block_errors(likelihood, posterior, rated.block, gauge)
    estimate = _estimate(posterior, errors, gauge, rated, names, ties=ties)
    fitted = replace(
        estimate,
        target=target,
        direction=end,
        covariates=tuple(covariates),
        min_games=min_games,
        left_out=results.games - rated.games,
        held_out=held_out,
        open_ends=all_open_ends(estimate, gauge, posterior, likelihood),
        link=_link(estimate, gauge, posterior, errors),
        likelihood=likelihood,
    )
    return replace(fitted, notes=tuple(notes_of(fitted, results)))


def skills_alone(
    results: Results, target: str, direction: str, covariates: Collection[str], lots: str
) -> dict[str, float]:
    """Return the skills of rated entrants, without a gauge but faster than `fit`."""
    rule = TARGETS[target].rule
    if rule is None:
        paid = rate_payoffs(results, target, TARGETS[target].value)
        skills = paid.skill
        entrants = paid.entrants
    else:
        rated = _rated(_played(results, lots), rule, target)
        end = direction if TARGETS[target].directions else "top"
        likelihood, _ = likelihood_of(rated, rule, design_of(rated, covariates)[1], end)
        skills = maximum(likelihood, precision_of(likelihood, PRIOR_SD))
        entrants = rated.entrants
    # The effects of covariates, which follow the skills, are dropped.
    pairs = zip(entrants, skills.tolist(), strict=False)
    return {name: skill for name, skill in pairs if name not in results.unrated}


def _played(results: Results, lots: str) -> Results:
    """Return the results as played or, if `lots` is "tie", with random tie-breaks as ties."""
    return results.without_lots() if lots == "tie" else results


def _end_of(
    rated: Results, target: str, design: Floats, end: str, seed: int
) -> tuple[str, dict[str, float]]:
    """Return the end from which places are read and, for "auto", how well each end predicts."""
    known = TARGETS[target]
    if not known.directions or known.rule is None:
        return "top", {}
    if end != "auto":
        return end, {}
    held_out = predictions(rated, known.rule, design, seed)
    return best_direction(held_out), held_out


def notes_of(found: Fit, results: Results) -> Iterator[str]:
    """Yield one sentence for each caveat about the ratings."""
    yield from predictions_told(found.held_out)
    yield from _notes_of_games(found, results)
    if found.own_blocks.max() < found.min_games:
        unit = "blocks" if found.blocks < found.games.max() else "games"
        yield f"No entrant has {found.min_games} rated {unit}, so the mean of all is 0."
    yield from _open_notes(found)
    yield from found.unsure_notes()


def _open_notes(found: Fit) -> Iterator[str]:
    parts = []
    for end, side in (("upper", "above"), ("lower", "below")):
        ends = found.open_ends.items()
        names = [name for name, open_end in ends if open_end == end and name not in found.unrated]
        if names:
            *others, last = names
            ratings = "ratings" if others else "rating"
            listed = f"{', '.join(others)} and {last}" if others else last
            parts.append(f"the {ratings} of {listed} from {side}")
    if parts:
        yield f"Only the prior, not the data, limits {', and '.join(parts)}."


def _notes_of_games(found: Fit, results: Results) -> Iterator[str]:
    if found.left_out:
        yield f"{found.left_out} of {results.games} games have no information on {found.target}."
    missing = sorted(set(results.entrants) - set(found.entrants))
    if missing:
        yield f"Without any rated game: {', '.join(missing)}."
    if len(found.parts) > 1:
        yield (
            f"The entrants fall into {len(found.parts)} parts that never met: each part has its "
            "own mean, and no difference across two of them is known."
        )


def _check_words(**words: str) -> None:
    for name, word in words.items():
        if word not in WORDS[name]:
            known = ", ".join(WORDS[name])
            raise ValueError(f"expected {name} to be one of {known}: got {word!r}")


def _rated(results: Results, rule: Rule, target: str) -> Results:
    rated = rated_games(results, rule)
    if rated.games:
        return rated
    nothing = f"none of {results.games} has a {rule.noun}"
    raise ValueError(f"expected games with information on the target {target!r}: {nothing}")


def _estimate(
    posterior: Posterior,
    errors: BlockErrors,
    gauge: Gauge,
    rated: Results,
    names: tuple[str, ...],
    *,
    ties: bool,
) -> Fit:
    """Return the fit in its gauge, with errors from `joint_covariance`; `names` label the betas."""
    number = len(rated.entrants)
    skills = (slice(number), slice(number))
    skill, betas = np.split(posterior.parameters, [number])
    hessian = gauge.moved_covariance(posterior.hessian)
    sandwich = gauge.moved_covariance(errors.sandwich)
    blocks = len(set(rated.blocks))
    # One block says nothing about how wide V should be.
    phi = tie_factor(hessian[skills], sandwich[skills], ties and blocks > 1)
    hessian[skills] += gauge.linking / phi
    sandwich[skills] += gauge.linking
    covariance = joint_covariance(hessian, sandwich, phi)
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    beta = zip(betas.tolist(), error[number:].tolist(), strict=True)
    return Fit(
        results=rated,
        entrants=rated.entrants,
        games=np.bincount(rated.entrant),
        skill=gauge.moved(skill),
        error=error[:number],
        covariance=covariance[skills],
        hessian=hessian[skills],
        sandwich=sandwich[skills],
        phi=phi,
        blocks=blocks,
        own_blocks=rated.own_blocks,
        freedom=errors.freedom,
        pair_freedom=errors.pair_freedom,
        loglik=posterior.loglik,
        parts=gauge.parts,
        unrated=rated.unrated,
        beta=dict(zip(names, beta, strict=True)),
    )


def _link(estimate: Fit, gauge: Gauge, posterior: Posterior, errors: BlockErrors) -> Link | None:
    anchors = gauge.anchored
    if anchors is None:
        return None
    places = [estimate.entrants.index(name) for name in anchors.names]
    grid = np.ix_(places, places)
    model, robust = estimate.phi * posterior.hessian[grid], errors.sandwich[grid]
    link = kept_distances(anchors, estimate.skill[places], model, robust, estimate.part[places])
    shared = estimate.rated & (estimate.part == estimate.part[places[0]])
    mean = shared / shared.sum()
    spreads = estimate.phi * mean @ estimate.hessian @ mean, mean @ estimate.sandwich @ mean
    return replace(link, error=float(np.sqrt(max(0.0, *spreads))))


def all_open_ends(
    estimate: Fit, gauge: Gauge, posterior: Posterior, likelihood: Likelihood
) -> dict[str, str]:
    """Return the end, "upper" or "lower", at which the games hardly limit an entrant's rating.

    This holds for entrants that are always placed first or last, and for those that the prior moves
    by over PULLED standard errors.
    """
    moved = (gauge.mover(len(posterior.pull)) @ posterior.pull).tolist()
    skills = zip(estimate.entrants, moved, estimate.error.tolist(), strict=False)
    far = ((name, move) for name, move, error in skills if abs(move) > PULLED * error)
    ends = {name: "upper" if move < 0 else "lower" for name, move in far}
    return ends | open_ends(likelihood, estimate.entrants)


def _posterior(likelihood: Likelihood, prior_sd: float | None, rated: Results) -> Posterior:
    group = unbeaten_group(likelihood, rated.entrants) if prior_sd is None else []
    if group:
        raise ValueError(
            "expected a prior, because without one these games have no finite ratings: no one "
            f"else was ever chosen before any of {', '.join(group)}; give prior_sd=3, or play more "
            "games"
        )
    return posterior_of(likelihood, prior_sd)
