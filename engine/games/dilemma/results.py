"""The figures of a tournament: places, points, cooperation rates, points by pair, and wins."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

from engine.games.dilemma.tournament import DilemmaTournament, Encounter, RoundRobin
from engine.history import Outcome
from engine.report.statistics import places_of

Pairs = Mapping[tuple[str, str], float]
Games = Iterable[Encounter]
Key = TypeVar("Key", bound=Hashable)


class Side(NamedTuple):
    """One side of a game: its player, the pair with its opponent, points, and moves as played."""

    name: str
    pair: tuple[str, str]
    points: int
    played: str

    @property
    def cooperated(self) -> int:
        """The number of moves that were C."""
        return self.played.count("C")


def sides_of(games: Games) -> Iterator[Side]:
    """Yield both sides of each game."""
    for first, second, match in games:
        my_score, others = match.score
        yield Side(first, (first, second), my_score, match.first)
        yield Side(second, (second, first), others, match.second)


def outcome_by_rounds(tournament: DilemmaTournament) -> Outcome:
    """Rank the players by rounds played, then by points in their last round."""
    return Outcome(
        placements=final_places(tournament),
        scores=last_points(tournament),
        figures=player_figures(tournament),
        shared=tournament_figures(tournament),
        summary=winner_sentence(tournament),
    )


def final_places(tournament: DilemmaTournament) -> dict[str, int]:
    """Return each player's place, from 1, by rounds played, then by points in its last round."""
    points = last_points(tournament)
    keys = {}
    for name in tournament.names:
        rounds = sum(name in played.scores for played in tournament.rounds)
        keys[name] = (rounds, points[name])
    return places_of(keys)


def last_points(tournament: DilemmaTournament) -> dict[str, float]:
    """Return each player's points in the last round it played."""
    points = dict.fromkeys(tournament.names, 0.0)
    for played in tournament.rounds:
        points |= played.scores
    return points


def player_figures(tournament: DilemmaTournament) -> dict[str, dict[str, float]]:
    """Return each player's share of C, points per move and by round, quiz results and faults."""
    games = games_of(tournament.rounds)
    cooperation = cooperation_rates(games)
    payoff = mean_payoffs(games)
    figures = {}
    for name in tournament.names:
        figures[name] = {
            "cooperation": round(cooperation[name], 3),
            "points a move": round(payoff[name], 3),
            **_further_figures(tournament, name),
        }
    return figures


def _further_figures(tournament: DilemmaTournament, name: str) -> dict[str, float]:
    figures: dict[str, float] = {}
    faults = tournament.faults
    if name in tournament.understood:
        figures["quiz"] = tournament.understood[name]
    if any(faults.values()):
        figures["faults"] = faults[name]
    for played in tournament.rounds:
        if name in played.scores:
            figures[f"round {played.index}"] = played.scores[name]
    return figures


def tournament_figures(tournament: DilemmaTournament) -> dict[str, float]:
    """Return the numbers of rounds, games, moves per side and flips, and the share of C."""
    games = games_of(tournament.rounds)
    moves = cooperated = flips = 0
    for game in games:
        match = game.match
        moves += len(match.first)
        cooperated += match.first.count("C") + match.second.count("C")
        flips += sum(map(len, match.flips))
    cooperation = cooperated / (2 * moves) if moves else 0
    return {
        "rounds": len(tournament.rounds),
        "games": len(games),
        "moves": moves,
        "flips": flips,
        "cooperation": round(cooperation, 3),
    }


def winner_sentence(tournament: DilemmaTournament) -> str:
    """Return a sentence that names the winner."""
    rounds = len(tournament.rounds)
    last = "in the only round" if rounds == 1 else f"in the last of {rounds} rounds"
    verb = "wins" if len(tournament.winners) == 1 else "win jointly"
    _, points = tournament.table[0]
    winners = " and ".join(tournament.winners)
    return f"{winners} {verb} with {points} points {last}."


def games_of(rounds: Iterable[RoundRobin]) -> list[Encounter]:
    """Return the games of all rounds."""
    return [*chain.from_iterable(played.games for played in rounds)]


def cooperation_rates(games: Games) -> dict[str, float]:
    """Return each player's share of C, from 0 to 1, among its moves as played (after flips)."""
    return _per_move(sides_of(games), attrgetter("name"), attrgetter("cooperated"))


def mean_payoffs(games: Games) -> dict[str, float]:
    """Return each player's points per move over all its games."""
    return _per_move(sides_of(games), attrgetter("name"), attrgetter("points"))


def pair_cooperation(games: Games) -> Pairs:
    """Return each player's share of C, from 0 to 1, against each other player."""
    return _per_move(sides_of(games), attrgetter("pair"), attrgetter("cooperated"))


def payoff_matrix(games: Games) -> Pairs:
    """Return each player's points per move against each other player."""
    return _per_move(sides_of(games), attrgetter("pair"), attrgetter("points"))


def _per_move(
    sides: Iterable[Side],
    key_of: Callable[[Side], Key],
    amount_of: Callable[[Side], int],
) -> dict[Key, float]:
    """Return, for each key, the sum of amounts divided by the number of moves."""
    sums: Counter[Key] = Counter()
    moves: Counter[Key] = Counter()
    for side in sides:
        key = key_of(side)
        sums[key] += amount_of(side)
        moves[key] += len(side.played)
    return {key: sums[key] / length for key, length in moves.items() if length}


def wins_of(games: Games) -> dict[str, int]:
    """Return the number of games in which each player had more points than its opponent."""
    wins: dict[str, int] = {}
    for first, second, match in games:
        my_score, opponent = match.score
        wins[first] = wins.get(first, 0) + (my_score > opponent)
        wins[second] = wins.get(second, 0) + (opponent > my_score)
    return wins
