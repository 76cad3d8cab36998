"""Votes: immunity, simultaneous secret ballots, and their results."""

from collections.abc import Mapping, Sequence
from typing import Literal

from engine.history.social import Ballot, Decision, Immunity
from engine.round_phases.asking import Context, turn_of, without
from engine.round_phases.forms import WORDS, Vote
from engine.round_phases.probes import phase_probes
from engine.round_phases.speeches import phase_statements
from engine.round_phases.voting import (
    Verdict,
    announcement,
    ballot_in_words,
    electorate,
    plurality,
    settle,
)
from player import Reply, Turn

Ties = Literal["lot", "revote"]
Votes = dict[str, str | None]
# Random-stream labels for the order of voters and of candidates, in a first ballot and a revote.
ORDERS = {False: ("votes", "candidates"), True: ("revote", "revote candidates")}


async def phase_immunity(context: Context) -> str:
    """Draw, announce and return the player that cannot be voted out in this round."""
    immune = context.rng("immunity").choice(context.active_player_ids)
    line = f"Drawn at random: {immune} cannot be voted out in this round."
    context.narrate(line, data=Immunity(immune))
    return immune


async def phase_votes(
    context: Context,
    *,
    reveal_tally: bool = False,
    ties: Ties = "lot",
    immune: str | None = None,
    before: Mapping[str, int] | None = None,
    words: int = WORDS,
    probes: bool = False,
) -> Verdict:
    """Ask all voters at once, fill `context.votes` by voter, announce the result and return it.

    "Each active player submits a private vote": only the voter sees its ballot and explanation. No
    one can vote for the `immune` player. With `ties` "revote", each tied player makes a statement
    of up to `words` words, and all voters then choose among them; `context.votes` keeps the first
    ballots. `before` counts the ballots against each player in earlier rounds. With `probes`, the
    active players predict each ballot before it is cast.
    """
    standing = without(context.active_player_ids, immune) if immune else None
    if probes:
        await phase_probes(context, standing)
    votes = await cast_votes(context, standing, ties, revote=False)
    context.votes.update(votes)
    candidates = standing or context.active_player_ids
    verdict = plurality(votes, candidates, context.rng("tie"))
    if ties == "revote" and len(verdict.tied) > 1:
        verdict = await vote_again(context, verdict, before or {}, words, probes=probes)
    result = announcement(verdict, final_round=context.final_round, reveal_tally=reveal_tally)
    data = Decision(verdict.selected, verdict.tally, verdict.revote, verdict.against)
    context.narrate(result, kind="result", data=data)
    return verdict


async def vote_again(
    context: Context,
    verdict: Verdict,
    before: Mapping[str, int],
    words: int,
    *,
    probes: bool,
) -> Verdict:
    """Let the tied players speak, then have all voters choose among them; return the verdict."""
    await phase_statements(context, verdict.tied, words=words)
    if probes:
        await phase_probes(context, verdict.tied, revote=True)
    votes = await cast_votes(context, verdict.tied, "revote", revote=True)
    return settle(verdict, votes, before, context.rng("tie"), final_round=context.final_round)


async def cast_votes(
    context: Context,
    standing: Sequence[str] | None,
    ties: Ties,
    *,
    revote: bool,
) -> Votes:
    """Ask all voters at once, log their ballots, and return the votes by voter."""
    turns = vote_turns(context, standing, ties, revote=revote)
    votes = {}
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        votes[turn.player_id] = reply.answer.vote
        tell_vote(context, turn, reply, revote=revote)
    return votes


def vote_turns(
    context: Context,
    standing: Sequence[str] | None,
    ties: Ties,
    *,
    revote: bool,
) -> list[Turn[Vote]]:
    """Return the question to each voter, with voters and candidates in random order."""
    candidates = electorate(
        context.active_player_ids,
        context.eliminated_player_ids,
        final_round=context.final_round,
        standing=standing,
    )
    voters, lists = ORDERS[revote]
    tied = standing or () if revote else ()
    turns = []
    for voter in context.permuted([*candidates], voters):
        options = context.permuted(candidates[voter], lists, voter)
        turns.append(vote_turn(context, voter, options, ties, tied))
    return turns


def vote_turn(
    context: Context,
    voter: str,
    options: Sequence[str],
    ties: Ties,
    tied: Sequence[str] = (),
) -> Turn[Vote]:
    """Return the question for a vote; in a revote, `tied` lists the tied players."""
    return turn_of(context, voter, Vote(vote=None), options, ties=ties, tied=tuple(tied))


def tell_vote(
    context: Context,
    turn: Turn[Vote],
    reply: Reply[Vote],
    *,
    revote: bool,
) -> None:
    """Log a ballot, with its candidates in the order shown; only its voter sees the ballot."""
    vote = reply.answer.vote
    why = reply.answer.explanation
    text = ballot_in_words(vote, final_round=context.final_round, revote=revote)
    context.record(
        "vote",
        "Vote",
        f"{text}: {why}" if why else text,
        player_id=turn.player_id,
        visibility=(turn.player_id,),
        data=Ballot(vote, turn.choices["vote"], revote),
        reply=reply,
    )
