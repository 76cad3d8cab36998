"""The places and figures of a finished game, checked on its log."""

from collections.abc import Iterator, Mapping

from engine.history import History, Outcome, RoundLog, payload_of
from engine.history.social import Decision
from tests.oracles.deliberations.reading import others_in_game
from tests.oracles.reading import each_event, ids_of

Figures = dict[str, dict[str, float]]  # of each player, by name


def check_placements(history: History) -> Iterator[str]:
    """Check the places, from winner and runner-up to the first to leave, and the figures."""
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
        decision = payload_of(event, Decision)
        if log.final_round:
            places = places_of_finalists(log, decision)
        else:
            out.append(decision.selected)
    for place, player_id in enumerate(reversed(out), len(places) + 1):
        places[player_id] = place
    return places


def places_of_finalists(log: RoundLog, decision: Decision) -> dict[str, int]:
    """Return the places of the finalists by the result of the final."""
    losers = others_in_game(log, decision.selected)
    counts = sorted([decision.tally[player_id] for player_id in losers], reverse=True)
    places = {decision.selected: 1}
    for player_id in losers:
        places[player_id] = 2 + counts.index(decision.tally[player_id])
    return places


def figures_due(history: History) -> Figures:
    """Return each player's figures due by the results."""
    figures: Figures = {player_id: {} for player_id in ids_of(history)}
    for log, event in each_event(history, "result"):
        decision = payload_of(event, Decision)
        number = log.round_index
        if not log.final_round:
            figures[decision.selected]["left in round"] = number
        add_votes(figures, decision.tally, f"votes {number}")
        if decision.revote is not None:
            add_votes(figures, decision.revote, f"revote {number}")
    return figures


def add_votes(figures: Figures, tally: Mapping[str, int], name: str) -> None:
    """Add each candidate's votes in a ballot to its figures, under a name."""
    for player_id, votes in tally.items():
        figures[player_id][name] = votes
