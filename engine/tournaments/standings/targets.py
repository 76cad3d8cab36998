"""A target's table: ratings with intervals and ranks, pairs, and how well the games fit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from engine.ratings import (
    TARGETS,
    Fit,
    PairGap,
    Rating,
    Results,
    beta_intervals,
    compare,
    fit,
    intervals,
)
from engine.ratings.columns import Floats
from engine.ratings.misfit import Misfit, misfit
from engine.ratings.payoffs import wins_by_value
from engine.ratings.placings import placing_chances
from engine.ratings.prediction import prediction_of
from engine.ratings.wordings import WordingSpread, results_by_wording, widen_rating, wording_spread
from engine.tournaments.anchors import scale_of
from engine.tournaments.standings.closing import closing_sentence, scale_sentences, stop_notes
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.standings import (
    Answering,
    EffectRow,
    MisfitRow,
    TargetTable,
    attributes_of,
)

# Each entrant's actual and expected wins over each other entrant (None: unknown).
Meetings = tuple[Floats, Floats | None]
BY_WORDING = (
    "Intervals of ratings include how far the wordings of the rules disagree; ranks and gaps of "
    "pairs do not."
)
# Ratings that agree to this many decimals are ordered by name.
EQUAL = 6


def target_table(target: str, results: Results, method: Method, cost: float | None) -> TargetTable:
    """Return a target's table without unrated entrants; raise ValueError if it cannot be rated."""
    fitted = fit_target(target, results, method)
    compared = compare(fitted, seed=method.seed)
    against = compare(fitted, method.against, method.seed).pairs if method.against else ()
    answering, note = answering_rows(fitted, results, method)
    rows, wordings, wording_note = shown_rows(fitted, compared.ranks, results, method)
    above = tuple(row for row in rows if row.ranks)
    meetings, misfits = observed_and_expected(fitted)
    table = TargetTable(
        target=target,
        unit=TARGETS[target].scale.name,
        games=results.games - fitted.left_out,
        rows=above,
        below=tuple(row for row in rows if not row.ranks),
        first_group=tuple(row.entrant for row in above if row.is_first),
        critical=compared.critical,
        pairs=shown_pairs(compared.pairs, fitted, meetings),
        against=shown_pairs(against, fitted, meetings),
        covariates=covariate_rows(fitted),
        misfit=misfits,
        parts=tuple(tuple(sorted(part)) for part in fitted.parts),
        answering=tuple(answering),
        wordings=tuple(wordings),
        covariance=tuple(map(tuple, fitted.covariance.tolist())),
        notes=(*fitted.notes, *note, *wording_note),
        sentence="",
        **attributes_of(fitted, "direction", "blocks", "held_out", "loglik", "entrants", "link"),
    )
    return completed_table(table, fitted, results, method, cost)


def completed_table(
    table: TargetTable, fitted: Fit, results: Results, method: Method, cost: float | None
) -> TargetTable:
    """Return the table with its closing sentence, its scale and its prediction quality."""
    return replace(
        table,
        notes=(*table.notes, *stop_notes(fitted, table.rows, method, results.games)),
        sentence=closing_sentence(table, method.min_games, cost, fitted, method.seed),
        scale=tuple(scale_sentences(fitted, scale_of(method.anchors, table.target))),
        prediction=prediction_of(fitted, method.seed),
    )


def shown_rows(
    fitted: Fit, ranks: dict[str, tuple[int, int]], results: Results, method: Method
) -> tuple[list[Rating], list[WordingSpread], list[str]]:
    """Return ratings with chances and widened intervals, spreads between wordings, and notes."""
    spreads, notes = wording_rows(fitted, results, method)
    rows = chance_rows(rating_rows(fitted, ranks), fitted, method.seed)
    in_order = [spreads[row.entrant] for row in rows if row.entrant in spreads]
    wide = [widen_rating(row, spreads.get(row.entrant)) for row in rows]
    return wide, in_order, notes


def fit_target(target: str, results: Results, method: Method, **other: Any) -> Fit:
    """Fit a target with the method's options; options in `other` override them."""
    anchors = scale_of(method.anchors, target)
    names = ("direction", "covariates", "prior_sd", "min_games", "lots", "seed")
    rate = partial(fit, results, target, **attributes_of(method, *names) | other)
    fitted = rate(anchor=anchors.anchors() if anchors else None)
    if fitted.link and anchors and anchors.direction not in {"", fitted.direction}:
        # Orders read from the other end are on another scale.
        return rate()
    return fitted


def answering_rows(
    fitted: Fit, results: Results, method: Method
) -> tuple[list[Answering], list[str]]:
    """Return entrants' ratings while they still answered, or a note on why there are none."""
    if fitted.target != "places" or np.isnan(results.columns["outlived"]).all():
        return [], []
    try:
        plain = fitted
        if fitted.direction != "bottom":
            plain = fit_target(fitted.target, results, method, direction="bottom")
        censored = fit_target(fitted.target, results, method, censored=True)
    except ValueError as error:
        return [], [f"There are no ratings of entrants while they answered: {error}."]
    return _price_rows(plain, censored, method.min_games), []


def _price_rows(plain: Fit, censored: Fit, min_games: int) -> list[Answering]:
    """Return the entrants rated in both fits, in the order of their ratings while they answered."""
    scale = TARGETS[plain.target].scale
    whole = {rating.entrant: rating.on(scale) for rating in intervals(plain)}
    rows = []
    often = censored.rated & (censored.own_blocks >= min_games)
    for rating in compress(intervals(censored), often):
        alike, shown = whole[rating.entrant], rating.on(scale)
        rows.append(Answering(rating.entrant, alike, shown, alike.rating - shown.rating))
    return sorted(rows, key=lambda row: (-round(row.censored.rating, EQUAL), row.entrant))


def chance_rows(rows: Iterable[Rating], fitted: Fit, seed: int) -> list[Rating]:
    """Return ratings with the chances of being the best and among the best three."""
    best, top_3 = (placing_chances(fitted, top, seed) for top in (1, 3))
    return [
        replace(row, best=best[row.entrant], top_3=top_3[row.entrant]) if row.ranks else row
        for row in rows
    ]


def rating_rows(fitted: Fit, ranks: dict[str, tuple[int, int]]) -> list[Rating]:
    """Return the ratings by connected part, best first in each; names break ties."""
    scale = TARGETS[fitted.target].scale
    often = {*compress(fitted.entrants, fitted.own_blocks >= fitted.min_games)}
    rows = []
    for rating in compress(intervals(fitted), fitted.rated):
        known = ranks.get(rating.entrant) if rating.entrant in often else None
        rows.append(replace(rating.on(scale), ranks=known))
    return sorted(rows, key=lambda row: (row.part, -round(row.rating, EQUAL), row.entrant))


def wording_rows(
    fitted: Fit, results: Results, method: Method
) -> tuple[dict[str, WordingSpread], list[str]]:
    """Return the spread of each entrant rated under two or more wordings, and a note."""
    parts = results_by_wording(results)
    if len(parts) < 2:
        return {}, []
    try:
        points, errors = _ratings_by_wording(fitted, parts, method)
    except ValueError as error:
        return {}, [f"There are no ratings by wording, and intervals leave wordings out: {error}."]
    spreads = {
        entrant: wording_spread(entrant, by_wording, errors[entrant])
        for entrant, by_wording in points.items()
        if len(by_wording) > 1
    }
    return spreads, [BY_WORDING]


def _ratings_by_wording(
    fitted: Fit, parts: Mapping[int, Results], method: Method
) -> tuple[dict[str, dict[int, float]], dict[str, list[float]]]:
    """Return the entrants' ratings by wording, and the errors of these ratings."""
    terms = {"direction": fitted.direction, "min_games": -(-method.min_games // len(parts))}
    points = defaultdict[str, dict[int, float]](dict)
    errors = defaultdict[str, list[float]](list)
    for wording, part in parts.items():
        for row in rating_rows(fit_target(fitted.target, part, method, **terms), {}):
            points[row.entrant][wording] = row.rating
            errors[row.entrant].append(TARGETS[fitted.target].scale.gap(row.error))
    return points, errors


def observed_and_expected(fitted: Fit) -> tuple[Meetings, MisfitRow]:
    """Return each pair's observed and expected wins, and the misfit."""
    if fitted.likelihood is None:
        wins = wins_by_value(fitted.results, TARGETS[fitted.target].value)
        return (wins, None), MisfitRow(None, (), "")
    measured = misfit(fitted)
    return measured.met[:2], misfit_row(measured)


def misfit_row(measured: Misfit) -> MisfitRow:
    """Return a row with the misfit of the games and a sentence on what it means."""
    if measured.whole.freedom <= 0:
        return MisfitRow(None, (), "Too few pairs met.")
    sentence = f"Squared z over degrees of freedom is {measured.whole.ratio:.2f}"
    ratios = tuple(stage.ratio for stage in measured.stages)
    if ratios:
        sentence += f" (by stage: {', '.join(f'{ratio:.2f}' for ratio in ratios)})"
    meaning = measured.warning or "A value of about 1 indicates a fit."
    return MisfitRow(measured.whole.ratio, ratios, f"{sentence}. {meaning}")


def shown_pairs(pairs: Iterable[PairGap], fitted: Fit, meetings: Meetings) -> tuple[PairGap, ...]:
    """Return pairs on the table's scale, with their meetings and the first entrant's wins."""
    scale = TARGETS[fitted.target].scale
    places = {entrant: place for place, entrant in enumerate(fitted.entrants)}
    wins, expected = meetings
    rows = []
    for pair in pairs:
        cell = places[pair.entrant], places[pair.other]
        won = float(wins[cell])
        met = won + float(wins[cell[::-1]])
        likely = None if expected is None or not met else float(expected[cell])
        rows.append(replace(pair.on(scale), meetings=met, wins=won, expected=likely))
    return tuple(rows)


def covariate_rows(fitted: Fit) -> tuple[EffectRow, ...]:
    """Return each covariate's estimate and interval."""
    unit = TARGETS[fitted.target].scale.fitted_unit
    return tuple(
        EffectRow(name, fitted.beta[name][0], low, high, unit=unit)
        for name, (low, high) in beta_intervals(fitted).items()
    )
