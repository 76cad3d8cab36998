"""Sentences on a table: which entrants differ, whether to stop early, and the scale."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf

from engine.ratings import TARGETS, Fit, PairGap, Rating, Scale, pair_errors
from engine.ratings.estimate import pair_variances
from engine.ratings.intervals import NORMAL
from engine.ratings.linking import Link
from engine.ratings.planning import Separation, from_pilot, mixture_bound, separation
from engine.ratings.table_power import table_critical
from engine.spending.costs import dollar_text
from engine.tournaments.anchors import AnchorScale
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.standings import TargetTable
from engine.tournaments.terms import Pair
from protocol.text import list_names

# Below this p-value, the report says that the anchors did not keep their distances.
LEAST_CHANCE = 0.05


def closing_sentence(
    table: TargetTable, min_games: int, cost: float | None, fitted: Fit, seed: int = 0
) -> str:
    """Return a sentence on whether the best entrant is significantly better than all others.

    If it is not, the sentence says what would show a difference. The gap's interval then uses the
    critical |z| for all pairs at once, to agree with the ranks. `cost` is in dollars per game;
    `fitted` is the table's fit.
    """
    rows = table.rows
    if len(rows) < 2:
        return f"Too few entrants have the {min_games} blocks needed for a rank: play more games."
    best, *others = (row.entrant for row in rows)
    mirrored = [pair.mirrored() if pair.other == best else pair for pair in table.pairs]
    pairs = {pair.other: pair for pair in mirrored if pair.entrant == best}
    if others[0] not in pairs:
        return f"No games connect {best} and {others[0]}, so no table compares them."
    close = [pairs[other] for other in others if other in pairs and not pairs[other].is_apart]
    if not close:
        ahead = gap_text(pairs[others[0]], table)
        return f"{best} is alone in first place, {ahead} ahead of {others[0]}."
    gap = gap_text(close[0], table)
    showing = showing_text(close[0], table, cost, fitted, seed)
    return f"{best} and {close[0].other} are not significantly different: {gap}{showing}."


def gap_text(pair: PairGap, table: TargetTable) -> str:
    """Return how far the first entrant is ahead, such as "40 Elo [-35, 115]"."""
    scale = table.kind.scale
    low, high = pair.low, pair.high
    if not pair.is_apart:
        low, high = pair.gap - pair.margin, pair.gap + pair.margin
    return f"{scale.text(pair.gap)} {scale.unit} [{scale.text(low)}, {scale.text(high)}]"


def showing_text(
    pair: PairGap, table: TargetTable, cost: float | None, fitted: Fit, seed: int
) -> str:
    """Return a clause on how many more games would show a gap, or "" if that is unknown.

    The gap is the scale's `telling_gap` or, if that is None, the gap of `pair`.
    """
    scale = table.kind.scale
    telling = scale.telling_gap
    wanted = abs(pair.gap) if telling is None else telling
    first, second = map(fitted.entrants.index, (pair.entrant, pair.other))
    variance = scale.factor**2 * float(pair_variances(fitted.covariance)[first, second])
    # With too few blocks, the margin is nan.
    if wanted <= 0 or not pair.margin > 0:
        return ""
    critical = table_critical(fitted, [(first, second)], seed)
    more = from_pilot(table.games, variance, wanted, critical) - table.games
    if more <= 0:
        return f"; a gap of {telling:g} {scale.unit} would have been significant" if telling else ""
    gap = f"{telling:g} {scale.unit}" if telling else "this size"
    dollars = f" (about {dollar_text(cost * more)})" if cost else ""
    return f"; with {more:,} more games{dollars}, a gap of {gap} would be significant"


def stop_notes(fitted: Fit, rows: Sequence[Rating], method: Method, games: int) -> Iterator[str]:
    """Yield a note on the stop rule's pair or, for the best k, on the least certain pair."""
    names = [row.entrant for row in rows]
    notes = []
    for pair in pairs_to_tell(names, method.stop_top, method.stop_pair):
        seen = separation_of(fitted, pair, games / method.planned)
        if seen is not None:
            closeness = abs(seen.gap) / (seen.high - seen.low)
            notes.append((closeness, _apart_text(pair, seen, TARGETS[fitted.target].scale)))
    if notes:
        yield f"This tournament may stop early; however often you look, {min(notes)[1]}."


def _apart_text(pair: Pair, seen: Separation, scale: Scale) -> str:
    apart = f"are {'' if seen.apart else 'not '}significantly different"
    gap, low, high = (scale.text(scale.gap(end)) for end in (seen.gap, seen.low, seen.high))
    return f"{' and '.join(pair)} {apart}: {gap} [{low}, {high}]"


def pairs_to_tell(best_first: Sequence[str], top: int | None, pair: Pair | None) -> list[Pair]:
    """Return the pairs to compare: `pair`, or each of the best `top` with each lower entrant."""
    return [pair] if pair else [*product(best_first[:top], best_first[top:])]


def separation_of(fitted: Fit, pair: Pair, share: float) -> Separation | None:
    """Return an interval for a pair's gap that stays valid however often it is checked.

    The method is that of Robbins 1970 and Howard et al. 2021. `share` is the part of the planned
    games played so far; the information of all planned games is extrapolated from it. Return None
    if no games connect the pair, an entrant is not rated, or the gap never varies.
    """
    if fitted.unrated.keys() & pair or not any({*pair} <= part for part in fitted.parts):
        return None
    first, second = map(fitted.entrants.index, pair)
    error = float(pair_errors(fitted)[first, second])
    if not 0 < error < inf:
        return None
    # With few blocks, Student's t widens the interval more at this |z| than at 1.96.
    bound = mixture_bound(1 / error**2, 1 / error**2 / share)
    error = float(pair_errors(fitted, bound)[first, second])
    gap = float(fitted.skill[first] - fitted.skill[second])
    return separation(gap, error, 1 / error**2 / share)


def scale_sentences(fitted: Fit, anchors: AnchorScale | None) -> Iterator[str]:
    """Yield sentences on how anchors, if any, set the scale of a fit."""
    link = fitted.link
    if link is not None:
        names = list_names(link.anchors)
        verb = "sets" if len(link.anchors) == 1 else "set"
        yield (
            f"The ratings of {names} in {link.source} set the scale."
            if link.source
            else (f"The given rating of {names} {verb} the scale.")
        )
        yield from distance_sentences(link, TARGETS[fitted.target].scale.factor)
    elif anchors is not None:
        yield f"{_why_unlinked(fitted, anchors)}, so the two tournaments share no scale."


def _why_unlinked(fitted: Fit, anchors: AnchorScale) -> str:
    if anchors.direction not in {"", fitted.direction}:
        return f"{anchors.source} reads places from the {anchors.direction}"
    return f"No ranked entrant of {anchors.source} is rated here"


def distance_sentences(link: Link, factor: float) -> Iterator[str]:
    """Yield sentences on the linking error, the anchors' distances, and the anchor that moved most.

    `factor` is the number of Elo per logit.
    """
    if link.source:
        error = f"{factor * link.error:.0f} Elo"
        yield (
            f"On this scale, the mean rating has a standard error of {error}, which every interval "
            "includes."
        )
    if not link.freedom:
        return
    degrees = "1 degree" if link.freedom == 1 else f"{link.freedom} degrees"
    test = f"(chi-square {link.squares:.1f} on {degrees} of freedom, p = {link.chance:.3f})"
    kept = "did not keep" if link.chance < LEAST_CHANCE else "kept"
    yield f"The anchors {kept} their distances {test}."
    low, by, high = (factor * (link.by + errors * link.by_error) for errors in (-NORMAL, 0, NORMAL))
    yield (
        f"Compared with the others, {link.moved} moved most, by {by:+.0f} Elo [{low:+.0f}, "
        f"{high:+.0f}]."
    )
