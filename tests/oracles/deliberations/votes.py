"""The rules of votes, checked on a log: ballots, verdicts, draws."""

from collections.abc import Iterator

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot, Decision
from engine.rng import stream
from protocol.turn import Attempt
from tests.oracles.deliberations.debriefs import debrief_orders
from tests.oracles.deliberations.probes import probe_draws
from tests.oracles.deliberations.questions import question_orders
from tests.oracles.deliberations.reading import (
    SeededDraw,
    bare_name,
    candidates_for,
    decode_escapes,
    has_vote,
    tally_of,
    tied_first,
    voters_in,
    votes_in,
    writers_in,
)
from tests.oracles.deliberations.sidebars import check_pair_lots, sidebar_draws
from tests.oracles.deliberations.ties import immune_in, lot_pool
from tests.oracles.reading import breach_at, breach_in, each_event, events_of

# The labels of the orders of voters, and of the candidates of each, in a first ballot and a revote.
VOTE_LABELS = {False: ("votes", "candidates"), True: ("revote", "revote candidates")}


def check_ballots(history: History) -> Iterator[str]:
    """Check that a vote names another active player, and abstains if and only if it fell back."""
    for log, event in each_event(history, "vote"):
        revote = payload_of(event, Ballot).revote
        yield from check_ballot(event, candidates_for(log, event.player_id, revote=revote))
        vote = payload_of(event, Ballot).vote
        if not event.content.startswith(vote_line(log, vote, revote=revote)):
            due = f"the voter to be told its vote, {vote!r}"
            yield breach_at(event, f"{due}: got {event.content!r}")


def check_ballot(event: Event, legal: list[str]) -> Iterator[str]:
    """Check one vote against the names that are `legal` on it."""
    ballot = payload_of(event, Ballot)
    vote = ballot.vote
    abstains = vote is None
    if not abstains and vote not in legal:
        yield breach_at(event, f"a vote for one of {legal}: got {vote!r}")

    candidates = [*ballot.candidates]
    if sorted(candidates) != sorted(legal):
        yield breach_at(event, f"the candidates {legal}: got {candidates}")

    if abstains != event.fell_back:
        due = "an abstention if and only if no legal name came"
        yield breach_at(event, f"{due}: got {vote!r}")


def vote_line(log: RoundLog, vote: str | None, *, revote: bool) -> str:
    """Return how the line of a vote must begin."""
    opening = "in the revote " if revote else ""
    if not vote:
        return f"{opening}gives no valid vote"
    if log.final_round:
        return f"{opening}votes for {vote}"
    return f"{opening}votes to eliminate {vote}"


def check_lost_votes(history: History) -> Iterator[str]:
    """Check that each ballot counts for the name on it, regardless of brackets, quotes or case."""
    for log, event in each_event(history, "vote"):
        vote = payload_of(event, Ballot).vote
        if vote is None:
            yield from check_abstention(log, event)
            continue
        if not event.attempts or event.fell_back:
            continue
        written = written_vote(event.attempts[-1])
        if written != bare_name(vote):
            due = f"the vote to be that of the ballot, {written!r}"
            yield breach_at(event, f"{due}: got {vote!r}")


def check_abstention(log: RoundLog, event: Event) -> Iterator[str]:
    """Check that no attempt of an abstention names a candidate."""
    legal = candidates_for(log, event.player_id, revote=payload_of(event, Ballot).revote)
    by_bare_name = {bare_name(player_id): player_id for player_id in legal}
    for attempt in event.attempts:
        named = by_bare_name.get(written_vote(attempt))
        complete = "}" in attempt.text
        if named is not None and complete:
            yield breach_at(event, f"the vote for {named} to count: got an abstention")


def written_vote(attempt: Attempt) -> str:
    """Return the bare name on a ballot, read only from its raw text."""
    name = attempt.text.rpartition('"vote"')[2].partition('",')[0]
    return bare_name(decode_escapes(name))


def check_verdicts(history: History) -> Iterator[str]:
    """Check that "the player with most votes is elminated" or "wins the game", by the ballots."""
    for log in history.rounds:
        if not has_vote(history, log):
            continue
        tally = tally_of(log)
        most = max(tally.values())
        results = [payload_of(event, Decision) for event in events_of(log, "result")]
        if [dict(result.tally) for result in results] != [tally]:
            yield breach_in(log, f"one result, with the tally {tally}: got {results}")
        for result in results:
            if tally.get(result.selected) != most:
                yield breach_in(log, f"one with most votes of {tally}: got {result}")


def check_draws(history: History) -> Iterator[str]:
    """Check every order, "permute the active players", and every draw, "at random", by the seed."""
    for log in history.rounds:
        for draw in each_draw(history, log):
            if not draw.found:
                continue
            expected = draw_again(history, log, draw)
            if draw.found != expected:
                due = f"{draw.what}, as the seed draws, to be {expected}"
                yield breach_in(log, f"{due}: got {draw.found}")
        yield from check_pair_lots(history, log)


def draw_again(history: History, log: RoundLog, draw: SeededDraw) -> list[str]:
    """Return what the seed makes of a draw: a whole order of its pool, or one player of it."""
    rng = stream(history.seed, "round", log.round_index, *draw.labels)
    if draw.labels[0] == "permuted":
        return rng.sample(draw.pool, len(draw.pool))
    return [rng.choice(draw.pool)]


def each_draw(history: History, log: RoundLog) -> Iterator[SeededDraw]:
    """Yield each draw of a round."""
    active = [*log.active_player_ids]
    yield order_draw(log, "pitch", "pitches", active)
    yield from vote_draws(log)
    yield from probe_draws(log)
    yield order_draw(log, "statement", "statements", tied_first(log))
    yield order_draw(log, "confessional", "confessionals", active)
    yield order_draw(log, "summary", "summaries", writers_in(history, log))
    yield from sidebar_draws(history, log)
    yield from tie_draws(history, log)
    yield SeededDraw("who is immune", immune_in(log), active, ("immunity",))
    yield from question_orders(log)
    yield from debrief_orders(history, log)


def order_draw(log: RoundLog, kind: str, label: str, pool: list[str]) -> SeededDraw:
    """Return the draw of the order in which players gave their events of `kind`."""
    return SeededDraw(
        what=f"the order of each {kind}",
        found=[str(event.player_id) for event in events_of(log, kind)],
        pool=pool,
        labels=("permuted", label),
    )


def vote_draws(log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the draws of the orders in which players vote, and read the candidates."""
    for revote, (order, options) in VOTE_LABELS.items():
        events = votes_in(log, revote=revote)
        yield SeededDraw(
            what=f"the order of each vote in {order!r}",
            found=[str(event.player_id) for event in events],
            pool=voters_in(log),
            labels=("permuted", order),
        )
        for event in events:
            voter = str(event.player_id)
            yield SeededDraw(
                what=f"the {options} of {voter}",
                found=[*payload_of(event, Ballot).candidates],
                pool=candidates_for(log, voter, revote=revote),
                labels=("permuted", options, voter),
            )


def tie_draws(history: History, log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the draw among the players still tied after all votes are counted."""
    tied = lot_pool(history, log)
    for event in events_of(log, "result"):
        selected = payload_of(event, Decision).selected
        yield SeededDraw(what="who is selected", found=[selected], pool=tied, labels=("tie",))
