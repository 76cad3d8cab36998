"""The rules of ties and immunity, checked on a log: who votes again, what ends a tie, who stays."""

from collections.abc import Iterator, Mapping

from engine.history import History, RoundLog, payload_of
from engine.history.social import Decision
from tests.oracles.deliberations.reading import (
    phases_in,
    revote_of,
    tally_of,
    tied_first,
    voters_in,
    votes_again,
    votes_in,
    with_most,
)
from tests.oracles.reading import breach_in, events_of


def check_revotes(history: History) -> Iterator[str]:
    """Check that all vote again if and only if several are tied, and check the result."""
    for log in history.rounds:
        due = voters_in(log) if votes_again(history, log) else []
        found = [str(event.player_id) for event in votes_in(log, revote=True)]
        if sorted(found) != sorted(due):
            yield breach_in(log, f"revotes of {due}: got those of {found}")
        for event in events_of(log, "result"):
            yield from check_tie(history, log, payload_of(event, Decision))


def check_tie(history: History, log: RoundLog, decision: Decision) -> Iterator[str]:
    """Check the votes by which a tie ended, and that it is one of those still tied who is selected.

    Players tied in the revote too are judged by all ballots against them in the game so far; in the
    final, by those of the rounds.
    """
    revote = revote_of(log) if votes_again(history, log) else None
    against = against_due(history, log)
    if decision.revote != revote or decision.against != against:
        due = f"the revote {revote} and the votes against {against}"
        yield breach_in(log, f"{due}: got {decision}")

    pool = lot_pool(history, log)
    if decision.selected not in pool:
        yield breach_in(log, f"one of {pool}: got {decision}")


def against_due(history: History, log: RoundLog) -> dict[str, int] | None:
    """Return the ballots against players also tied in the revote, None if there are none."""
    if not votes_again(history, log):
        return None
    tied = with_most(revote_of(log))
    if len(tied) == 1:
        return None

    against = dict.fromkeys(tied, 0)
    last = log.round_index - log.final_round
    for earlier in history.rounds[:last]:
        first, again = tally_of(earlier), revote_of(earlier)
        for player_id in tied:
            against[player_id] += first.get(player_id, 0) + again.get(player_id, 0)
    return against


def lot_pool(history: History, log: RoundLog) -> list[str]:
    """Return the players in the random draw after all votes; a single one needs no draw."""
    if not votes_again(history, log):
        return tied_first(log)
    against = against_due(history, log)
    if against is None:
        return with_most(revote_of(log))
    if not log.final_round:
        return with_most(against)
    fewest = min(against.values())
    return [player_id for player_id in against if against[player_id] == fewest]


def steps_due(log: RoundLog, decision: Decision) -> list[str]:
    """Return how a result must describe a revoted tie, before it names the selected player."""
    if decision.revote is None:
        return []
    steps = [f"{tie_due(decision.tally)}."]
    if decision.against is not None:
        steps.append(f"In the revote, {tie_due(decision.revote)}.")
        span = "in the rounds" if log.final_round else "in all ballots so far"
        steps.append(f"Votes against them {span}: {counts_due(decision.against)}.")
    return steps


def tie_due(tally: Mapping[str, int]) -> str:
    """Return how those with the most votes of a tally must be named."""
    votes = max(tally.values(), default=0)
    plural = "" if votes == 1 else "s"
    return f"{among_due(with_most(tally))} tied with {votes} vote{plural} each"


def among_due(player_ids: list[str]) -> str:
    """Return how several players must be listed."""
    *others, last = player_ids
    return f"{', '.join(others)} and {last}"


def counts_due(tally: Mapping[str, int]) -> str:
    """Return the votes of all, the most first."""
    ranked = sorted(tally, key=tally.__getitem__, reverse=True)
    return ", ".join(f"{player_id}: {tally[player_id]}" for player_id in ranked)


def check_immunity(history: History) -> Iterator[str]:
    """Check that one active player is immune if the settings say so, and otherwise none."""
    for log in history.rounds:
        due = int("immunity" in phases_in(history, log.round_index) and not log.final_round)
        found = immune_in(log)
        strangers = {*found} - {*log.active_player_ids}
        if len(found) != due or strangers:
            yield breach_in(log, f"{due} of the players in the game immune: got {found}")


def immune_in(log: RoundLog) -> list[str]:
    """Return who is told to be immune in a round."""
    events = [event for event in events_of(log, "narration") if "immune" in event.data]
    return [str(event.data["immune"]) for event in events]
