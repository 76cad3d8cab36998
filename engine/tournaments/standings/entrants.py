"""The entrants' record besides their places: games, seats, failures and costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

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
    """Return the results without void games, and who answered too little in these and those."""
    asks, fallbacks = (results.columns[name].astype(int) for name in ("asks", "fallbacks"))
    names = map(results.entrants.__getitem__, results.entrant.tolist())
    seats = map(SeatAnswers.counted, names, asks.tolist(), fallbacks.tolist())
    valid = results.where(results.columns["void"] == 0)
    return replace(valid, unrated=unrated_entrants(seats, rated_from))


def entrant_records(
    results: Results, models: Models, unrated: Mapping[str, str]
) -> tuple[EntrantRecord, ...]:
    """Return each entrant's record; `models` has the provider and the model of those known."""
    # The provider and the model that rows name of each entrant, "" where they do not.
    named: dict[str, tuple[str, str]] = {}
    texts = zip(results.text("provider"), results.text("model"), strict=True)
    for number, text in zip(results.entrant.tolist(), texts, strict=True):
        entrant = results.entrants[number]
        named[entrant] = max(named.get(entrant, ("", "")), text)
    named |= models
    records = []
    for place, entrant in enumerate(results.entrants):
        record = _record_of(entrant, results, results.entrant == place, named[entrant])
        records.append(replace(record, not_rated=unrated.get(entrant, "")))
    return tuple(records)


def _record_of(entrant: str, results: Results, own: Bools, model: tuple[str, str]) -> EntrantRecord:
    """Return the record of an entrant, whose seats `own` marks."""
    column = {name: values[own] for name, values in results.columns.items()}
    fallbacks = column["fallbacks"]
    games = len(fallbacks)
    # Rows of others may count failures and no questions.
    asks = max(column["asks"].sum(), fallbacks.sum())
    return EntrantRecord(
        entrant=entrant,
        provider=model[0],
        model=model[1],
        games=games,
        failed_seats=counted_share(float(np.count_nonzero(fallbacks)), games),
        failed_asks=counted_share(fallbacks.sum(), asks),
        cost=_mean_of(column["cost"]),
        tokens=_mean_of(column["tokens"]),
        lots=int(column["lot"].sum()),
        seats=dict(sorted(Counter(column["seat"].astype(int).tolist()).items())),
    )


def _mean_of(values: Floats) -> float | None:
    """Return the mean, None if one value is not known."""
    if np.isnan(values).any() or not len(values):
        return None
    return float(values.mean())


def same_provider_tables(results: Results) -> Share:
    """Return the share of tables at which two models have the same provider."""
    tables = set()
    shared = set()
    for game, provider in zip(results.game.tolist(), results.text("provider"), strict=True):
        # Scripts are nobody's kin.
        is_model = provider and seat_kind(provider).asks == "model"
        if is_model and (game, provider) in tables:
            shared.add(game)
        tables.add((game, provider))
    return counted_share(len(shared), results.games)


def lot_share(results: Results) -> Share:
    """Return the share of seats whose place was decided at random."""
    lots = results.columns["lot"]
    return counted_share(lots.sum(), len(lots))


def meetings_of(results: Results) -> Ints:
    """Return how often each two met (K, K)."""
    number = len(results.entrants)
    met = np.zeros((number, number), dtype=np.int64)
    for first, second in results.seat_pairs():
        np.add.at(met, (results.entrant[first], results.entrant[second]), 1)
    return met + met.T


def evenness_of(results: Results, records: Sequence[EntrantRecord]) -> Evenness:
    """Return how evenly the entrants played, as the least and the most of each count."""
    met = meetings_of(results)
    by_name = {}
    for entrant, line in zip(results.entrants, met.tolist(), strict=True):
        by_name[entrant] = dict(zip(results.entrants, line, strict=True))
        del by_name[entrant][entrant]
    games = [record.games for record in records]
    seats = {seat for record in records for seat in record.seats}
    counts = [record.seats.get(seat, 0) for record in records for seat in seats]
    meetings = met[np.triu_indices(len(met), 1)].tolist()
    bounds = [(min(each), max(each)) for each in (games, counts, meetings)]
    return Evenness(bounds[0], bounds[1], bounds[2], by_name)
