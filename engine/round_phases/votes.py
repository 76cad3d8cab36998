"""Votes: secret ballots, asked for all at once, and what comes of them."""

from engine.round_payloads import Ballot, Decision
from engine.round_phases.asking import Context, turn_of
from engine.round_phases.forms import Vote
from engine.voting import Verdict, announcement, electorate, older_announcement, plurality
from player import Reply, Turn


async def phase_votes(context: Context, *, reveal_tally: bool = False) -> Verdict:
    """Ask all who vote at once, fill `context.votes` by voter, tell the result and return it.

    "Each active player submits a private vote": a ballot and its explanation are seen by the voter
    alone.
    """
    turns = vote_turns(context)
    votes = {}
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        votes[turn.player_id] = reply.answer.vote
        tell_vote(context, turn, reply)
    context.votes.update(votes)

    verdict = plurality(votes, context.active_player_ids, context.rng("tie"))
    announce = older_announcement if context.older else announcement
    result = announce(verdict, final_round=context.final_round, reveal_tally=reveal_tally)
    context.narrate(result, kind="result", data=Decision(verdict.selected, verdict.tally))
    return verdict


def vote_turns(context: Context) -> list[Turn[Vote]]:
    """Return the question to each voter; the orders of voters and candidates are drawn."""
    candidates = electorate(
        context.active_player_ids,
        context.eliminated_player_ids,
        final_round=context.final_round,
    )
    turns = []
    for voter in context.permuted([*candidates], "votes"):
        options = context.permuted(candidates[voter], "candidates", voter)
        turns.append(turn_of(context, voter, Vote(vote=None), options))
    return turns


def tell_vote(context: Context, turn: Turn[Vote], reply: Reply[Vote]) -> None:
    """Write a ballot, seen by its voter alone, with the candidates in the order it read them."""
    vote, why = reply.answer.vote, reply.answer.explanation
    purpose = "for" if context.final_round else "to eliminate"
    text = f"votes {purpose} {vote}" if vote else "gives no valid vote"
    context.record(
        "vote",
        "Vote",
        f"{text}: {why}" if why else text,
        player_id=turn.player_id,
        visibility=(turn.player_id,),
        data=Ballot(vote, turn.choices["vote"]),
        reply=reply,
    )
