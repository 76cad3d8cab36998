"""What came of a tournament, in figures: places, points, cooperation rates, and who beat whom by how much."""

from collections import Counter
from collections.abc import Iterable

from engine.games.dilemma.tournament import Game, Tournament

Pairs = dict[tuple[str, str], float]


def places_of(tournament: Tournament) -> dict[str, int]:
    """Return everyone's place, 1 the best, ties share: who stayed longer is before, then who had more in its last."""
    points = points_of(tournament)
    keys = {
        name: (sum(name in one.scores for one in tournament.rounds), points[name])
        for name in tournament.names
    }
    return {name: 1 + sum(other > own for other in keys.values()) for name, own in keys.items()}


def points_of(tournament: Tournament) -> dict[str, float]:
    """Return everyone's points in the last round it played."""
    points = dict.fromkeys(tournament.names, 0.0)
    for one in tournament.rounds:
        points |= one.scores
    return points


def figures_of(tournament: Tournament) -> dict[str, dict[str, float]]:
    """Return everyone's points of each round, share of C, points a move, and quiz and faults if there are any."""
    games = all_games(tournament)
    cooperation, payoff, faults = cooperation_rates(games), mean_payoffs(games), tournament.faults
    figures: dict[str, dict[str, float]] = {}
    for name in tournament.names:
        figures[name] = {
            "cooperation": round(cooperation[name], 3),
            "points a move": round(payoff[name], 3),
        }
        figures[name] |= (
            {"quiz": tournament.understood[name]} if name in tournament.understood else {}
        )
        figures[name] |= {"faults": faults[name]} if any(faults.values()) else {}
        figures[name] |= {
            f"round {one.index}": one.scores[name]
            for one in tournament.rounds
            if name in one.scores
        }
    return figures


def shared_figures(tournament: Tournament) -> dict[str, float]:
    """Return the figures of the whole tournament: rounds, games, moves of each side, flips and the share of C."""
    matches = [game.match for game in all_games(tournament)]
    moves = sum(len(match.first) for match in matches)
    cooperated = sum(match.first.count("C") + match.second.count("C") for match in matches)
    flips = sum(len(side) for match in matches for side in match.flips)
    shared = {
        "rounds": len(tournament.rounds),
        "games": len(matches),
        "moves": moves,
        "flips": flips,
    }
    return shared | {"cooperation": round(cooperated / (2 * moves), 3) if moves else 0}


def summary_of(tournament: Tournament) -> str:
    """Return who won in a sentence."""
    rounds = len(tournament.rounds)
    last = f"in {'the only round' if rounds == 1 else f'the last of {rounds} rounds'}"
    verb = "wins" if len(tournament.winners) == 1 else "win jointly"
    return f"{' and '.join(tournament.winners)} {verb} with {tournament.table[0][1]} points {last}."


def all_games(tournament: Tournament) -> list[Game]:
    """Return the games of all rounds."""
    return [game for one in tournament.rounds for game in one.games]


def cooperation_rates(games: Iterable[Game]) -> dict[str, float]:
    """Return the share of C among the moves of each, as they took effect."""
    cooperated: Counter[str] = Counter()
    moves: Counter[str] = Counter()
    for first, second, match in games:
        for name, played in ((first, match.first), (second, match.second)):
            cooperated[name] += played.count("C")
            moves[name] += len(played)
    return {name: cooperated[name] / moves[name] for name in moves if moves[name]}


def pair_cooperation(games: Iterable[Game]) -> Pairs:
    """Return the share of C among the moves of each against each other."""
    return {pair: rate for pair, (rate, _) in _by_pair(games).items()}


def payoff_matrix(games: Iterable[Game]) -> Pairs:
    """Return the points a move of each against each other."""
    return {pair: points for pair, (_, points) in _by_pair(games).items()}


def mean_payoffs(games: Iterable[Game]) -> dict[str, float]:
    """Return the points a move of each over all its games."""
    points: Counter[str] = Counter()
    moves: Counter[str] = Counter()
    for first, second, match in games:
        for side, name in enumerate((first, second)):
            points[name] += match.score[side]
            moves[name] += len(match.first)
    return {name: points[name] / moves[name] for name in moves if moves[name]}


def wins_of(games: Iterable[Game]) -> dict[str, int]:
    """Return in how many games each had more points than its opponent."""
    wins: dict[str, int] = {}
    for first, second, match in games:
        own, opponent = match.score
        wins[first] = wins.get(first, 0) + (own > opponent)
        wins[second] = wins.get(second, 0) + (opponent > own)
    return wins


def _by_pair(games: Iterable[Game]) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the share of C and the points a move of each against each other."""
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for first, second, match in games:
        for pair, played, points in (
            ((first, second), match.first, match.score[0]),
            ((second, first), match.second, match.score[1]),
        ):
            cooperated, scored, moves = sums.get(pair, (0, 0, 0))
            sums[pair] = (cooperated + played.count("C"), scored + points, moves + len(played))
    return {
        pair: (cooperated / moves, scored / moves)
        for pair, (cooperated, scored, moves) in sums.items()
        if moves
    }
