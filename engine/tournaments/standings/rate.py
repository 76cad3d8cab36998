"""Computes a tournament's standings from its results, once for all views."""

from collections.abc import Mapping, Sequence

import numpy as np

from engine import NAME, version
from engine.ratings import Results
from engine.spending.costs import total_cost
from engine.tournaments.standings.entrants import (
    counted_share,
    entrant_records,
    evenness_of,
    rated_results,
    same_provider_tables,
)
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.sensitivity import sensitivity_of
from engine.tournaments.standings.standings import EffectRow, GameCounts, Standings, TargetTable
from engine.tournaments.standings.targets import target_table

FEWEST_RATED = 2
NO_TABLE = "No table: fewer than two entrants can be rated."
# What a rating does not say, shown in every report.
NOTES = (
    "A rating holds for this game, these settings, these tables and these prompts. It does "
    "not measure a model in general.",
    "A rating is relative to the entrants that played. Two tournaments share a scale only through "
    "anchors.",
    "An interval covers chance in the draw and in the play. It does not cover another prompt, "
    "temperature or version of a model.",
    "Void games, and those that stopped or failed, are never rated. If one kind of entrant makes "
    "games fail, the counts show it; the ratings do not.",
    "A provider may change a model behind its name at any time.",
)


def rated_standings(
    method: Method,
    results: Results,
    counts: GameCounts,
    bias: Sequence[EffectRow] = (),
) -> Standings:
    """Return the standings of results rated by `method`; raise ValueError if that is impossible."""
    rated = rated_results(results, method.rated_from)
    records = entrant_records(results, method.models, rated.unrated)
    total = total_cost(record.total_cost for record in records)
    cost = None if total is None else total / results.games
    targets = []
    if len({*rated.entrants} - rated.unrated.keys()) >= FEWEST_RATED:
        targets = [target_table(target, rated, method, cost) for target in method.targets]
    return Standings(
        name=method.name,
        game=method.game,
        settings={**method.settings, **method.terms()},
        made_with=versions(),
        counts=counts,
        entrants=records,
        targets=tuple(targets),
        exposure=evenness_of(results, records),
        lots=counted_share(results.columns["lot"].sum(), len(results.entrant)),
        same_provider=same_provider_tables(results),
        bias=tuple(bias),
        notes=NOTES,
        sentence=_result_sentences(targets, rated.unrated),
        sensitivity=sensitivity_of(targets[0], rated, method, records) if targets else None,
        plan=method.plan,
    )


def _result_sentences(targets: Sequence[TargetTable], unrated: Mapping[str, str]) -> str:
    sentences = [targets[0].sentence if targets else NO_TABLE]
    if unrated:
        named = ", ".join(f"{name} ({why})" for name, why in unrated.items())
        sentences.append(f"Not rated: {named}.")
    return " ".join(sentences)


def versions() -> dict[str, str]:
    """Return the versions of the software that computed the numbers."""
    return {NAME: version(), "numpy": np.__version__}
