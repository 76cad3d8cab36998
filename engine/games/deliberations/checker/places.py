"""The places and figures of a finished game, checked on its log."""

from collections.abc import Iterator

from engine.checks import each_event, ids_of
from engine.games.deliberations.checker.reading import decision_of
from engine.history import History, Outcome, RoundLog
from engine.round_payloads import Decision


def check_placements(history: History) -> Iterator[str]:
    """Check the places, from winner and runner-up back to who left first, and the figures."""
    outcome = history.outcome or Outcome({}, {})
    places = places_due(history)
    if outcome.placements != places:
        yield f"expected the places {places}: got {outcome.placements}"

    figures = figures_due(history)
    if outcome.figures != figures:
        yield f"expected the figures {figures}: got {outcome.figures}"


def places_due(history: History) -> dict[str, int]:
    """Return the places that the results make: finalists behind the winner share one by votes."""
    out = []
    places = {}
    for log, event in each_event(history, "result"):
        decision = decision_of(event)
        if log.final_round:
            places = places_of_finalists(log, decision)
        else:
            out.append(decision.selected)
    for place, player_id in enumerate(reversed(out), len(places) + 1):
        places[player_id] = place
    return places


def places_of_finalists(log: RoundLog, decision: Decision) -> dict[str, int]:
    """Return the places of the finalists by the result of the final."""
    winner = decision.selected
    losers = [player_id for player_id in log.active_player_ids if player_id != winner]
    counts = [decision.tally[player_id] for player_id in losers]
    in_order = sorted(counts, reverse=True)
    places = {winner: 1}
    for player_id, votes in zip(losers, counts, strict=True):
        places[player_id] = 2 + in_order.index(votes)
    return places


def figures_due(history: History) -> dict[str, dict[str, float]]:
    """Return the figures of each player that the results make."""
    figures: dict[str, dict[str, float]] = {player_id: {} for player_id in ids_of(history)}
    for log, event in each_event(history, "result"):
        decision = decision_of(event)
        if not log.final_round:
            figures[decision.selected]["left in round"] = log.round_index
        for player_id, votes in decision.tally.items():
            figures[player_id][f"votes {log.round_index}"] = votes
        for player_id, votes in (decision.revote or {}).items():
            figures[player_id][f"revote {log.round_index}"] = votes
    return figures
