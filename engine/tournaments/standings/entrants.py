"""The entrants' records, apart from places: games, seats, failures and costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from engine.ratings import Results, wilson
from engine.ratings.columns import Bools, Floats, Ints
from engine.spending.validity import SeatAnswers, unrated_entrants
from engine.tournaments.standings.standings import EntrantRecord, Evenness, Share
from protocol.seats import seat_kind

Models = Mapping[str, tuple[str, str]]


def counted_share(part: float, whole: float) -> Share:
    """Return a share with its interval (Wilson 1927)."""
    part, whole = int(part), int(whole)
    if not whole:
        return Share(part, whole, None, None, None)
    return Share(part, whole, part / whole, *wilson(part, whole))


def rated_results(results: Results, rated_from: float) -> Results:
    """Return the results without void games, which still help decide which entrants are unrated."""
    asks, fallbacks = (results.columns[name].astype(int) for name in ("asks", "fallbacks"))
    names = map(results.entrants.__getitem__, results.entrant.tolist())
    seats = map(SeatAnswers.counted, names, asks.tolist(), fallbacks.tolist())
    valid = results.where(results.columns["void"] == 0)
    return replace(valid, unrated=unrated_entrants(seats, rated_from))


def entrant_records(
    results: Results, models: Models, unrated: Mapping[str, str]
) -> tuple[EntrantRecord, ...]:
    """Return each entrant's record; `models` maps entrants to provider and model, if known."""
    texts = [*zip(results.text("provider"), results.text("model"), strict=True)]
    records = []
    for place, entrant in enumerate(results.entrants):
        own = results.entrant == place
        # The provider and the model in the rows, "" if missing.
        named = max(compress(texts, own))
        record = _record_of(entrant, results, own, models.get(entrant, named))
        records.append(replace(record, not_rated=unrated.get(entrant, "")))
    return tuple(records)


def _record_of(entrant: str, results: Results, own: Bools, model: tuple[str, str]) -> EntrantRecord:
    """Return the record of an entrant; `own` marks its seats."""
    column = {name: values[own] for name, values in results.columns.items()}
    fallbacks = column["fallbacks"]
    seats, games = np.unique(column["seat"].astype(int), return_counts=True)
    # Imported rows may count failures but no questions.
    asks = max(column["asks"].sum(), fallbacks.sum())
    return EntrantRecord(
        entrant=entrant,
        provider=model[0],
        model=model[1],
        games=len(fallbacks),
        failed_seats=counted_share(int((fallbacks > 0).sum()), len(fallbacks)),
        failed_asks=counted_share(fallbacks.sum(), asks),
        cost=_mean_of(column["cost"]),
        tokens=_mean_of(column["tokens"]),
        lots=int(column["lot"].sum()),
        seats=dict(zip(seats.tolist(), games.tolist(), strict=True)),
    )


def _mean_of(values: Floats) -> float | None:
    return None if np.isnan(values).any() else float(values.mean())


def same_provider_tables(results: Results) -> Share:
    """Return the share of tables at which two models have the same provider."""
    seated = Counter(zip(results.game.tolist(), results.text("provider"), strict=True))
    twice = [sitting for sitting, seats in seated.items() if seats > 1]
    # Scripts have no provider.
    shared = {game for game, provider in twice if provider and seat_kind(provider).asks == "model"}
    return counted_share(len(shared), results.games)


def meetings_of(results: Results) -> Ints:
    """Return a (K, K) array of how often each pair of entrants met."""
    number = len(results.entrants)
    met = np.zeros((number, number), dtype=np.int64)
    for first, second in results.seat_pairs():
        np.add.at(met, (results.entrant[first], results.entrant[second]), 1)
    return met + met.T


def evenness_of(results: Results, records: Sequence[EntrantRecord]) -> Evenness:
    """Return the range of games, games per seat and meetings, and the meetings of each pair."""
    met = meetings_of(results)
    games = [record.games for record in records]
    seats = {seat for record in records for seat in record.seats}
    sat = [record.seats.get(seat, 0) for record in records for seat in seats]
    meetings = met[np.triu_indices(len(met), 1)].tolist()
    by_name = _meetings_by_name(results.entrants, met)
    return Evenness(_bounds_of(games), _bounds_of(sat), _bounds_of(meetings), by_name)


def _bounds_of(counts: Sequence[int]) -> tuple[int, int]:
    return min(counts), max(counts)


def _meetings_by_name(entrants: Sequence[str], met: Ints) -> dict[str, dict[str, int]]:
    by_name = {}
    for entrant, line in zip(entrants, met.tolist(), strict=True):
        counts = zip(entrants, line, strict=True)
        by_name[entrant] = {other: count for other, count in counts if other != entrant}
    return by_name
