"""The picture of a game of deliberations: how many votes each player got in each ballot."""

from collections.abc import Mapping

from engine.history import History, payload_of
from engine.history.social import Decision
from engine.report.charts import Chart, Heat


def vote_charts(history: History) -> dict[str, Chart]:
    """Return the votes by round, as far as the game went; nothing before the first result.

    Those of a revote have a column of their own behind the first ballots, and are not added to
    them.
    """
    tallies = {}
    for log in history.rounds:
        title = "to win" if log.final_round else f"round {log.round_index}"
        for event in log.events:
            if event.kind != "result":
                continue
            decision = payload_of(event, Decision)
            tallies[title] = decision.tally
            if decision.revote is not None:
                tallies[f"{title}, again"] = decision.revote
    if not tallies:
        return {}

    names = [seat.player_id for seat in history.players]
    cells = []
    for name in names:
        cells.append([votes_for(name, tally) for tally in tallies.values()])
    heat = Heat(
        title="Votes by round",
        rows=names,
        columns=[*tallies],
        cells=cells,
        label="votes",
    )
    return {"votes": heat}


def votes_for(name: str, tally: Mapping[str, int]) -> float | None:
    """Return a candidate's votes, None for whoever was none."""
    return float(tally[name]) if name in tally else None
