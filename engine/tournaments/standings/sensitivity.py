"""Which ranks depend on how the games are rated and on which other entrants played."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.ratings import TARGETS, Results
from engine.ratings.columns import Bools
from engine.ratings.covariates import seats_change
from engine.ratings.plackett_luce import skills_alone
from engine.report.statistics import places_of
from engine.tournaments.settings import wrong_targets
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.standings import (
    EntrantRecord,
    RankVariant,
    Sensitivity,
    TargetTable,
)

# At most this many entrants, the best ones, are left out in turn.
MOST_LEFT_OUT = 20
ENTRANT, PROVIDER = "entrant", "provider"
# Skills that agree to this many decimals count as equal.
EQUAL = 6
OTHER_TARGETS = {
    "by wins": {"target": "wins", "direction": "top"},
    "by places, top": {"target": "places", "direction": "top"},
    "by places, bottom": {"target": "places", "direction": "bottom"},
}


def sensitivity_of(
    table: TargetTable, results: Results, method: Method, records: Sequence[EntrantRecord]
) -> Sensitivity | None:
    """Return entrants' ranks under other ways of rating, or None for fewer than two entrants.

    Only ranked entrants of the first connected part are included. The rank of an entrant that is
    left out, alone or with its provider, goes to no other entrant. Ways in which the games cannot
    be rated are omitted.
    """
    first = {row.entrant: row.skill for row in table.rows if row.part == table.rows[0].part}
    if len(first) < 2:
        return None
    base = ranks_among(first, range(1, len(first) + 1))
    terms = {
        "target": table.target,
        "direction": table.direction,
        "covariates": method.covariates,
        "lots": method.lots,
    }
    variants = []
    for name, changes in other_choices(terms, results, method.game):
        variants += variant_of(name, "", terms | changes, results, base)
    for (kind, name), gone in _groups_left_out([*first], records).items():
        if len(set(results.entrants) - gone - results.unrated.keys()) > 1:
            left = left_without(results, gone, whole_games=TARGETS[table.target].rule is None)
            variants += variant_of(name, kind, terms, left, base)
    return Sensitivity(table.target, base, tuple(variants))


def _groups_left_out(
    first: Sequence[str], records: Sequence[EntrantRecord]
) -> dict[tuple[str, str], set[str]]:
    """Return the groups to leave out: each of the best entrants, and each provider's entrants."""
    groups = {(ENTRANT, each): {each} for each in first[:MOST_LEFT_OUT]}
    for record in sorted(records, key=lambda record: record.provider):
        if record.provider:
            groups.setdefault((PROVIDER, record.provider), set()).add(record.entrant)
    return groups


def other_choices(
    terms: Mapping[str, Any], results: Results, game: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each alternative way to rate all games: its name and its changed terms."""
    for name, changes in OTHER_TARGETS.items():
        wrong = wrong_targets(game, [changes["target"]], by_payoff=False)
        if not wrong and not changes.items() <= terms.items():
            yield name, changes
    if TARGETS[terms["target"]].rule is not None:
        yield from _other_fits(terms, results)


def _other_fits(terms: Mapping[str, Any], results: Results) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield alternative fits: with or without `seat`, and with random draws as played or tied."""
    used = {*terms["covariates"]}
    if "seat" in used:
        yield "without seat", {"covariates": tuple(sorted(used - {"seat"}))}
    elif seats_change(results.source):
        yield "with seat", {"covariates": (*terms["covariates"], "seat")}
    if results.columns["lot"].any():
        if terms["lots"] == "played":
            yield "random draws left out", {"lots": "tie"}
        else:
            yield "random draws as played", {"lots": "played"}


def left_without(results: Results, gone: set[str], *, whole_games: bool) -> Results:
    """Return the results without the seats, or the whole games, of the entrants in `gone`."""
    away: Bools = np.isin(np.array(results.entrants)[results.entrant], [*gone])
    if whole_games:
        away = np.isin(results.game, results.game[away])
    return results.where(~away)


def variant_of(
    name: str, kind: str, terms: Mapping[str, Any], results: Results, base: Mapping[str, int]
) -> list[RankVariant]:
    """Return one variant in a list, which is empty if the results cannot be rated this way."""
    try:
        alone = skills_alone(results, **terms)
    except (ValueError, ArithmeticError):
        return []
    skills = {each: alone[each] for each in base if each in alone}
    order = sorted(base, key=base.__getitem__)
    places = [place for place, each in enumerate(order, 1) if each in skills]
    return [RankVariant(name, kind, ranks_among(skills, places))] if skills else []


def ranks_among(skills: Mapping[str, float], places: Sequence[int]) -> dict[str, int]:
    """Assign `places` to entrants in the order of skill; equals share their best place."""
    rounded = {name: round(skill, EQUAL) for name, skill in skills.items()}
    return {name: places[rank - 1] for name, rank in places_of(rounded).items()}
