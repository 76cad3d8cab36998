"""What a tournament tells at its end, from its log alone: its rounds, and who got what from whom."""

from collections.abc import Iterator, Mapping

from engine.games.dilemma.referee.match import Match
from engine.games.dilemma.results import pair_cooperation, payoff_matrix
from engine.games.dilemma.tournament import Game
from engine.history import Event, History
from engine.report.charts import Chart, Heat, Lines
from engine.report.tables import Table

# Beyond this many players a matrix is wider than a terminal; the pictures show it.
FEW = 8


def report(history: History) -> Iterator[Table]:
    """Yield the rounds and, among few players, points a move and cooperation of each against each."""
    standings = [event for event in history.events if event.kind == "standing"]
    if not standings:
        return
    rows = [round_row(index, event) for index, event in enumerate(standings, 1)]
    yield Table("Rounds", ("round", "moves", "leader", "points", "dropped"), tuple(rows))
    names, games = players(history), games_of(history)
    if len(names) <= FEW:
        yield matrix("Points a move of each against each", names, payoff_matrix(games))
        yield matrix("Cooperation of each against each", names, pair_cooperation(games))


def pictures(history: History) -> dict[str, Chart]:
    """Return the pictures of a tournament, by name: the points of each round, payoffs and cooperation."""
    standings = [event.data for event in history.events if event.kind == "standing"]
    if not standings:
        return {}
    names, games = players(history), games_of(history)
    rounds = range(1, len(standings) + 1)
    mean = {
        name: [told["table"].get(name, float("nan")) / told["moves"] for told in standings]
        for name in names
    }
    lines = Lines("Points of each round", "round", "points, over the moves of a game", rounds, mean)
    payoffs, shares = square(names, payoff_matrix(games)), square(names, pair_cooperation(games))
    return {
        "rounds": lines,
        "payoffs": Heat(
            "Points a move of each against each", names, names, payoffs, "points a move of the row"
        ),
        "cooperation": Heat(
            "Cooperation of each against each", names, names, shares, "share of C of the row"
        ),
    }


def round_row(index: int, event: Event) -> tuple[float, float, str, float, str]:
    """Return a round's row: who led it, and who was dropped."""
    leader, points = max(event.data["table"].items(), key=lambda row: row[1])
    return index, event.data["moves"], leader, points, ", ".join(event.data["dropped"]) or "nobody"


def games_of(history: History) -> list[Game]:
    """Return the games that the log tells of."""
    found = []
    for event in history.events:
        if event.kind == "match":
            (first, moves), (second, others) = event.data["moves"].items()
            points = event.data["points"]
            found.append(Game(first, second, Match(moves, others, (points[first], points[second]))))
    return found


def players(history: History) -> list[str]:
    """Return the players, the best first."""
    places = history.outcome.placements if history.outcome is not None else {}
    return sorted(
        (seat.player_id for seat in history.players),
        key=lambda name: places.get(name, len(places) + 1),
    )


def square(names: list[str], cells: Mapping[tuple[str, str], float]) -> list[list[float | None]]:
    """Return cells by pairs of names as rows; nobody meets itself."""
    return [[cells.get((own, other)) for other in names] for own in names]


def matrix(heading: str, names: list[str], cells: Mapping[tuple[str, str], float]) -> Table:
    """Return rows and columns of the same names as a table."""
    rows = tuple((own, *row) for own, row in zip(names, square(names, cells), strict=True))
    return Table(heading, ("player", *names), rows)
