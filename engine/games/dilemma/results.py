"""A tournament in figures: places, points, cooperation rates, and who beat whom by how much."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.games.dilemma.tournament import Encounter, Tournament

Pairs = dict[tuple[str, str], float]


class Side(NamedTuple):
    """One side of a game: its player, the opponent, the moves as played, and the points."""

    name: str
    opponent: str
    played: str
    points: int


def sides_of(games: Iterable[Encounter]) -> Iterator[Side]:
    """Yield both sides of each game."""
    for first, second, match in games:
        yield Side(first, second, match.first, match.score[0])
        yield Side(second, first, match.second, match.score[1])


def final_places(tournament: Tournament) -> dict[str, int]:
    """Return everyone's place, 1 the best; ties share.

    Whoever stayed longer is before, then whoever had more points in the last round it played.
    """
    points = last_points(tournament)
    keys = {}
    for name in tournament.names:
        rounds = sum(name in one.scores for one in tournament.rounds)
        keys[name] = (rounds, points[name])
    return {name: 1 + sum(other > own for other in keys.values()) for name, own in keys.items()}


def last_points(tournament: Tournament) -> dict[str, float]:
    """Return everyone's points in the last round it played."""
    points = dict.fromkeys(tournament.names, 0.0)
    for one in tournament.rounds:
        points |= one.scores
    return points


def player_figures(tournament: Tournament) -> dict[str, dict[str, float]]:
    """Return everyone's share of C, points a move, and points of each round.

    Also right answers of the quiz and faults, if there are any.
    """
    games = all_games(tournament)
    cooperation, payoff = cooperation_rates(games), mean_payoffs(games)
    faults = tournament.faults
    figures: dict[str, dict[str, float]] = {}
    for name in tournament.names:
        own: dict[str, float] = {
            "cooperation": round(cooperation[name], 3),
            "points a move": round(payoff[name], 3),
        }
        if name in tournament.understood:
            own["quiz"] = tournament.understood[name]
        if any(faults.values()):
            own["faults"] = faults[name]
        for one in tournament.rounds:
            if name in one.scores:
                own[f"round {one.index}"] = one.scores[name]
        figures[name] = own
    return figures


def tournament_figures(tournament: Tournament) -> dict[str, float]:
    """Return the number of rounds, games, moves of each side and flips, and the share of C."""
    games = all_games(tournament)
    moves = cooperated = flips = 0
    for game in games:
        match = game.match
        moves += len(match.first)
        cooperated += match.first.count("C") + match.second.count("C")
        flips += sum(map(len, match.flips))
    return {
        "rounds": len(tournament.rounds),
        "games": len(games),
        "moves": moves,
        "flips": flips,
        "cooperation": round(cooperated / (2 * moves), 3) if moves else 0,
    }


def winner_sentence(tournament: Tournament) -> str:
    """Return who won, in a sentence."""
    rounds = len(tournament.rounds)
    last = "in the only round" if rounds == 1 else f"in the last of {rounds} rounds"
    verb = "wins" if len(tournament.winners) == 1 else "win jointly"
    points = tournament.table[0][1]
    return f"{' and '.join(tournament.winners)} {verb} with {points} points {last}."


def all_games(tournament: Tournament) -> list[Encounter]:
    """Return the games of all rounds."""
    return [game for one in tournament.rounds for game in one.games]


def cooperation_rates(games: Iterable[Encounter]) -> dict[str, float]:
    """Return the share of C, from 0 to 1, among the moves of each, as they took effect."""
    cooperated: Counter[str] = Counter()
    moves: Counter[str] = Counter()
    for side in sides_of(games):
        cooperated[side.name] += side.played.count("C")
        moves[side.name] += len(side.played)
    return {name: cooperated[name] / moves[name] for name in moves if moves[name]}


def mean_payoffs(games: Iterable[Encounter]) -> dict[str, float]:
    """Return the points a move of each, over all its games."""
    points: Counter[str] = Counter()
    moves: Counter[str] = Counter()
    for side in sides_of(games):
        points[side.name] += side.points
        moves[side.name] += len(side.played)
    return {name: points[name] / moves[name] for name in moves if moves[name]}


def pair_cooperation(games: Iterable[Encounter]) -> Pairs:
    """Return the share of C, from 0 to 1, among the moves of each against each other."""
    cooperated: Counter[tuple[str, str]] = Counter()
    moves: Counter[tuple[str, str]] = Counter()
    for side in sides_of(games):
        pair = side.name, side.opponent
        cooperated[pair] += side.played.count("C")
        moves[pair] += len(side.played)
    return {pair: cooperated[pair] / moves[pair] for pair in moves if moves[pair]}


def payoff_matrix(games: Iterable[Encounter]) -> Pairs:
    """Return the points a move of each against each other."""
    points: Counter[tuple[str, str]] = Counter()
    moves: Counter[tuple[str, str]] = Counter()
    for side in sides_of(games):
        pair = side.name, side.opponent
        points[pair] += side.points
        moves[pair] += len(side.played)
    return {pair: points[pair] / moves[pair] for pair in moves if moves[pair]}


def wins_of(games: Iterable[Encounter]) -> dict[str, int]:
    """Return in how many games each had more points than its opponent."""
    wins: dict[str, int] = {}
    for first, second, match in games:
        own, opponent = match.score
        wins[first] = wins.get(first, 0) + (own > opponent)
        wins[second] = wins.get(second, 0) + (opponent > own)
    return wins
