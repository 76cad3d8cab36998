"""Rules for a finished log: points, pairings, eliminations, and answers as they took effect."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from engine.games.dilemma.events import BlockPlayed, MatchPlayed, RoundStanding
from engine.history import Event, History, RoundLog, payload_of
from tests.oracles.reading import Checks, breach_in, check_usage, each_event, events_of

Games = Mapping[tuple[int, str, str], MatchPlayed]

PAYOFFS = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}


def check_points(history: History) -> Iterator[str]:
    """Yield each game whose points do not match its moves."""
    for log in history.rounds:
        for match in matches_of(log):
            expected = points_due(match)
            if match.points != expected:
                yield breach_in(log, f"the points {expected}: got {match.points}")


def points_due(match: MatchPlayed) -> dict[str, int]:
    """Return both players' points of a game, move by move."""
    first, second = match.moves
    points = {first: 0, second: 0}
    for own, other in zip(*match.moves.values(), strict=True):
        gain, loss = PAYOFFS[own + other]
        points[first] += gain
        points[second] += loss
    return points


def check_pairings(history: History) -> Iterator[str]:
    """Yield each round that is not "every agent plays every other agent" in games of one length."""
    for log in history.rounds:
        matches = matches_of(log)
        pairs = [(*match.moves,) for match in matches]
        lengths = {len(moves) for match in matches for moves in match.moves.values()}
        if pairs != [*combinations(log.active_player_ids, 2)]:
            yield breach_in(log, f"one game of each pair of {', '.join(log.active_player_ids)}")
        if len(lengths) != 1:
            yield breach_in(log, "games of one length")


def check_eliminations(history: History) -> Iterator[str]:
    """Yield each standing that is not the sum of its games or drops others than the lowest."""
    standings = standings_by_round(history)
    following = [*history.rounds[1:], None]
    for log, after in zip(history.rounds, following, strict=True):
        standing = standings[log.round_index]
        yield from check_standing(log, standing)
        if after is None:
            continue
        went_on = [*after.active_player_ids]
        remaining = set(log.active_player_ids) - set(standing.dropped)
        if set(went_on) != remaining:
            yield breach_in(log, f"the others to go on: got {went_on}")


def check_standing(log: RoundLog, standing: RoundStanding) -> Iterator[str]:
    """Yield errors in the table of a round and in its dropped players."""
    sums = sums_of(log)
    if standing.table != sums:
        yield breach_in(log, f"the sums {sums}: got {standing.table}")
    least = min(sums.values())
    dropped = [name for name, points in sums.items() if points == least]
    if len(dropped) == len(sums):
        dropped = []
    if set(standing.dropped) != set(dropped):
        yield breach_in(log, f"{dropped} to be dropped: got {standing.dropped}")


def check_effects(history: History) -> Iterator[str]:
    """Yield each answer of a model or person that did not take effect, except for flips."""
    games = {}
    for log in history.rounds:
        for match in matches_of(log):
            first, second = match.moves
            games[log.round_index, first, second] = match
    for log, event in each_event(history, "block"):
        # A block without a player belongs to no game, which `breaches` reports.
        yield from changed_moves(log.round_index, str(event.player_id), event, games)


def changed_moves(index: int, own: str, event: Event, games: Games) -> Iterator[str]:
    """Yield each move in a `block` of player `own` that differs in its game, except flips.

    `index` is the number of its round, from 1.
    """
    block = payload_of(event, BlockPlayed)
    opponent = block.opponent
    match = match_between(games, index, own, opponent)
    effects = match.moves[own][block.move :]
    flips = match.flips[own]
    for move, (answer, effect) in enumerate(zip(block.answer, effects, strict=False), block.move):
        changed = answer != effect
        if changed != (move in flips):
            yield (
                f"round {index}: expected {own}'s {answer} in move {move} "
                f"against {opponent}, but for flips"
            )


def match_between(games: Games, index: int, own: str, opponent: str) -> MatchPlayed:
    """Return the game of two players in a round, whichever of them is its first."""
    mine, theirs = (index, own, opponent), (index, opponent, own)
    return games[mine if mine in games else theirs]


def matches_of(log: RoundLog) -> list[MatchPlayed]:
    """Return the games of a round."""
    return [payload_of(event, MatchPlayed) for event in events_of(log, "match")]


def standings_by_round(history: History) -> dict[int, RoundStanding]:
    """Return how each round ended, by its number from 1."""
    events = each_event(history, "standing")
    return {log.round_index: payload_of(event, RoundStanding) for log, event in events}


def sums_of(log: RoundLog) -> dict[str, int]:
    """Return all players' points over all games of a round."""
    sums = dict.fromkeys(log.active_player_ids, 0)
    for match in matches_of(log):
        for name in sums:
            sums[name] += match.points.get(name, 0)
    return sums


CHECKS: Checks = {
    "points": check_points,
    "pairings": check_pairings,
    "eliminations": check_eliminations,
    "answers": check_effects,
    "usage": check_usage,
}
