"""What beliefs are worth, by model: scores of probes with intervals that take games together."""

from collections import defaultdict
from collections.abc import Sequence

from engine.games.deliberations.beliefs import BeliefScore
from engine.report.tables import Cell, Table
from labs.bias.estimators import mean_effect
from labs.deliberations.facts import GameFacts

BELIEFS = "Beliefs by model"
COLUMNS = ("model", "score", "mean", "below that of 1/n", "from", "to", "cases", "games")


def belief_table(games: Sequence[GameFacts]) -> Table:
    """Return the mean scores of each model, and how far below those of who knows nothing."""
    found: dict[tuple[str, str], list[tuple[str, BeliefScore]]] = defaultdict(list)
    for game in games:
        entrants = {seat.player_id: seat.entrant for seat in game.seats}
        for probe in game.beliefs:
            for score in probe.scores:
                found[entrants[probe.player_id], score.name].append((game.game_id, score))
    rows: list[tuple[Cell, ...]] = []
    for (entrant, name), cases in sorted(found.items()):
        game_ids = [game_id for game_id, _ in cases]
        if len({*game_ids}) > 1:
            mean = mean_effect([score.value for _, score in cases], game_ids).estimate
            gain = mean_effect([score.gain for _, score in cases], game_ids)
            counted = (gain.votes, gain.games)
            rows.append((entrant, name, mean, gain.estimate, *gain.interval, *counted))
    return Table(BELIEFS, COLUMNS, tuple(rows))
