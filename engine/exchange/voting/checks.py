"""Recount the votes of a foreign voting game to check that it followed its rules."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from engine.history import Event, History, RoundLog
from engine.round_phases.voting import most_in
from engine.runs.check import UNREADABLE, check_log

Check = Callable[[History], Iterator[str]]
# Imported games in which players vote each other out.
VOTING_GAMES = ("elimination_game", "agent_island")
# A juror's line is checked even if it does not count as a vote.
JURY_KINDS = ("vote", "jury_line")


def check_any_log(history: History, most_steps: int | None = None) -> str:
    """Return the first fault in a log, imported or not, or "" if there is none.

    Raises ValueError if the log cannot be checked, for example because its game is unfinished.
    """
    if history.game not in VOTING_GAMES:
        return check_log(history, most_steps)
    for breaches in breaches_by_rule(history).values():
        for breach in breaches:
            return breach
    return ""


def breaches_by_rule(history: History) -> dict[str, list[str]]:
    """Return the breaches of each voting rule; raise ValueError if the game did not end."""
    if history.status != "finished":
        raise ValueError(
            f"expected a finished game: {history.game_id} is {history.status}, {history.reason}"
        )
    return {rule: breaches_of(check, history) for rule, check in VOTING.items()}


def breaches_of(check: Check, history: History) -> list[str]:
    """Return the breaches that `check` finds; an unreadable log is a breach."""
    try:
        return [*check(history)]
    except UNREADABLE as error:
        return [f"expected a log that can be read by this rule: {error!r:.200}"]


def breach_in(log: RoundLog, expected: str) -> str:
    """Return a sentence that reports a breach in one round."""
    return f"round {log.round_index}: expected {expected}"


def check_numbers(history: History) -> Iterator[str]:
    """Check that rounds are numbered from 1 and events from 0."""
    rounds = [log.round_index for log in history.rounds]
    if rounds != [*range(1, len(rounds) + 1)]:
        yield f"expected rounds 1 to {len(rounds)}: got {rounds}"
    indices = [event.index for event in history.events]
    if indices != [*range(len(indices))]:
        yield f"expected events numbered from 0 to {len(indices) - 1}: got {indices}"


def leavings_in(history: History) -> Iterator[tuple[RoundLog, Event]]:
    """Yield each round before the final in which a player left, and the event that reports it."""
    for log in history.rounds:
        results = [event for event in log.events if event.kind == "result"]
        leavings = [event for event in results if "places" not in event.data]
        if leavings and not log.final_round:
            yield log, leavings[0]


def first_votes(log: RoundLog) -> list[Event]:
    """Return a round's votes, except those in revotes after a tie."""
    votes = [event for event in log.events if event.kind == "vote"]
    return [event for event in votes if event.data.get("ballot", 1) == 1]


def faults_of_ballots(log: RoundLog) -> Iterator[str]:
    """Yield a breach for each inactive voter and each active player without exactly one vote."""
    cast = Counter(event.player_id for event in first_votes(log))
    for player in log.active_player_ids:
        if cast[player] != 1:
            yield breach_in(log, f"one first vote of {player}: got {cast[player]}")
    for voter in cast.keys() - set(log.active_player_ids):
        yield breach_in(log, f"votes of active players only: got one of {voter}")


def faults_of_leaving(log: RoundLog, leaving: Event) -> Iterator[str]:
    """Yield a breach if the player that left was not among those with the most first votes."""
    most = most_voted(first_votes(log))
    left = leaving.data["selected"]
    if most and left not in most:
        yield breach_in(log, f"one of the most voted to leave, {', '.join(most)}: got {left}")


def most_voted(votes: list[Event]) -> tuple[str, ...]:
    """Return the players with the most votes, or () if there are no votes."""
    named = [event.data.get("vote") for event in votes]
    return most_in(Counter(vote for vote in named if vote is not None))


def check_first_votes(history: History) -> Iterator[str]:
    """Check that every round with an exit has one first vote from each active player."""
    for log, _ in leavings_in(history):
        yield from faults_of_ballots(log)


def check_leaving(history: History) -> Iterator[str]:
    """Check that the player that leaves is among those with the most first votes."""
    for log, leaving in leavings_in(history):
        yield from faults_of_leaving(log, leaving)


def check_leavers(history: History) -> Iterator[str]:
    """Check that places follow the order of leaving, with the finalists first."""
    placements = placements_in(history)
    left = [leaving.data["selected"] for _, leaving in leavings_in(history)]
    for order, player in enumerate(left, 1):
        due, got = len(history.players) - order + 1, placements.get(player)
        if got != due:
            yield f"expected place {due} of {player}, who left as number {order}: got {got}"
    last = len(history.players) - len(left)
    for seat in history.players:
        player, got = seat.player_id, placements.get(seat.player_id)
        if player not in left and (got is None or got > last):
            yield f"expected a place up to {last} of {player}, a finalist: got {got}"


def placements_in(history: History) -> Mapping[str, int]:
    """Return the places of a finished game."""
    assert history.outcome is not None
    return history.outcome.placements


def check_jury(history: History) -> Iterator[str]:
    """Check that the winner is among the finalists with the most jury votes."""
    placements = placements_in(history)
    winners = {player for player, place in placements.items() if place == 1}
    for log in history.rounds:
        votes = [event for event in log.events if event.kind in JURY_KINDS]
        kept = most_voted(votes) if log.final_round else ()
        if kept and winners.isdisjoint(kept):
            got = " and ".join(sorted(winners)) or "nobody"
            yield breach_in(log, f"the winner to be {' or '.join(kept)}, by the jury: got {got}")


VOTING: Mapping[str, Check] = {
    "rounds and events are counted": check_numbers,
    "each active player votes once": check_first_votes,
    "who leaves is among the most voted": check_leaving,
    "places are the order of leaving": check_leavers,
    "the jury keeps the winner": check_jury,
}


def figures_of_votes(history: History) -> Counter[str]:
    """Count eliminations, places, how many of them are correct, and juries against the winner."""
    figures = Counter[str]()
    for log, leaving in leavings_in(history):
        faults = [*faults_of_ballots(log), *faults_of_leaving(log, leaving)]
        figures["eliminations"] += 1
        figures["eliminations held"] += not faults
    if history.outcome is not None:
        figures["places"] = 1
        figures["places held"] = int(not breaches_of(check_leavers, history))
        figures["juries against the winner"] = len(breaches_of(check_jury, history))
    return figures


def eliminations_sentence(figures: Mapping[str, int]) -> str:
    """Return a sentence that counts all eliminations and those that the recounted votes confirm."""
    held, count = figures["eliminations held"], figures["eliminations"]
    return f"{held} of {count} eliminations hold when the votes are counted again."
