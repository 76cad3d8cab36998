"""A tournament's tables and charts, from its log: the quiz, the rounds, and points by pair."""

from collections.abc import Iterable, Iterator, Sequence
from math import nan

from engine.games.dilemma.events import MatchPlayed, QuizAnswer, RoundStanding
from engine.games.dilemma.referee.match import Match
from engine.games.dilemma.results import Pairs, pair_cooperation, payoff_matrix
from engine.games.dilemma.tournament import Encounter
from engine.history import History, payload_of
from engine.report.charts import Chart, Heat, Lines
from engine.report.tables import Table
from engine.report.turning_points import TurningPoint, changes_of_lead

# With more players, a matrix is wider than a terminal, so only the charts show it.
FEW = 8
PAYOFFS_TITLE = "Points a move of each against each"
COOPERATION_TITLE = "Cooperation of each against each"

Rows = Sequence[Sequence[float | None]]


def report(history: History) -> Iterator[Table]:
    """Yield tables of the quiz, the rounds and, for few players, points and cooperation by pair."""
    quiz = quiz_table(history)
    if quiz.rows:
        yield quiz
    standings = standings_in(history)
    if not standings:
        return
    yield standings_table(standings.values())
    names = best_first(history)
    if len(names) <= FEW:
        payoffs, shares = payoffs_and_shares(history, names)
        yield pair_table(PAYOFFS_TITLE, "player", names, payoffs)
        yield pair_table(COOPERATION_TITLE, "player", names, shares)


def quiz_table(history: History) -> Table:
    """Return a table of players that took the quiz; it is empty in a player's view of the log."""
    verdicts: dict[str, list[bool]] = {}
    for event in history.events:
        if event.kind == "quiz" and event.player_id is not None:
            given = payload_of(event, QuizAnswer)
            verdicts.setdefault(event.player_id, []).append(given.answer == given.right)
    rows = [(name, f"{sum(right)} of {len(right)}") for name, right in verdicts.items()]
    return Table("Quiz about the rules", ("player", "right"), tuple(rows))


def standings_table(standings: Iterable[RoundStanding]) -> Table:
    """Return a table of the length, the leader and the dropped players of each round."""
    rows = []
    for index, standing in enumerate(standings, 1):
        leader = max(standing.table, key=standing.table.__getitem__)
        dropped = ", ".join(standing.dropped) or "nobody"
        rows.append((index, standing.moves, leader, standing.table[leader], dropped))
    return Table("Rounds", ("round", "moves", "leader", "points", "dropped"), tuple(rows))


def tournament_charts(history: History) -> dict[str, Chart]:
    """Return a tournament's charts by name: points by round, payoffs, and cooperation."""
    standings = standings_in(history)
    if not standings:
        return {}
    names = best_first(history)
    points = {}
    for name in names:
        # A player has NaN after it is dropped.
        points[name] = [standing.table.get(name, nan) for standing in standings.values()]
    rounds = range(1, len(standings) + 1)
    payoffs, cooperation = pair_heats(names, *payoffs_and_shares(history, names))
    return {
        "rounds": Lines("Points of each round", "round", "points", rounds, points),
        "payoffs": payoffs,
        "cooperation": cooperation,
    }


def pair_heats(names: Sequence[str], payoffs: Rows, shares: Rows) -> tuple[Heat, Heat]:
    """Return charts of points per move and of cooperation, with a row for each player."""
    return (
        Heat(PAYOFFS_TITLE, names, names, payoffs, "points a move of the row"),
        Heat(COOPERATION_TITLE, names, names, shares, "share of C of the row"),
    )


def payoffs_and_shares(history: History, names: Sequence[str]) -> tuple[Rows, Rows]:
    """Return points per move and shares of C, with a row per player and a column per opponent."""
    games = encounters_in(history)
    return pair_rows(names, payoff_matrix(games)), pair_rows(names, pair_cooperation(games))


def standings_in(history: History) -> dict[int, RoundStanding]:
    """Return the standing after each round in the log, by the index of its event."""
    events = [event for event in history.events if event.kind == "standing"]
    return {event.index: payload_of(event, RoundStanding) for event in events}


def turns_of_tournament(history: History) -> Iterator[TurningPoint]:
    """Yield the largest change of lead from round to round."""
    standings = standings_in(history)
    return changes_of_lead([(index, standings[index].table) for index in standings])


def encounters_in(history: History) -> list[Encounter]:
    """Return the games in the log."""
    encounters = []
    for event in history.events:
        if event.kind != "match":
            continue
        played = payload_of(event, MatchPlayed)
        first, second = played.moves
        score = (played.points[first], played.points[second])
        match = Match(played.moves[first], played.moves[second], score)
        encounters.append(Encounter(first, second, match))
    return encounters


def best_first(history: History) -> list[str]:
    """Return the players by place, or in seat order while the game has no outcome."""
    names = history.player_ids
    if history.outcome is None:
        return names
    places = history.outcome.placements
    last = len(places) + 1
    return sorted(names, key=lambda name: places.get(name, last))


def pair_rows(names: Sequence[str], cells: Pairs) -> list[list[float | None]]:
    """Return the cells of pairs as rows, in the order of `names`, with None for a missing pair."""
    rows = []
    for name in names:
        rows.append([cells.get((name, opponent)) for opponent in names])
    return rows


def pair_table(
    heading: str,
    corner: str,
    names: Sequence[str],
    rows: Rows,
) -> Table:
    """Return a table with a row and a column for each name; `corner` heads the column of names."""
    lines = [(name, *row) for name, row in zip(names, rows, strict=True)]
    return Table(heading, (corner, *names), tuple(lines))
